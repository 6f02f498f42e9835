// The page: its state, its controls, and the address that a link to what is shown has.

const element = (id) => document.getElementById(id);

const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

class Page {
  constructor(campaign, phrases) {
    Object.assign(this, { campaign, phrases });
    this.turn = 0; // a place in campaign.turns
    this.layer = { kind: "owner", state: null, since: 0 };
    this.pinned = this.current = -1;
    this.theme = null; // as the system has it, until it is chosen
    this.#setTheme();
    this.looks = new Looks(campaign);
    this.view = new View(campaign);
    this.drawing = new Drawing(campaign, this.looks, element("ground"), element("marks"));
    this.search = new Search(campaign, element("search"), element("found"), (entry) => this.#find(entry));
    this.#fillControls();
    this.#listen();
    this.#measure();
    this.restore();
  }

  // --- what is shown -----------------------------------------------------------------------------

  // The turn that this one is compared with.
  get #before() {
    const { turn, layer } = this;
    return layer.kind === "changes" ? Math.min(layer.since, turn) : Math.max(turn - 1, 0);
  }

  // The groups to outline: those whose verdict changed, or where the layer's state may deploy, the
  // state's right to.
  #outlined(changed) {
    const { campaign, layer, turn } = this;
    if (!element("outlined").checked && layer.kind !== "changes") return [];
    if (layer.kind !== "deploy") return changed.map(({ group }) => group);
    const right = (place, group) =>
      campaign.deployments[campaign.turns[place].deployment[group]].find(({ state }) => state === layer.state)?.basis;
    return campaign.groups
      .map((_, group) => group)
      .filter((group) => right(turn, group) !== right(this.#before, group));
  }

  // Take up a turn, layer or theme: all that changes how the ground looks.
  settle() {
    const start = performance.now();
    const { layer, turn } = this;
    this.looks.settle(layer, turn, Math.min(layer.since, turn));
    const changed = this.campaign.changes(this.#before, turn);
    this.drawing.settle(new Set(this.#outlined(changed)));
    this.drawing.drawGround(this.view);
    this.#showTurn();
    this.#showChanges(changed);
    this.#showLegend();
    this.#showVerdict();
    this.#drawMarks();
    this.#remember();
    // How long it took stands in the browser's own measurements.
    performance.measure("nwol-sql settle", { start, end: performance.now() });
  }

  // Draw again what the view, the pointer or the keys have changed, once in a frame.
  redraw(isGround) {
    this.isGroundDue ||= isGround;
    this.frame ??= requestAnimationFrame(() => {
      const start = performance.now();
      this.frame = undefined;
      if (this.isGroundDue) this.drawing.drawGround(this.view);
      this.isGroundDue = false;
      this.#drawMarks();
      performance.measure("nwol-sql redraw", { start, end: performance.now() });
    });
  }

  #drawMarks() {
    const { campaign, pinned, current, view } = this;
    const shown = pinned >= 0 ? pinned : current;
    const group = shown < 0 ? -1 : campaign.group[shown];
    const cities = group < 0 ? [] : campaign.groups[group].cities.map((city) => campaign.cityByName.get(city));
    const next = shown < 0 ? [] : campaign.others("runner_up_cities", shown);
    const isFocused = document.activeElement === element("map");
    this.drawing.drawMarks(view, { current, pinned, isFocused, cities, next });
  }

  #showTurn() {
    const { campaign, turn } = this;
    const entry = campaign.turns[turn];
    const squares = campaign
      .changes(Math.max(turn - 1, 0), turn)
      .reduce((sum, { group }) => sum + campaign.sizes[group], 0);
    const text = turn === 0 ? "the first turn" : `${squares} changed`;
    const slider = element("turn");
    slider.value = turn;
    slider.ariaValueText = `Turn ${entry.turn}`;
    const small = document.createElement("small");
    small.textContent = text;
    element("when").replaceChildren(`Turn ${entry.turn}`, small);
    element("bars").querySelectorAll("i").forEach((bar, place) => bar.classList.toggle("now", place === turn));
  }

  #showChanges(changed) {
    const { campaign, layer, turn } = this;
    const list = element("changes");
    const [now, before] = [campaign.turns[turn].turn, campaign.turns[this.#before].turn];
    element("changes-title").textContent =
      layer.kind === "changes" ? `Changes from turn ${before} to turn ${now}` : `Changes in turn ${now}`;
    const called = (verdict) => verdict.owner ?? verdict.status;
    // What has one cause and one outcome is one line.
    const lines = new Map();
    for (const { group, old, verdict, causes } of changed) {
      const cause = causes.join("; ");
      const outcome = `${called(old)} → ${called(verdict)}`;
      const by = called(old) === called(verdict) ? `${outcome}, rule ${old.rule} → ${verdict.rule}` : outcome;
      const name = JSON.stringify([cause, by]);
      if (!lines.has(name)) lines.set(name, { cause, by, groups: [], squares: 0 });
      lines.get(name).groups.push(group);
      lines.get(name).squares += campaign.sizes[group];
    }
    if (!lines.size) {
      const none = document.createElement("p");
      none.textContent = turn === 0 ? "Nothing: this is the first turn." : "No square’s verdict changed.";
      list.replaceChildren(none);
      return;
    }
    const items = [...lines.values()].sort((a, b) => b.squares - a.squares);
    list.replaceChildren(document.createElement("ul"));
    for (const { cause, by, groups, squares } of items) {
      const button = document.createElement("button");
      button.type = "button";
      const name = document.createElement("bdi");
      name.textContent = cause;
      const note = document.createElement("span");
      note.textContent = `${squares} ${squares === 1 ? "square" : "squares"}: ${by}`;
      button.append(name, note);
      button.addEventListener("click", () => this.#showGroups(new Set(groups)));
      const item = document.createElement("li");
      item.append(button);
      list.firstChild.append(item);
    }
  }

  #showLegend() {
    const { campaign, turn, layer, looks } = this;
    const body = element("legend").tBodies[0];
    const rows = [];
    const add = (look, name, code, squares, change, find) => {
      if (squares || change) rows.push({ look, name, code, squares, change, find });
    };
    if (layer.kind === "deploy") {
      const rights = (place) => {
        const counts = new Map();
        campaign.groups.forEach((_, group) => {
          const right = campaign.deployments[campaign.turns[place].deployment[group]].find(
            ({ state }) => state === layer.state,
          );
          if (right) counts.set(right.basis, (counts.get(right.basis) ?? 0) + campaign.sizes[group]);
        });
        return counts;
      };
      const [now, before] = [rights(turn), rights(this.#before)];
      for (const [basis, name] of [
        ["owner", "As owner"],
        ["sharer", "As sharer"],
        ["ally", "As ally of the sharers or the owner"],
      ]) {
        const look = looks.look(layer, null, [{ state: layer.state, basis }], false);
        const squares = now.get(basis) ?? 0;
        add(look, name, "", squares, squares - (before.get(basis) ?? 0));
      }
    } else {
      const [now, before] = [campaign.counts(turn), campaign.counts(this.#before)];
      const ground = { kind: layer.kind === "status" ? "status" : "owner" };
      const change = (key) => (now.get(key) ?? 0) - (before.get(key) ?? 0);
      const owned = campaign.states
        .map((state) => [`=${state.state}`, state])
        .sort(([a], [b]) => (now.get(b) ?? 0) - (now.get(a) ?? 0));
      if (layer.kind === "status") {
        const total = (counts) => owned.reduce((sum, [key]) => sum + (counts.get(key) ?? 0), 0);
        const look = looks.look(ground, { status: "owned", owner: "" }, [], false);
        add(look, "owned", "", total(now), total(now) - total(before));
      } else {
        for (const [key, { state, name }] of owned) {
          const look = looks.look(ground, { status: "owned", owner: state }, [], false);
          add(look, name ?? state, name ? state : "", now.get(key) ?? 0, change(key), state);
        }
      }
      for (const status of ["shared", "neutral", "unowned"]) {
        const look = looks.look(ground, { status, owner: null }, [], false);
        add(look, status, "", now.get(status) ?? 0, change(status));
      }
      add({ color: looks.theme.sea }, "outside all nations", "", now.get("outside") ?? 0, change("outside"));
    }
    body.replaceChildren(...rows.map((row) => this.#legendRow(row)));
    if (!rows.length) {
      const row = body.insertRow();
      row.insertCell();
      row.insertCell().textContent = "nowhere";
    }
  }

  #legendRow({ look, name, code, squares, change, find }) {
    const row = document.createElement("tr");
    row.insertCell().append(this.looks.swatch(look));
    const called = document.createElement("bdi");
    called.textContent = name;
    const cell = row.insertCell();
    if (find) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(called);
      button.addEventListener("click", () => this.#showState(find));
      cell.append(button);
    } else cell.append(called);
    if (code) {
      const short = document.createElement("span");
      short.className = "code";
      short.textContent = ` ${code}`;
      cell.append(short);
    }
    row.insertCell().textContent = squares.toLocaleString("en");
    const changed = row.insertCell();
    if (change) {
      changed.className = change > 0 ? "gained" : "lost";
      changed.textContent = change > 0 ? `+${change}` : `−${-change}`;
    }
    return row;
  }

  #showVerdict() {
    const { campaign, phrases, turn, pinned, current } = this;
    const shown = pinned >= 0 ? pinned : current;
    element("unpin").hidden = pinned < 0;
    element("verdict-title").textContent = pinned >= 0 ? "Verdict, pinned" : "Verdict";
    if (shown < 0) {
      const none = document.createElement("p");
      none.className = "empty";
      none.textContent =
        "Point at a square to see who owns it and why. A click pins it, so that you can watch it turn by turn.";
      element("explanation").replaceChildren(none);
      return;
    }
    showExplanation(element("explanation"), explanation(campaign, phrases, turn, shown));
  }

  // --- squares -----------------------------------------------------------------------------------

  setCurrent(square, isSpoken = false) {
    if (square === this.current) return;
    this.current = square;
    if (this.pinned < 0) this.#showVerdict();
    if (isSpoken && square >= 0) this.#speak(square);
    this.redraw(false);
  }

  pin(square) {
    this.pinned = square;
    if (square >= 0) this.current = square;
    this.#showVerdict();
    this.redraw(false);
    this.#remember();
  }

  #speak(square) {
    const { headline, summary } = explanation(this.campaign, this.phrases, this.turn, square);
    const city = this.campaign.cities.find((entry) => entry.square === this.campaign.squares.square[square]);
    const pinned = square === this.pinned ? "Pinned. " : "";
    element("spoken").textContent =
      `${pinned}${city ? `${city.city}. ` : ""}${headline.textContent}. ${summary}`;
  }

  #place(square) {
    const cell = this.campaign.cellOf[square];
    return [cell % this.campaign.width, Math.floor(cell / this.campaign.width)];
  }

  #showSquares(isWanted, most) {
    const bounds = [Infinity, Infinity, -Infinity, -Infinity];
    for (let square = 0; square < this.campaign.count; square++) {
      if (!isWanted(square)) continue;
      const [column, row] = this.#place(square);
      bounds[0] = Math.min(bounds[0], column);
      bounds[1] = Math.min(bounds[1], row);
      bounds[2] = Math.max(bounds[2], column);
      bounds[3] = Math.max(bounds[3], row);
    }
    if (bounds[0] === Infinity) return;
    this.view.show(...bounds, most);
    this.redraw(true);
    this.#remember();
  }

  #showGroups(groups) {
    this.#showSquares((square) => groups.has(this.campaign.group[square]));
  }

  #showState(state) {
    this.#showSquares((square) => this.campaign.verdict(this.turn, square)?.owner === state);
    element("spoken").textContent = `Showing what ${state} owns`;
  }

  #find({ kind, square, state }) {
    if (kind === "state") {
      this.#showState(state);
      return;
    }
    const [column, row] = this.#place(square);
    this.view.show(column - 10, row - 7, column + 10, row + 7);
    this.redraw(true);
    this.pin(square);
    this.#speak(square);
  }

  // --- controls ----------------------------------------------------------------------------------

  #fillControls() {
    const { campaign } = this;
    const option = (value, text) => new Option(text, value);
    element("state").replaceChildren(
      ...campaign.states.map(({ state, name }) => option(state, name ? `${state}: ${shortened(name)}` : state)),
    );
    element("since").replaceChildren(
      ...campaign.turns.map(({ turn }, place) => option(place, `turn ${turn}`)),
    );
    element("turn").max = campaign.turns.length - 1;
    element("timeline").hidden = campaign.turns.length < 2;
    const counts = campaign.turns.map((_, place) =>
      campaign.changes(Math.max(place - 1, 0), place).reduce((sum, { group }) => sum + campaign.sizes[group], 0),
    );
    const most = Math.max(...counts, 1);
    counts.forEach((count, place) => {
      const bar = document.createElement("i");
      bar.style.height = `${count ? 15 + (85 * count) / most : 0}%`;
      if (place) element("bars").append(document.createElement("b"));
      element("bars").append(bar);
    });
  }

  setTurn(turn) {
    this.turn = Math.min(Math.max(turn, 0), this.campaign.turns.length - 1);
    this.settle();
  }

  setLayer(layer) {
    this.layer = { ...this.layer, ...layer };
    if (this.layer.kind === "deploy") this.layer.state ??= this.campaign.states[0].state;
    element("layer").value = this.layer.kind;
    element("state").value = this.layer.state ?? "";
    element("since").value = this.layer.since;
    element("state").hidden = this.layer.kind !== "deploy";
    element("since").hidden = this.layer.kind !== "changes";
  }

  play(isPlaying) {
    clearInterval(this.timer);
    this.timer = undefined;
    element("play").ariaPressed = String(isPlaying);
    element("play").ariaLabel = isPlaying ? "Stop" : "Play the turns";
    if (!isPlaying) return;
    const last = this.campaign.turns.length - 1;
    if (this.turn === last) this.setTurn(0);
    this.timer = setInterval(() => {
      this.setTurn(this.turn + 1);
      if (this.turn === last) this.play(false);
    }, 1100);
  }

  #setTheme() {
    const isDark = this.isPrinting ? false : this.theme ? this.theme === "dark" : prefersDark.matches;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    element("theme").ariaPressed = String(isDark);
    if (!this.looks) return;
    this.looks.setTheme();
    this.drawing.setTheme();
  }

  #save() {
    const { campaign, turn } = this;
    const quoted = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [["turn", "square", "x", "y", "nation", "status", "owner", "rule"].join(",")];
    const { square, x, y, nation } = campaign.squares;
    for (let place = 0; place < campaign.count; place++) {
      const verdict = campaign.verdict(turn, place) ?? { status: "outside", owner: null, rule: null };
      const where = nation[place] === null ? null : campaign.nations[nation[place]].nation;
      lines.push(
        [campaign.turns[turn].turn, square[place], x[place], y[place], where, verdict.status, verdict.owner, verdict.rule]
          .map(quoted)
          .join(","),
      );
    }
    const link = document.createElement("a");
    link.download = `ownership-turn-${campaign.turns[turn].turn}.csv`;
    link.href = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  #measure() {
    const { clientWidth: width, clientHeight: height } = element("map");
    this.view.resize(width, height);
    this.drawing.resize(width, height, window.devicePixelRatio || 1);
  }

  #listen() {
    const on = (id, type, action) => element(id).addEventListener(type, action);
    on("layer", "change", ({ target }) => {
      if (target.value === "changes" && this.layer.since >= this.turn) this.layer.since = 0;
      this.setLayer({ kind: target.value });
      this.settle();
    });
    on("state", "change", ({ target }) => {
      this.setLayer({ state: target.value });
      this.settle();
    });
    on("since", "change", ({ target }) => {
      this.setLayer({ since: Number(target.value) });
      this.settle();
    });
    on("turn", "input", ({ target }) => {
      this.play(false);
      this.setTurn(Number(target.value));
    });
    on("play", "click", () => this.play(this.timer === undefined));
    on("outlined", "change", () => this.settle());
    on("save", "click", () => this.#save());
    on("unpin", "click", () => {
      this.pin(-1);
      element("map").focus();
    });
    on("theme", "click", () => {
      this.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      this.#setTheme();
      this.settle();
    });
    on("sheet", "click", ({ currentTarget }) => {
      const isRaised = document.querySelector("main").classList.toggle("raised");
      currentTarget.ariaExpanded = String(isRaised);
    });
    const zoom = (factor) => () => {
      this.view.zoom(factor);
      this.redraw(true);
      this.#remember();
    };
    on("nearer", "click", zoom(1.5));
    on("farther", "click", zoom(1 / 1.5));
    on("whole", "click", () => {
      this.view.showWhole();
      this.redraw(true);
      this.#remember();
    });
    on("map", "keydown", (event) => this.#onKey(event));
    on("map", "focus", () => this.redraw(false));
    on("map", "blur", () => this.redraw(false));
    this.#listenToPointer();
    prefersDark.addEventListener("change", () => {
      this.#setTheme();
      this.settle();
    });
    window.addEventListener("hashchange", () => {
      if (location.hash !== this.address) this.restore();
    });
    new ResizeObserver(() => {
      if (this.isPrinting) return;
      this.#measure();
      this.drawing.drawGround(this.view);
      this.#drawMarks();
    }).observe(element("map"));
    const print = (isPrinting) => {
      if (this.isPrinting === isPrinting) return;
      this.isPrinting = isPrinting;
      this.#setTheme();
      if (isPrinting) {
        // Paper has its own size: the whole map, large enough to be sharp.
        this.kept = this.view.toString();
        const { width: columns, height: rows } = this.campaign;
        const cell = Math.min(1100 / columns, 1100 / rows, CELL.most);
        const [width, height] = [columns * cell + EDGE.left + 10, rows * cell + EDGE.top + 10].map(Math.ceil);
        element("map").style.setProperty("--ratio", width / height);
        this.view.resize(width, height);
        this.view.showWhole();
        this.drawing.resize(width, height, 2);
      } else {
        this.#measure();
        this.view.restore(this.kept);
      }
      this.settle();
    };
    const paper = window.matchMedia("print");
    window.addEventListener("beforeprint", () => print(true));
    window.addEventListener("afterprint", () => print(paper.matches));
    paper.addEventListener("change", ({ matches }) => print(matches));
  }

  #squareAt(event) {
    const { left, top } = element("map").getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    if (x < EDGE.left || y < EDGE.top) return -1;
    return this.campaign.at(...this.view.placeAt(x, y).map(Math.floor));
  }

  #showHint(event) {
    const hint = element("hint");
    const square = event ? this.#squareAt(event) : -1;
    hint.hidden = square < 0;
    if (square < 0) return;
    const { campaign, turn } = this;
    const name = campaign.squares.square[square];
    const city = campaign.cities.find((entry) => entry.square === name);
    const verdict = campaign.verdict(turn, square);
    const [title, note] = [document.createElement("b"), document.createElement("span")];
    title.textContent = city ? `${name}, ${city.city}` : name;
    const state = campaign.stateByCode.get(verdict?.owner);
    const owner = state?.name ? `${state.name} (${state.state})` : verdict?.owner;
    note.textContent = verdict ? `${owner ?? verdict.status}, rule ${verdict.rule}` : "outside all nations";
    hint.replaceChildren(title, note);
    const stage = element("map").getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = hint;
    let [x, y] = [event.clientX - stage.left + 16, event.clientY - stage.top + 16];
    if (x + width > stage.width - 4) x -= width + 32;
    if (y + height > stage.height - 4) y -= height + 32;
    hint.style.transform = `translate(${Math.max(x, 2)}px, ${Math.max(y, 2)}px)`;
  }

  #listenToPointer() {
    const map = element("map");
    const pointers = new Map();
    let moved = 0;
    const middle = () => {
      const all = [...pointers.values()];
      const mean = (key) => all.reduce((sum, point) => sum + point[key], 0) / all.length;
      const [x, y] = [mean("clientX"), mean("clientY")];
      const spread = all.length > 1 ? Math.hypot(all[0].clientX - x, all[0].clientY - y) : 0;
      return { x, y, spread };
    };
    map.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      map.setPointerCapture(event.pointerId);
      if (!pointers.size) moved = 0;
      pointers.set(event.pointerId, event);
    });
    map.addEventListener("pointermove", (event) => {
      if (!pointers.has(event.pointerId)) {
        this.setCurrent(this.#squareAt(event));
        this.#showHint(event);
        return;
      }
      const before = middle();
      pointers.set(event.pointerId, event);
      const now = middle();
      moved += Math.hypot(now.x - before.x, now.y - before.y) + Math.abs(now.spread - before.spread);
      if (moved < 5) return;
      map.classList.add("held");
      this.#showHint(null);
      this.view.pan(now.x - before.x, now.y - before.y);
      if (before.spread && now.spread) {
        const { left, top } = map.getBoundingClientRect();
        this.view.zoom(now.spread / before.spread, now.x - left, now.y - top);
      }
      this.redraw(true);
    });
    const release = (event) => {
      if (!pointers.delete(event.pointerId) || pointers.size) return;
      map.classList.remove("held");
      if (moved >= 5) this.#remember();
      else if (event.type === "pointerup") {
        const square = this.#squareAt(event);
        this.pin(square === this.pinned ? -1 : square);
        if (this.pinned >= 0) this.#speak(square);
      }
    };
    map.addEventListener("pointerup", release);
    map.addEventListener("pointercancel", release);
    map.addEventListener("pointerleave", () => {
      this.#showHint(null);
      if (document.activeElement !== map) this.setCurrent(-1);
    });
    map.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const { left, top } = map.getBoundingClientRect();
        const lines = event.deltaMode === 1 ? 30 : 1;
        this.view.zoom(Math.exp(-event.deltaY * lines * 0.0015), event.clientX - left, event.clientY - top);
        this.#showHint(null);
        this.redraw(true);
        this.#remember();
      },
      { passive: false },
    );
    map.addEventListener("dblclick", (event) => {
      const { left, top } = map.getBoundingClientRect();
      this.view.zoom(1.8, event.clientX - left, event.clientY - top);
      this.redraw(true);
      this.#remember();
    });
  }

  #onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const actions = {
      "+": () => this.view.zoom(1.3),
      "=": () => this.view.zoom(1.3),
      "-": () => this.view.zoom(1 / 1.3),
      0: () => this.view.showWhole(),
      Home: () => this.view.showWhole(),
      PageUp: () => this.setTurn(this.turn + 1),
      PageDown: () => this.setTurn(this.turn - 1),
      Enter: () => this.pin(this.current === this.pinned ? -1 : this.current),
      " ": () => this.pin(this.current === this.pinned ? -1 : this.current),
      Escape: () => this.pin(-1),
    };
    if (event.key in arrows) this.#step(arrows[event.key], event.shiftKey ? 10 : 1);
    else if (event.key in actions) {
      actions[event.key]();
      if (this.current >= 0 && ["PageUp", "PageDown", "Enter", " "].includes(event.key)) this.#speak(this.current);
    } else return;
    event.preventDefault();
    this.redraw(true);
    this.#remember();
  }

  // Move the current square with the keys: from the middle of the view, if there is none yet.
  #step([right, down], by) {
    const { campaign, view } = this;
    let [column, row] = this.current >= 0 ? this.#place(this.current) : [view.x, view.y].map(Math.floor);
    if (this.current < 0) [right, down] = [0, 0];
    let square = -1;
    // Over gaps in the map to the next square there is.
    for (let step = by; square < 0; step = 1) {
      column += right * step;
      row += down * step;
      if (by > 1) {
        column = Math.min(Math.max(column, 0), campaign.width - 1);
        row = Math.min(Math.max(row, 0), campaign.height - 1);
      }
      if (column < 0 || row < 0 || column >= campaign.width || row >= campaign.height) break;
      square = campaign.at(column, row);
      if (!right && !down) break;
      if (by > 1 && square < 0) by = 1;
    }
    if (square < 0) square = this.current >= 0 ? this.current : 0;
    view.reveal(...this.#place(square));
    this.setCurrent(square, true);
  }

  // --- the address ---------------------------------------------------------------------------------

  // Keep turn, layer, square and view in the address, so that it can be mailed.
  #remember() {
    if (this.isPrinting) return;
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      const { campaign, layer, pinned, turn, view } = this;
      const about = { deploy: layer.state, changes: campaign.turns[layer.since].turn }[layer.kind];
      const parts = {
        turn: campaign.turns[turn].turn,
        layer: about === undefined ? layer.kind : `${layer.kind}:${about}`,
        square: pinned < 0 ? undefined : campaign.squares.square[pinned],
        view: view.isWhole ? undefined : view.toString(),
      };
      // Commas, colons and hyphens stay readable.
      const written = (text) => encodeURIComponent(text).replace(/%(2C|3A)/g, decodeURIComponent);
      this.address = `#${Object.entries(parts)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${key}=${written(value)}`)
        .join("&")}`;
      history.replaceState(null, "", this.address);
    }, 120);
  }

  // Take up what the address says, or else what the page was written with.
  restore() {
    const { campaign } = this;
    const asked = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
    const { turn, layer } = document.body.dataset;
    const at = Number(asked.get("turn") ?? turn);
    this.turn = Number.isFinite(at) ? campaign.turnAt(at) : campaign.turns.length - 1;
    const [kind, ...about] = (asked.get("layer") ?? layer).split(":");
    const state = about.join(":");
    const isKnown =
      ["owner", "status"].includes(kind) ||
      (kind === "deploy" && campaign.stateByCode.has(state)) ||
      (kind === "changes" && Number.isFinite(Number(state)));
    this.setLayer({
      kind: isKnown ? kind : "owner",
      state: kind === "deploy" && isKnown ? state : this.layer.state,
      since: kind === "changes" && isKnown ? campaign.turnAt(Number(state)) : this.layer.since,
    });
    this.pinned = campaign.numberOfSquare.get(asked.get("square")) ?? -1;
    this.current = this.pinned;
    this.view.restore(asked.get("view"));
    if (this.pinned >= 0) this.view.reveal(...this.#place(this.pinned));
    this.settle();
  }
}

new Page(new Campaign(read("campaign")), read("phrases"));

// Finds squares, cities and states by name, as a combobox with a list.

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

class Search {
  constructor(campaign, input, list, choose) {
    Object.assign(this, { campaign, input, list, choose, found: [], active: -1 });
    this.named = [
      ...campaign.cities.map((city) => ({
        kind: "city",
        text: city.city,
        about: city.square,
        square: campaign.numberOfSquare.get(city.square) ?? -1,
        keys: [plain(city.city)],
      })),
      ...campaign.states.map(({ state, name }) => ({
        kind: "state",
        text: name ?? state,
        about: `state ${state}`,
        state,
        keys: [plain(state), plain(name ?? "")],
      })),
    ].filter((entry) => entry.square !== -1);
    input.addEventListener("input", () => this.#search());
    input.addEventListener("focus", () => this.#search());
    input.addEventListener("blur", () => this.#close());
    input.addEventListener("keydown", (event) => this.#onKey(event));
    // A press would take the focus, and with it the list, away from the input.
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (item) this.#take([...list.children].indexOf(item));
    });
  }

  matches(text) {
    const wanted = plain(text);
    if (!wanted) return [];
    const { campaign } = this;
    const found = [];
    const square = campaign.squares.square.findIndex(
      (name, place) =>
        plain(name) === wanted.replace(/\s/g, "") ||
        `${campaign.squares.x[place]},${campaign.squares.y[place]}` === wanted.replace(/\s/g, ""),
    );
    if (square >= 0) {
      found.push({ kind: "square", text: campaign.squares.square[square], about: "square", square });
    }
    const rank = ({ keys }) =>
      Math.min(...keys.map((key) => (key === wanted ? 0 : key.startsWith(wanted) ? 1 : key.includes(wanted) ? 2 : 3)));
    const named = this.named
      .map((entry) => [rank(entry), entry])
      .filter(([order]) => order < 3)
      .sort(([a, first], [b, second]) => a - b || first.text.localeCompare(second.text));
    return [...found, ...named.map(([, entry]) => entry)].slice(0, 8);
  }

  #search() {
    this.found = this.matches(this.input.value);
    this.list.replaceChildren(
      ...this.found.map(({ text, about }, place) => {
        const item = document.createElement("li");
        item.role = "option";
        item.id = `found-${place}`;
        const name = document.createElement("bdi");
        name.textContent = text;
        const note = document.createElement("span");
        note.textContent = about;
        item.append(name, note);
        return item;
      }),
    );
    const isNothing = this.input.value.trim() && !this.found.length;
    if (isNothing) {
      const item = document.createElement("li");
      item.role = "option";
      item.ariaDisabled = "true";
      item.textContent = "Nothing of that name";
      this.list.append(item);
    }
    this.#activate(this.found.length ? 0 : -1);
    this.list.hidden = !this.list.children.length;
    this.input.ariaExpanded = String(!this.list.hidden);
  }

  #activate(place) {
    this.active = place;
    [...this.list.children].forEach((item, number) => (item.ariaSelected = String(number === place)));
    if (place >= 0) this.input.setAttribute("aria-activedescendant", `found-${place}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  #close() {
    this.list.hidden = true;
    this.input.ariaExpanded = "false";
    this.input.removeAttribute("aria-activedescendant");
  }

  #take(place) {
    const entry = this.found[place];
    if (!entry) return;
    this.input.value = entry.text;
    this.#close();
    this.choose(entry);
  }

  #onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.found.length) {
      if (this.list.hidden) this.#search();
      else this.#activate((this.active + step + this.found.length) % this.found.length);
    } else if (event.key === "Enter") this.#take(this.active);
    else if (event.key === "Escape") this.#close();
    else return;
    event.preventDefault();
  }
}

// How the ground looks: a colour, a pattern and a letter for every group of squares, by layer.

const LETTERS = { shared: "s", neutral: "n", unowned: "u", owner: "o", sharer: "s", ally: "a" };

const channels = (color) => [1, 3, 5].map((place) => parseInt(color.slice(place, place + 2), 16));

function mixed(color, other, share) {
  const [from, to] = [channels(color), channels(other)];
  const part = (place) => Math.round(from[place] + (to[place] - from[place]) * share);
  return `#${[0, 1, 2].map((place) => part(place).toString(16).padStart(2, "0")).join("")}`;
}

// A colour as one number, in the order in which ImageData keeps its bytes.
function packed(color, alpha = 255) {
  const [red, green, blue] = channels(color);
  return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

// The colours of the style sheet's current theme.
function themeColors() {
  const style = getComputedStyle(document.documentElement);
  return new Proxy(
    {},
    { get: (known, name) => (known[name] ??= style.getPropertyValue(`--${name}`).trim()) },
  );
}

// A drawing to fill an area with, `size` pixels square, on a ground that is transparent.
const PATTERNS = {
  // Bands of several colours, as many as there are.
  bands(context, size, colors) {
    const band = size / colors.length;
    colors.forEach((color, place) => {
      context.fillStyle = color;
      for (const offset of [-size, 0, size]) {
        context.beginPath();
        const from = offset + place * band;
        context.moveTo(from, 0);
        context.lineTo(from + band, 0);
        context.lineTo(from + band + size, size);
        context.lineTo(from + size, size);
        context.fill();
      }
    });
  },
  // Lines falling to the left.
  lines(context, size, [color]) {
    context.strokeStyle = color;
    context.lineWidth = size / 8;
    context.beginPath();
    for (const offset of [-size, 0, size]) {
      context.moveTo(offset + size, 0);
      context.lineTo(offset, size);
    }
    context.stroke();
  },
  // Lines crossing.
  cross(context, size, [color]) {
    context.strokeStyle = color;
    context.lineWidth = size / 10;
    context.beginPath();
    for (const offset of [-size, 0, size]) {
      context.moveTo(offset, 0);
      context.lineTo(offset + size, size);
      context.moveTo(offset + size, 0);
      context.lineTo(offset, size);
    }
    context.stroke();
  },
  dots(context, size, [color]) {
    context.fillStyle = color;
    for (const [x, y] of [
      [size / 4, size / 4],
      [(3 * size) / 4, (3 * size) / 4],
    ]) {
      context.beginPath();
      context.arc(x, y, size / 9, 0, 7);
      context.fill();
    }
  },
};

class Looks {
  constructor(campaign) {
    this.campaign = campaign;
    this.fill = new Uint32Array(campaign.groups.length);
    this.key = new Int32Array(campaign.groups.length);
    this.pattern = new Int32Array(campaign.groups.length);
    this.setTheme();
  }

  setTheme() {
    this.theme = themeColors();
    this.patterns = [null]; // 0 is none
    this.patternByName = new Map();
    this.swatches = new Map();
    const shade = Number(this.theme.shade);
    this.colorByState = new Map(
      this.campaign.states.map(({ state, color }) => [state, mixed(color, this.theme.paper, shade)]),
    );
  }

  color(state) {
    return this.colorByState.get(state) ?? this.theme.unowned;
  }

  // { color, kind, colors, letter } of a verdict in a layer, with who may deploy there.
  look(layer, verdict, deployment, isChanged) {
    const { theme } = this;
    if (layer.kind === "deploy") {
      const basis = deployment.find((right) => right.state === layer.state)?.basis;
      return {
        name: basis ?? "nowhere",
        color: basis ? theme[`deploy-${basis}`] : theme.faded,
        kind: { sharer: "lines", ally: "dots" }[basis],
        colors: [theme.pattern],
        letter: basis ? LETTERS[basis] : "",
      };
    }
    const look = { name: verdict.owner ? `=${verdict.owner}` : verdict.status, letter: "" };
    if (verdict.owner === null) {
      look.letter = LETTERS[verdict.status] ?? "";
      look.color = theme[verdict.status] ?? theme.abroad;
      look.colors = [theme.pattern];
      look.kind = { shared: "bands", neutral: "lines", unowned: "cross" }[verdict.status];
      if (verdict.status === "shared") {
        // In the colours of those who share, and beside squares that others share.
        const hosts = deployment.filter((right) => right.basis === "sharer").map((right) => right.state);
        look.name += `=${hosts.join("=")}`;
        look.colors = hosts.length > 1 ? hosts.map((state) => this.color(state)) : [theme.shared, theme.neutral];
        look.color = look.colors[0];
        if (layer.kind === "status") look.colors = [theme.shared, theme.neutral];
      }
      if (layer.kind === "status" && verdict.status === "shared") look.color = theme.shared;
    } else {
      look.color = layer.kind === "status" ? theme.owned : this.color(verdict.owner);
    }
    if (layer.kind === "status") look.name = verdict.status;
    if (layer.kind === "changes") {
      look.name = `${isChanged ? "!" : ""}${look.name}`;
      if (!isChanged) {
        look.color = mixed(look.color, theme.faded, 0.86);
        look.kind = undefined;
        look.letter = "";
      }
    }
    return look;
  }

  // The number of a look's pattern: 0 where it has none.
  patternNumber({ kind, colors }) {
    if (!kind) return 0;
    const name = `${kind} ${colors}`;
    if (!this.patternByName.has(name)) {
      this.patternByName.set(name, this.patterns.length);
      this.patterns.push({ kind, colors });
    }
    return this.patternByName.get(name);
  }

  // Settle how every group looks in a turn.
  settle(layer, turn, since) {
    const { campaign } = this;
    const { verdicts, deployment } = campaign.turns[turn];
    const before = campaign.turns[since].verdicts;
    const isByOwner = ["owner", "changes"].includes(layer.kind);
    const keys = new Map();
    const cache = new Map();
    this.byKey = [];
    campaign.groups.forEach((_, group) => {
      const isChanged = layer.kind === "changes" && before[group] !== verdicts[group];
      const seen = `${verdicts[group]} ${deployment[group]} ${isChanged}`;
      if (!cache.has(seen)) {
        const rights = campaign.deployments[deployment[group]];
        const verdict = campaign.verdicts[verdicts[group]];
        const look = this.look(layer, verdict, rights, isChanged);
        if (!keys.has(look.name)) {
          keys.set(look.name, this.byKey.length);
          this.byKey.push({ ...look, owner: isByOwner ? verdict.owner : null });
        }
        cache.set(seen, [packed(look.color), keys.get(look.name), this.patternNumber(look)]);
      }
      [this.fill[group], this.key[group], this.pattern[group]] = cache.get(seen);
    });
  }

  // A swatch for the legend, painted once.
  swatch(look) {
    const name = `${look.color} ${look.kind} ${look.colors} ${look.letter}`;
    if (!this.swatches.has(name)) this.swatches.set(name, this.#paintSwatch(look));
    return this.swatches.get(name);
  }

  #paintSwatch(look) {
    const canvas = document.createElement("canvas");
    canvas.ariaHidden = "true";
    const scale = 2;
    [canvas.width, canvas.height] = [24 * scale, 18 * scale];
    const context = canvas.getContext("2d");
    context.fillStyle = look.color;
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (look.kind) {
      context.fillStyle = this.brush(context, look, 9 * scale);
      context.fillRect(0, 0, canvas.width, canvas.height);
    }
    if (look.letter) {
      context.font = `700 ${11 * scale}px system-ui, sans-serif`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.lineWidth = 3 * scale;
      context.lineJoin = "round";
      context.strokeStyle = this.theme.halo;
      context.strokeText(look.letter, canvas.width / 2, canvas.height / 2);
      context.fillStyle = this.theme.ink;
      context.fillText(look.letter, canvas.width / 2, canvas.height / 2);
    }
    return canvas;
  }

  // A brush that fills with a pattern of so many pixels.
  brush(context, { kind, colors }, size) {
    const tile = new OffscreenCanvas(size, size);
    PATTERNS[kind](tile.getContext("2d"), size, colors);
    return context.createPattern(tile, "repeat");
  }
}

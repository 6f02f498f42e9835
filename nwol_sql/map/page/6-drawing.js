// Draws the map on two canvases: the ground, which changes with turn, layer and view, and the marks
// on it, which follow the pointer. The ground is a bitmap of one pixel for each square, enlarged;
// what is finer is drawn in tiles, and only where it is seen.

const TILE = 32;
const FINE = { pattern: 4, border: 2.5, letter: 12, grid: 14, code: 30 }; // from which size of squares on

const WATER = /water|sea|ocean|lake|river/i;
// How much darker terrain makes the ground, the first that fits its name.
const RELIEF = [
  [/high mountain|alpine/i, 0.17],
  [/mountain/i, 0.12],
  [/hill/i, 0.06],
  [/forest|wood|jungle/i, 0.08],
  [/swamp|marsh|bog/i, 0.05],
  [/desert/i, 0.03],
];

class Drawing {
  constructor(campaign, looks, ground, marks) {
    Object.assign(this, { campaign, looks, ground, marks });
    this.groundContext = ground.getContext("2d", { alpha: false });
    this.marksContext = marks.getContext("2d");
    const { width, height } = campaign;
    this.bitmap = new OffscreenCanvas(width, height);
    this.bitmapContext = this.bitmap.getContext("2d");
    this.image = this.bitmapContext.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.isWater = campaign.terrains.map((terrain) => WATER.test(terrain));
    this.labels = new CityLabels(campaign, this.marksContext);
    this.citySquares = new Set(
      this.labels.cities.map(({ column, row }) => campaign.at(column, row)),
    );
    this.nationTiles = new Map();
    this.setTheme();
  }

  setTheme() {
    this.theme = this.looks.theme;
    this.sprites = new Map();
    this.brushes = new Map();
    this.relief = this.#paintRelief();
  }

  #paintRelief() {
    const { campaign, theme } = this;
    const darkness = campaign.terrains.map(
      (terrain) => RELIEF.find(([name]) => name.test(terrain))?.[1] ?? 0,
    );
    if (!darkness.some(Boolean)) return null;
    const relief = new OffscreenCanvas(campaign.width, campaign.height);
    const context = relief.getContext("2d");
    const image = context.createImageData(campaign.width, campaign.height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let square = 0; square < campaign.count; square++) {
      const terrain = campaign.squares.terrain[square];
      const share = terrain === null ? 0 : darkness[terrain];
      if (share) pixels[campaign.cellOf[square]] = packed(theme.relief, Math.round(255 * share));
    }
    context.putImageData(image, 0, 0);
    return relief;
  }

  // Take up how the groups look now, and which groups are to be outlined as changed.
  settle(changedGroups) {
    this.changed = changedGroups;
    this.tiles = new Map();
    this.parts = null;
    this.placedTerritories = null;
    this.isFar = null; // the bitmap is to be painted
  }

  #key(square) {
    if (square < 0) return -2;
    const group = this.campaign.group[square];
    return group < 0 ? -1 : this.looks.key[group];
  }

  // Paint the bitmap: a pixel for each square. Where squares are too small for patterns, every
  // other pixel is darker instead.
  #paintBitmap(isFar) {
    if (this.isFar === isFar) return;
    this.isFar = isFar;
    const { campaign, looks, pixels, theme } = this;
    const [sea, abroad] = [packed(theme.sea), packed(theme.abroad)];
    const second = looks.fill.map((fill, group) => {
      const pattern = looks.patterns[looks.pattern[group]];
      if (!pattern || !isFar) return fill;
      const [red, green, blue] = [fill, fill >> 8, fill >> 16].map((part) => part & 255);
      const ground = `#${((1 << 24) | (red << 16) | (green << 8) | blue).toString(16).slice(1)}`;
      return packed(mixed(ground, pattern.colors.at(-1), pattern.kind === "bands" ? 1 : 0.4));
    });
    const { squares } = campaign;
    for (let square = 0; square < campaign.count; square++) {
      const group = campaign.group[square];
      const cell = campaign.cellOf[square];
      if (group >= 0) {
        pixels[cell] = (squares.x[square] + squares.y[square]) & 1 ? second[group] : looks.fill[group];
      } else {
        const terrain = squares.terrain[square];
        pixels[cell] = terrain === null || this.isWater[terrain] ? sea : abroad;
      }
    }
    this.bitmapContext.putImageData(this.image, 0, 0);
  }

  // Add to a path the edges in a tile that part squares of different keys, each run as one line.
  #edges(path, column, row, keyOf) {
    const { campaign } = this;
    const right = Math.min(column + TILE, campaign.width);
    const bottom = Math.min(row + TILE, campaign.height);
    for (let y = row; y <= (bottom === campaign.height ? bottom : bottom - 1); y++) {
      let start = -1;
      for (let x = column; x <= right; x++) {
        const parts = x < right && keyOf(campaign.at(x, y - 1)) !== keyOf(campaign.at(x, y));
        if (parts && start < 0) start = x;
        else if (!parts && start >= 0) {
          path.moveTo(start, y);
          path.lineTo(x, y);
          start = -1;
        }
      }
    }
    for (let x = column; x <= (right === campaign.width ? right : right - 1); x++) {
      let start = -1;
      for (let y = row; y <= bottom; y++) {
        const parts = y < bottom && keyOf(campaign.at(x - 1, y)) !== keyOf(campaign.at(x, y));
        if (parts && start < 0) start = y;
        else if (!parts && start >= 0) {
          path.moveTo(x, start);
          path.lineTo(x, y);
          start = -1;
        }
      }
    }
    return path;
  }

  // The finer things in a tile of squares: borders, patterns, outlines of what changed.
  #tile(column, row) {
    const name = `${column} ${row}`;
    if (!this.tiles.has(name)) this.tiles.set(name, this.#makeTile(column, row));
    return this.tiles.get(name);
  }

  #makeTile(column, row) {
    const { campaign, looks, changed } = this;
    const tile = { borders: new Path2D(), patterns: new Map(), changed: null };
    this.#edges(tile.borders, column, row, (square) => this.#key(square));
    if (changed.size) {
      const isChanged = (square) => square >= 0 && changed.has(campaign.group[square]);
      tile.changed = this.#edges(new Path2D(), column, row, isChanged);
    }
    const [right, bottom] = [
      Math.min(column + TILE, campaign.width),
      Math.min(row + TILE, campaign.height),
    ];
    for (let y = row; y < bottom; y++) {
      let [start, current] = [column, 0];
      for (let x = column; x <= right; x++) {
        const square = x < right ? campaign.cells[y * campaign.width + x] : -1;
        const group = square < 0 ? -1 : campaign.group[square];
        const pattern = group < 0 ? 0 : looks.pattern[group];
        if (pattern === current && x < right) continue;
        if (current) {
          if (!tile.patterns.has(current)) tile.patterns.set(current, new Path2D());
          tile.patterns.get(current).rect(start, y, x - start, 1);
        }
        [start, current] = [x, pattern];
      }
    }
    return tile;
  }

  #nationTile(column, row) {
    const name = `${column} ${row}`;
    if (!this.nationTiles.has(name)) {
      const { nation } = this.campaign.squares;
      const nationOf = (square) => (square < 0 ? null : nation[square]);
      this.nationTiles.set(name, this.#edges(new Path2D(), column, row, nationOf));
    }
    return this.nationTiles.get(name);
  }

  // Fit the canvases to their place on the page.
  resize(width, height, ratio) {
    this.ratio = ratio;
    for (const canvas of [this.ground, this.marks]) {
      const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    }
    this.sprites.clear();
    this.brushes.clear();
  }

  drawGround(view) {
    const { theme, ratio } = this;
    const context = this.groundContext;
    const { cell, seen } = view;
    const [left, top] = view.origin;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.edge;
    context.fillRect(0, 0, view.width, view.height);
    if (seen.right < seen.left || seen.bottom < seen.top) return;
    this.#paintBitmap(cell < FINE.pattern);

    const source = [seen.left, seen.top, seen.right - seen.left + 1, seen.bottom - seen.top + 1];
    const target = [left + source[0] * cell, top + source[1] * cell, source[2] * cell, source[3] * cell];
    context.imageSmoothingEnabled = cell * ratio < 1;
    context.drawImage(this.bitmap, ...source, ...target);
    if (this.relief) context.drawImage(this.relief, ...source, ...target);

    const tiles = [];
    for (let row = seen.top - (seen.top % TILE); row <= seen.bottom; row += TILE) {
      for (let column = seen.left - (seen.left % TILE); column <= seen.right; column += TILE) {
        tiles.push([column, row]);
      }
    }
    context.save();
    context.translate(left, top);
    context.scale(cell, cell);
    if (cell >= FINE.pattern) this.#drawPatterns(context, tiles, cell);
    if (cell >= FINE.grid) this.#drawGrid(context, seen, cell);
    context.lineCap = "square";
    if (cell >= FINE.border) {
      context.strokeStyle = theme.border;
      context.globalAlpha = 0.5;
      context.lineWidth = Math.min(1.4, 0.5 + cell / 20) / cell;
      for (const tile of tiles) context.stroke(this.#tile(...tile).borders);
    }
    context.strokeStyle = theme.nation;
    context.globalAlpha = 0.8;
    context.lineWidth = Math.min(2.6, 0.7 + cell / 9) / cell;
    for (const tile of tiles) context.stroke(this.#nationTile(...tile));
    context.globalAlpha = 1;
    if (this.changed.size) {
      for (const [color, width] of [
        [theme.halo, 4.5],
        [theme.changed, 2.2],
      ]) {
        context.strokeStyle = color;
        context.lineWidth = width / cell;
        for (const tile of tiles) context.stroke(this.#tile(...tile).changed);
      }
    }
    context.restore();
    const labels = this.labels.at(cell);
    this.#drawLetters(context, view, labels);
    const territories = cell < FINE.code ? this.#territoryLabels(cell, labels) : { labels: [], boxes: new Boxes() };
    this.#drawTerritories(context, view, territories.labels);
    this.#drawCities(context, view, labels, territories.boxes);
  }

  // Placed once for each turn, layer and size of squares.
  #territoryLabels(cell, cityLabels) {
    if (this.placedTerritories?.cell !== cell) {
      const placed = placeTerritories({
        campaign: this.campaign,
        context: this.marksContext,
        cell,
        parts: this.#territories().map((part) => ({ ...part, owner: this.looks.byKey[part.key].owner })),
        // Near by, there is room for every city's name; far away, lands are what is looked for.
        cities: cityLabels.filter((label) => label.box && (label.isGreat || cell >= FINE.letter)),
        keyAt: (column, row) => this.#key(this.campaign.at(column, row)),
      });
      this.placedTerritories = { cell, ...placed };
    }
    return this.placedTerritories;
  }

  #drawPatterns(context, tiles, cell) {
    const fine = new DOMMatrix().scale(1 / (cell * this.ratio));
    for (const place of tiles) {
      for (const [number, path] of this.#tile(...place).patterns) {
        if (!this.brushes.has(number)) {
          const size = Math.round((cell < 9 ? 7 : 10) * this.ratio);
          const look = this.looks.patterns[number];
          this.brushes.set(number, this.looks.brush(context, look, size));
        }
        const brush = this.brushes.get(number);
        brush.setTransform(fine);
        context.fillStyle = brush;
        context.globalAlpha = this.looks.patterns[number].kind === "bands" ? 1 : 0.62;
        context.fill(path);
      }
    }
    context.globalAlpha = 1;
  }

  #drawGrid(context, seen, cell) {
    context.strokeStyle = this.theme.border;
    context.globalAlpha = 0.09;
    context.lineWidth = 1 / cell;
    context.beginPath();
    for (let x = seen.left; x <= seen.right + 1; x++) {
      context.moveTo(x, seen.top);
      context.lineTo(x, seen.bottom + 1);
    }
    for (let y = seen.top; y <= seen.bottom + 1; y++) {
      context.moveTo(seen.left, y);
      context.lineTo(seen.right + 1, y);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  // A short text drawn once and then copied: thousands of letters in a frame are too many to set.
  #sprite(text, size, weight, alpha, hasHalo = true) {
    const name = `${text} ${size} ${weight} ${alpha}`;
    if (!this.sprites.has(name)) {
      const { ratio, theme } = this;
      const [wide, high] = [Math.ceil((text.length * size + 8) * ratio), Math.ceil((size + 8) * ratio)];
      const canvas = new OffscreenCanvas(wide, high);
      const context = canvas.getContext("2d");
      context.scale(ratio, ratio);
      context.font = `${weight} ${size}px ${FONT}`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.lineJoin = "round";
      context.globalAlpha = alpha;
      context.strokeStyle = theme.halo;
      context.lineWidth = 3;
      if (hasHalo) context.strokeText(text, wide / ratio / 2, high / ratio / 2);
      context.fillStyle = theme.ink;
      context.fillText(text, wide / ratio / 2, high / ratio / 2);
      this.sprites.set(name, canvas);
    }
    return this.sprites.get(name);
  }

  #stamp(context, sprite, x, y) {
    const [wide, high] = [sprite.width / this.ratio, sprite.height / this.ratio];
    context.drawImage(sprite, x - wide / 2, y - high / 2, wide, high);
  }

  #drawLetters(context, view, labels) {
    const { campaign, looks } = this;
    const { cell, seen } = view;
    const [left, top] = view.origin;
    if (cell < FINE.letter) {
      // One for each stretch that hangs together.
      for (const { key, squares, x, y } of this.#territories()) {
        const { letter } = looks.byKey[key];
        if (!letter || squares * cell * cell < 240) continue;
        this.#stamp(context, this.#sprite(letter, 11, 700, 0.95), left + x * cell, top + y * cell);
      }
      return;
    }
    const size = Math.round(Math.min(cell * 0.52, 15));
    const codeSize = Math.round(Math.min(cell * 0.3, 13));
    for (let row = seen.top; row <= seen.bottom; row++) {
      for (let column = seen.left; column <= seen.right; column++) {
        const square = campaign.cells[row * campaign.width + column];
        const group = square < 0 ? -1 : campaign.group[square];
        if (group < 0 || this.citySquares.has(square)) continue;
        const { letter, owner } = looks.byKey[looks.key[group]];
        const [atX, atY] = [(column + 0.5) * cell, (row + 0.5) * cell];
        const half = letter ? size / 2 : codeSize;
        // Not under a city's name.
        if (!labels.boxes.isFree([atX - half, atY - size / 2, atX + half, atY + size / 2])) continue;
        const [x, y] = [left + atX, top + atY];
        if (letter) this.#stamp(context, this.#sprite(letter, size, 700, 0.95), x, y);
        else if (owner && cell >= FINE.code) {
          this.#stamp(context, this.#sprite(owner.slice(0, 5), codeSize, 600, 0.6, false), x, y);
        }
      }
    }
  }

  #territories() {
    this.parts ??= territories(this.campaign, (square) => {
      const group = this.campaign.group[square];
      return group < 0 ? -1 : this.looks.key[group];
    });
    return this.parts;
  }

  // The owners' names across their land.
  #drawTerritories(context, view, labels) {
    const { theme } = this;
    const [left, top] = view.origin;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    for (const { text, size, x, y } of labels) {
      context.font = territoryFont(size);
      context.letterSpacing = territorySpacing(size);
      context.globalAlpha = 0.5;
      context.strokeStyle = theme.halo;
      context.lineWidth = 3;
      context.strokeText(text, left + x, top + y);
      context.globalAlpha = 0.72;
      context.fillStyle = theme.ink;
      context.fillText(text, left + x, top + y);
    }
    context.letterSpacing = "0px";
    context.globalAlpha = 1;
  }

  #drawCities(context, view, labels, territories) {
    const { theme } = this;
    const [left, top] = view.origin;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.direction = "ltr";
    context.lineJoin = "round";
    const isNear = (x, y) => x > -200 && y > -20 && x < view.width + 20 && y < view.height + 20;
    for (const { x, y, radius, box } of labels) {
      // Where squares are small, dots without names are but specks.
      if (!isNear(left + x, top + y) || (!box && view.cell < 7.5)) continue;
      context.beginPath();
      context.arc(left + x, top + y, radius, 0, 7);
      context.fillStyle = theme.ink;
      context.strokeStyle = theme.halo;
      context.lineWidth = 1.6;
      context.stroke();
      context.fill();
    }
    context.strokeStyle = theme.halo;
    context.fillStyle = theme.ink;
    context.lineWidth = 3;
    for (const label of labels) {
      if (!label.box || !isNear(left + label.left, top + label.middle)) continue;
      if (!label.isGreat && !territories.isFree(label.box)) continue;
      context.font = label.font;
      context.globalAlpha = 0.85;
      context.strokeText(label.text, left + label.left, top + label.middle);
      context.globalAlpha = 1;
      context.fillText(label.text, left + label.left, top + label.middle);
    }
  }

  // What follows the pointer and the keys: { current, pinned, turn }, places of squares or -1.
  drawMarks(view, { current, pinned, isFocused, cities, next }) {
    const { campaign, ratio, theme } = this;
    const context = this.marksContext;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    const place = (square) => {
      const cell = campaign.cellOf[square];
      return [cell % campaign.width, Math.floor(cell / campaign.width)];
    };
    const shown = pinned >= 0 ? pinned : current;
    if (shown >= 0) {
      const [column, row] = place(shown);
      const from = view.pixelOf(column + 0.5, row + 0.5);
      const line = (city, width, color) => {
        const to = view.pixelOf(city.x - campaign.left + 0.5, city.y - campaign.top + 0.5);
        context.beginPath();
        context.moveTo(...from);
        context.lineTo(...to);
        context.lineWidth = width;
        context.strokeStyle = color;
        context.stroke();
        context.setLineDash([]);
        context.beginPath();
        context.arc(...to, Math.min(width + 4, width / 2 + view.cell * 0.45), 0, 7);
        context.stroke();
      };
      context.lineCap = "round";
      for (const city of next) {
        context.setLineDash([2, 5]);
        line(city, 1.5, theme.quiet);
      }
      for (const city of cities) line(city, 5, theme.halo);
      for (const city of cities) line(city, 2.5, theme.tie);
    }
    const outline = (square, width, color) => {
      const [x, y] = view.pixelOf(...place(square));
      const spread = width / 2;
      context.strokeStyle = color;
      context.lineWidth = width;
      context.strokeRect(x - spread, y - spread, view.cell + width, view.cell + width);
    };
    context.lineJoin = "miter";
    if (current >= 0 && current !== pinned) {
      outline(current, isFocused ? 4 : 3.5, theme.halo);
      outline(current, 1.8, theme.ink);
    }
    if (pinned >= 0) {
      outline(pinned, 5, theme.halo);
      outline(pinned, 2.8, theme.tie);
    }
    this.#drawEdges(context, view, current >= 0 ? place(current) : null);
  }

  // The names of columns and rows, as many as there is room for.
  #drawEdges(context, view, current) {
    const { campaign, theme } = this;
    const { cell, seen } = view;
    context.fillStyle = theme.edge;
    context.fillRect(0, 0, view.width, EDGE.top);
    context.fillRect(0, 0, EDGE.left, view.height);
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(0, EDGE.top - 0.5);
    context.lineTo(view.width, EDGE.top - 0.5);
    context.moveTo(EDGE.left - 0.5, 0);
    context.lineTo(EDGE.left - 0.5, view.height);
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = `500 11px ${FONT}`;
    const longest = Math.max(...[0, campaign.width - 1].map((column) => (campaign.columnNames[column] ?? "").length), 2);
    const wide = longest * 7 + 8;
    const step = (room) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((n) => n * cell >= room) ?? 10000;
    const name = (text, x, y, isCurrent) => {
      if (isCurrent) {
        context.fillStyle = theme.ink;
        context.beginPath();
        context.roundRect(x - wide / 2 + 2, y - 8, wide - 4, 16, 4);
        context.fill();
      }
      context.fillStyle = isCurrent ? theme.paper : theme.quiet;
      context.fillText(text, x, y, EDGE.left + 8);
    };
    // Marks stand where coordinates are round, whatever the corner's are.
    const first = (from, origin, every) => from + ((every - ((((from + origin) % every) + every) % every)) % every);
    const across = step(wide);
    const [originX, originY] = [campaign.left, campaign.top];
    for (let column = first(seen.left, originX, across); column <= seen.right; column += across) {
      const [x] = view.pixelOf(column + 0.5, 0);
      if (x > EDGE.left + wide / 2 - 3) name(campaign.columnNames[column] ?? "", x, EDGE.top / 2, false);
    }
    const down = step(15);
    for (let row = first(seen.top, originY, down); row <= seen.bottom; row += down) {
      const [, y] = view.pixelOf(0, row + 0.5);
      if (y > EDGE.top + 4) name(campaign.rowNames[row] ?? "", EDGE.left / 2, y, false);
    }
    if (current) {
      const [x, y] = view.pixelOf(current[0] + 0.5, current[1] + 0.5);
      if (x > EDGE.left) name(campaign.columnNames[current[0]] ?? "", x, EDGE.top / 2, true);
      if (y > EDGE.top) name(campaign.rowNames[current[1]] ?? "", EDGE.left / 2, y, true);
    }
    context.fillStyle = theme.edge;
    context.fillRect(0, 0, EDGE.left - 1, EDGE.top - 1);
  }
}

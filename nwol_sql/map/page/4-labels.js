// Where names stand: cities' names apart from each other at every zoom, and territories' names in
// the middle of their largest part.

const LONGEST = 30;

const shortened = (name) => {
  const letters = [...name];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : name;
};

// Which boxes are taken, in bins so that a few are looked at for each.
class Boxes {
  constructor(bin = 64) {
    this.bin = bin;
    this.bins = new Map();
  }

  *#keys([left, top, right, bottom]) {
    const place = (pixel) => Math.floor(pixel / this.bin);
    for (let row = place(top); row <= place(bottom); row++) {
      for (let column = place(left); column <= place(right); column++) yield `${column} ${row}`;
    }
  }

  isFree(box) {
    for (const key of this.#keys(box)) {
      for (const other of this.bins.get(key) ?? []) {
        if (box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]) return false;
      }
    }
    return true;
  }

  take(box) {
    for (const key of this.#keys(box)) {
      if (!this.bins.has(key)) this.bins.set(key, []);
      this.bins.get(key).push(box);
    }
  }
}

const FONT = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif';

class CityLabels {
  constructor(campaign, context) {
    Object.assign(this, { campaign, context });
    this.cities = campaign.cities
      .map((city) => ({
        column: city.x - campaign.left,
        row: city.y - campaign.top,
        level: city.level ?? 0,
        text: shortened(city.city),
        widths: new Map(),
      }))
      .filter(({ column, row }) => campaign.at(column, row) >= 0)
      .sort((a, b) => b.level - a.level || a.row - b.row || a.column - b.column);
    const levels = this.cities.map((city) => city.level);
    this.highest = Math.max(1, ...levels);
    this.placed = new Map();
  }

  // The labels at a size of squares in pixels: each city's dot, and its name where there is room.
  // Positions are pixels from the map's corner.
  at(cell) {
    if (!this.placed.has(cell)) {
      if (this.placed.size > 24) this.placed.clear();
      this.placed.set(cell, this.#place(cell));
    }
    return this.placed.get(cell);
  }

  #place(cell) {
    const boxes = new Boxes();
    const { width: columns, height: rows } = this.campaign;
    const isInside = ([left, top, right, bottom]) =>
      left >= 0 && top >= 0 && right <= columns * cell && bottom <= rows * cell;
    const labels = this.cities.map((city) => {
      const share = city.level / this.highest;
      const radius = Math.min(2 + 2 * share, Math.max(1.4, cell * 0.3));
      const [x, y] = [(city.column + 0.5) * cell, (city.row + 0.5) * cell];
      return { ...city, x, y, radius, size: Math.round((cell < 6 ? 10 : 11) + (cell < 6 ? 1 : 3) * share), weight: share > 0.6 ? 650 : 500 };
    });
    // The more a city counts, the sooner its dot and its name find room; far away only the great do.
    const least = cell < 4 ? 0.99 : cell < 5.5 ? 0.6 : 0;
    for (const label of labels) {
      if (label.level / this.highest < least && this.highest > 1) continue;
      const { x, y, radius, size, weight, level } = label;
      const share = level / this.highest;
      const font = `${weight} ${size}px ${FONT}`;
      if (!label.widths.has(font)) {
        this.context.font = font;
        label.widths.set(font, this.context.measureText(label.text).width);
      }
      const width = label.widths.get(font);
      const gap = radius + 3;
      const half = size * 0.6;
      const spots = [
        [x + gap, y],
        [x - gap - width, y],
        [x - width / 2, y - gap - half],
        [x - width / 2, y + gap + half],
        [x + gap, y - half],
        [x + gap, y + half],
        [x - gap - width, y - half],
        [x - gap - width, y + half],
      ];
      const own = [x - radius - 1, y - radius - 1, x + radius + 1, y + radius + 1];
      const free = spots
        .map(([left, middle]) => ({ left, middle, box: [left - 2, middle - half, left + width + 2, middle + half] }))
        .filter(({ box }) => boxes.isFree(box));
      // Rather on the map than beyond its edge.
      const spot = free.find(({ box }) => isInside(box)) ?? (columns * cell < 300 ? free[0] : undefined);
      if (!spot) continue;
      boxes.take(spot.box);
      boxes.take(own);
      Object.assign(label, { font, isGreat: share > 0.6, ...spot });
    }
    // The names' own boxes, for letters that are to keep clear of them.
    labels.boxes = new Boxes();
    for (const label of labels) if (label.box) labels.boxes.take(label.box);
    return labels;
  }
}

// The largest part of each territory that hangs together, and the middle of the largest square in it.
function territories(campaign, keyOf) {
  const { width, height, cells } = campaign;
  const root = new Int32Array(width * height).fill(-1);
  const find = (cell) => {
    while (root[cell] !== cell) cell = root[cell] = root[root[cell]];
    return cell;
  };
  const side = new Int32Array(width * height);
  const keys = new Int32Array(width * height).fill(-1);
  for (let cell = 0; cell < keys.length; cell++) {
    const square = cells[cell];
    if (square >= 0) keys[cell] = keyOf(square);
    const key = keys[cell];
    if (key < 0) continue;
    root[cell] = cell;
    const [west, north] = [cell % width ? cell - 1 : -1, cell - width];
    const isWest = west >= 0 && keys[west] === key;
    const isNorth = north >= 0 && keys[north] === key;
    if (isWest) root[cell] = find(west);
    if (isNorth) root[find(cell)] = find(north);
    const isCorner = isWest && isNorth && keys[north - 1] === key;
    side[cell] = isCorner ? Math.min(side[west], side[north], side[north - 1]) + 1 : 1;
  }
  const parts = new Map();
  for (let cell = 0; cell < keys.length; cell++) {
    if (keys[cell] < 0) continue;
    const at = find(cell);
    const part = parts.get(at);
    if (!part) parts.set(at, { key: keys[cell], squares: 1, side: side[cell], corner: cell });
    else {
      part.squares++;
      if (side[cell] > part.side) Object.assign(part, { side: side[cell], corner: cell });
    }
  }
  return [...parts.values()]
    .map(({ corner, ...part }) => ({
      ...part,
      x: (corner % width) + 1 - part.side / 2,
      y: Math.floor(corner / width) + 1 - part.side / 2,
    }))
    .sort((a, b) => b.side - a.side || b.squares - a.squares);
}

const territoryFont = (size) => `650 ${size}px ${FONT}`;
const territorySpacing = (size) => `${(size * 0.12).toFixed(1)}px`;

// Where a territory's name may stand, in its own heights right of and below the middle.
const SPOTS = [0, -1, 1, -2, 2, -3, 3].flatMap((down) => [0, -1.5, 1.5, -3, 3].map((right) => [right, down]));

// Names for territories, the largest first, on their own land and clear of cities' names.
// Returns the labels, in pixels from the map's corner, and the boxes that they take.
function placeTerritories({ campaign, context, cell, parts, cities, keyAt }) {
  const taken = new Boxes();
  const boxes = new Boxes();
  for (const { box } of cities) taken.take(box);
  const labels = [];
  const named = new Set();
  for (const { key, owner, side, x, y } of parts) {
    const room = side * cell;
    // What is named once need be named again only if it is large.
    if (!owner || room < (named.has(owner) ? 60 : 26)) continue;
    const name = campaign.stateByCode.get(owner)?.name ?? owner;
    const largest = Math.round(Math.min(Math.max(room * 0.2, 10), 30));
    // Rather the whole name a little smaller than the code.
    const tries = [1, 0.8, 0.64].map((share) => [name, Math.max(Math.round(largest * share), 10)]);
    for (const [called, size] of [...tries, [owner, largest]]) {
      const text = shortened(called).toUpperCase();
      context.font = territoryFont(size);
      context.letterSpacing = territorySpacing(size);
      const half = context.measureText(text).width / 2;
      if (half > room * 0.85) continue;
      const isOnOwnLand = ([left, top, right, bottom]) => {
        const row = Math.floor((top + bottom) / 2 / cell);
        for (let column = Math.floor(left / cell); column <= right / cell; column++) {
          const found = keyAt(column, row);
          if (found !== key && found !== -1) return false; // over the sea, but not over others' land
        }
        return true;
      };
      const box = SPOTS.map(([right, down]) => [x * cell + right * size, y * cell + down * size])
        .filter(([, atY]) => Math.abs(atY - y * cell) < Math.max(room / 2, size * 0.8))
        .map(([atX, atY]) => [atX - half, atY - size * 0.6, atX + half, atY + size * 0.6])
        .find((place) => isOnOwnLand(place) && taken.isFree(place));
      if (!box) continue;
      taken.take(box);
      boxes.take(box);
      named.add(owner);
      labels.push({ text, size, x: (box[0] + box[2]) / 2, y: (box[1] + box[3]) / 2 });
      break;
    }
  }
  context.letterSpacing = "0px";
  return { labels, boxes };
}

// Which part of the map is seen, and how large. Columns and rows are counted from the corner of the
// campaign's bounding box; `cell` is a square's size in pixels of the page.

const EDGE = { left: 34, top: 22 }; // room for the names of rows and columns
const CELL = { most: 72 };
const ROOM = 60; // for the buttons at the right, where the whole map leaves some

class View {
  constructor(campaign) {
    this.campaign = campaign;
    [this.width, this.height] = [1, 1];
    [this.x, this.y, this.cell] = [0, 0, 1]; // column and row in the middle of the view
    this.isWhole = true;
  }

  get #inner() {
    return [Math.max(this.width - EDGE.left, 1), Math.max(this.height - EDGE.top, 1)];
  }

  get fit() {
    const [width, height] = this.#inner;
    return Math.min((width - 8) / this.campaign.width, (height - 8) / this.campaign.height, CELL.most);
  }

  get least() {
    return Math.min(this.fit, 8);
  }

  // Take up a new size, showing as many columns as before.
  resize(width, height) {
    const columns = this.#inner[0] / this.cell;
    [this.width, this.height] = [width, height];
    if (this.isWhole) this.showWhole();
    else {
      this.cell = this.#inner[0] / columns;
      this.#settle();
    }
  }

  showWhole() {
    this.cell = this.fit;
    [this.x, this.y, this.isWhole] = [this.#middle, this.campaign.height / 2, true];
  }

  // The column in the middle where all columns are seen.
  get #middle() {
    const { width } = this.campaign;
    const beside = (this.#inner[0] / this.cell - width) / 2;
    return width / 2 + Math.min(beside, Math.max(0, ROOM / this.cell - beside));
  }

  #settle() {
    this.cell = Math.min(Math.max(this.cell, this.least), CELL.most);
    const { width, height } = this.campaign;
    const [wide, high] = this.#inner;
    const within = (place, size, seen, middle) =>
      seen >= size ? middle : Math.min(Math.max(place, seen / 2 - 1), size - seen / 2 + 1);
    this.x = within(this.x, width, wide / this.cell, this.#middle);
    this.y = within(this.y, height, high / this.cell, height / 2);
    this.isWhole = Math.abs(this.cell - this.fit) < 1e-9;
  }

  // Pixels of the map's corner. Whole device pixels, so that squares' edges stay sharp.
  get origin() {
    const [wide, high] = this.#inner;
    const ratio = window.devicePixelRatio || 1;
    const whole = (pixel) => Math.round(pixel * ratio) / ratio;
    return [
      whole(EDGE.left + wide / 2 - this.x * this.cell),
      whole(EDGE.top + high / 2 - this.y * this.cell),
    ];
  }

  // Column and row, with fractions, at a pixel.
  placeAt(pixelX, pixelY) {
    const [left, top] = this.origin;
    return [(pixelX - left) / this.cell, (pixelY - top) / this.cell];
  }

  pixelOf(column, row) {
    const [left, top] = this.origin;
    return [left + column * this.cell, top + row * this.cell];
  }

  // First and last column and row that are seen, whole or in part.
  get seen() {
    const [left, top] = this.placeAt(EDGE.left, EDGE.top);
    const [right, bottom] = this.placeAt(this.width, this.height);
    return {
      left: Math.max(Math.floor(left), 0),
      top: Math.max(Math.floor(top), 0),
      right: Math.min(Math.floor(right), this.campaign.width - 1),
      bottom: Math.min(Math.floor(bottom), this.campaign.height - 1),
    };
  }

  pan(pixelsX, pixelsY) {
    this.x -= pixelsX / this.cell;
    this.y -= pixelsY / this.cell;
    this.#settle();
  }

  // Zoom by a factor, keeping what lies at a pixel where it is (by default, the middle).
  zoom(factor, pixelX, pixelY) {
    const [wide, high] = this.#inner;
    const [atX, atY] = [pixelX ?? EDGE.left + wide / 2, pixelY ?? EDGE.top + high / 2];
    const [column, row] = this.placeAt(atX, atY);
    this.cell = Math.min(Math.max(this.cell * factor, this.least), CELL.most);
    this.x = column - (atX - EDGE.left - wide / 2) / this.cell;
    this.y = row - (atY - EDGE.top - high / 2) / this.cell;
    this.#settle();
  }

  // Bring an area into view with some room around it, not nearer than a size of squares.
  show(left, top, right, bottom, most = 24) {
    const [wide, high] = this.#inner;
    this.cell = Math.min(wide / (right - left + 6), high / (bottom - top + 6), Math.max(most, this.fit));
    [this.x, this.y] = [(left + right + 1) / 2, (top + bottom + 1) / 2];
    this.#settle();
  }

  // Bring a square into view, moving no more than is needed.
  reveal(column, row) {
    const [left, top] = this.pixelOf(column, row);
    const room = Math.min(this.cell * 2, this.width / 4, this.height / 4);
    const beyond = (from, to, low, high) => (from < low ? low - from : to > high ? high - to : 0);
    this.pan(
      beyond(left - room, left + this.cell + room, EDGE.left, this.width),
      beyond(top - room, top + this.cell + room, EDGE.top, this.height),
    );
  }

  // As the address bar keeps it: the middle and how many columns are seen.
  toString() {
    const [wide] = this.#inner;
    return [this.x, this.y, wide / this.cell].map((number) => number.toFixed(2)).join(",");
  }

  restore(text) {
    const [x, y, columns] = (text ?? "").split(",").map(Number);
    if (![x, y, columns].every(Number.isFinite) || columns <= 0) {
      this.showWhole();
      return;
    }
    [this.x, this.y, this.cell] = [x, y, this.#inner[0] / columns];
    this.#settle();
  }
}

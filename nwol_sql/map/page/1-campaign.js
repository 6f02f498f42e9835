// The campaign's data, as docs/map.md describes it, and what is asked of it. No rule of the game is
// here: verdicts, deployment and causes were settled by the campaign's views.

const read = (id) => JSON.parse(document.getElementById(id).textContent);

class Campaign {
  constructor(data) {
    Object.assign(this, data);
    const { x, y, square } = this.squares;
    this.count = square.length;
    this.left = x.reduce((a, b) => Math.min(a, b));
    this.top = y.reduce((a, b) => Math.min(a, b));
    this.width = x.reduce((a, b) => Math.max(a, b)) - this.left + 1;
    this.height = y.reduce((a, b) => Math.max(a, b)) - this.top + 1;
    // Cells are the places of the bounding box, row by row; -1 where there is no square.
    this.cells = new Int32Array(this.width * this.height).fill(-1);
    this.cellOf = new Int32Array(this.count);
    this.group = new Int32Array(this.count);
    for (let i = 0; i < this.count; i++) {
      const cell = (y[i] - this.top) * this.width + x[i] - this.left;
      this.cells[cell] = i;
      this.cellOf[i] = cell;
      this.group[i] = this.squares.group[i] ?? -1;
    }
    this.sizes = new Int32Array(this.groups.length);
    for (const group of this.group) if (group >= 0) this.sizes[group]++;
    this.stateByCode = new Map(this.states.map((state) => [state.state, state]));
    this.cityByName = new Map(this.cities.map((city) => [city.city, city]));
    this.numberOfCity = new Map(this.cities.map((city, number) => [city.city, number]));
    this.numberOfSquare = new Map(square.map((name, number) => [name, number]));
    this.rule = new Map(this.rules.map((rule) => [rule.rule, rule]));
    this.national = new Map(
      this.nations.map((nation) => [nation.nation, new Set(nation.national_states)]),
    );
    this.columnNames = new Array(this.width);
    this.rowNames = new Array(this.height);
    for (let i = 0; i < this.count; i++) {
      const sign = square[i].includes(",") ? "," : "-";
      const place = square[i].indexOf(sign);
      this.columnNames[x[i] - this.left] ??= square[i].slice(0, place);
      this.rowNames[y[i] - this.top] ??= square[i].slice(place + 1);
    }
  }

  // The place in `turns` of the latest turn that is not after this one; the first if none is.
  turnAt(turn) {
    const place = this.turns.findLastIndex((entry) => entry.turn <= turn);
    return Math.max(place, 0);
  }

  // The number of the square at a column and row of the bounding box, or -1.
  at(column, row) {
    const inside = column >= 0 && row >= 0 && column < this.width && row < this.height;
    return inside ? this.cells[row * this.width + column] : -1;
  }

  // { status, owner, rule } of a square in a turn (a place in `turns`); null outside all nations.
  verdict(turn, square) {
    const group = this.group[square];
    return group < 0 ? null : this.verdicts[this.turns[turn].verdicts[group]];
  }

  deployment(turn, square) {
    const group = this.group[square];
    return group < 0 ? [] : this.deployments[this.turns[turn].deployment[group]];
  }

  // Cities of `table` (runner_up_cities, uncounted_cities) that stand beside a square.
  others(table, square) {
    const { square: squares, city, squared_distance: far } = this[table];
    let [low, high] = [0, squares.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (squares[middle] < square) low = middle + 1;
      else high = middle;
    }
    const found = [];
    for (let i = low; squares[i] === square; i++) {
      found.push({ ...this.cities[city[i]], squared_distance: far[i] });
    }
    return found;
  }

  // How many squares each owner has, and each status that is nobody's, as "=BAV" and "shared".
  counts(turn) {
    const counts = new Map();
    let judged = 0;
    this.groups.forEach((_, group) => {
      const verdict = this.verdicts[this.turns[turn].verdicts[group]];
      const key = verdict.owner === null ? verdict.status : `=${verdict.owner}`;
      counts.set(key, (counts.get(key) ?? 0) + this.sizes[group]);
      judged += this.sizes[group];
    });
    const outside = this.count - judged;
    if (outside) counts.set("outside", (counts.get("outside") ?? 0) + outside);
    return counts;
  }

  // Groups whose verdict in one turn differs from that in an earlier one (places in `turns`), each
  // with the causes of all turns between.
  changes(since, turn) {
    const [before, now] = [this.turns[since].verdicts, this.turns[turn].verdicts];
    const causes = new Map();
    for (let place = since + 1; place <= turn; place++) {
      for (const change of this.turns[place].changes) {
        if (!causes.has(change.group)) causes.set(change.group, new Set());
        for (const cause of change.causes) causes.get(change.group).add(cause);
      }
    }
    const changed = [];
    for (let group = 0; group < now.length; group++) {
      if (before[group] !== now[group] && this.sizes[group]) {
        changed.push({
          group,
          old: this.verdicts[before[group]],
          verdict: this.verdicts[now[group]],
          causes: [...(causes.get(group) ?? [])],
        });
      }
    }
    return changed;
  }
}

"""The shapes of a drawing: areas and lines of squares, merged so that files stay small, and places
for names that do not lie over one another."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

Place = tuple[int, int]
Box = tuple[float, float, float, float]

LONGEST = 30


def areas(looks: Mapping[Place, Hashable]) -> dict[Hashable, str]:
    """Return the path of all places of each look: rows' runs, joined to those alike below them."""
    rows: dict[int, list[Place]] = defaultdict(list)
    for x, y in sorted(looks):
        rows[y].append((x, y))
    paths: dict[Hashable, list[str]] = defaultdict(list)
    # Runs that may go on in the next row: (look, first, width) to the row where they began.
    running: dict[tuple[Hashable, int, int], int] = {}

    def close(run: tuple[Hashable, int, int], end: int) -> None:
        look, first, width = run
        top = running[run]
        paths[look].append(f"M{first} {top}h{width}v{end - top}h-{width}z")

    last = None
    for y in sorted(rows):
        runs: list[tuple[Hashable, int, int]] = []
        for x, _ in rows[y]:
            look = looks[x, y]
            if runs and runs[-1][0] == look and runs[-1][1] + runs[-1][2] == x:
                runs[-1] = (look, runs[-1][1], runs[-1][2] + 1)
            else:
                runs.append((look, x, 1))
        before: dict[tuple[Hashable, int, int], int]
        before = running if last is not None and last + 1 == y else {}
        for run in running:
            if run not in before or run not in runs:
                close(run, (last or 0) + 1)
        running = {run: before.get(run, y) for run in runs}
        last = y
    for run in running:
        close(run, (last or 0) + 1)
    return {look: "".join(parts) for look, parts in paths.items()}


def edges(places: Iterable[Place], key: Callable[[Place], Hashable]) -> str:
    """Return the path of all edges between places whose keys differ, straight lines in one piece."""
    across: dict[int, set[int]] = defaultdict(set)
    down: dict[int, set[int]] = defaultdict(set)
    for x, y in places:
        own = key((x, y))
        for other, line, at in (((x, y - 1), y, x), ((x, y + 1), y + 1, x)):
            if key(other) != own:
                across[line].add(at)
        for other, line, at in (((x - 1, y), x, y), ((x + 1, y), x + 1, y)):
            if key(other) != own:
                down[line].add(at)
    parts = [f"M{start} {y}h{length}" for y in sorted(across) for start, length in _runs(across[y])]
    parts += [f"M{x} {start}v{length}" for x in sorted(down) for start, length in _runs(down[x])]
    return "".join(parts)


def _runs(numbers: set[int]) -> Iterable[tuple[int, int]]:
    start = length = 0
    for number in sorted(numbers):
        if length and number == start + length:
            length += 1
        else:
            if length:
                yield start, length
            start, length = number, 1
    if length:
        yield start, length


@dataclass(frozen=True)
class Territory:
    """Places of one owner that hang together: how many, and the largest square among them."""

    owner: str
    places: int
    x: float
    y: float
    side: int


def territories(owners: Mapping[Place, str]) -> list[Territory]:
    """Return each owner's stretches of land, those with the largest square first."""
    root: dict[Place, Place] = {}

    def find(place: Place) -> Place:
        while root[place] != place:
            root[place] = place = root[root[place]]
        return place

    side: dict[Place, int] = {}
    for place in sorted(owners, key=lambda place: (place[1], place[0])):
        x, y = place
        owner = owners[place]
        root[place] = place
        alike = [
            corner
            for corner in ((x - 1, y), (x, y - 1), (x - 1, y - 1))
            if owners.get(corner) == owner
        ]
        for corner in alike:
            if corner != (x - 1, y - 1):
                root[find(place)] = find(corner)
        side[place] = min(side[corner] for corner in alike) + 1 if len(alike) == 3 else 1
    counts: dict[Place, int] = defaultdict(int)
    corners: dict[Place, Place] = {}
    for place in root:
        first = find(place)
        counts[first] += 1
        if first not in corners or side[place] > side[corners[first]]:
            corners[first] = place
    found = [
        Territory(
            owners[corner],
            counts[first],
            corner[0] + 1 - side[corner] / 2,
            corner[1] + 1 - side[corner] / 2,
            side[corner],
        )
        for first, corner in corners.items()
    ]
    return sorted(found, key=lambda part: (-part.side, -part.places, part.y, part.x))


@dataclass
class Boxes:
    """Which boxes are taken, kept in bins so that a few are looked at for each."""

    bin: float = 64
    bins: dict[Place, list[Box]] = field(default_factory=lambda: defaultdict(list))

    def _bins(self, box: Box) -> Iterable[Place]:
        left, top, right, bottom = (int(edge // self.bin) for edge in box)
        return ((x, y) for x in range(left, right + 1) for y in range(top, bottom + 1))

    def is_free(self, box: Box) -> bool:
        """Return whether the box lies over none that is taken."""
        return not any(
            box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
            for place in self._bins(box)
            for other in self.bins.get(place, ())
        )

    def take(self, box: Box) -> None:
        """Take a box."""
        for place in self._bins(box):
            self.bins[place].append(box)


def shortened(name: str) -> str:
    """Return a name that is not too long for a map."""
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is, in pixels: fonts differ, and none is at hand."""
    width = 0.0
    for letter in text:
        if unicodedata.combining(letter):
            continue
        if unicodedata.east_asian_width(letter) in "WF":
            width += 1.0
        elif letter in "iljtfrI.,:;'|!()[] -":
            width += 0.33
        elif letter in "mwMW@%&":
            width += 0.9
        elif letter.isupper():
            width += 0.64
        else:
            width += 0.56
    return width * size

"""Random campaigns for hypothesis: small dense maps on which ties and quarrels are common."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.judge import DEFAULTS, World

RULINGS = {
    "metric": ["euclidean", "manhattan", "chebyshev"],
    "foreign_pair_owns": [True, False],
    "foreign_group_owns": [True, False],
    "group_allies": ["all_sides", "national_sides"],
    "national_scope": ["nation", "fragmented"],
    "owner_allies_deploy": [True, False],
}

# Names that would look like two, if names were joined carelessly.
ODD_NAMES = ["a; b", "a", "b", "a;", "; b", "b'c", 'q"x', "ä", "Zürich", "007", "NA", "null", "1E5"]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    kinds = {"U": "unitary", "F": "fragmented", "G": None, "H": "fragmented"}
    states = {"U1": "U", "F1": "F", "F2": "F", "F3": "F", "F4": "F", "G1": "G", "G2": "G"}
    if draw(st.booleans()):
        states["H1"] = "H"  # a fragmented nation of one state
    nations = [*kinds, None]
    width = draw(st.integers(1, 9))
    height = draw(st.integers(1, 9))
    left = draw(st.sampled_from([-4, 0, 1_000]))
    # Mostly one fragmented nation, with patches of others.
    ground = draw(
        st.lists(
            st.sampled_from(["F"] * 6 + ["G"] * 2 + nations),
            min_size=width * height,
            max_size=width * height,
        )
        if draw(st.booleans())
        else st.just(["F"] * (width * height))
    )
    places = [(left + x, y) for y in range(height) for x in range(width)]
    squares = dict(zip(places, ground, strict=True))
    land = [place for place, nation in squares.items() if nation is not None]
    if not land:
        squares[places[0]] = "F"
        land = [places[0]]
    sites = draw(
        st.lists(st.sampled_from(land), unique=True, min_size=1, max_size=min(len(land), 13))
    )
    cities = dict(zip(draw(st.permutations(ODD_NAMES)), sites, strict=False))
    holders = st.sampled_from([*states])
    control = [(0, city, draw(holders)) for city in cities]
    later = st.tuples(st.integers(1, 3), st.sampled_from([*cities]), holders)
    entries = {(turn, city): (turn, city, state) for turn, city, state in draw(st.lists(later))}
    control += entries.values()
    pair = st.lists(holders, unique=True, min_size=2, max_size=2)
    allied = st.booleans() | st.just(True)
    quarrels = {}
    for (a, b), turn, stands in draw(
        st.lists(st.tuples(pair, st.integers(0, 3), allied), max_size=40)
    ):
        quarrels[frozenset((a, b)), turn] = (turn, a, b, stands)
    return World(
        nations=kinds,
        states={**states, "H0": "H"} if "H1" not in states else states,
        squares=squares,
        cities=cities,
        control=control,
        alliances=[*quarrels.values()],
        rulings={name: draw(st.sampled_from(values)) for name, values in RULINGS.items()},
        units={
            f"unit {number}": (draw(holders), place)
            for number, place in enumerate(draw(st.lists(st.sampled_from(places), max_size=4)))
        },
    )


assert RULINGS.keys() == DEFAULTS.keys()

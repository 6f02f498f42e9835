"""The views against the plain judge, square by square, on random and on the bundled campaigns."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nwol_sql import Campaign
from tests.conftest import SEEDS
from tests.judge import Judge, Verdict, World, read_world
from tests.worlds import worlds

if TYPE_CHECKING:
    from nwol_sql.explain import Explanation

Place = tuple[int, int]


def judged(campaign: Campaign) -> dict[tuple[int, Place], Verdict]:
    """What the views say of each square in each turn."""
    deployment: dict[tuple[int, str], set[tuple[str, str]]] = {}
    for turn, square, state, basis in campaign.sql(
        "select turn, square, state, basis from deployment_by_turn"
    ).fetchall():
        rights = deployment.setdefault((turn, square), set())
        assert (state, basis) not in rights
        rights.add((state, basis))
    verdicts = {}
    for turn, square, x, y, status, owner, rule, tied, cities, sides, distance in campaign.sql(
        """
        select turn, square, x, y, status, owner, rule, tied_cities, cities, sides, squared_distance
        from ownership_by_turn
        """
    ).fetchall():
        rights = frozenset(deployment.get((turn, square), ()))
        verdict = (status, owner, rule, tied, cities, sides, distance, rights)
        assert (turn, (x, y)) not in verdicts
        verdicts[turn, (x, y)] = verdict
    return verdicts


def expected(judge: Judge, place: Place, turn: int) -> tuple[object, ...]:
    verdict = judge.verdict(place, turn)
    joined = [None if part is None else "; ".join(part) for part in (verdict.cities, verdict.sides)]
    return (
        verdict.status,
        verdict.owner,
        verdict.rule,
        None if verdict.cities is None else len(verdict.cities),
        joined[0] or None,
        joined[1],
        verdict.squared_distance,
        verdict.deployment,
    )


def assert_agree(campaign: Campaign, world: World) -> None:
    judge = Judge(world)
    verdicts = judged(campaign)
    assert {turn for turn, _ in verdicts} == set(world.turns())
    assert {place for _, place in verdicts} == set(world.squares)
    for (turn, place), verdict in verdicts.items():
        assert verdict == expected(judge, place, turn), (turn, place)
    own = "select square, x, y, nation, terrain"
    squares = campaign.sql(f"{own} from squares order by all").fetchall()
    assert campaign.sql(f"{own} from ownership order by all").fetchall() == squares


def latest(campaign: Campaign, view: str) -> list[tuple[object, ...]]:
    """A view's rows at the latest turn, taken from its twin over all turns."""
    columns = ", ".join(column for column in campaign.sql(f"from {view}").columns)
    return campaign.sql(
        f"select {columns} from {view}_by_turn where turn = (select max(turn) from turns)"
    ).fetchall()


@given(worlds())
def test_views_agree_with_the_judge_on_random_worlds(world: World) -> None:
    with Campaign.build(world.sheets(), "grid", world.rulings) as campaign:
        assert_agree(campaign, world)
        for view in ("ownership", "deployment"):
            rows = campaign.sql(f"from {view}").fetchall()
            assert sorted(map(repr, rows)) == sorted(map(repr, latest(campaign, view)))
        assert_changes_agree(campaign, world)
        assert_units_agree(campaign, world)
        assert_holdings_agree(campaign, world)


def assert_changes_agree(campaign: Campaign, world: World) -> None:
    judge = Judge(world)
    changes = set()
    for before, turn in pairwise(world.turns()):
        for (x, y), nation in world.squares.items():
            old, new = judge.verdict((x, y), before), judge.verdict((x, y), turn)
            assert nation is not None or old == new
            if (old.status, old.owner, old.rule) != (new.status, new.owner, new.rule):
                changes.add(
                    (
                        turn,
                        f"{x},{y}",
                        old.status,
                        new.status,
                        old.owner,
                        new.owner,
                        old.rule,
                        new.rule,
                    )
                )
    rows = campaign.sql("from ownership_changes").fetchall()
    assert len(rows) == len(changes)
    assert set(rows) == changes


def assert_units_agree(campaign: Campaign, world: World) -> None:
    judge = Judge(world)
    turn = world.turns()[-1]
    positions = set()
    for unit, (state, place) in world.units.items():
        verdict = judge.verdict(place, turn)
        if verdict.status != "owned":
            territory = verdict.status
        elif verdict.owner == state:
            territory = "own"
        else:
            assert verdict.owner is not None
            territory = "allied" if judge.allied(state, verdict.owner, turn) else "foreign"
        may_deploy = state in {right for right, _ in verdict.deployment}
        square = f"{place[0]},{place[1]}"
        positions.add((unit, state, square, verdict.owner, verdict.status, territory, may_deploy))
    rows = campaign.sql("from unit_positions").fetchall()
    assert len(rows) == len(positions)
    assert set(rows) == positions
    exposed = {row[:4] for row in positions if row[5] == "foreign"}
    assert set(campaign.sql("from war_exposure").fetchall()) == exposed


def assert_holdings_agree(campaign: Campaign, world: World) -> None:
    judge = Judge(world)
    by_turn = set()
    for turn in world.turns():
        verdicts = [judge.verdict(place, turn) for place in world.squares]
        by_turn |= {
            (
                turn,
                state,
                nation,
                sum(verdict.owner == state for verdict in verdicts),
                sum((state, "sharer") in verdict.deployment for verdict in verdicts),
                sum(judge.holder(city, turn) == state for city in world.cities),
            )
            for state, nation in world.states.items()
        }
    assert set(campaign.sql("from holdings_by_turn").fetchall()) == by_turn
    latest = {row[1:] for row in by_turn if row[0] == world.turns()[-1]}
    assert set(campaign.sql("from holdings").fetchall()) == latest


def test_views_agree_with_the_judge_on_the_bundled_campaigns(bundled: tuple[str, Campaign]) -> None:
    name, campaign = bundled
    world = read_world(SEEDS / name, {"foreign_group_owns": name == "amwol"})
    assert len(world.turns()) == 13
    assert_agree(campaign, world)
    assert_changes_agree_by_name(campaign, world)


def assert_changes_agree_by_name(campaign: Campaign, world: World) -> None:
    names = dict(campaign.sql("select square, (x, y) from squares").fetchall())
    judge = Judge(world)
    rows = campaign.sql(
        "select turn, square, old_rule, rule, old_owner, owner from ownership_changes"
    )
    changed = set()
    for turn, square, old_rule, rule, old_owner, owner in rows.fetchall():
        changed.add((turn, names[square]))
        old, new = judge.verdict(names[square], turn - 1), judge.verdict(names[square], turn)
        assert (old.rule, new.rule, old.owner, new.owner) == (old_rule, rule, old_owner, owner)
    assert len(changed) > 100
    for place in world.squares:
        verdicts = [judge.verdict(place, turn) for turn in world.turns()]
        for turn, (old, new) in enumerate(pairwise(verdicts), start=1):
            differs = (old.rule, old.owner) != (new.rule, new.owner)
            assert differs == ((turn, place) in changed)


@settings(max_examples=settings.default.max_examples // 2)
@given(worlds())
def test_explanations_agree_with_the_judge(world: World) -> None:
    judge = Judge(world)
    turn = world.turns()[-1]
    place = next(iter(world.squares))
    # The square with the most cities tells most.
    for candidate in world.squares:
        if len(judge.verdict(candidate, turn).cities or ()) > len(
            judge.verdict(place, turn).cities or ()
        ):
            place = candidate
    with Campaign.build(world.sheets(), "grid", world.rulings) as campaign:
        explanation = campaign.explain(f"{place[0]},{place[1]}")
    assert_explains(explanation, judge, place, turn)


def assert_explains(explanation: Explanation, judge: Judge, place: Place, turn: int) -> None:
    verdict = judge.verdict(place, turn)
    world = judge.world
    assert (explanation.status, explanation.owner, explanation.rule) == (
        verdict.status,
        verdict.owner,
        verdict.rule,
    )
    rights = {(entry.state, entry.basis) for entry in explanation.deployment}
    assert rights == verdict.deployment
    assert [city.city for city in explanation.cities] == list(verdict.cities or ())
    if not verdict.cities:
        assert explanation.alliances == explanation.runners_up == explanation.uncounted == []
        return
    nation = world.squares[place]
    assert nation is not None
    for city in explanation.cities:
        assert city.squared_distance == verdict.squared_distance
        assert city.holder == judge.holder(city.city, turn)
        assert city.is_national == judge.is_national(city.holder, nation)
    pairs = {(pair.state_a, pair.state_b): pair.is_allied for pair in explanation.alliances}
    assert pairs.keys() == judge.needed_alliances(place, turn)
    assert all(stands == judge.allied(a, b, turn) for (a, b), stands in pairs.items())
    distances = {city: judge.distance(place, where) for city, where in world.cities.items()}
    own = {city for city, where in world.cities.items() if world.squares[where] == nation}
    shortest = min(distances[city] for city in own)
    farther = [distances[city] for city in own if distances[city] > shortest]
    runners_up = {city for city in own if farther and distances[city] == min(farther)}
    assert {other.city for other in explanation.runners_up} == runners_up
    uncounted = {city for city in distances if city not in own and distances[city] <= shortest}
    assert {other.city for other in explanation.uncounted} == uncounted


def test_the_order_of_rows_does_not_matter() -> None:
    world = read_world(SEEDS / "nwol", {})
    sheets = world.sheets()
    shuffled = {name: random.Random(7).sample(rows, len(rows)) for name, rows in sheets.items()}
    query = "select * from ownership_by_turn order by turn, square"
    with Campaign.build(sheets, "grid") as first, Campaign.build(shuffled, "grid") as second:
        assert first.sql(query).fetchall() == second.sql(query).fetchall()


@settings(max_examples=settings.default.max_examples // 4)
@given(worlds(), st.data())
def test_as_of_equals_a_build_from_the_sheets_of_that_turn(
    world: World, data: st.DataObject
) -> None:
    turn = data.draw(st.sampled_from(world.turns()))
    past = World(**vars(world))
    past.control = [row for row in world.control if row[0] <= turn]
    past.alliances = [row for row in world.alliances if row[0] <= turn]
    with (
        Campaign.build(world.sheets(), "grid", world.rulings) as campaign,
        Campaign.build(past.sheets(), "grid", world.rulings) as then,
    ):
        as_of = campaign.as_of(turn)
        for view in ("ownership", "deployment", "holdings", "unit_positions", "tie_group_sides"):
            rows = sorted(map(repr, then.sql(f"from {view}").fetchall()))
            assert sorted(map(repr, as_of.sql(f"from {view}").fetchall())) == rows, view
        rows = sorted(map(repr, then.sql("from ownership").fetchall()))
        assert sorted(map(repr, campaign.ownership(turn).fetchall())) == rows


def test_geometry_views_agree_with_the_judge(bundled: tuple[str, Campaign]) -> None:
    name, campaign = bundled
    world = read_world(SEEDS / name, {})
    judge = Judge(world)
    names = dict(campaign.sql("select square, (x, y) from squares").fetchall())
    nearest: dict[Place, set[tuple[str, int]]] = {}
    for square, city, distance in campaign.sql("from nearest_cities").fetchall():
        nearest.setdefault(names[square], set()).add((city, distance))
    groups = {}
    for place, nation in world.squares.items():
        cities: tuple[str, ...] = ()
        if nation is not None:
            distance, cities = judge.nearest(place)
            assert nearest.get(place, set()) == {(city, distance) for city in cities}
        if cities:
            groups["; ".join(cities)] = ("; ".join(cities), nation, list(cities), len(cities))
        else:
            assert place not in nearest
    rows = campaign.sql("from tie_groups").fetchall()
    assert len(rows) == len(groups)
    assert {row[0]: row for row in rows} == groups


def test_city_ranks_share_ranks_at_equal_distances(valley: Campaign) -> None:
    rows = valley.sql("select city, squared_distance, rank from city_ranks where square = '2,1'")
    assert sorted(rows.fetchall()) == [
        ("Ford", 2, 1),
        ("Mill", 2, 1),
        ("Oak", 2, 1),
        ("Tor", 5, 4),
    ]


def test_tie_groups_of_cities_with_semicolons_stay_apart() -> None:
    # "a; b" alone is nearest at one end, "a" and "b" together at the other.
    world = World(
        nations={"F": "fragmented"},
        states={"F1": "F", "F2": "F"},
        squares={(x, 0): "F" for x in range(30)},
        cities={"a": (0, 0), "b": (2, 0), "a; b": (20, 0)},
        control=[(0, "a", "F1"), (0, "b", "F1"), (0, "a; b", "F2")],
    )
    with Campaign.build(world.sheets(), "grid") as campaign:
        rows = campaign.sql(
            "select square, owner, tied_cities from ownership where x in (1, 20) order by x"
        ).fetchall()
        assert rows == [("1,0", "F1", 2), ("20,0", "F2", 1)]
        assert_agree(campaign, world)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_distances_are_exact_at_a_billion(metric: str) -> None:
    far = 1_000_000_000
    world = World(
        nations={"F": "fragmented"},
        states={"F1": "F", "F2": "F"},
        squares={(0, 0): "F", (far, far - 1): "F", (far, far): "F", (far - 1, far): "F"},
        cities={"east": (far, far - 1), "south": (far - 1, far)},
        control=[(0, "east", "F1"), (0, "south", "F2")],
        rulings={"metric": metric},
    )
    with Campaign.build(world.sheets(), "grid", world.rulings) as campaign:
        assert_agree(campaign, world)
        (tied,) = campaign.sql("select tied_cities from ownership where square = '0,0'").fetchall()
        assert tied == (2,)

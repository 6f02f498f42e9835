"""What changed, what would change, and war: against full verdicts, and word by word on the valley."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from nwol_sql import Campaign
from nwol_sql.cli import main
from nwol_sql.errors import QueryError, RulesetError
from nwol_sql.reports import Comparison, war
from tests.conftest import SEEDS, VALLEY
from tests.judge import Judge, World, read_world
from tests.test_checks import sheets, write
from tests.worlds import worlds

if TYPE_CHECKING:
    from collections.abc import Callable

FEW = settings(max_examples=max(settings.default.max_examples // 4, 5))
GOLDEN = Path(__file__).parent / "golden" / "reports"


def full_difference(old: Campaign, new: Campaign) -> set[tuple[Any, ...]]:
    """The difference of two full verdicts, taken in Python."""
    query = "select square, nation, status, owner, rule from ownership"
    before = {row[0]: row for row in old.sql(query).fetchall()}
    after = {row[0]: row for row in new.sql(query).fetchall()}
    assert before.keys() == after.keys()
    return {
        (square, now[1], was[2], now[2], was[3], now[3], was[4], now[4])
        for square, was, now in ((s, before[s], after[s]) for s in before)
        if was[2:] != now[2:]
    }


def assert_comparison_is_right(old: Campaign, new: Campaign) -> None:
    comparison = Comparison(old, new)
    rows = comparison.squares().fetchall()
    assert {row[:-1] for row in rows} == full_difference(old, new)
    assert len({row[0] for row in rows}) == len(rows)
    # Each cause is a city of the square's tie group, or a pair of its sides before or after.
    for square, *_, cause in rows:
        (groups,) = new.sql(
            "select cities from square_tie_groups inner join tie_groups using (tie_group) "
            "where square = $1",
            [square],
        ).fetchall()
        sides = {
            side
            for campaign in (old, new)
            for (held,) in campaign.sql(
                "select sides from ownership where square = $1", [square]
            ).fetchall()
            for side in held.split("; ")
        }
        holders = [dict(holders_of(campaign)) for campaign in (old, new)]
        moved = {
            f"{city}: {holders[0][city]} to {holders[1][city]}"
            for city in groups[0]
            if holders[0][city] != holders[1][city]
        }
        # Names may hold semicolons: take the cities' causes out first.
        rest = cause
        for text in sorted(moved, key=len, reverse=True):
            assert text in cause
            rest = rest.replace(text, "", 1)
        for part in filter(None, (part.strip() for part in rest.split(";"))):
            first, _, second = part.partition(": alliance ")[0].partition(" and ")
            assert {first, second} <= sides
            allied = [pairs_of(campaign) for campaign in (old, new)]
            assert ((first, second) in allied[0]) != ((first, second) in allied[1])
            assert part.endswith("began" if (first, second) in allied[1] else "ended")
        assert cause


def holders_of(campaign: Campaign) -> list[tuple[str, str]]:
    return campaign.sql(
        "select city, state from city_holders where turn = (select turn from latest_turn)"
    ).fetchall()


def pairs_of(campaign: Campaign) -> set[tuple[str, str]]:
    return set(
        campaign.sql(
            "select state, ally from allied_pairs where turn = (select turn from latest_turn)"
        ).fetchall()
    )


def assert_summary_is_right(old: Campaign, new: Campaign) -> None:
    query = "select square, state, basis from deployment"
    before, after = (set(campaign.sql(query).fetchall()) for campaign in (old, new))
    expected: dict[str, list[int]] = {}
    for rights, place in ((after - before, 0), (before - after, 1)):
        for _, state, basis in rights:
            if basis != "ally":
                counts = expected.setdefault(state, [0, 0, 0, 0])
                counts[place + (2 if basis == "sharer" else 0)] += 1
    rows = Comparison(old, new).by_state().fetchall()
    assert {row[0]: [row[1], row[2], row[4], row[5]] for row in rows} == expected
    assert all(row[3] == row[1] - row[2] for row in rows)
    for square, state, basis, ended in Comparison(old, new).ended_rights().fetchall():
        assert (square, state, basis) in before
        assert (square, state) not in {right[:2] for right in after}
        for pair in ended.split("; "):
            first, _, second = pair.partition(" and ")
            assert (first, second) in pairs_of(old) - pairs_of(new)


@FEW
@given(worlds(), st.data())
def test_diff_is_the_difference_of_two_full_verdicts(world: World, data: st.DataObject) -> None:
    turns = st.sampled_from(world.turns())
    with Campaign.build(world.sheets(), "grid", world.rulings) as campaign:
        old, new = campaign.as_of(data.draw(turns)), campaign.as_of(data.draw(turns))
        assert_comparison_is_right(old, new)
        assert_summary_is_right(old, new)


def test_diff_on_the_bundled_campaigns(bundled: tuple[str, Campaign]) -> None:
    _, campaign = bundled
    for turn in (4, 5, 9, 12):
        old, new = campaign.as_of(turn - 1), campaign.as_of(turn)
        assert_comparison_is_right(old, new)
        assert_summary_is_right(old, new)
        changes = campaign.sql("select square from ownership_changes where turn = $1", [turn])
        assert sorted(changes.fetchall()) == [
            row[:1] for row in Comparison(old, new).squares().fetchall()
        ]


@FEW
@given(worlds(), st.data())
def test_what_if_equals_a_build_from_changed_sheets(world: World, data: st.DataObject) -> None:
    turn = data.draw(st.sampled_from(world.turns()))
    states = st.sampled_from([*world.states])
    control = data.draw(st.dictionaries(st.sampled_from([*world.cities]), states, max_size=3))
    pairs = st.lists(states, min_size=2, max_size=2, unique=True).map(lambda p: tuple(sorted(p)))
    supposed = data.draw(st.dictionaries(pairs, st.booleans(), max_size=4))
    changed = World(**vars(world))
    changed.control = [
        row for row in world.control if row[0] < turn or (row[0] == turn and row[1] not in control)
    ] + [(turn, city, state) for city, state in control.items()]
    changed.alliances = [
        row
        for row in world.alliances
        if row[0] < turn or (row[0] == turn and tuple(sorted(row[1:3])) not in supposed)
    ] + [(turn, *pair, allied) for pair, allied in supposed.items()]
    with (
        Campaign.build(world.sheets(), "grid", world.rulings) as campaign,
        Campaign.build(changed.sheets(), "grid", world.rulings) as built,
    ):
        new = campaign.supposing(
            control,
            [pair[::-1] for pair, allied in supposed.items() if allied],
            [pair for pair, allied in supposed.items() if not allied],
            turn,
        )
        for view in ("ownership", "deployment", "holdings", "unit_positions", "tie_group_sides"):
            rows = sorted(map(repr, built.sql(f"from {view}").fetchall()))
            assert sorted(map(repr, new.sql(f"from {view}").fetchall())) == rows
        assert_comparison_is_right(campaign.as_of(turn), new)


def test_what_if_is_a_relation_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=path).close()
    before = path.read_bytes()
    with duckdb.connect(path, read_only=True), Campaign.open(path) as campaign:
        rows = campaign.what_if(control={"Ford": "A"})
        columns = "square nation old_status status old_owner owner old_rule rule cause"
        assert rows.columns == columns.split()
        assert rows.fetchall() == [
            ("2,0", "V", "unowned", "owned", None, "A", "2d", "2a", "Ford: C to A"),
            ("2,1", "V", "unowned", "owned", None, "A", "3c", "3a", "Ford: C to A"),
            ("3,0", "V", "owned", "owned", "C", "A", "1a", "1a", "Ford: C to A"),
            ("3,1", "V", "owned", "owned", "C", "A", "1a", "1a", "Ford: C to A"),
        ]
        # At turn 2 B still held Ford, and the alliance of A and B had just ended.
        rows = campaign.what_if(ally=[("B", "A")], turn=2).fetchall()
        assert [(row[0], row[3], row[7], row[8]) for row in rows] == [
            ("2,0", "shared", "2c", "A and B: alliance began"),
            ("2,1", "shared", "3b", "A and B: alliance began"),
        ]
        assert campaign.what_if(control={"Ford": "C"}).fetchall() == []
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_names_with_quotes_are_supposed() -> None:
    held, own = "L'Aquila; or 'x'", "K'n"
    world = World(
        {"N": None},
        {"A": "N", own: "N"},
        {(0, 0): "N", (1, 0): "N", (2, 0): "N"},
        {held: (0, 0), "Mill": (2, 0)},
        [(1, held, "A"), (1, "Mill", own)],
    )
    with Campaign.build(world.sheets(), "grid") as campaign:
        status = "select status, owner, sides from ownership where square = '1,0'"
        assert campaign.sql(status).fetchall() == [("unowned", None, f"A; {own}")]
        allied = campaign.supposing(ally=[(own, "A")])
        assert allied.sql(status).fetchall() == [("shared", None, f"A; {own}")]
        # Each by itself, and of the same turn: the entry before counts no more.
        taken = campaign.supposing({held: own})
        assert taken.sql(status).fetchall() == [("owned", own, own)]
        both = campaign.supposing({held: own, "Mill": "A"}, break_=[("A", own)])
        assert both.sql(status).fetchall() == [("unowned", None, f"A; {own}")]


@pytest.mark.parametrize(
    ("supposed", "message"),
    [
        ({"control": {"Fort": "A"}}, "there is no city 'Fort'; did you mean 'Ford'"),
        ({"control": {"Ford": "AA"}}, "there is no state 'AA'; did you mean 'A'"),
        ({"ally": [("A", "Z")]}, "there is no state 'Z'"),
        ({"break_": [("A", "A")]}, "A cannot be allied with itself"),
        ({"ally": [("A", "B")], "break_": [("B", "A")]}, "A and B cannot be both allied and not"),
        ({"control": [("Ford", "A")]}, "control maps cities to states"),
        ({"ally": ("A", "B")}, "lists of pairs"),
        ({"ally": [("A", "B", "C")]}, "lists of pairs"),
        ({"ally": [("A", "B")], "turn": -1}, "turn -1 is before the campaign's first turn"),
    ],
)
def test_what_cannot_be_supposed(valley: Campaign, supposed: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        valley.what_if(**supposed)


# Who stands where in these reports: Scouts in A's land, First Foot on torn ground, Second Foot in W's.
UNITS = """unit,state,square
First Foot,W,"2,0"
Second Foot,A,"4,0"
Scouts,W,"0,1"
Guard,A,"0,0"
Militia,B,"2,1"
"""


def test_views_of_the_past_can_be_asked_again(valley: Campaign) -> None:
    assert valley.as_of(2).as_of(9).latest_turn() == 2
    rows = valley.as_of(0).what_if(break_=[("A", "B")]).fetchall()
    assert [(row[0], row[2], row[3]) for row in rows] == [
        ("2,0", "shared", "unowned"),
        ("2,1", "shared", "unowned"),
    ]
    with pytest.raises(QueryError, match="suppose everything at once"):
        valley.supposing({"Ford": "A"}).supposing({"Oak": "B"})


def test_an_analysts_own_relations_do_not_stand_in_the_way(valley: Campaign) -> None:
    valley.sql("create schema mine")
    valley.sql("create table mine.notes as select 1 as n")
    valley.sql("create view my_notes as select n from mine.notes")
    valley.sql("create view my_squares as select square from ownership where owner = 'A'")
    assert len(valley.as_of(0).sql("from my_squares")) == 7
    assert len(valley.what_if({"Ford": "A"})) == 4


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("valley")
    write(folder, {**sheets(), "units": UNITS})
    path = folder / "valley.duckdb"
    Campaign.build(folder, "grid", database=path).close()
    return path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout


# Worked out by hand from sheets/valley/README.md.
REPORTS = {
    "diff": ["diff", "--from", 0, "--to", 3],
    "what_if": ["what-if", "--turn", 0, "--break", "A:B"],
    "deploy": ["deploy", "W", "--turn", 0],
    "war": ["war", "A", "W"],
    "holdings": ["holdings"],
}
ENDINGS = {"table": "txt", "csv": "csv", "json": "json", "markdown": "md"}


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("style", ENDINGS)
def test_golden_report(database: Path, report: str, style: str) -> None:
    golden = GOLDEN / f"{report}.{ENDINGS[style]}"
    printed = run(*REPORTS[report], "--format", style, "-d", database)
    assert printed.encode() == golden.read_bytes()


def test_diff_by_default_compares_the_last_two_turns(database: Path) -> None:
    assert run("diff", "-d", database) == run("diff", "--from", 2, "--to", 3, "-d", database)


def test_diff_against_another_file(database: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.duckdb"
    Campaign.build(VALLEY, "grid", {"metric": "chebyshev"}, database=other).close()
    report = json.loads(run("diff", "--against", other, "-d", database, "--format", "json"))
    with Campaign.open(database) as old, Campaign.open(other) as new:
        assert {row["square"] for row in report["squares"]} == {
            row[0] for row in full_difference(old, new)
        }
    assert {row["cause"] for row in report["squares"]} == {"the maps or the rulings differ"}
    assert run("diff", "--against", database, "-d", database).endswith("differs: none\n")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["diff", "--from", -3, "--to", 2], 1, "turn -3 is before the campaign's first turn"),
        (["diff", "--to", 0], 1, "there is no turn before 0"),
        (["diff", "--against", "none.duckdb"], 1, "there is no database none.duckdb"),
        (["diff", "--against", "none.duckdb", "--to", 2], 2, "give --from N too"),
        (["what-if"], 2, "suppose something"),
        (["what-if", "--control", "Ford"], 2, "is not of the form CITY=STATE"),
        (["what-if", "--control", "Ford=A", "--control", "Ford=B"], 2, "names a city twice"),
        (["what-if", "--ally", "A-B"], 2, "is not of the form A:B"),
        (["what-if", "--ally", "A:X"], 1, "there is no state 'X'"),
        (["deploy", "X"], 1, "there is no state 'X'"),
        (["war", "A", "X"], 1, "there is no state 'X'"),
        (["war", "A", "A"], 1, "A cannot be at war with itself"),
    ],
)
def test_messages(database: Path, arguments: list[object], status: int, message: str) -> None:
    result = CliRunner().invoke(main, [*map(str, arguments), "-d", str(database)])
    assert result.exit_code == status
    assert message in result.stderr
    assert result.stdout == ""


def test_notes_on_standard_error(database: Path) -> None:
    for arguments, note in (
        (["diff", "--to", 9], "turn 9 has no entries yet"),
        (["holdings", "--turn", 9], "turn 9 has no entries yet"),
        (["war", "A", "W"], "A and W are allied"),
        (["deploy", "B"], "B may deploy nowhere"),
    ):
        result = CliRunner().invoke(main, [*map(str, arguments), "-d", str(database)])
        assert result.exit_code == 0
        assert note in result.stderr


def test_deploy_exports_the_list(database: Path, tmp_path: Path) -> None:
    output = tmp_path / "deploy.csv"
    assert run("deploy", "A", "-o", output, "-d", database) == ""
    lines = output.read_text("utf-8").splitlines()
    assert lines[0] == "basis,square,nation,terrain"
    assert len(lines) == 1 + 7


def test_war_agrees_with_the_judge(bundled: tuple[str, Campaign]) -> None:
    name, campaign = bundled
    world = read_world(SEEDS / name, {"foreign_group_owns": name == "amwol"})
    judge = Judge(world)
    a, b = ("FRA", "AUS") if name == "nwol" else ("USA", "EMX")
    seen = 0
    for turn in world.turns():
        expected = set()
        for unit, (state, place) in world.units.items():
            verdict = judge.verdict(place, turn)
            enemy = {a: b, b: a}.get(state)
            if enemy is None:
                continue
            if verdict.status in ("shared", "neutral", "unowned"):
                expected.add((unit, state, verdict.status))
            elif verdict.owner == enemy:
                expected.add((unit, state, "enemy"))
        rows = war(campaign.as_of(turn), a, b).fetchall()
        assert {(row[0], row[1], row[3]) for row in rows} == expected
        seen += len(rows)
    assert seen > 10


def test_pairs_of_any_iterable_are_supposed(valley: Campaign) -> None:
    pairs = [("A", "B")]
    wanted = sorted(valley.what_if(break_=pairs, turn=0).fetchall())
    assert len(wanted) > 0
    assert sorted(valley.what_if(break_=(pair for pair in pairs), turn=0).fetchall()) == wanted
    assert sorted(valley.what_if(ally=None, break_=[["A", "B"]], turn=0).fetchall()) == wanted
    with pytest.raises(QueryError, match="there is no state 'X'"):
        valley.supposing(break_=iter([("A", "X")]))
    for wrong in ([5], [("A",)], [("A", 5)], ["AB"], "AB", 5):
        with pytest.raises(QueryError, match="ally and break_ are lists of pairs"):
            valley.supposing(ally=wrong)  # type: ignore[arg-type]


def test_turns_are_whole_numbers(valley: Campaign) -> None:
    for wrong in ("abc", "2", 2.0, 4.5, True, [2]):
        for ask in (valley.as_of, valley.ownership, valley.turn_in_force, valley.turn_before):
            with pytest.raises(QueryError, match="a turn is a whole number, not"):
                ask(wrong)  # type: ignore[operator]
    # A later turn stands as the latest does, however late, and the column keeps its type.
    latest = sorted(valley.ownership().fetchall(), key=str)
    for late in (4, 2**31, 10**44):
        assert sorted(valley.ownership(late).fetchall(), key=str) == latest
        later = valley.as_of(late)
        assert sorted(later.ownership().fetchall(), key=str) == latest
        assert later.sql("select distinct typeof(turn) from ownership_by_turn").fetchall() == [
            ("INTEGER",)
        ]
    assert valley.supposing({"Ford": "A"}).sql(
        "select distinct typeof(turn) from control"
    ).fetchall() == [("INTEGER",)]
    with pytest.raises(QueryError, match="is before the campaign's first turn, 0"):
        valley.as_of(-(10**44))


def test_what_is_closed_leaves_nothing_in_memory(valley: Campaign, tmp_path: Path) -> None:
    count = "select count(*) from duckdb_databases() where not internal"
    before = valley.connection.execute(count).fetchall()
    explanation = str(valley.explain("2,0", turn=0))
    with valley.as_of(0) as earlier, valley.supposing({"Ford": "A"}) as supposed:
        assert str(earlier.explain("2,0")) == explanation
        assert len(supposed.sql("from control").fetchall()) > 0
    Campaign.build(VALLEY, "grid", database=tmp_path / "other.duckdb").close()
    with valley.beside(tmp_path / "other.duckdb") as other:
        assert other.latest_turn() == 3
    assert valley.connection.execute(count).fetchall() == before


def test_a_campaign_without_turns_says_so(tmp_path: Path) -> None:
    path = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=path).close()
    with Campaign.open(path, read_only=False) as campaign:
        campaign.connection.execute("delete from control; delete from alliances")
    for arguments in (["holdings"], ["holdings", "--turn", "3"], ["deploy", "A", "--turn", "3"]):
        result = CliRunner().invoke(main, [*arguments, "-d", str(path)])
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == ("nwol-sql: control and alliances are empty, so there is no turn\n")


WRONG_TYPES: list[tuple[Callable[[Campaign, Path], object], str]] = [
    (lambda c, p: c.sql(None), "a query is a text, not None"),  # type: ignore[arg-type]
    (lambda c, p: c.ask(None), "a query is a text, not None"),  # type: ignore[arg-type]
    (lambda c, p: c.export(None, p / "a.csv"), "a relation's name is a text"),  # type: ignore[arg-type]
    (lambda c, p: c.explain(5), "a square's name is a text, not 5"),  # type: ignore[arg-type]
    (lambda c, p: c.map(p / "a.svg", layer=None), "a layer is a text"),  # type: ignore[arg-type]
    (lambda c, p: c.map(p / "a.svg", scale="2"), "the scale is"),  # type: ignore[arg-type]
    (lambda c, p: c.materialize(4), "tile sizes are a list"),  # type: ignore[arg-type]
    (lambda c, p: Campaign.build(VALLEY, "grid", tile_sizes=4), "tile sizes are a list"),  # type: ignore[arg-type]
    (lambda c, p: Campaign.build(VALLEY, "grid", encoding=5), "an encoding is a text"),  # type: ignore[arg-type]
    (lambda c, p: Campaign.build(VALLEY, "grid", delimiter="ab"), "'ab' is not one character"),
    (lambda c, p: Campaign.build(VALLEY, "grid", delimiter=5), "a delimiter is a text"),  # type: ignore[arg-type]
    (lambda c, p: Campaign.build(VALLEY, "grid", memory_limit=8), "a memory limit is a text"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("ask", "message"), WRONG_TYPES)
def test_arguments_of_a_wrong_type_are_refused_in_words(
    valley: Campaign, tmp_path: Path, ask: Callable[[Campaign, Path], object], message: str
) -> None:
    with pytest.raises(QueryError, match=message):
        ask(valley, tmp_path)
    assert [*tmp_path.iterdir()] == []


def test_rulings_are_a_mapping() -> None:
    with pytest.raises(RulesetError, match="rulings are given as a mapping"):
        Campaign.build(VALLEY, "grid", rulings=["metric"])  # type: ignore[arg-type]

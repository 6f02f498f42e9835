"""The database that a build makes: described, unique at its grain, and usable by any DuckDB client."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb
import pytest

from nwol_sql import Campaign
from nwol_sql.errors import QueryError
from nwol_sql.project import CHECKS, TABLES, VIEWS, Project
from nwol_sql.rulesets import load_ruleset
from nwol_sql.schema import relations, sheet_specs
from tests.conftest import ROOT, VALLEY

if TYPE_CHECKING:
    from pathlib import Path

# The contract's relations with their columns, in order.
CONTRACT = {
    "city_ranks": "square, city, squared_distance, rank",
    "nearest_cities": "square, city, squared_distance",
    "turns": "turn",
    "tie_groups": "tie_group, nation, cities, tied_cities",
    "tie_group_sides": "turn, tie_group, state, is_national, held_cities",
    "tie_group_alliances": "turn, tie_group, state_a, state_b, is_allied",
    "ownership": (
        "square, x, y, nation, terrain, status, owner, rule, tied_cities, cities, sides, "
        "squared_distance, distance"
    ),
    "ownership_by_turn": (
        "turn, square, x, y, nation, terrain, status, owner, rule, tied_cities, cities, sides, "
        "squared_distance, distance"
    ),
    "ownership_changes": "turn, square, old_status, status, old_owner, owner, old_rule, rule",
    "deployment": "square, state, basis",
    "deployment_by_turn": "turn, square, state, basis",
    "unit_positions": "unit, state, square, owner, status, territory, may_deploy",
    "war_exposure": "unit, state, square, owner",
    "holdings": "state, nation, squares_owned, squares_shared, cities_held",
}
TABLE_NAMES = [
    "nations",
    "states",
    "squares",
    "cities",
    "control",
    "alliances",
    "units",
    "rulings",
    "rules",
]


def test_the_contracts_relations_have_its_columns(valley: Campaign) -> None:
    for name, columns in CONTRACT.items():
        assert ", ".join(valley.sql(f"from {name}").columns) == columns
    assert {*TABLE_NAMES, *CONTRACT} <= set(valley.relation_names())


def test_every_relation_is_described(valley: Campaign) -> None:
    assert set(relations()) == set(valley.relation_names())
    for name, relation in relations().items():
        assert valley.sql(f"from {name}").columns == list(relation.columns)
    comments = valley.sql(
        """
        select table_name, comment from duckdb_tables() where database_name = 'campaign'
        union all
        select view_name, comment from duckdb_views() where database_name = 'campaign' and not internal
        """
    ).fetchall()
    assert {name for name, _ in comments} == set(relations())
    for name, comment in comments:
        assert "? One row" in comment, name  # the question, then the grain
    columns = valley.sql(
        """
        select table_name, column_name, comment from duckdb_columns()
        where database_name = 'campaign' and not internal
        """
    ).fetchall()
    assert len(columns) == sum(len(relation.columns) for relation in relations().values())
    for name, column, comment in columns:
        assert comment, (name, column)
        assert comment.endswith("."), (name, column)


def test_templates_have_a_head_of_question_grain_and_clauses() -> None:
    project = Project(load_ruleset("nwol").rulings)
    for name in project.names(*TABLES, *VIEWS):
        question, grain, *clauses = project.template(name).header
        assert question.endswith("?"), name
        assert grain.startswith("One row"), name
        assert clauses, name


def test_relations_are_unique_at_their_grain(bundled: tuple[str, Campaign]) -> None:
    _, campaign = bundled
    for name, relation in relations().items():
        if name == "uncounted_cities":
            continue  # whole only on request: unique as the pairs of two keys
        key = ", ".join(relation.key)
        doubled = campaign.sql(f"select {key} from {name} group by {key} having count(*) > 1")
        assert doubled.fetchall() == [], name
        assert campaign.sql(f"select count(*) from {name}").fetchall() != [(0,)] or name in (
            "war_exposure",
        ), name


def test_views_read_no_star_no_alias_and_no_lambda() -> None:
    for ruleset in ("nwol", "amwol", "grid"):
        rules = load_ruleset(ruleset)
        project = Project(rules.rulings, rules.is_lettered)
        for name in project.names(*VIEWS):
            sql = project.compiled(name)
            assert not re.search(r"select\s+\*|campaign\.|->|lambda|cross join|\*\*", sql), name


def test_view_texts_can_be_run_again(valley: Campaign, tmp_path: Path) -> None:
    # EXPORT DATABASE writes the views as DuckDB prints them.
    con = valley.connection
    con.execute(f"export database '{tmp_path / 'dump'}'")
    with duckdb.connect() as other:
        other.execute(f"import database '{tmp_path / 'dump'}'")
        for name in CONTRACT:
            rows = other.execute(f"from {name} order by all").fetchall()
            assert rows == con.execute(f"from {name} order by all").fetchall()


def test_views_follow_when_tables_change(tmp_path: Path) -> None:
    path = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=path).close()
    middle = "select status, owner, rule from ownership where square = '2,0'"
    with duckdb.connect(path) as con:
        # Oak (A) and Ford (C since turn 3) are equally near to 2,0, and A and C are not allied.
        assert con.execute(middle).fetchall() == [("unowned", None, "2d")]
        con.execute("insert into alliances values (3, 'C', 'A', true)")
        assert con.execute(middle).fetchall() == [("shared", None, "2c")]
        con.execute("update control set state = 'A' where city = 'Ford' and turn = 3")
        assert con.execute(middle).fetchall() == [("owned", "A", "2a")]
        con.execute("insert into control values (9, 'Ford', 'W')")
        assert con.execute(middle).fetchall() == [("owned", "A", "2b")]
        assert con.execute("from latest_turn").fetchall() == [(9,)]
        con.execute("delete from control")
        con.execute("delete from alliances")
        # Nobody holds any city: nothing is owned, nothing fails.
        assert con.execute(middle).fetchall() == [("unowned", None, "2d")]
        assert con.execute(
            "select status, rule from ownership where square = '1,0'"
        ).fetchall() == [("neutral", "1b")]
        assert con.execute("select count(*) from ownership").fetchall() == [(15,)]


def test_of_two_contradicting_alliances_the_end_counts(valley: Campaign) -> None:
    # The checks refuse this in sheets; in the tables, in either order, it must not be left to chance.
    turn_2 = "select count(*) from allied_pairs where turn = 2 and state = 'A' and ally = 'B'"
    valley.sql("insert into alliances values (2, 'A', 'B', true)")
    assert valley.sql(turn_2).fetchall() == [(0,)]
    valley.sql("delete from alliances where turn = 2")
    valley.sql("insert into alliances values (2, 'A', 'B', true), (2, 'B', 'A', false)")
    assert valley.sql(turn_2).fetchall() == [(0,)]
    valley.sql("insert into alliances values (3, 'A', 'B', true)")
    assert valley.sql(turn_2.replace("turn = 2", "turn = 3")).fetchall() == [(1,)]


def test_a_unit_on_a_square_that_is_gone_stands_outside(valley: Campaign) -> None:
    valley.sql("delete from squares where square = '0,1'")
    rows = valley.sql(
        "select status, owner, territory, may_deploy from unit_positions where unit = 'Scouts'"
    )
    assert rows.fetchall() == [("outside", None, "outside", False)]
    assert valley.sql("from war_exposure").fetchall() == []


def test_a_city_that_nobody_holds_makes_no_owner_and_no_sharer(tmp_path: Path) -> None:
    path = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=path).close()
    with duckdb.connect(path) as con:
        con.execute("delete from control where city = 'Ford'")
        rows = con.execute(
            "select square, status, owner, rule, sides from ownership "
            "where square in ('2,0', '2,1', '3,0')"
        ).fetchall()
        assert sorted(rows) == [
            ("2,0", "owned", "A", "2b", "A"),  # A is the only side with a name
            ("2,1", "unowned", None, "3c", "A"),  # A cannot be allied with nobody
            ("3,0", "neutral", None, "1b", None),
        ]


@pytest.mark.parametrize(
    "statement",
    [
        "insert into control values (3, 'Ford', 'A')",
        "insert into control values (4, 'Ford', 'Z')",
        "insert into control values (4, 'Fjord', 'A')",
        "insert into alliances values (2, 'B', 'A', true)",
        "insert into alliances values (5, 'A', 'A', true)",
        "insert into alliances values (5, 'A', 'Z', true)",
        "insert into cities values ('Elm', '1,0', 1)",
    ],
)
def test_tables_refuse_what_the_checks_would(valley: Campaign, statement: str) -> None:
    with pytest.raises(QueryError, match="onstraint"):
        valley.sql(statement)


def test_a_file_answers_under_any_name_and_is_not_misled_by_other_tables(tmp_path: Path) -> None:
    path = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=path).close()
    with duckdb.connect(path, read_only=True) as con:
        rows = con.execute("from ownership order by square").fetchall()
    with duckdb.connect() as con:
        con.execute(f"attach '{path}' as other (read_only)")
        con.execute("create table control as select 0 as turn, 'Oak' as city, 'W' as state")
        assert con.execute("from other.ownership order by square").fetchall() == rows


def test_rulings_are_recorded(valley: Campaign) -> None:
    assert valley.sql("select ruling, value, ruleset, ruleset_value from rulings").fetchall() == [
        ("metric", "euclidean", "grid", "euclidean"),
        ("foreign_pair_owns", "true", "grid", "true"),
        ("foreign_group_owns", "true", "grid", "true"),
        ("group_allies", "all_sides", "grid", "all_sides"),
        ("national_scope", "nation", "grid", "nation"),
        ("owner_allies_deploy", "false", "grid", "false"),
    ]
    with Campaign.build(VALLEY, "grid", {"metric": "chebyshev"}) as campaign:
        assert campaign.sql(
            "select value, ruleset_value from rulings where value <> ruleset_value"
        ).fetchall() == [("chebyshev", "euclidean")]


def test_no_game_rule_stands_in_python() -> None:
    words = re.compile(r"""['"](owned|shared|neutral|unowned|sharer|[123][abcd])['"]""")
    spoken = {"explain.py", "demo.py", "xlsx.py", "reports.py"}  # they show what the views found
    for path in (ROOT / "nwol_sql").glob("*.py"):
        if path.name not in spoken:
            assert not words.search(path.read_text("utf-8")), path.name


def test_templates_that_read_what_is_not_there_are_refused() -> None:
    project = Project(load_ruleset("nwol").rulings)
    with pytest.raises(QueryError, match="did you mean 'ownership'"):
        project.template("ownershp")


def test_sheet_columns_stand_in_the_sheets_once() -> None:
    for spec in sheet_specs().values():
        assert len(set(spec.columns)) == len(spec.columns)
        assert set(spec.required) <= set(spec.columns)
    assert len(Project(load_ruleset("grid").rulings).names(*CHECKS)) > 20

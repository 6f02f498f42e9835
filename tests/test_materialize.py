"""A stored geometry answers as one that is worked out, follows politics, and is refused when stale."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb
import pytest
from hypothesis import given, settings

from nwol_sql import Campaign
from nwol_sql.errors import QueryError
from nwol_sql.project import STORED, STORED_TABLES
from nwol_sql.schema import all_relations, relations
from tests.conftest import SEEDS, VALLEY
from tests.test_cli import run
from tests.test_project import CONTRACT
from tests.test_views import assert_agree
from tests.worlds import worlds

if TYPE_CHECKING:
    from pathlib import Path

    from tests.judge import World

STALE = "squares or cities have changed since the geometry was stored"

# What a map can suffer.
MAP_CHANGES = [
    "update squares set x = 17 where square = '4,2'",
    "update squares set x = y, y = x where square = '4,2'",
    "update squares set nation = null where square = '4,2'",
    "update squares set terrain = 'swamp' where square = '4,2'",
    "update squares set square = 'elsewhere' where square = '4,2'",
    "insert into squares (square, x, y, nation) values ('9,9', 9, 9, 'V')",
    "delete from squares where square = '4,2'",
    # A city that control refers to cannot be moved.
    "delete from control where city = 'Mill'; update cities set square = '0,2' where city = 'Mill'",
    "insert into cities (city, square) values ('New', '0,2')",
]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=path, materialize=True).close()
    return path


@given(worlds())
@settings(max_examples=20)
def test_a_stored_geometry_agrees_with_the_judge(world: World) -> None:
    with Campaign.build(
        world.sheets(), "grid", world.rulings, materialize=True, tile_sizes=(4, 2)
    ) as campaign:
        assert_agree(campaign, world)


@pytest.mark.parametrize("name", ["nwol", "amwol"])
def test_a_stored_geometry_changes_no_answer(name: str) -> None:
    with (
        Campaign.build(SEEDS / name, name) as plain,
        Campaign.build(SEEDS / name, name, materialize=True, tile_sizes=(32, 8, 2)) as stored,
    ):
        for view in CONTRACT:
            query = f"from {view} order by all"
            assert stored.sql(query).fetchall() == plain.sql(query).fetchall(), view
        ally, broken = [("BAV", "PRU"), ("BAV", "WUR")] if name == "nwol" else [("USA", "SON")] * 2
        if name == "nwol":
            changed = [c.what_if(ally=[ally], break_=[broken], turn=6) for c in (plain, stored)]
            assert changed[0].order("square").fetchall() == changed[1].order("square").fetchall()
            assert len(changed[0]) > 0


def test_the_views_read_what_is_stored(stored: Path) -> None:
    with Campaign.open(stored) as campaign:
        assert set(STORED_TABLES) <= set(campaign.relation_names())
        for relation in STORED:
            ((sql,),) = campaign.sql(
                f"select sql from duckdb_views() where view_name = '{relation}' "
                "and database_name = 'campaign'"
            ).fetchall()
            assert f"stored_{relation}" in sql
            assert "compared_cities" not in sql


def test_what_is_stored_is_described(stored: Path) -> None:
    with Campaign.open(stored) as campaign:
        names = set(campaign.relation_names())
        assert names == set(all_relations())
        assert set(relations()) < names
        for name, relation in all_relations().items():
            assert campaign.sql(f"from {name}").columns == list(relation.columns)
        ((undescribed,),) = campaign.sql(
            "select count(*) from duckdb_columns() "
            "where database_name = 'campaign' and not internal and comment is null"
        ).fetchall()
        assert undescribed == 0


def test_politics_are_followed(stored: Path) -> None:
    middle = "select status, rule from ownership where square = '2,0'"
    with duckdb.connect(stored) as con:
        # Oak (A) and Ford (C) are equally near to 2,0.
        assert con.execute(middle).fetchall() == [("unowned", "2d")]
        con.execute("insert into alliances values (3, 'C', 'A', true)")
        assert con.execute(middle).fetchall() == [("shared", "2c")]


@pytest.mark.parametrize("change", MAP_CHANGES)
@pytest.mark.parametrize("has_same_hash", [True, False])
def test_a_changed_map_is_noticed(stored: Path, change: str, has_same_hash: bool) -> None:
    with duckdb.connect(stored) as con:
        before = con.execute("from ownership order by square").fetchall()
        if not has_same_hash:  # as in a DuckDB that hashes otherwise
            con.execute("update stored_geometry set hash_sample = 1, quick_fingerprint = 1")
            assert con.execute("from ownership order by square").fetchall() == before
        con.execute(change)
        for view in ("ownership", "nearest_cities", "tie_groups", "deployment", "unit_positions"):
            with pytest.raises(duckdb.Error, match=STALE):
                con.execute(f"from {view}").fetchall()
        # What needs no stored geometry still answers.
        assert con.execute("select count(*) from city_ranks").fetchall() != [(0,)]
    for question in (
        ["query", "from ownership"],
        ["query", "from ownership", "--turn", "1"],
        ["explain", "0,0"],
        ["what-if", "--control", "Ford=A"],
        ["export", "ownership", "-o", str(stored.with_suffix(".csv"))],
    ):
        result = run(*question, "-d", stored)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"nwol-sql: {STALE}")
        assert len(result.stderr.splitlines()) == 1
    ranks = run("query", "from city_ranks", "--turn", "1", "-d", stored)
    assert (ranks.exit_code, ranks.stderr) == (0, "")
    with Campaign.open(stored) as campaign:
        for ask in (
            lambda: campaign.explain("0,0"),
            lambda: campaign.map(stored.with_suffix(".svg")),
            lambda: campaign.export("ownership", stored.with_suffix(".csv")),
        ):
            with pytest.raises(QueryError, match=STALE):
                ask()
    assert [*stored.parent.iterdir()] == [stored]


def test_a_map_that_changes_under_a_turn_is_noticed(stored: Path) -> None:
    with Campaign.open(stored, read_only=False) as campaign:
        past = campaign.as_of(1)
        assert len(past.sql("from ownership")) == 15
        campaign.connection.execute("update squares set x = 17 where square = '4,2'")
        with pytest.raises(duckdb.Error, match=STALE):
            past.sql("from ownership").fetchall()


def test_a_changed_map_is_stored_again(stored: Path) -> None:
    with Campaign.open(stored, read_only=False) as campaign:
        campaign.connection.execute("update squares set nation = null where square = '4,2'")
        with pytest.raises(duckdb.Error, match=STALE):
            campaign.sql("from ownership").fetchall()
        campaign.materialize()
        query = "select status from ownership where square = '4,2'"
        assert campaign.sql(query).fetchall() == [("outside",)]
    with Campaign.open(stored) as campaign:
        assert campaign.sql(query).fetchall() == [("outside",)]
        for one in (campaign, campaign.as_of(1)):
            with pytest.raises(QueryError, match="open for reading only"):
                one.materialize()


def test_levels_and_names_are_no_part_of_the_geometry(stored: Path) -> None:
    with duckdb.connect(stored) as con:
        con.execute("update cities set level = 7 where city = 'Oak'")
        con.execute("update states set name = 'Another'")
        assert len(con.execute("from ownership").fetchall()) == 15


def test_a_built_campaign_can_be_stored_later(valley: Campaign) -> None:
    before = valley.sql("from ownership_by_turn order by all").fetchall()
    valley.materialize(tile_sizes=[4, 1])
    assert "stored_tie_groups" in valley.relation_names()
    assert valley.sql("from ownership_by_turn order by all").fetchall() == before
    with pytest.raises(QueryError, match="5 does not divide 12"):
        valley.materialize(tile_sizes=[12, 5])


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "v.duckdb"
    options = ("--ruleset", "grid", "-d", path)
    assert run("build", VALLEY, *options, "--materialize", "--tiles", "8,2").exit_code == 0
    with duckdb.connect(path, read_only=True) as con:
        assert len(con.execute("from stored_nearest_matches").fetchall()) > 0
    assert run("export", "stored_tie_groups", "-d", path, "-o", tmp_path / "t.csv").exit_code == 0
    assert run("build", VALLEY, *options, "--tiles", "8,2").exit_code == 0
    with duckdb.connect(path, read_only=True) as con:
        ((sql,),) = con.execute(
            "select sql from duckdb_views() where view_name = 'nearest_cities'"
        ).fetchall()
        assert re.findall(r"tiles_(\d+)\b AS", sql)[:2] == ["2", "8"]
    assert run("build", VALLEY, *options, "--tiles", "none").exit_code == 0
    for wrong, message in (
        ("big", "'big' is not of the form 256,64,16,4, nor none"),
        ("4,16", "16 does not divide 4"),
        ("0", "a tile's size is a whole number from 1 on, not 0"),
    ):
        result = run("build", VALLEY, *options, "--tiles", wrong)
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())


def test_what_cannot_be_stored_leaves_the_campaign_as_it_was(valley: Campaign) -> None:
    before = sorted(valley.ownership().fetchall(), key=str)
    # A view bears the name of a table that is to be stored.
    valley.connection.execute("create view stored_tie_groups as select 1 as tie_group")
    with pytest.raises(QueryError, match="stored_tie_groups"):
        valley.materialize()
    assert sorted(valley.ownership().fetchall(), key=str) == before
    valley.connection.execute("drop view stored_tie_groups")
    valley.materialize()
    assert sorted(valley.ownership().fetchall(), key=str) == before

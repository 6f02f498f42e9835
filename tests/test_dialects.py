"""The templates in other dialects of SQL: what `render` writes. The engines' own tests run it."""

from __future__ import annotations

import builtins
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from nwol_sql.cli import main
from nwol_sql.dialects import DIALECTS, dialect_named, parted, translated
from nwol_sql.errors import QueryError
from nwol_sql.project import GEOMETRY, KEPT, TABLES, VIEWS, Project
from nwol_sql.render import rendered
from nwol_sql.rulesets import bundled_rulesets, load_ruleset
from tests.engines import TABLES as SHEETS

if TYPE_CHECKING:
    from collections.abc import Mapping

SPARK, POSTGRES = DIALECTS["spark"], DIALECTS["postgres"]


def created(sql: str) -> list[str]:
    return re.findall(
        r"^create (?:or replace )?(?:temporary )?(?:table|view) (\w+)", sql, re.MULTILINE | re.I
    )


def project(dialect: str, ruleset: str = "nwol", in_parts: bool = False) -> Project:
    rules = load_ruleset(ruleset)
    return Project.of(rules.rulings, rules.is_lettered, (), (), dialect, in_parts)


@pytest.mark.parametrize("ruleset", bundled_rulesets())
def test_postgres_creates_every_table_and_view_in_order(ruleset: str) -> None:
    sql = rendered(None, ruleset, dialect="postgres")
    own = project("duckdb", ruleset)
    assert created(sql) == [*own.names(*TABLES), *own.names(*VIEWS)]
    assert sql.count("INSERT INTO") == 2  # rules and rulings
    assert f"'{ruleset}'" in sql
    assert "comment on view ownership is 'Who owns each square at the latest turn" in sql
    assert "comment on column squares.x is 'The square''s column" in sql


def test_postgres_sorts_texts_as_duckdb_does() -> None:
    sql = rendered("cities", "nwol", dialect="postgres")
    assert re.search(r'city TEXT COLLATE "C" PRIMARY KEY,\n +square TEXT COLLATE "C" NOT NULL', sql)
    assert "level INT\n" in sql


@pytest.mark.parametrize("ruleset", bundled_rulesets())
def test_spark_creates_views_over_the_users_tables(ruleset: str) -> None:
    sql = rendered(None, ruleset, dialect="spark")
    names = created(sql)
    assert len(set(names)) == len(names)
    assert set(project("duckdb", ruleset).names(*VIEWS)) | {"rules", "rulings"} <= set(names)
    assert not set(SHEETS) & set(names)
    for table in SHEETS:
        assert re.search(
            rf"^-- {table} \(.*: a table or temporary view of yours$", sql, re.MULTILINE
        )
    assert "-- squares (square string, x bigint, y bigint, nation string, terrain string)" in sql
    assert re.findall(r"^cache lazy table (\w+);$", sql, re.MULTILINE) == list(GEOMETRY)
    # Every statement of a script ends with a semicolon, and stands alone.
    assert not re.search(r"^create (?!or replace temporary view)", sql, re.MULTILINE)


def test_one_view_comes_with_what_it_needs() -> None:
    sql = rendered("ownership", "nwol", dialect="spark")
    assert created(sql) == [*GEOMETRY, "ownership"]
    assert created(rendered("ownership", "nwol", dialect="postgres")) == ["ownership"]
    assert created(rendered("ownership", "nwol")) == ["ownership"]
    assert "rulings" in rendered("rulings", "nwol", dialect="spark")


def test_a_kept_step_is_as_narrow_as_its_own_view() -> None:
    """Otherwise two views of one name would be meant."""
    spark = project("spark", in_parts=True)
    views = {view.name: view for view in spark.views()}
    assert {view.template for view in views.values()} >= set(KEPT)

    def within(narrow: Mapping[str, str], wide: Mapping[str, str]) -> bool:
        return set(wide.items()) <= set(narrow.items())

    for view in views.values():
        if view.template in KEPT:
            assert within(view.narrowed, views[view.template].narrowed), view
    assert dict(views["tie_group_verdicts"].narrowed) == {
        "judged_tie_groups": "fragmented_tie_groups"
    }
    assert dict(views["nearest_matches"].narrowed) == {}


def test_steps_of_the_search_by_tiles() -> None:
    rules = load_ruleset("grid")
    spark = Project.of(rules.rulings, False, (16, 4), (), "spark", in_parts=True)
    assert [view.name for view in spark.views("nearest_cities")] == [
        "nearest_matches_tiles_4",
        "nearest_matches_measured_16",
        "nearest_matches_measured_4",
        "nearest_matches_candidates",
        "nearest_matches_tile_cities",
        "nearest_matches_pairs",
        "nearest_matches",
        "nearest_cities",
    ]
    whole = rendered("nearest_cities", "grid", dialect="spark", tile_sizes=(16, 4))
    assert created(whole) == ["nearest_matches", "nearest_cities"]
    assert "MATERIALIZED" not in whole.upper()
    postgres = rendered("nearest_cities", "grid", dialect="postgres", tile_sizes=(16, 4))
    assert postgres.startswith(
        "-- PostgreSQL takes each step of the search by tiles for a few rows"
    )
    assert "measured_4 AS MATERIALIZED" in postgres
    assert "enable_nestloop" not in rendered("nearest_cities", "grid", dialect="postgres")


def test_parts_read_parts_by_their_views_and_other_steps_where_they_need_them() -> None:
    parts = parted(
        "v",
        "with a as (select 1 as n), b as materialized (select n from a), c as (select n from b), "
        "d as (select n from c) select d.n from d inner join b on d.n = b.n",
        SPARK,
    )
    assert list(parts) == ["v_b", "v"]
    assert " ".join(parts["v_b"].split()) == "WITH a AS ( SELECT 1 AS n ) SELECT n FROM a"
    assert " ".join(parts["v"].split()) == (
        "WITH c AS ( SELECT n FROM v_b AS b ), d AS ( SELECT n FROM c ) "
        "SELECT d.n FROM d INNER JOIN v_b AS b ON d.n = b.n"
    )


@pytest.mark.parametrize(
    ("dialect", "sql", "written"),
    [
        ("spark", "list_sort(list(city))", "array_sort(collect_list(city))"),
        ("postgres", "list_sort(list(city))", "array_agg(city ORDER BY city ASC)"),
        ("spark", "array_length(cities)", "array_size(cities)"),
        ("postgres", "array_length(cities)", "array_length(cities, 1)"),
        ("spark", "any_value(city)", "min(city)"),
        ("postgres", "any_value(city)", "min(city)"),
        ("spark", "arg_max(state, turn)", "max_by(state, turn)"),
        (
            "postgres",
            "arg_max(state, turn)",
            "( array_agg(state ORDER BY turn DESC NULLS LAST) )[1]",
        ),
        ("spark", "x // 4", "x DIV 4"),
        ("postgres", "x // 4", "( x / 4 )"),
        ("postgres", "list_sort(list(x // 4))", "array_agg(( x / 4 ) ORDER BY ( x / 4 ) ASC)"),
        ("spark", "regexp_full_match(x, '[0-9]+')", "x RLIKE '^(?:[0-9]+)$'"),
        ("spark", "damerau_levenshtein(a, b)", "levenshtein(a, b)"),
        ("spark", "other_function(a, b)", "OTHER_FUNCTION(a, b)"),
    ],
)
def test_what_sqlglot_would_write_otherwise(dialect: str, sql: str, written: str) -> None:
    text = translated(f"select {sql}", dialect_named(dialect))
    assert " ".join(text.split()).casefold() == f"select {written}".casefold()


def test_duckdbs_own_sql_is_left_as_it_is() -> None:
    odd = "select  1 -- as it stands"
    assert translated(odd, DIALECTS["duckdb"]) == odd


def test_unknown_dialects_relations_and_the_missing_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(QueryError, match="there is no dialect 'sprak'; did you mean 'spark'"):
        rendered(dialect="sprak")
    with pytest.raises(
        QueryError, match="there is no relation 'ownershp'; did you mean 'ownership'"
    ):
        rendered("ownershp", dialect="spark")
    wrong = CliRunner().invoke(main, ["render", "--dialect", "cobol"])
    assert wrong.exit_code == 2
    assert "'cobol' is not one of 'duckdb', 'spark', 'postgres'" in wrong.stderr

    def refuse(name: str, *arguments: object, **options: object) -> object:
        if name.partition(".")[0] == "sqlglot":
            raise ImportError(name)
        return real(name, *arguments, **options)

    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(QueryError, match=re.escape("pip install 'nwol-sql[dialects]'")):
        translated("select 1", POSTGRES)
    assert "create view ownership" in rendered("ownership")


def test_the_command_writes_it() -> None:
    done = CliRunner().invoke(
        main, ["render", "--dialect", "postgres", "--ruling", "metric=chebyshev", "--tiles", "8,2"]
    )
    assert done.exit_code == 0
    assert "measured_8 AS MATERIALIZED" in done.stdout
    assert "'chebyshev'" in done.stdout

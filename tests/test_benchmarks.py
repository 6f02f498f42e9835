"""The generator of large maps, and what the benchmarks compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from benchmarks.maps import SHEETS, make_map
from benchmarks.nearest import QUERIES, Field, Size
from benchmarks.timing import medians, table
from nwol_sql import Campaign
from nwol_sql.check import find_faults

if TYPE_CHECKING:
    from pathlib import Path

SHAPE = {
    "width": 40,
    "height": 30,
    "cities": 25,
    "nations": 3,
    "states": 3,
    "sea": 0.3,
    "blocks": 5,
}


def sheets(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    return {
        name: duckdb.read_parquet(str(folder / f"{name}.parquet")).fetchall() for name in SHEETS
    }


def test_a_seed_makes_one_map(tmp_path: Path) -> None:
    first = sheets(make_map(tmp_path / "first", seed=7, **SHAPE))
    assert sheets(make_map(tmp_path / "again", seed=7, **SHAPE)) == first
    assert sheets(make_map(tmp_path / "other", seed=8, **SHAPE))["cities"] != first["cities"]


def test_a_made_map_is_a_campaign_without_faults(tmp_path: Path) -> None:
    source = make_map(tmp_path / "map", **SHAPE)
    errors = [fault for fault in find_faults(source, "grid") if fault.severity == "error"]
    assert errors == []
    with Campaign.build(source, "grid") as campaign:
        assert campaign.size == (1200, 25, 3)
        statuses = dict(
            campaign.sql("select status, count(*) from ownership group by status").fetchall()
        )
        assert statuses["outside"] > 0
        assert statuses["owned"] > 0


@pytest.mark.skipif(duckdb.__version__.startswith("1."), reason="NEAREST BY is new in DuckDB 2.0")
def test_the_queries_compared_find_the_same(tmp_path: Path) -> None:
    field = Field.built(Size("small", 40, 40, 30), tmp_path / "small.duckdb")
    lost = {name: field.lost_by(name) for name in QUERIES}
    # NEAREST BY takes one city where several are equally near.
    assert lost.pop("DuckDB NEAREST BY") > 0
    assert set(lost.values()) == {0}


@pytest.mark.parametrize(("quick", "calls"), [(60, 7), (-1, 4)])
def test_only_quick_jobs_are_warmed_up_before_each_run(
    quick: int, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.timing.QUICK", quick)
    done: list[str] = []
    assert [*medians({"job": lambda: done.append("job")}, runs=3)] == ["job"]
    assert len(done) == calls


def test_tables_are_markdown() -> None:
    assert table(["what", "ratio"], [["a", 1], ["longer", 12.5]]) == (
        "| what   | ratio |\n| ------ | ----: |\n| a      |     1 |\n| longer |  12.5 |"
    )

"""Files cross from one DuckDB to another, back to 1.1.

The other DuckDBs are Python interpreters named in NWOL_SQL_OTHER_DUCKDBS, separated by spaces; the
continuous integration sets them up.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import duckdb
import pytest

from nwol_sql import Campaign
from tests.conftest import VALLEY

if TYPE_CHECKING:
    from pathlib import Path

OTHERS = os.environ.get("NWOL_SQL_OTHER_DUCKDBS", "").split()

needs_others = pytest.mark.skipif(
    not OTHERS, reason="NWOL_SQL_OTHER_DUCKDBS names no interpreter with another DuckDB"
)

QUERIES = [
    "select * from ownership order by square",
    "select * from ownership_by_turn order by turn, square",
    "select * from deployment_by_turn order by turn, square, state",
    "select * from unit_positions order by unit",
    "select * from tie_groups order by tie_group",
    "select * from city_ranks order by square, city",
    "select square, * from uncounted_cities order by square, city",
    "select * from runner_up_cities order by square, city",
    "select table_name, column_name, comment from duckdb_columns() where not internal order by all",
]

ASK = """
import duckdb, json, sys
path, how, queries = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
con = duckdb.connect(path, read_only=(how == "read"))
if how == "change":
    con.execute("insert into control values (7, 'Ford', 'A')")
print(json.dumps([con.execute(query).fetchall() for query in queries]))
"""

WRITE = """
import sys
from nwol_sql import Campaign
Campaign.build(sys.argv[1], "grid", database=sys.argv[2]).close()
"""


def ask(python: str, path: Path, how: str) -> list[list[list[object]]]:
    done = subprocess.run(
        [python, "-c", ASK, path, how, json.dumps(QUERIES)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def answers(path: Path) -> list[list[list[object]]]:
    with duckdb.connect(path, read_only=True) as con:
        return list(json.loads(json.dumps([con.execute(query).fetchall() for query in QUERIES])))


def version(python: str) -> str:
    return subprocess.run(
        [python, "-c", "import duckdb; print(duckdb.__version__)"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout.strip()


@needs_others
@pytest.mark.parametrize("python", OTHERS, ids=version)
def test_a_file_written_here_answers_there(tmp_path: Path, python: str) -> None:
    path = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=path).close()
    assert ask(python, path, "read") == answers(path)


@needs_others
@pytest.mark.parametrize("python", OTHERS, ids=version)
def test_a_stored_geometry_answers_there(tmp_path: Path, python: str) -> None:
    path = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=path, materialize=True, tile_sizes=(4, 2)).close()
    assert ask(python, path, "read") == answers(path)
    # Politics are followed there too; and 1.1, which hashes otherwise, sees that the map is the same.
    assert ask(python, path, "change") == answers(path)


@needs_others
@pytest.mark.parametrize("python", OTHERS, ids=version)
def test_a_file_changed_there_answers_here(tmp_path: Path, python: str) -> None:
    path = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=path).close()
    changed = ask(python, path, "change")
    assert changed == answers(path)
    assert ["2,0", 2, 0, "V", "hill", "owned", "A", "2a", 2, "Ford; Oak", "A", 1, 1.0] in changed[0]
    with Campaign.open(path) as campaign:
        assert campaign.explain("2,0").owner == "A"


@needs_others
@pytest.mark.parametrize("python", OTHERS, ids=version)
def test_a_file_written_there_answers_here(tmp_path: Path, python: str) -> None:
    if version(python).startswith("1.1."):
        pytest.skip("DuckDB 1.1 only reads and changes campaigns; nwol-sql needs 1.5 to build them")
    here, there = tmp_path / "here.duckdb", tmp_path / "there.duckdb"
    Campaign.build(VALLEY, "grid", database=here).close()
    done = subprocess.run(
        [python, "-c", WRITE, VALLEY, there], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert answers(there) == answers(here)
    with Campaign.open(there) as campaign:
        assert campaign.explain("2,1", 1).rule == "3b"

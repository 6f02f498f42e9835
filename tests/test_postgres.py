"""The views in PostgreSQL: row by row those of DuckDB. The tests start a server of their own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from benchmarks.maps import make_map
from nwol_sql import Campaign
from nwol_sql.render import rendered
from tests.conftest import ROOT, SEEDS, VALLEY
from tests.engines import TABLES, VIEWS, assert_expected, cases_together, difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Debian keeps the server's programs apart from the client's.
FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
SEARCHED = os.pathsep.join([*map(str, reversed(FOLDERS)), os.environ.get("PATH", "")])
PROGRAMS = {name: shutil.which(name, path=SEARCHED) for name in ("initdb", "postgres", "psql")}

# CI sets the variable, so that there the tests cannot be skipped.
pytestmark = pytest.mark.skipif(
    None in PROGRAMS.values() and not os.environ.get("NWOL_SQL_POSTGRES"),
    reason="PostgreSQL's server and psql are not installed",
)


def program(name: str) -> str:
    found = PROGRAMS[name]
    assert found is not None, f"PostgreSQL's {name} is not installed"
    return found


class Server:
    """A server of its own, in a temporary folder, that listens on a socket there only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "PATH": SEARCHED, "PGHOST": str(folder), "PGUSER": "nwol"}
        self._numbers = count(1)

    def psql(self, database: str, *arguments: str, stdin: str | None = None) -> str:
        command = [program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database, *arguments]
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            env={**self.environment, "PGOPTIONS": "-c client_min_messages=warning"},
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def load(self, campaign: Campaign, script: str, folder: Path) -> str:
        """Run a rendered script in a new database, fill its tables, and return the database's name."""
        name = f"campaign_{next(self._numbers)}"
        self.psql("postgres", "-c", f"create database {name}")
        self.psql(name, "-f", "-", stdin=script)
        for table in TABLES:
            path = folder / f"{table}.csv"
            campaign.export(table, path, force=True)
            self.psql(name, "-c", f"\\copy {table} from '{path}' (format csv, header)")
        self.psql(name, "-c", "analyze")
        return name


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    # The server refuses root, and its user cannot look into pytest's folders.
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    user: dict[str, Any] = {"user": "nobody", "extra_groups": []} if is_root else {}
    with tempfile.TemporaryDirectory(prefix="nwol-sql-") as name:
        folder = Path(name)
        if is_root:
            shutil.chown(folder, "nobody")
        data, log = folder / "data", folder / "log"
        made = subprocess.run(
            # English sorts words in another order than bytes, which DuckDB sorts by.
            [program("initdb"), "-D", data, "-U", "nwol", "-A", "trust", "-E", "UTF8", "--no-sync",
             "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en"],
            capture_output=True, encoding="utf-8", check=False, cwd=folder, **user,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        with log.open("w") as output:
            process = subprocess.Popen(
                [program("postgres"), "-D", data, "-k", folder, "-c", "listen_addresses=", "-F"],
                stdout=output, stderr=output, cwd=folder, **user,
            )  # fmt: skip
        try:
            wait_for(process, folder / ".s.PGSQL.5432", log)
            yield Server(folder)
        finally:
            process.send_signal(signal.SIGINT)  # at once, whoever is connected
            process.wait(60)


def wait_for(process: subprocess.Popen[bytes], socket: Path, log: Path) -> None:
    ready = "database system is ready to accept connections"
    for _ in range(600):
        if ready in log.read_text("utf-8") and socket.exists():
            return
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
        break
    pytest.fail(f"the server has not started:\n{log.read_text('utf-8')}")


def differences(
    server: Server,
    database: str,
    campaign: Campaign,
    folder: Path,
    views: Sequence[str] = VIEWS,
    settings: str = "",
) -> list[str]:
    """Compare views row by row; `settings` are statements to run before."""
    con = campaign.connection.cursor()
    con.execute("use campaign")
    found = []
    for name in views:
        fetch(server, database, campaign, con, name, folder, settings)
        found.append(difference(campaign, name, "there", con))
    return [text for text in found if text]


def fetch(
    server: Server,
    database: str,
    campaign: Campaign,
    con: duckdb.DuckDBPyConnection,
    name: str,
    folder: Path,
    settings: str = "",
) -> None:
    """Copy a view's rows from the server into table `there`."""
    view = campaign.sql(f"select * from {name} limit 0")
    types = [str(kind) for kind in view.types]
    columns = [
        f"array_to_json({column})" if kind.endswith("[]") else column
        for column, kind in zip(view.columns, types, strict=True)
    ]
    path = folder / "there.csv"
    query = (
        f"{settings} copy (select {', '.join(columns)} from {name}) to stdout (format csv, header)"
    )
    path.write_text(server.psql(database, "-c", query), "utf-8")
    names = ", ".join(
        f"'{column}': '{kind}'" for column, kind in zip(view.columns, types, strict=True)
    )
    con.execute(
        f"create or replace temp table there as from read_csv($1, columns = {{{names}}}, "
        "header = true, nullstr = '', allow_quoted_nulls = false, quote = '\"', escape = '\"')",
        [str(path)],
    )


@pytest.mark.parametrize("name", ["nwol", "amwol"])
def test_the_bundled_campaigns(server: Server, name: str, tmp_path: Path) -> None:
    with Campaign.build(SEEDS / name, name) as campaign:
        database = server.load(campaign, rendered(None, name, dialect="postgres"), tmp_path)
        assert differences(server, database, campaign, tmp_path) == []
        described = server.psql(
            database, "-At", "-c", "select obj_description('ownership'::regclass), "
            "col_description('ownership'::regclass, 1)",
        )  # fmt: skip
        assert described.startswith("Who owns each square at the latest turn")
        rulings = server.psql(database, "-At", "-F", "=", "-c", "select ruling, value from rulings")
        assert rulings.split() == [
            f"{ruling}={value}"
            for ruling, value in campaign.sql("select ruling, value from rulings").fetchall()
        ]
        # The views follow the tables at once.
        city, state = campaign.sql(
            "select control.city, states.state from control inner join states "
            "on control.state <> states.state order by all limit 1"
        ).fetchall()[0]
        change = f"insert into control values (99, '{city}', '{state}')"
        server.psql(database, "-c", change)
        campaign.sql(change)
        assert differences(server, database, campaign, tmp_path, ["ownership", "holdings"]) == []


def test_other_rulings_and_names_in_any_order(server: Server, tmp_path: Path) -> None:
    rulings = {
        "metric": "manhattan",
        "foreign_pair_owns": "false",
        "foreign_group_owns": "false",
        "group_allies": "national_sides",
        "national_scope": "fragmented",
        "owner_allies_deploy": "true",
    }
    with Campaign.build(VALLEY, "grid", rulings) as campaign:
        script = rendered(None, "grid", rulings, "postgres")
        database = server.load(campaign, script, tmp_path)
        assert differences(server, database, campaign, tmp_path) == []
    # English takes a before B and ä before b; bytes do not.
    cities = ["a", "B", "b", "ä", "Z", "q\"x, '", "a; b"]
    sheets = {
        "nations": [{"nation": "N", "kind": "fragmented"}],
        "states": [{"state": state, "nation": "N"} for state in ("a", "B", "ä")],
        "squares": [{"x": x, "y": y, "nation": "N"} for x in range(7) for y in (-1, 0, 1)],
        "cities": [{"city": city, "x": x, "y": x % 2 * 2 - 1} for x, city in enumerate(cities)],
        "control": [
            {"city": city, "state": ("a", "B", "ä")[number % 3]}
            for number, city in enumerate(cities)
        ],
        "alliances": [{"state_a": "ä", "state_b": "B"}],
    }
    with Campaign.build(sheets, "grid", {"metric": "chebyshev"}) as campaign:
        script = rendered(None, "grid", {"metric": "chebyshev"}, "postgres")
        database = server.load(campaign, script, tmp_path)
        assert differences(server, database, campaign, tmp_path) == []
        assert campaign.sql("select max(tied_cities) from tie_groups").fetchall()[0][0] >= 2


def test_a_city_that_nobody_holds(server: Server, tmp_path: Path) -> None:
    with Campaign.build(VALLEY, "grid") as campaign:
        database = server.load(campaign, rendered(None, "grid", dialect="postgres"), tmp_path)
        city = campaign.sql("select min(city) from control").fetchall()[0][0]
        change = f"delete from control where city = '{city}'"
        server.psql(database, "-c", change)
        campaign.sql(change)
        assert differences(server, database, campaign, tmp_path) == []


def test_the_numbered_cases(server: Server, tmp_path: Path) -> None:
    for ruleset, rulings, sheets, expected in cases_together():
        with Campaign.build(sheets, ruleset, rulings) as campaign:
            script = rendered(None, ruleset, rulings, "postgres")
            database = server.load(campaign, script, tmp_path)
            views = ("ownership_by_turn", "deployment_by_turn")
            assert differences(server, database, campaign, tmp_path, views) == []
            with duckdb.connect() as con:
                for name in views:
                    fetch(server, database, campaign, con, name, tmp_path)
                    con.execute(f"create table {name} as from there")
                assert_expected(con, expected)


def test_a_large_map_is_searched_by_tiles(server: Server, tmp_path: Path) -> None:
    folder = make_map(tmp_path / "map", 500, 400, 1000, nations=3, sea=0.2, blocks=5)
    with Campaign.build(folder, "grid") as campaign:
        script = rendered(None, "grid", dialect="postgres", tile_sizes=(256, 64, 16, 4))
        (advice,) = re.findall(r"^-- +(set .*;)$", script, re.MULTILINE)
        database = server.load(campaign, script, tmp_path)
        views = (
            "nearest_cities",
            "tie_groups",
            "ownership",
            "ownership_changes",
            "holdings_by_turn",
        )
        assert differences(server, database, campaign, tmp_path, views, advice) == []


def test_the_example_in_the_documents(server: Server, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "scale.md").read_text("utf-8")
    ((example, printed),) = re.findall(
        r"```sh\n(nwol-sql build.*?)```\n\n```\n(.*?)```", text, re.DOTALL
    )
    (tmp_path / "seeds").symlink_to(SEEDS)
    path = os.pathsep.join([str(Path(sys.executable).parent), SEARCHED])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", example],
        capture_output=True,
        encoding="utf-8",
        env={**server.environment, "PATH": path},
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [line.rstrip() for line in done.stdout.splitlines()][-9:] == [
        line.rstrip() for line in printed.splitlines()
    ]

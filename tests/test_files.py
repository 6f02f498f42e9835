"""Files stay whole: killed, failed and simultaneous programs leave the old file and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import duckdb
import pytest

from nwol_sql import Campaign
from nwol_sql.errors import DatabaseError, FileError, SheetError
from nwol_sql.files import replacing
from tests.conftest import ROOT, VALLEY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

# The writer stops half-way, with its files open, and says so.
HALFWAY = {
    "build": """
import sys, time
from nwol_sql import Campaign, build
def stop(con, *_):
    con.execute("create table half as select range as i from range(100000)")
    con.execute("checkpoint campaign")
    print("halfway", flush=True)
    time.sleep(60)
build.fill = stop
Campaign.build(sys.argv[1], "grid", database=sys.argv[2])
""",
    "export": """
import sys, time
from nwol_sql.files import replacing
with replacing(sys.argv[2], overwrite=True) as part:
    part.write_text("half")
    print("halfway", flush=True)
    time.sleep(60)
""",
}


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env=ENVIRONMENT,
    )


def eventually(is_so: Callable[[], bool]) -> bool:
    for _ in range(200):
        if is_so():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(os.name != "posix", reason="Windows has no signals to kill with")
@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGTERM", "SIGINT"])
@pytest.mark.parametrize("writer", HALFWAY)
def test_a_killed_writer_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, writer: str, signal_name: str
) -> None:
    target = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=target).close()
    before = target.read_bytes()
    with start(HALFWAY[writer], VALLEY, target) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "halfway\n"
        assert len(list(tmp_path.iterdir())) == 2  # the half-written file, out of the way
        process.send_signal(getattr(signal, signal_name))
        process.wait()
    assert eventually(lambda: list(tmp_path.iterdir()) == [target])
    assert target.read_bytes() == before


@pytest.mark.parametrize("failing", ["create", "fill"])
def test_a_failed_build_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    target = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=target).close()
    before = target.read_bytes()
    with pytest.raises(SheetError):
        Campaign.build(VALLEY, "nwol", database=target)

    from nwol_sql import build

    def fail(*_: object) -> None:
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr(build, failing, fail)
    with pytest.raises(RuntimeError, match="on fire"):
        Campaign.build(VALLEY, "grid", database=target)
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_bytes() == before


def test_a_build_replaces_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=target).close()
    (tmp_path / "valley.duckdb.wal").write_bytes(b"left by a client that was killed")
    with Campaign.build(VALLEY, "grid", {"metric": "manhattan"}, database=target) as campaign:
        asked = campaign.sql("select value from rulings where ruling = 'metric'").fetchall()
    assert asked == [("manhattan",)]
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_old_ones_permissions(tmp_path: Path) -> None:
    target = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=target).close()
    target.chmod(0o640)
    Campaign.build(VALLEY, "grid", database=target).close()
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_what_is_no_ordinary_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with (
        pytest.raises(FileError, match="is no ordinary file"),
        replacing(tmp_path / "pipe.csv", overwrite=True),
    ):
        raise AssertionError("not reached")
    assert (tmp_path / "pipe.csv").is_fifo()


@pytest.mark.parametrize("name", [":memory:", "~x.duckdb", "md:x", "a b.duckdb", "ü.duckdb"])
def test_any_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Campaign.build(VALLEY, "grid", database=name).close()
    with Campaign.open(name) as campaign:
        assert campaign.latest_turn() == 3
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_export_does_not_overwrite_its_own_campaign(tmp_path: Path) -> None:
    target = tmp_path / "valley.csv"
    Campaign.build(VALLEY, "grid", database=target).close()
    before = target.read_bytes()
    with Campaign.open(target) as campaign, pytest.raises(FileError, match="own database"):
        campaign.export("turns", target, force=True)
    assert target.read_bytes() == before


def test_a_build_follows_a_link_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.duckdb"
    link.symlink_to(tmp_path / "real" / "valley.duckdb")
    Campaign.build(VALLEY, "grid", database=link).close()
    assert link.is_symlink()
    assert (tmp_path / "real" / "valley.duckdb").exists()


@pytest.mark.parametrize("kind", ["text", "database"])
def test_a_file_that_is_no_campaign_is_not_replaced(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "mine.duckdb"
    if kind == "text":
        target.write_text("my notes " * 1000)
        message = "is not a DuckDB database file"
    else:
        with duckdb.connect(target) as con:
            con.execute("create table mine as select 1 as one")
        message = "is a DuckDB database, but no campaign's"
    before = target.read_bytes()
    with pytest.raises(DatabaseError, match=message):
        Campaign.build(VALLEY, "grid", database=target)
    with pytest.raises(DatabaseError, match=message):
        Campaign.open(target)
    assert target.read_bytes() == before


HOLD = """
import sys, duckdb
con = duckdb.connect(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


def test_a_database_that_another_program_holds(tmp_path: Path) -> None:
    target = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=target).close()
    before = target.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, target],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        for ask in (
            lambda: Campaign.open(target),
            lambda: Campaign.build(VALLEY, "grid", database=target),
        ):
            with pytest.raises(
                DatabaseError, match=f"held open by another program .PID {holder.pid}"
            ):
                ask()
        holder.communicate("")
    assert target.read_bytes() == before
    Campaign.open(target).close()


def test_two_may_read_at_once_and_a_build_is_not_seen_half_done(tmp_path: Path) -> None:
    target = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=target).close()
    with Campaign.open(target) as first, Campaign.open(target) as second:
        query = "from turns order by turn"
        assert first.sql(query).fetchall() == second.sql(query).fetchall() == [(0,), (2,), (3,)]


def test_this_programs_own_connection_is_named(tmp_path: Path) -> None:
    target = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=target).close()
    with duckdb.connect(target), pytest.raises(DatabaseError, match="or by this one"):
        Campaign.open(target)


def test_names_that_need_quoting(tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s; a "folder" – ü'
    folder.mkdir()
    target = folder / "o'clock; drop.duckdb"
    with Campaign.build(VALLEY, "grid", database=target) as campaign:
        campaign.export("turns", folder / "it's.csv")
    assert (folder / "it's.csv").read_text() == "turn\n0\n2\n3\n"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(FileError, match="cannot be written: Permission denied"):
            Campaign.build(VALLEY, "grid", database=tmp_path / "valley.duckdb")
    finally:
        tmp_path.chmod(0o700)


def test_a_target_that_is_a_folder(tmp_path: Path) -> None:
    with (
        pytest.raises(FileError, match="is a folder; name a file"),
        replacing(tmp_path, overwrite=True),
    ):
        raise AssertionError("not reached")


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "turns.csv"

    def write() -> None:
        with replacing(target, overwrite=False) as part:
            part.write_text("ours")
            target.write_text("theirs")

    with pytest.raises(FileError, match="is there already"):
        write()
    assert target.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [target]


def test_changes_need_a_writable_campaign(tmp_path: Path) -> None:
    target = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=target).close()
    with Campaign.open(target, read_only=False) as campaign:
        campaign.sql("insert into control values (5, 'Ford', 'B')")
        assert campaign.sql("from latest_turn").fetchall() == [(5,)]
    with Campaign.open(target) as campaign:
        assert campaign.ownership().filter("square = '3,0'").project("owner").fetchall() == [("B",)]
        assert campaign.ownership(4).filter("square = '3,0'").project("owner").fetchall() == [
            ("C",)
        ]

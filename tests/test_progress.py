"""Long builds tell how far they have come."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import duckdb
import pytest

from nwol_sql import Campaign
from nwol_sql.errors import QueryError
from nwol_sql.progress import FILLING, READING, SEARCHING, STEPS, Steps
from tests.conftest import SEEDS, VALLEY
from tests.test_cli import run

if TYPE_CHECKING:
    from pathlib import Path


def test_the_steps_are_told_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nwol_sql.progress.INTERVAL", 0.001)
    told: list[tuple[str, float]] = []
    Campaign.build(
        SEEDS / "amwol", "amwol", materialize=True, progress=lambda *step: told.append(step)
    ).close()
    steps, shares = zip(*told, strict=True)
    # The last may be over before anybody looks.
    assert list(dict.fromkeys(steps)) == [step for step in STEPS if step in steps]
    assert {READING, FILLING} <= set(steps)
    assert list(shares) == sorted(shares)
    assert shares[0] >= 0
    assert STEPS[READING] < shares[-1] <= 1


def test_a_share_is_the_steps_before_and_part_of_the_present_one() -> None:
    told: list[tuple[str, float]] = []
    with duckdb.connect() as con, Steps(con, lambda *step: told.append(step)) as steps:
        deadline = time.monotonic() + 10
        for step in (READING, FILLING, SEARCHING):
            steps.begin(step)
            while time.monotonic() < deadline and step not in dict(told):
                time.sleep(0.01)
    first = dict(reversed(told))
    assert first[READING] == 0
    assert first[FILLING] == STEPS[READING]
    assert first[SEARCHING] == STEPS[READING] + STEPS[FILLING]
    assert sum(STEPS.values()) == pytest.approx(1)


def test_what_goes_wrong_in_progress_is_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nwol_sql.progress.INTERVAL", 0.001)

    def broken(step: str, share: float) -> None:
        raise ZeroDivisionError(step)

    with pytest.raises(ZeroDivisionError):
        Campaign.build(SEEDS / "nwol", database=tmp_path / "nwol.duckdb", progress=broken)
    assert [*tmp_path.iterdir()] == []


def test_memory_limits(tmp_path: Path) -> None:
    path = tmp_path / "v.duckdb"
    options = ("build", VALLEY, "--ruleset", "grid", "-d", path)
    assert run(*options, "--memory-limit", "1GB").exit_code == 0
    # DuckDB takes the last two, and then uses all that there is.
    for wrong in ("plenty", "8", "", "-1GB", "none"):
        message = f"a memory limit is a size such as 8GB, not '{wrong}'"
        refused = run(*options, f"--memory-limit={wrong}")
        assert refused.exit_code == 2
        assert message in refused.stderr
        with pytest.raises(QueryError, match=message):
            Campaign.build(VALLEY, "grid", memory_limit=wrong)

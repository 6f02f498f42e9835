from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from nwol_sql import Campaign

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "seeds"
VALLEY = Path(__file__).parent / "sheets" / "valley"

# A build takes a good part of a second; the examples are many, so no deadline for each.
settings.register_profile(
    "tests",
    deadline=None,
    max_examples=int(os.environ.get("NWOL_SQL_EXAMPLES", "40")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tests")


@pytest.fixture(scope="session", params=["nwol", "amwol"])
def bundled(request: pytest.FixtureRequest) -> Iterator[tuple[str, Campaign]]:
    """Each of the bundled campaigns, with the name that its seeds and ruleset share."""
    with Campaign.build(SEEDS / request.param, request.param) as campaign:
        yield request.param, campaign


@pytest.fixture(scope="session")
def nwol_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled NWOL campaign as a database file; not to be changed."""
    path = tmp_path_factory.mktemp("nwol") / "nwol.duckdb"
    Campaign.build(SEEDS / "nwol", "nwol", database=path).close()
    return path


@pytest.fixture
def valley() -> Iterator[Campaign]:
    """A small campaign whose verdicts were worked out by hand: see sheets/valley/README.md."""
    with Campaign.build(VALLEY, "grid") as campaign:
        yield campaign

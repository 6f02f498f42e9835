"""How the benchmarks take time and memory, and print them."""

from __future__ import annotations

import os
import platform
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


# A job of no more than so many seconds is warmed up before each run: what ran before it, needing all
# memory, may have pushed its tables out.
QUICK = 5


def medians(jobs: Mapping[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """Time jobs by turns, after a round that warms up, and return the median of each, in seconds."""
    times: dict[str, list[float]] = {name: [timed(job)] for name, job in jobs.items()}
    for _ in range(runs):
        for name, job in jobs.items():
            if times[name][0] <= QUICK:
                job()
            times[name].append(timed(job))
    return {name: statistics.median(taken[1:]) for name, taken in times.items()}


def timed(job: Callable[[], object]) -> float:
    """Return how long a job takes, in seconds."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def peak_memory(job: Callable[[], object]) -> int | None:
    """Return by how many MB a job raises this process's memory at its peak; None where not Linux."""
    status, refs = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not refs.exists():
        job()
        return None

    def kilobytes(key: str) -> int:
        (line,) = (line for line in status.read_text().splitlines() if line.startswith(key))
        return int(line.split()[1])

    refs.write_text("5")  # forgets the peak so far
    before = kilobytes("VmRSS:")
    job()
    return (kilobytes("VmHWM:") - before) // 1024


def machine() -> str:
    """Return a line about the machine and the versions of what is measured."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in _lines("/proc/cpuinfo")
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    memory = next((int(line.split()[1]) for line in _lines("/proc/meminfo")), 0) // 2**20
    parts = [f"{os.cpu_count()} cores ({model})", f"{memory} GiB", platform.system()]
    parts += [f"Python {platform.python_version()}", f"DuckDB {duckdb.__version__}"]
    return ", ".join(parts)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows as a Markdown table; all columns but the first are aligned to the right."""
    texts = [[str(value) for value in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]

    def line(row: Sequence[str]) -> str:
        cells = [
            text.ljust(width) if not number else text.rjust(width)
            for number, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        return f"| {' | '.join(cells)} |"

    rule = [
        "-" * width if not number else "-" * (width - 1) + ":"
        for number, width in enumerate(widths)
    ]
    return "\n".join([line(texts[0]), f"| {' | '.join(rule)} |", *map(line, texts[1:])])


def seconds(value: float) -> str:
    """Return a time with three figures."""
    return f"{value:.3f} s" if value < 1 else f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []

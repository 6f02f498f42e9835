"""Measures nwol-sql against its peers: `make bench`, or `python -m benchmarks SECTION …`.

Every figure is a median of jobs taken by turns within one run, because timings on shared machines
drift: compare ratios, and nothing across runs.
"""

from __future__ import annotations

import argparse
import tempfile
from importlib.metadata import version
from pathlib import Path

from benchmarks import growth, nearest, program
from benchmarks.timing import machine

SECTIONS = ["program", "nearest", "growth"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Print the benchmarks as Markdown.")
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(SECTIONS)}; default: all")
    parser.add_argument("--runs", type=int, default=5, help="how often each job is timed (5)")
    parser.add_argument("--sizes", nargs="*", choices=nearest.SIZES, default=[*nearest.SIZES])
    parser.add_argument(
        "--most", type=int, default=100_000_000, help="squares that growth goes up to"
    )
    parser.add_argument("--memory-limit", default="8GB", help="what growth may use (8GB)")
    parser.add_argument("--scratch", type=Path, help="where maps are kept; default: nowhere")
    options = parser.parse_args()
    sections = options.sections or SECTIONS
    if unknown := set(sections) - set(SECTIONS):
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    libraries = [f"{name} {version(name)}" for name in ("geopandas", "shapely", "scipy", "numpy")]
    print(f"{machine()}; {', '.join(libraries)}.")
    print(
        f"Medians of {options.runs} runs, taken by turns, quick jobs each after one that warms up."
    )
    with tempfile.TemporaryDirectory() as temporary:
        scratch = options.scratch or Path(temporary)
        scratch.mkdir(parents=True, exist_ok=True)
        if "program" in sections:
            print(f"\n{program.measure(scratch, max(options.runs, 9))}", flush=True)
        if "nearest" in sections:
            for name in options.sizes:
                print(f"\n{nearest.compare(name, scratch, options.runs)}", flush=True)
        if "growth" in sections:
            print(f"\n{growth.grow(scratch, options.most, options.memory_limit)}", flush=True)


if __name__ == "__main__":
    main()

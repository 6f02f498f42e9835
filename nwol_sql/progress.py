"""Tells how far a long build has come."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

# The steps of a build, and about how much of its time each takes on a large map.
READING = "reading and checking the sheets"
FILLING = "filling the tables"
SEARCHING = "searching the nearest cities"
GATHERING = "gathering the tie groups"
STEPS = {READING: 0.2, FILLING: 0.3, SEARCHING: 0.3, GATHERING: 0.2}

INTERVAL = 0.2  # seconds


class Steps:
    """The steps of one build, which tell `progress` the present one's name and the share of the whole
    that is done, from 0 to 1, several times a second from a thread of their own. None: nobody is told.
    """

    def __init__(
        self, con: duckdb.DuckDBPyConnection, progress: Callable[[str, float], None] | None
    ) -> None:
        self._con = con
        self._progress = progress
        self._step = READING
        self._error: Exception | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def begin(self, step: str) -> None:
        """Say that one of STEPS begins."""
        self._step = step

    def __enter__(self) -> Self:
        if self._progress is not None:
            # DuckDB counts only where it would show its own bar.
            self._con.execute("set enable_progress_bar = true")
            self._con.execute("set enable_progress_bar_print = false")
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ended.set()
        if self._progress is not None:
            self._thread.join()
        if self._error is not None and kind is None:
            raise self._error

    def _watch(self) -> None:
        most = 0.0
        while self._progress and not self._ended.wait(INTERVAL):
            step = self._step
            before = sum(list(STEPS.values())[: list(STEPS).index(step)])
            # Between two statements there is none, and each begins anew: the bar never goes back.
            percent = min(max(self._con.query_progress(), 0.0), 100.0)
            most = max(most, before + STEPS[step] * percent / 100)
            try:
                self._progress(step, most)
            except Exception as error:
                self._error = error  # raised where the build was asked for
                return

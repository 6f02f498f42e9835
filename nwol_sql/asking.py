"""Tells queries that only ask from statements that write something, in the campaign or elsewhere.

It keeps a question from writing by mistake or in disguise. It is no wall around DuckDB: whoever lets
strangers ask should set enable_external_access = false as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import duckdb

from nwol_sql.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Sequence

ONLY_ASKS = "a query only asks: the campaign is open for reading only, and SELECT is what is taken"

# What can begin a statement in a WITH clause, in DuckDB 2.0.
WRITING = frozenset(["copy", "delete", "insert", "merge", "truncate", "update"])

# Functions that change settings, write files or run what is written in a text.
CHANGING = frozenset(
    [
        "checkpoint",
        "disable_logging",
        "disable_profiling",
        "enable_logging",
        "enable_profiling",
        "force_checkpoint",
        "json_execute_serialized_sql",
        "truncate_duckdb_logs",
        "write_log",
    ]
)

EXPLAIN_OPTIONS = frozenset(["analyse", "analyze", "format"])

# A quoted name, a word or a sign; not what DuckDB takes for blanks.
WORD = re.compile(r'"(?:[^"]|"")*"|\w+|[^\w\s\u200b\u2060\ufeff]')


@dataclass(frozen=True)
class Question:
    """A query that only asks: its text, without what surrounds it, and its words in lower case."""

    text: str
    words: Sequence[str]

    @property
    def is_explanation(self) -> bool:
        """Whether it is EXPLAIN, which describes a query instead of answering it."""
        return self.words[0] == "explain"

    @property
    def is_ordered(self) -> bool:
        """Whether it has an ORDER BY of its own, outside all parentheses or inside those around it."""
        words = self.words
        while words[0] == "(":
            end = _closing(words)
            if words[end + 1 : end + 2] not in ([], ["limit"], ["offset"]):
                break
            words = words[1:end]
        depth = 0
        for word, following in pairwise(words):
            depth += (word == "(") - (word == ")")
            if depth == 0 and (word, following) == ("order", "by"):
                return True
        return False


def question(con: duckdb.DuckDBPyConnection, query: str) -> Question:
    """Return a query that is a single SELECT, or its kin, and writes nothing anywhere.

    Its kin: FROM, VALUES, WITH, PIVOT, UNPIVOT, DESCRIBE, SHOW, SUMMARIZE and EXPLAIN of these.

    Raises QueryError for anything else, and duckdb.Error if DuckDB cannot parse it.
    """
    kinds = duckdb.StatementType
    try:
        tokens = _tokens(query)
    except UnicodeEncodeError as error:
        raise QueryError("the query is no text: it holds half a character") from error
    statements = [
        statement.type
        for statement in duckdb.extract_statements(query)
        # Before 2.0, a PIVOT comes with statements of its own making, which have no text.
        if statement.query or statement.type not in (kinds.CREATE, kinds.TRANSACTION)
    ]
    if not tokens:
        raise QueryError("the query is empty")
    words = [word for _, _, word in tokens]
    # In 2.0, a PIVOT is several statements in one.
    if not statements or any(
        kind not in (kinds.SELECT, kinds.EXPLAIN, kinds.MULTI) for kind in statements
    ):
        raise QueryError(ONLY_ASKS)
    if len(statements) > 1:
        raise QueryError("one query at a time: there are several statements")
    if any(word.strip('"') in CHANGING and then == "(" for word, then in pairwise(words)):
        raise QueryError(ONLY_ASKS)
    if statements[0] != kinds.SELECT or not WRITING.isdisjoint(words):
        _check_as_subquery(con, _between(query, tokens[_explained(words) :]))
    return Question(_between(query, tokens), words)


def _check_as_subquery(con: duckdb.DuckDBPyConnection, text: str) -> None:
    """Raise QueryError if a query cannot stand after FROM, where DuckDB lets nothing write."""
    try:
        con.sql(f"from (\n{text}\n)")  # looked at, not run
    except duckdb.Error as error:
        if isinstance(error, duckdb.ParserException) or "must be at the top level" in str(error):
            raise QueryError(ONLY_ASKS) from error
        raise


def _tokens(query: str) -> list[tuple[int, int, str]]:
    """Return where each word or sign of a query begins and ends, in bytes, and what it is.

    Comments and semicolons are left out.
    """
    text = query.encode()
    tokens = duckdb.tokenize(query)
    ends = [*[place for place, _ in tokens], len(text)][1:]
    return [
        (place, end, word.group())
        for (place, kind), end in zip(tokens, ends, strict=True)
        if kind != duckdb.token_type.comment
        and (word := WORD.search(text[place:end].decode().lower())) is not None
        and word.group() != ";"
    ]


def _between(query: str, tokens: Sequence[tuple[int, int, str]]) -> str:
    return query.encode()[tokens[0][0] : tokens[-1][1]].decode().strip()


def _explained(words: Sequence[str]) -> int:
    """Return how many words come before what EXPLAIN explains; 0 without it."""
    if words[0] != "explain":
        return 0
    place = 2 if words[1] in EXPLAIN_OPTIONS else 1
    if words[place] == "(" and words[place + 1] in EXPLAIN_OPTIONS:
        place += _closing(words[place:]) + 1
    return place


def _closing(words: Sequence[str]) -> int:
    """Return where the parenthesis closes that the first word opens."""
    depth = 0
    for place, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if depth == 0:
            return place
    return len(words)

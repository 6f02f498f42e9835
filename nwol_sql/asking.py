"""Tells queries that only ask from statements that could write something, here or elsewhere."""

from __future__ import annotations

import re
from itertools import pairwise

import duckdb

from nwol_sql.errors import QueryError

ONLY_ASKS = "a query only asks: the campaign is open for reading only, and SELECT is what is taken"

# What a query can begin with, after EXPLAIN too.
ASKING = frozenset(
    [
        "(",
        "describe",
        "desc",
        "from",
        "pivot",
        "pivot_longer",
        "pivot_wider",
        "select",
        "show",
        "summarize",
        "table",
        "unpivot",
        "values",
        "with",
    ]
)

# What DuckDB 2.0 takes as the body of a WITH clause, and runs.
WRITING = frozenset(["copy", "delete", "insert", "merge", "truncate", "update"])


def check_that_it_only_asks(query: str) -> None:
    """Raises QueryError unless `query` is a single SELECT, or its kin, that writes nothing anywhere.

    Its kin: FROM, VALUES, WITH, PIVOT, UNPIVOT, DESCRIBE, SHOW, SUMMARIZE and EXPLAIN of these.
    """
    kinds = duckdb.StatementType
    statements = duckdb.extract_statements(query)
    words = _words(query)
    if not words:
        raise QueryError("the query is empty")
    explained = _after_explain(words)
    if explained[0] not in ASKING or any(
        before in ("(", ")") and word in WRITING for before, word in pairwise(explained)
    ):
        raise QueryError(ONLY_ASKS)
    # Before 2.0, a PIVOT comes with statements of its own making, which have no text.
    own = [
        statement
        for statement in statements
        if statement.query or statement.type not in (kinds.CREATE, kinds.TRANSACTION)
    ]
    # In 2.0, a PIVOT is several statements in one.
    if any(statement.type not in (kinds.SELECT, kinds.EXPLAIN, kinds.MULTI) for statement in own):
        raise QueryError(ONLY_ASKS)
    if len(own) > 1:
        raise QueryError("one query at a time: there are several statements")


def _words(query: str) -> list[str]:
    """Return the words and signs of a query in lower case, without comments and empty statements."""
    text = query.encode()
    tokens = duckdb.tokenize(query)
    ends = [*[start for start, _ in tokens], len(text)][1:]
    words = [
        # A release may leave a comment after a word.
        re.findall(r"\w+|\S", text[start:end].decode().lower())[0]
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind != duckdb.token_type.comment
    ]
    return [word for word in words if word != ";"]


def _after_explain(words: list[str]) -> list[str]:
    """Return the words of what EXPLAIN, with ANALYZE or options in parentheses, explains."""
    if words[0] != "explain":
        return words
    words = words[2:] if words[1] == "analyze" else words[1:]
    has_options = words[0] == "(" and words[1] not in ASKING
    return words[words.index(")") + 1 :] if has_options else words

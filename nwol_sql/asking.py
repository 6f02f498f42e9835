"""Tells queries that only ask from statements that could write something, here or elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Question:
    """A query that only asks: its text, without comments and semicolons around it, and its words."""

    text: str
    words: list[str]

    @property
    def is_ordered(self) -> bool:
        """Whether it has an ORDER BY of its own, outside all parentheses."""
        depth = 0
        for word, following in pairwise(self.words):
            depth += (word == "(") - (word == ")")
            if depth == 0 and (word, following) == ("order", "by"):
                return True
        return False


def question(query: str) -> Question:
    """Return a query that is a single SELECT, or its kin, and writes nothing anywhere.

    Its kin: FROM, VALUES, WITH, PIVOT, UNPIVOT, DESCRIBE, SHOW, SUMMARIZE and EXPLAIN of these.

    Raises QueryError for anything else, and duckdb.Error if DuckDB cannot parse it.
    """
    kinds = duckdb.StatementType
    statements = duckdb.extract_statements(query)
    asked = _question(query)
    words = _after_explain(asked.words)
    if words[0] not in ASKING or any(
        before in ("(", ")") and word in WRITING for before, word in pairwise(words)
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
    return asked


def _question(query: str) -> Question:
    text = query.encode()
    tokens = duckdb.tokenize(query)
    ends = [*[place for place, _ in tokens], len(text)][1:]
    # A release may leave a comment after a word.
    words = [
        (place, end, re.findall(r"\w+|\S", text[place:end].decode().lower())[0])
        for (place, kind), end in zip(tokens, ends, strict=True)
        if kind != duckdb.token_type.comment
    ]
    words = [word for word in words if word[2] != ";"]
    if not words:
        raise QueryError("the query is empty")
    whole = text[words[0][0] : words[-1][1]].decode().rstrip()
    return Question(whole, [word for _, _, word in words])


def _after_explain(words: list[str]) -> list[str]:
    """Return the words of what EXPLAIN, with ANALYZE or options in parentheses, explains."""
    if words[0] != "explain":
        return words
    words = words[2:] if words[1] == "analyze" else words[1:]
    has_options = words[0] == "(" and words[1] not in ASKING
    return words[words.index(")") + 1 :] if has_options else words

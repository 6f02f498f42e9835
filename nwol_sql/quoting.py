"""Writes text and names into SQL where a parameter cannot stand."""

from __future__ import annotations


def literal(text: object) -> str:
    """Return a text literal: 'it''s'."""
    return "'" + str(text).replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return a quoted name of a relation or column."""
    return '"' + name.replace('"', '""') + '"'

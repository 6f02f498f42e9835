"""Rulesets and rulings: as data, overridable, and refused with a clear word where wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from nwol_sql import Campaign
from nwol_sql.errors import RulesetError
from nwol_sql.rulesets import bundled_rulesets, known_rulings, load_ruleset, settle_rulings
from tests.conftest import ROOT, VALLEY

if TYPE_CHECKING:
    from pathlib import Path

GRID = (ROOT / "sql" / "rulesets" / "grid.toml").read_text("utf-8")


def test_the_bundled_rulesets_read_the_rules_as_the_texts_do() -> None:
    assert bundled_rulesets() == ["amwol", "grid", "nwol"]
    common = {
        "metric": "euclidean",
        "foreign_pair_owns": "true",
        "group_allies": "all_sides",
        "national_scope": "nation",
        "owner_allies_deploy": "false",
    }
    assert load_ruleset("nwol").rulings == {**common, "foreign_group_owns": "false"}
    assert load_ruleset("amwol").rulings == {**common, "foreign_group_owns": "true"}
    assert load_ruleset("grid").rulings == load_ruleset("amwol").rulings
    assert set(known_rulings()) == {*common, "foreign_group_owns"}


def test_map_sizes() -> None:
    sizes = {
        name: (10 * len(rules.column_letters), 10 * len(rules.row_letters))
        for name, rules in ((name, load_ruleset(name)) for name in bundled_rulesets())
    }
    assert sizes == {"nwol": (120, 80), "amwol": (140, 110), "grid": (0, 0)}


def test_every_ruling_in_a_ruleset_file_has_its_reason() -> None:
    for name in bundled_rulesets():
        lines = (ROOT / "sql" / "rulesets" / f"{name}.toml").read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            if line.partition(" = ")[0] in known_rulings():
                assert lines[number - 1].startswith("# "), (name, line)


def test_an_own_ruleset_by_its_path(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(
        GRID.replace("[squares]", '[squares]\ncolumn_letters = "AB"\nrow_letters = "yz"').replace(
            'metric = "euclidean"', 'metric = "manhattan"'
        )
    )
    source = {
        "nations": [{"nation": "N"}],
        "states": [{"state": "S", "nation": "N"}],
        "squares": [{"square": "B9-Z0", "nation": "N"}],
        "cities": [{"city": "C", "square": "B9-Z0", "state": "S"}],
    }
    with Campaign.build(source, own) as campaign:
        assert campaign.sql("select x, y from squares").fetchall() == [(19, 10)]
        assert campaign.sql(
            "select value, ruleset from rulings where ruling = 'metric'"
        ).fetchall() == [("manhattan", "mine")]


WRONG = [
    ("[squares]\n", "says nothing about metric, foreign_pair_owns"),
    (GRID + "colour = 1\n", "there is no ruling 'colour'"),
    (GRID.replace("metric =", "metrics ="), "there is no ruling 'metrics'; did you mean 'metric'?"),
    ("titel = 'x'\n" + GRID, "there is no setting 'titel'; did you mean 'title'?"),
    (
        GRID.replace("[squares]", "[squares]\nletters = 'A'"),
        "there is no setting 'squares.letters'",
    ),
    (
        GRID.replace("euclidean", "euclid"),
        "ruling metric is one of euclidean, manhattan, chebyshev",
    ),
    (GRID.replace("[squares]", "[squares]\ncolumn_letters = 'AB'"), "give both column_letters and"),
    (
        GRID.replace("[squares]", "[squares]\ncolumn_letters = 'ABA'\nrow_letters = 'S'"),
        "has a letter twice",
    ),
    (
        GRID.replace("[squares]", "[squares]\ncolumn_letters = 'A1'\nrow_letters = 'S'"),
        "is a text of letters",
    ),
    ("rulings = 1\n", "squares and rulings are tables"),
    ("metric = \n", "cannot be read"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_wrong_ruleset_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(RulesetError, match=re.escape(message)):
        load_ruleset(path)


def test_unknown_rulesets_and_rulings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesetError, match="no ruleset 'nwoll'; did you mean 'nwol'"):
        load_ruleset("nwoll")
    with pytest.raises(RulesetError, match="there is no ruleset file"):
        load_ruleset(tmp_path / "none.toml")
    with pytest.raises(RulesetError, match="no ruling 'metrik'; did you mean 'metric'"):
        settle_rulings(load_ruleset("nwol"), {"metrik": "manhattan"})
    with pytest.raises(RulesetError, match="foreign_pair_owns is one of true, false, not 'maybe'"):
        Campaign.build(VALLEY, "grid", {"foreign_pair_owns": "maybe"})


def test_rulings_take_python_truth_values() -> None:
    assert (
        settle_rulings(load_ruleset("nwol"), {"foreign_pair_owns": False})["foreign_pair_owns"]
        == "false"
    )

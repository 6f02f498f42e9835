"""The numbered cases: see adjudication/README.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nwol_sql import Campaign
from tests.judge import DEFAULTS, Judge, World

CASES = json.loads((Path(__file__).parent / "adjudication" / "cases.json").read_text("utf-8"))


def world_of(case: dict[str, Any]) -> World:
    squares = {(x, y): case["ground"] for y in range(case["height"]) for x in range(case["width"])}
    for left, top, right, bottom, nation in case["patches"]:
        for x in range(left, right + 1):
            for y in range(top, bottom + 1):
                squares[x, y] = nation
    rulings = {**DEFAULTS, "foreign_group_owns": case["ruleset"] != "nwol", **case["rulings"]}
    return World(
        nations=dict(case["nation"]),
        states=dict(case["state"]),
        squares=squares,
        cities={city: (x, y) for city, x, y in case["city"]},
        control=[tuple(row) for row in case["control"]],
        alliances=[tuple(row) for row in case["alliance"]],
        rulings=rulings,
    )


def ids(case: dict[str, Any]) -> str:
    return str(case["id"])


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_case(case: dict[str, Any]) -> None:
    with Campaign.build(world_of(case).sheets(), case["ruleset"], case["rulings"]) as campaign:
        turn = case["turn"]
        ownership = campaign.ownership(turn)
        as_of = campaign.as_of(turn)
        for expected in case["expect"]:
            at = f"x = {expected['x']} and y = {expected['y']}"
            row = ownership.filter(at).project("square, status, owner, rule").fetchall()
            ((square, *verdict),) = row
            assert verdict == [expected["status"], expected["owner"], expected["rule"]]
            deploy = as_of.sql(
                "select state from deployment where square = $1 order by state", [square]
            ).fetchall()
            assert [state for (state,) in deploy] == expected["deploy"]
            explanation = as_of.explain(square)
            assert [explanation.status, explanation.owner, explanation.rule] == verdict
            assert sorted(entry.state for entry in explanation.deployment) == expected["deploy"]


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_the_plain_judge_agrees_with_the_case(case: dict[str, Any]) -> None:
    world = world_of(case)
    judge = Judge(world)
    turn = world.turns()[-1] if case["turn"] is None else case["turn"]
    for expected in case["expect"]:
        verdict = judge.verdict((expected["x"], expected["y"]), turn)
        assert (verdict.status, verdict.owner, verdict.rule) == (
            expected["status"],
            expected["owner"],
            expected["rule"],
        )
        assert sorted(state for state, _ in verdict.deployment) == expected["deploy"]


def test_cases_have_numbers_of_their_own() -> None:
    numbers = [case["id"] for case in CASES]
    assert len(set(numbers)) == len(numbers) >= 45


def test_every_clause_is_reached_by_a_case() -> None:
    with Campaign.build(world_of(CASES[0]).sheets(), "nwol") as campaign:
        clauses = {rule for (rule,) in campaign.sql("select rule from rules").fetchall()}
    reached = {expected["rule"] for case in CASES for expected in case["expect"]}
    assert reached - {None} == clauses
    assert None in reached  # a square outside all nations

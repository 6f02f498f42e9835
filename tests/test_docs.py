"""The documents are true: their queries print what they say, and the graph is the templates'."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from nwol_sql import Campaign
from nwol_sql.project import VIEWS, Project
from nwol_sql.rulesets import known_rulings, load_ruleset
from nwol_sql.schema import relations, sheet_specs
from nwol_sql.tables import formatted
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

README = (ROOT / "README.md").read_text("utf-8")
COOKBOOK = (ROOT / "docs" / "cookbook.md").read_text("utf-8")
PAIR = re.compile(r"```sql\n(.*?)```\n\n```\n(.*?)```", re.DOTALL)
QUERIES = PAIR.findall(README)
RECIPES = PAIR.findall(COOKBOOK)


def asked(name: str, document: str) -> Iterator[object]:
    """Yield a document's queries and results, each under the question that it answers."""
    for pair in PAIR.finditer(document):
        questions = re.findall(r"^(?:#+ )?(.*)\?$", document[: pair.start()], re.MULTILINE)
        slug = re.sub(r"\W+", "-", questions[-1].lower(), flags=re.ASCII)
        yield pytest.param(*pair.groups(), id=f"{name}-{slug}")


@pytest.mark.parametrize(
    ("query", "printed"), [*asked("readme", README), *asked("cookbook", COOKBOOK)]
)
def test_queries_print_what_the_documents_say(nwol_file: Path, query: str, printed: str) -> None:
    with Campaign.open(nwol_file) as campaign:
        lines = formatted(campaign.sql(query), "table").splitlines()
    assert [line.rstrip() for line in lines] == printed.splitlines()


def test_there_are_three_queries() -> None:
    assert len(QUERIES) >= 3


def test_the_cookbook_answers_all_its_questions() -> None:
    assert len(RECIPES) >= 20
    assert COOKBOOK.count("```sql\n") == len(RECIPES)
    assert len(re.findall(r"^### .*\?$", COOKBOOK, re.MULTILINE)) == len(RECIPES)


def test_the_explanation_is_the_programs(nwol_file: Path) -> None:
    (printed,) = re.findall(r"```\n(F5-T3 .*?)```", README, re.DOTALL)
    with Campaign.open(nwol_file) as campaign:
        assert f"{campaign.explain('F5-T3')}\n" == printed


def test_the_python_example_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example.replace("seeds/", f"{ROOT.as_posix()}/seeds/"), {})
    assert "turn 4" in capsys.readouterr().out
    assert (tmp_path / "deployment.csv").exists()


def test_the_view_graph_is_the_templates() -> None:
    project = Project(load_ruleset("nwol").rulings)
    drawn = {
        view: set(sources.split(" & "))
        for sources, view in re.findall(r"^    (\S.*?) --> (\w+)$", README, re.MULTILINE)
    }
    # Table rules, the clauses' texts, is left out of the drawing.
    assert drawn == {
        name: set(project.template(name).refs) - {"rules"} for name in project.names(*VIEWS)
    }


def test_rulings_and_sheets_stand_in_the_readme() -> None:
    rulesets = [load_ruleset("nwol").rulings, load_ruleset("amwol").rulings]
    for name, ruling in known_rulings().items():
        values = ", ".join(ruling.values)
        settings = ", ".join(rules[name] for rules in rulesets)
        assert f"| `{name}` | {values} ({settings}) |" in README
    rows = {
        row[0]: row[1]
        for row in re.findall(r"^\| \**(\w+?)\** \| (\**\w+.*?) \|$", README, re.MULTILINE)
    }
    for name, spec in sheet_specs().items():
        for column in spec.columns:
            assert re.search(rf"\b{column}\b", rows[name]), (name, column)
            assert (f"**{column}**" in rows[name]) == (
                column in spec.required or any(column in choice for choice in spec.one_of)
            ), (name, column)
        assert (f"| **{name}** |" in README) == spec.is_required


def test_relations_that_the_readme_names_are_there() -> None:
    section = README[README.index("## The views") : README.index("```mermaid")]
    named = set(re.findall(r"^\| (`.*?) \|", section, re.MULTILINE))
    names = {name for cell in named for name in re.findall(r"`(\w+)`", cell)}
    assert names <= set(relations())
    assert "ownership_by_turn" in names


def test_links_lead_somewhere() -> None:
    for document in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text("utf-8")):
            assert (document.parent / target).exists(), (document.name, target)


def test_nothing_names_a_place_of_the_makers() -> None:
    stray = re.compile(r"(^|[^\w.])/(root|home|tmp)/|C:\\\\Users", re.MULTILINE)
    for pattern in ("**/*.py", "**/*.sql", "**/*.md", "**/*.toml", ".ci/*", "Makefile"):
        for path in ROOT.glob(pattern):
            if ".venv" not in path.parts and "node_modules" not in path.parts:
                assert not stray.search(path.read_text("utf-8")), path

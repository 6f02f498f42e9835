"""Finds the SQL templates, renders them and puts them in order.

Every template holds one relation and names the relations it reads with `ref()`. A view is compiled
with all the views it reads as common table expressions, each once, so that a step that several
others share (the nearest cities, above all) is computed once, and so that every view in a database
reads tables only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined

from nwol_sql.errors import QueryError, unknown
from nwol_sql.resources import folder
from nwol_sql.schema import read_toml, sheet_specs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

TABLES, VIEWS, SHEETS, CHECKS = ("tables",), ("rules", "marts", "stored"), ("sheets",), ("checks",)

# Relations that the reader of the sheets makes, not a template.
GIVEN = ("column_names", "row_names")

# The relations that depend on squares and cities alone, in the order in which they can be stored as
# tables. Their views then read what is stored, by the templates of sql/stored.
GEOMETRY = ("nearest_matches", "square_tie_groups", "tie_groups")
FINGERPRINT = "stored_geometry"
# A view that stays a view of its own, so that a campaign that cannot change is looked at once.
GUARD = "geometry_state"
STORED_TABLES = (FINGERPRINT, *(f"stored_{relation}" for relation in GEOMETRY))


@dataclass(frozen=True)
class Template:
    """One rendered template: the SQL of a relation and what it reads."""

    name: str
    kind: str
    header: list[str]
    sql: str
    refs: list[str]
    narrowed: dict[str, str] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)

    @property
    def comment(self) -> str:
        """The template's head: its question, its grain and the rule clauses."""
        return " ".join(self.header)


def _bytecode_cache() -> FileSystemBytecodeCache | None:
    """Return the folder, in the system's temporary one, where Jinja keeps compiled templates."""
    try:
        return FileSystemBytecodeCache()
    except (OSError, RuntimeError):
        return None  # compiling the templates takes a tenth of a second


@cache
def _project(
    rulings: tuple[tuple[str, str], ...],
    is_lettered: bool,
    tile_sizes: tuple[int, ...],
    stored: tuple[str, ...],
) -> Project:
    return Project(dict(rulings), is_lettered, tile_sizes, stored)


class Project:
    """The templates under sql/, rendered for one set of rulings.

    `tile_sizes`, coarse to fine, are those of the tiles by which nearest cities are searched (none:
    every city is compared), and `stored` names the relations of GEOMETRY that are read from tables.
    """

    def __init__(
        self,
        rulings: Mapping[str, str],
        is_lettered: bool = True,
        tile_sizes: Sequence[int] = (),
        stored: Sequence[str] = (),
    ) -> None:
        self.root = folder("sql")
        self.rulings = dict(rulings)
        self.is_lettered = is_lettered
        self.tile_sizes = tuple(tile_sizes)
        self.stored = tuple(stored)
        self._environment = Environment(
            loader=FileSystemLoader(self.root),
            undefined=StrictUndefined,
            optimized=False,
            bytecode_cache=_bytecode_cache(),
            autoescape=False,  # SQL, not HTML; and no user data enters a template
        )
        self._environment.globals.update(
            ref=self._ref,
            narrow=self._narrow,
            requires=self._requires,
            rulings=dict(rulings),
            lettered=is_lettered,
            tile_sizes=list(tile_sizes),
            sheets=read_toml(self.root / "sheets.toml"),
        )
        self._rendered: dict[str, Template] = {}
        # What the template being rendered has read and narrowed so far.
        self._refs: list[str] = []
        self._narrowed: dict[str, str] = {}
        self._required: set[str] = set()

    @staticmethod
    def of(
        rulings: Mapping[str, str],
        is_lettered: bool,
        tile_sizes: Sequence[int] = (),
        stored: Sequence[str] = (),
    ) -> Project:
        """Return the templates for these rulings; the same ones are rendered once."""
        return _project(
            tuple(sorted(rulings.items())), is_lettered, tuple(tile_sizes), tuple(stored)
        )

    def variant(self, tile_sizes: Sequence[int], stored: Sequence[str] = ()) -> Project:
        """Return the templates for the same rulings, searched or stored otherwise."""
        return Project.of(self.rulings, self.is_lettered, tile_sizes, stored)

    @staticmethod
    def report(name: str, databases: Mapping[str, str]) -> str:
        """Return a report of sql/reports, which reads from named databases."""
        environment = Environment(
            loader=FileSystemLoader(folder("sql")),
            undefined=StrictUndefined,
            bytecode_cache=_bytecode_cache(),
            autoescape=False,  # SQL, not HTML; and the names are our own
        )
        return environment.get_template(f"reports/{name}.sql").render(databases)

    @cached_property
    def _paths(self) -> dict[str, Path]:
        paths = {
            path.stem: path
            for kind in TABLES + VIEWS + SHEETS + CHECKS
            for path in sorted((self.root / kind).glob("*.sql"))
            if kind != "stored"
        }
        if self.stored:
            # The stored ones take the place of those that work them out.
            paths |= {
                path.stem: path
                for path in sorted((self.root / "stored").glob("*.sql"))
                if path.stem not in GEOMETRY or path.stem in self.stored
            }
        return paths

    def names(self, *kinds: str) -> list[str]:
        """Return the names of the templates in these folders, each after those it reads."""
        chosen = {name for name, path in self._paths.items() if path.parent.name in kinds}
        graph = {name: set(self.template(name).refs) & chosen for name in sorted(chosen)}
        try:
            return list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            raise QueryError(f"templates read each other in a circle: {error.args[1]}") from error

    def template(self, name: str) -> Template:
        """Return one template, rendered. Raises QueryError if there is none of that name."""
        if name not in self._rendered:
            if name not in self._paths:
                raise QueryError(unknown("relation", name, sorted(self._paths)))
            self._rendered[name] = self._render(name)
        return self._rendered[name]

    def _render(self, name: str) -> Template:
        path = self._paths[name]
        self._refs, self._narrowed, self._required = [], {}, set()
        source = path.relative_to(self.root).as_posix()
        text = self._environment.get_template(source).render()
        lines = [line.rstrip() for line in text.strip().splitlines()]
        count = next((i for i, line in enumerate(lines) if not line.startswith("--")), len(lines))
        return Template(
            name=name,
            kind=path.parent.name,
            header=[line.removeprefix("--").strip() for line in lines[:count]],
            sql="\n".join(lines[count:]).strip(),
            refs=self._refs,
            narrowed=self._narrowed,
            required=self._required,
        )

    def _ref(self, relation: str) -> str:
        """Name a relation that the template reads."""
        is_sheet = relation.removeprefix("sheet_") in sheet_specs()
        is_given = relation in GIVEN or relation in STORED_TABLES
        if relation not in self._paths and not is_given and not is_sheet:
            raise QueryError(unknown("relation", relation, [*self._paths]))
        self._refs.append(relation)
        return relation

    def _narrow(self, **replaced: str) -> str:
        """Have the compiled view read a narrower relation wherever the named one is read."""
        self._narrowed.update(replaced)
        return ""

    def _requires(self, *sheets: str) -> str:
        """Skip a check where one of these sheets could not be read: it would blame the others."""
        self._required.update(sheets)
        return ""

    def compiled(self, name: str) -> str:
        """Return the SQL of a view with every view that it reads as a common table expression.

        Where the template narrows a relation, the narrower one takes its place and name.
        """
        template = self.template(name)
        steps: dict[str, str] = {}
        uses: dict[str, int] = {}
        for step in self._steps(name, template.narrowed):
            steps.setdefault(step, template.narrowed.get(step, step))
        for reader in [name, *steps.values()]:
            for ref in self.template(reader).refs:
                uses[ref] = uses.get(ref, 0) + 1
        if not steps:
            return template.sql
        expressions = []
        for step, source in steps.items():
            body = self.template(source)
            how = "as materialized" if uses.get(step, 0) > 1 else "as"
            text = "\n".join(f"    {line}" if line else "" for line in body.sql.splitlines())
            expressions.append(f"-- {body.header[0]}\n{step} {how} (\n{text}\n)")
        own = template.sql
        if own.startswith("with\n"):
            expressions.append(own.removeprefix("with\n").strip())
            return "with\n\n" + ",\n\n".join(expressions)
        return "with\n\n" + ",\n\n".join(expressions) + "\n\n" + own

    def _steps(self, name: str, narrowed: Mapping[str, str]) -> Iterator[str]:
        """Yield the views that a view reads, each after those it reads itself."""
        for ref in self.template(name).refs:
            source = narrowed.get(ref, ref)
            if (
                source in self._paths
                and source != GUARD
                and self._paths[source].parent.name in VIEWS
            ):
                yield from self._steps(source, narrowed)
                yield ref

    def statement(self, name: str, replace: bool = False) -> str:
        """Return the statements that make a table or view, or put a view in an older one's place."""
        template = self.template(name)
        if template.kind in TABLES:
            return f"{template.sql};"
        return f"create {'or replace ' if replace else ''}view {name} as\n{self.compiled(name)};"

    def documented(self, name: str) -> str:
        """Return the statements that make a table or view, under its template's head."""
        head = "\n".join(f"-- {line}" for line in self.template(name).header)
        return f"{head}\n{self.statement(name)}"

"""Finds the SQL templates, renders them and puts them in order.

Every template holds one relation and names the relations it reads with `ref()`. A view is compiled
with all the views it reads as common table expressions, each once, so that a step that several
others share (the nearest cities, above all) is computed once, and so that every view in a database
reads tables only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined

from nwol_sql.dialects import dialect_named, parted, translated
from nwol_sql.errors import QueryError, unknown
from nwol_sql.resources import folder
from nwol_sql.schema import read_toml, sheet_specs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

TABLES, VIEWS, SHEETS, CHECKS = ("tables",), ("rules", "marts", "stored"), ("sheets",), ("checks",)

# Relations that the reader of the sheets makes, not a template.
GIVEN = ("column_names", "row_names", "matrix_names")

# The relations that depend on squares and cities alone, each after those it reads.
GEOMETRY = ("nearest_matches", "gathered_squares", "square_tie_groups", "tie_groups")
# Those that can be stored as tables. Their views then read these, by the templates of sql/stored.
STORED = ("nearest_matches", "square_tie_groups", "tie_groups")
FINGERPRINT = "stored_geometry"
# A view that stays a view of its own, so that a campaign that cannot change is looked at once.
GUARD = "geometry_state"
# The steps that many views read, and some more than once.
KEPT = (*GEOMETRY, "tie_group_sides", "tie_group_verdicts", "tie_group_deployment")
STORED_TABLES = (FINGERPRINT, *(f"stored_{relation}" for relation in STORED))


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
    # Steps of its own that are views, by their names, in a project in parts.
    parts: dict[str, str] = field(default_factory=dict)

    @property
    def comment(self) -> str:
        """The template's head: its question, its grain and the rule clauses."""
        return " ".join(self.header)


@dataclass(frozen=True)
class View:
    """A view to be created: its name, its template, and what is narrowed in it and in its steps.

    Most are templates' own; some keep a narrowed step for others, where a dialect needs it.
    """

    name: str
    template: str
    narrowed: Mapping[str, str]

    @property
    def is_kept(self) -> bool:
        """Whether others read it, so that it is worth storing."""
        return self.template in KEPT


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
    dialect: str,
    in_parts: bool,
) -> Project:
    return Project(dict(rulings), is_lettered, tile_sizes, stored, dialect, in_parts)


class Project:
    """The templates under sql/, rendered for one set of rulings, in one dialect of SQL.

    `tile_sizes`, coarse to fine, are those of the tiles by which nearest cities are searched (none:
    every city is compared), and `stored` names the relations of STORED that are read from tables.
    `in_parts`: the steps in KEPT, and those of their own that are read twice, are views of their own
    whose rows whoever creates them stores (nwol_sql.spark).
    """

    def __init__(
        self,
        rulings: Mapping[str, str],
        is_lettered: bool = True,
        tile_sizes: Sequence[int] = (),
        stored: Sequence[str] = (),
        dialect: str = "duckdb",
        in_parts: bool = False,
    ) -> None:
        self.root = folder("sql")
        self.rulings = dict(rulings)
        self.is_lettered = is_lettered
        self.tile_sizes = tuple(tile_sizes)
        self.stored = tuple(stored)
        self.dialect = dialect_named(dialect)
        self.in_parts = in_parts
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
            can_share=self.dialect.can_share,
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
        dialect: str = "duckdb",
        in_parts: bool = False,
    ) -> Project:
        """Return the templates for these rulings; the same ones are rendered once."""
        return _project(
            tuple(sorted(rulings.items())),
            is_lettered,
            tuple(tile_sizes),
            tuple(stored),
            dialect,
            in_parts,
        )

    def variant(self, tile_sizes: Sequence[int], stored: Sequence[str] = ()) -> Project:
        """Return the templates for the same rulings, searched or stored otherwise."""
        return Project.of(
            self.rulings, self.is_lettered, tile_sizes, stored, self.dialect.name, self.in_parts
        )

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
                if path.stem not in STORED or path.stem in self.stored
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
        sql = "\n".join(lines[count:]).strip()
        if self.in_parts and path.parent.name in VIEWS:
            parts = parted(name, sql, self.dialect)
        else:
            parts = {name: translated(sql, self.dialect)}
        return Template(
            name=name,
            kind=path.parent.name,
            header=[line.removeprefix("--").strip() for line in lines[:count]],
            sql=parts.pop(name),
            parts=parts,
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

    def views(self, *names: str) -> list[View]:
        """Return the named views, or all, each after those that its compiled SQL reads by name."""
        gathered: dict[str, View] = {}
        for name in names or self.names(*VIEWS):
            self._gather(self._own(name), gathered)
        return [*gathered.values()]

    def _gather(self, view: View, gathered: dict[str, View]) -> None:
        for step in self._steps(view.template, view.narrowed):
            if self._is_apart(step):
                self._gather(self._kept(step, view.narrowed), gathered)
        for part in self.template(view.template).parts:
            gathered.setdefault(part, replace(view, name=part))
        gathered.setdefault(view.name, view)

    def _own(self, name: str) -> View:
        narrowed = self.template(name).narrowed
        return self._kept(name, narrowed) if self._is_apart(name) else View(name, name, narrowed)

    def _is_apart(self, name: str) -> bool:
        if self.in_parts:
            return name in KEPT
        return name in GEOMETRY and not self.dialect.can_share

    def _kept(self, step: str, narrowed: Mapping[str, str]) -> View:
        """Return the view that keeps a step as it is where these relations are narrowed.

        The geometry is worked out once, for all cities, as it is where it is stored.
        """
        reached = set() if step in GEOMETRY else {step, *self._reached(step)}
        narrower = {name: source for name, source in narrowed.items() if name in reached}
        own = self.template(step).narrowed
        others = [source for name, source in narrower.items() if own.get(name) != source]
        return View(f"{step}_of_{'_and_'.join(others)}" if others else step, step, narrower)

    def _reached(self, name: str) -> Iterator[str]:
        """Yield what a view and its steps read, short of the geometry's steps."""
        for ref in self.template(name).refs:
            yield ref
            if self._is_view(ref) and ref not in GEOMETRY:
                yield from self._reached(ref)

    def _is_view(self, name: str) -> bool:
        return name in self._paths and name != GUARD and self._paths[name].parent.name in VIEWS

    def compiled(self, view: View | str) -> str:
        """Return the SQL of a view with every view that it reads as a common table expression.

        Where the template narrows a relation, the narrower one takes its place and name.
        """
        if isinstance(view, str):
            view = self._own(view)
        template = self.template(view.template)
        steps: dict[str, str] = {}
        uses: dict[str, int] = {}
        for step in self._steps(view.template, view.narrowed):
            steps.setdefault(step, view.narrowed.get(step, step))
        for reader in [view.template, *steps.values()]:
            for ref in self.template(reader).refs:
                uses[ref] = uses.get(ref, 0) + 1
        expressions = []
        for step, source in steps.items():
            body = self.template(source)
            sql = body.sql
            how = "as materialized" if uses.get(step, 0) > 1 and self.dialect.can_share else "as"
            if self._is_apart(step):
                kept = self._kept(step, view.narrowed).name
                if kept == step:
                    continue
                sql = f"select * from {kept}"
            text = "\n".join(f"    {line}" if line else "" for line in sql.splitlines())
            expressions.append(f"-- {body.header[0]}\n{step} {how} (\n{text}\n)")
        own = template.parts.get(view.name, template.sql)
        if not expressions:
            return own
        if own[:5].split() in (["with"], ["WITH"]):
            expressions.append(own[5:].strip())
            return "with\n\n" + ",\n\n".join(expressions)
        return "with\n\n" + ",\n\n".join(expressions) + "\n\n" + own

    def _steps(self, name: str, narrowed: Mapping[str, str]) -> Iterator[str]:
        """Yield the views that a view reads, each after those it reads itself."""
        for ref in self.template(name).refs:
            source = narrowed.get(ref, ref)
            if self._is_view(source):
                if not self._is_apart(ref):
                    yield from self._steps(source, narrowed)
                yield ref

    def statement(self, view: View | str, replace: bool = False) -> str:
        """Return the statements that make a table or view, or put a view in an older one's place."""
        if isinstance(view, str):
            template = self.template(view)
            if template.kind in TABLES:
                return template.sql if template.sql.startswith("--") else f"{template.sql};"
            view = self._own(view)
        create = "create or replace view" if replace else self.dialect.create_view
        return f"{create} {view.name} as\n{self.compiled(view)};"

    def documented(self, view: View | str) -> str:
        """Return the statements that make a table or view, under its template's head."""
        header = self.template(view if isinstance(view, str) else view.template).header
        head = "\n".join(f"-- {line}" for line in header)
        return f"{head}\n{self.statement(view)}"

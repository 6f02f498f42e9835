"""Campaign: build one from sheets, open one, and ask it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from itertools import count
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from nwol_sql.errors import (
    NO_TURNS,
    DatabaseError,
    Fault,
    QueryError,
    checked_text,
    duckdb_text,
    unknown,
)
from nwol_sql.quoting import identifier, literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from nwol_sql.explain import Explanation

# Every client from DuckDB 1.1 on opens files of this version.
STORAGE_VERSION = "v1.0.0"

# The smallest blocks, because most tables are small: the file is a fifth of what it would be.
BLOCK_SIZE = 16384

# The campaign's database is attached under this name, whatever its file is called.
ALIAS = "campaign"

READ_ONLY = (
    "the campaign is open for reading only; Campaign.open(path, read_only=False), or any DuckDB client, "
    "can change it"
)

# Numbers the databases in memory that hold what is only supposed.
_numbers = count(1)


class Campaign:
    """A campaign's database: tables of squares, cities, control and alliances, and views on them.

    Make one with `Campaign.build` or `Campaign.open`. It can be used as a context manager, which
    closes it. `warnings` holds what the sheets were warned about when it was built, and `size` how
    many squares, cities and turns were; it is None for a campaign that was opened.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection | None = None,
        path: Path | None = None,
        read_only: bool = True,
        warnings: Sequence[Fault] = (),
        size: tuple[int, int, int] | None = None,
        database: str = ALIAS,
        origin: Campaign | None = None,
        is_supposed: bool = False,
    ) -> None:
        self._connection = connection
        self.path = path
        self.read_only = read_only
        self.warnings = list(warnings)
        self.size = size
        self.database = database
        self._origin = origin
        self._is_supposed = is_supposed

    @classmethod
    def build(
        cls,
        source: object,
        ruleset: str | Path = "nwol",
        rulings: Mapping[str, str | bool] | None = None,
        database: str | Path | None = None,
        encoding: str | None = None,
        delimiter: str | None = None,
        materialize: bool = False,
        tile_sizes: Sequence[int] | None = None,
        memory_limit: str | None = None,
        progress: Callable[[str, float], None] | None = None,
    ) -> Campaign:
        """Check a campaign's sheets, load them and create the views.

        `source` is a folder of sheets, a workbook, or a mapping of sheet names to data frames
        (pandas, polars, Arrow) or to lists of row dicts. `ruleset` is nwol, amwol, grid or the path
        of a ruleset file; `rulings` overrides single rulings. `database` is the file to write; it
        stays as it was until the new one is whole. None: in memory. `encoding` and `delimiter` are
        those of text sheets, where they are not what `read_records` finds by itself.

        `materialize` stores the nearest cities and tie groups as tables: see `materialize`. `tile_sizes`
        are those of the tiles by which a large map is searched, in squares, coarse to fine, each a
        divisor of the one before; empty: every city is compared with every square of its nation. None:
        chosen by the map's size. They change no verdict. `memory_limit` is what DuckDB may use, such as
        "8GB" (None: most of what the machine has). `progress` is called now and then, from a thread of
        its own, with the name of the present step and the share of the build that is done, 0 to 1; what
        it raises ends the build.

        Raises SourceError, SheetError (with every fault), RulesetError, QueryError (for impossible
        tile sizes, memory limits, encodings or delimiters), DatabaseError or FileError.
        """
        from nwol_sql import build
        from nwol_sql.files import replacing
        from nwol_sql.progress import FILLING, Steps
        from nwol_sql.project import Project
        from nwol_sql.rulesets import load_ruleset, settle_rulings
        from nwol_sql.textfiles import checked_delimiter
        from nwol_sql.tiles import checked_tile_sizes, choose_tile_sizes

        rules = load_ruleset(ruleset)
        settled = settle_rulings(rules, rulings)
        if tile_sizes is not None:
            tile_sizes = checked_tile_sizes(tile_sizes)
        if encoding is not None:
            checked_text("an encoding", encoding)
        if delimiter is not None:
            checked_delimiter(delimiter)
        project = Project.of(settled, rules.is_lettered, tile_sizes or ())
        target = None if database is None else Path(database)
        if target is not None:
            _refuse_taken(target)

        def load(con: duckdb.DuckDBPyConnection, steps: Steps) -> list[Fault]:
            # The schema does not depend on the sheets: it is created while they are checked.
            statements = build.schema_statements(project)
            with ThreadPoolExecutor(max_workers=1) as pool:
                created = pool.submit(build.create, con.cursor(), ALIAS, statements)
                faults = build.refuse_errors(
                    build.read_and_check(con, source, rules, project, encoding, delimiter)
                )
                created.result()
            con.execute(f"use {ALIAS}")
            steps.begin(FILLING)
            build.fill(con, rules, settled)
            sizes = choose_tile_sizes(con) if tile_sizes is None else tile_sizes
            if materialize:
                build.store_geometry(con, project.variant(sizes), steps.begin)
            elif sizes != project.tile_sizes:
                views = build.view_statements(project.variant(sizes), replace=True)
                con.execute("\n".join(["begin;", *views, "commit;"]))
            return faults

        con = _connect(memory_limit)
        try:
            if target is None:
                con.execute(f"attach ':memory:' as {ALIAS}")
                with Steps(con, progress) as steps:
                    faults = load(con, steps)
                _drop_temporary(con)
                return cls(con, warnings=faults, read_only=False, size=_size(con))
            with (
                replacing(target, overwrite=True, stale=(".wal",)) as part,
                closing(con),
                Steps(con, progress) as steps,
            ):
                # Beside the new file, where a killed build leaves nothing.
                _spill_into(con, part.with_name(f"{part.name}.spilled"))
                # A new database is written by its commits, not first into a log and then into the file.
                con.execute("set wal_autocheckpoint = '1KB'")
                con.execute(
                    f"attach {literal(part)} as {ALIAS} "
                    f"(storage_version '{STORAGE_VERSION}', block_size {BLOCK_SIZE})"
                )
                faults = load(con, steps)
                size = _size(con)
                con.execute("use memory")
                con.execute(f"detach {ALIAS}")
        except duckdb.Error as error:
            con.close()
            what = "the campaign" if target is None else str(target)
            raise DatabaseError(f"{what} cannot be built: {str(error).splitlines()[0]}") from error
        except BaseException:
            con.close()
            raise
        return cls(path=target, warnings=faults, size=size)

    @classmethod
    def open(cls, path: str | Path, read_only: bool = True) -> Campaign:
        """Open a campaign's database file; with read_only=False its tables can be changed.

        Raises DatabaseError if the file is missing, is no campaign, or is held by another program.
        """
        campaign = cls(path=Path(path), read_only=read_only)
        _ = campaign.connection
        return campaign

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The DuckDB connection, with the campaign as its current database."""
        if self._connection is None:
            if self.path is None:
                raise DatabaseError("this campaign is closed")
            con = _connect()
            try:
                _attach(con, self.path, ALIAS, self.read_only)
            except DatabaseError:
                con.close()
                raise
            self._connection = con
        return self._connection

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else repr(str(self.path))
        return f"<Campaign {where}>"

    def close(self) -> None:
        """Close the database; a file campaign opens again when it is next asked."""
        if self._connection is not None:
            if self.database != ALIAS:
                # What stands beside another campaign would stay in its memory.
                with suppress(duckdb.Error):
                    self._connection.execute(f"use memory; detach {identifier(self.database)}")
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Campaign:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def sql(
        self, query: str, params: Sequence[object] | Mapping[str, object] | None = None
    ) -> duckdb.DuckDBPyRelation:
        """Return the query's result as a DuckDB relation (`.df()`, `.pl()`, `.arrow()`, …).

        Raises QueryError, with DuckDB's message, if the query cannot be run. A statement that has
        no result, such as an update, gives an empty relation.
        """
        if not checked_text("a query", query).strip(" \t\r\n;"):
            raise QueryError("the query is empty")
        with self._asking():
            relation = self.connection.sql(query, params=params)
        if relation is None:
            return self.connection.sql("select 1 as done where false")
        return relation

    def ask(self, query: str) -> duckdb.DuckDBPyRelation:
        """Return the result of a single SELECT (or PIVOT, EXPLAIN, DESCRIBE, SHOW, SUMMARIZE).

        Unlike `sql`, it takes no statement that could write anything, here or elsewhere.
        Raises QueryError for any other statement, and as `sql` does.
        """
        from nwol_sql.asking import question

        with self._asking():
            text = question(self.connection, checked_text("a query", query)).text
            relation = self.connection.sql(text)
        if relation is None:
            raise QueryError("this release of DuckDB has no answer to that: it explains no PIVOT")
        return relation

    def ownership(self, turn: int | None = None) -> duckdb.DuckDBPyRelation:
        """Return who owns each square, as of a turn (None: the latest): columns of view ownership.

        Raises QueryError for a turn before the first.
        """
        if turn is None:
            view = "ownership"
            where = ""
        else:
            view = "ownership_by_turn"
            where = f"where turn = {self.turn_in_force(turn)}"
        from nwol_sql.schema import relations

        columns = ", ".join(relations()["ownership"].columns)
        return self.sql(f"select {columns} from {view} {where}")

    def latest_turn(self) -> int:
        """Return the latest turn with an entry in control or alliances."""
        return int(self.connection.execute("select turn from latest_turn").fetchall()[0][0])

    def turn_before(self, turn: int) -> int:
        """Return the latest turn with an entry before `turn`. Raises QueryError if there is none."""
        query = "select max(turn) from turns where turn < $1"
        ((before,),) = self.connection.execute(query, [checked_turn(turn)]).fetchall()
        if before is None:
            raise QueryError(f"there is no turn before {turn}")
        return int(before)

    def turn_in_force(self, turn: int) -> int:
        """Return the latest turn with an entry that is not after `turn`.

        Raises QueryError if `turn` is before the first turn or no whole number, or if there are none.
        """
        query = "select max(turn) filter (where turn <= $1), min(turn) from turns"
        latest, first = self.connection.execute(query, [checked_turn(turn)]).fetchall()[0]
        if first is None:
            raise QueryError(NO_TURNS)
        if latest is None:
            raise QueryError(f"turn {turn} is before the campaign's first turn, {first}")
        return int(latest)

    def as_of(self, turn: int | None) -> Campaign:
        """Return the campaign as it stood in a turn: every view, `ownership` too, ends there.

        It holds a small database in memory until it is closed. Raises QueryError for a turn before the
        first.
        """
        if turn is None:
            return self
        return self._base()._supposing(self.turn_in_force(turn))

    def _base(self) -> Campaign:
        """Return the campaign that this one is a view of. Raises QueryError if more is supposed."""
        if self._is_supposed:
            raise QueryError("suppose everything at once: this campaign is supposed already")
        return self if self._origin is None else self._origin

    def supposing(
        self,
        control: Mapping[str, str] | None = None,
        ally: Iterable[tuple[str, str]] = (),
        break_: Iterable[tuple[str, str]] = (),
        turn: int | None = None,
    ) -> Campaign:
        """Return the campaign as it would stand if some things were otherwise; nothing is written.

        `control` says which state is supposed to hold a city, `ally` and `break_` which two states are
        supposed to be allied or not, as of a turn (None: the latest). What is supposed is held in
        memory until the campaign that is returned is closed.
        Raises QueryError for an unknown city or state, a state allied with itself, or a pair that is
        supposed to be both.
        """
        if control is not None and not isinstance(control, Mapping):
            raise QueryError("control maps cities to states, as in {'Ulm': 'BAV'}")
        ally, break_ = _pairs(ally), _pairs(break_)
        turn = self.latest_turn() if turn is None else self.turn_in_force(turn)
        cities, states = self._codes("cities", "city"), self._codes("states", "state")
        for city, state in (control or {}).items():
            _known("city", city, cities)
            _known("state", state, states)
        alliances: dict[tuple[str, str], bool] = {}
        for pairs, allied in ((ally, True), (break_, False)):
            for pair in pairs:
                for state in pair:
                    _known("state", state, states)
                first, second = sorted(pair)
                if first == second:
                    raise QueryError(f"{first} cannot be allied with itself")
                if alliances.setdefault((first, second), allied) != allied:
                    raise QueryError(f"{first} and {second} cannot be both allied and not")
        return self._base()._supposing(turn, control or {}, alliances)

    def what_if(
        self,
        control: Mapping[str, str] | None = None,
        ally: Iterable[tuple[str, str]] = (),
        break_: Iterable[tuple[str, str]] = (),
        turn: int | None = None,
    ) -> duckdb.DuckDBPyRelation:
        """Return the squares whose verdict would differ: see `supposing` and `changes`."""
        return self.as_of(turn).changes(self.supposing(control, ally, break_, turn))

    def changes(self, new: Campaign) -> duckdb.DuckDBPyRelation:
        """Return the squares whose verdict differs in another state of this campaign.

        Columns: square, nation, old_status, status, old_owner, owner, old_rule, rule, cause.
        """
        from nwol_sql.reports import Comparison

        return Comparison(self, new).squares()

    def beside(self, path: str | Path) -> Campaign:
        """Open another campaign's file so that it can be compared with this one.

        Raises DatabaseError as `open` does.
        """
        con = self.connection.cursor()
        name = f"beside_{next(_numbers)}"
        _attach(con, Path(path), name, read_only=True)
        return Campaign(con, database=name)

    def _codes(self, table: str, column: str) -> list[str]:
        rows = self.connection.execute(f"select {column} from {table} order by 1").fetchall()
        return [str(row[0]) for row in rows]

    def _supposing(
        self,
        turn: int,
        control: Mapping[str, str] | None = None,
        alliances: Mapping[tuple[str, str], bool] | None = None,
    ) -> Campaign:
        """Return the campaign as of a turn, with some entries of that turn supposed.

        Nothing is written: a database in memory holds what is supposed, views in place of the tables,
        and over them the campaign's own views.
        """
        from nwol_sql.project import GUARD
        from nwol_sql.schema import all_relations

        con = self.connection.cursor()
        name = f"supposed_{next(_numbers)}"
        con.execute(f"attach ':memory:' as {name}")
        con.execute(f"use {name}")
        base = f"{self.database}.main"
        # What is supposed stands in the views' text: to look it up in tables takes longer to plan.
        views = {
            "control": _as_of(
                turn,
                f"select turn, city, state from {base}.control",
                "city",
                {literal(city): literal(state) for city, state in (control or {}).items()},
            ),
            "alliances": _as_of(
                turn,
                f"select turn, state_a, state_b, allied from {base}.alliances",
                "least(state_a, state_b), greatest(state_a, state_b)",
                {
                    f"{literal(first)}, {literal(second)}": str(allied).lower()
                    for (first, second), allied in (alliances or {}).items()
                },
            ),
        }
        tables = con.execute(
            "select table_name from information_schema.tables where table_catalog = $1 "
            "and table_schema = 'main' and table_type = 'BASE TABLE' order by 1",
            [self.database],
        ).fetchall()
        for (table,) in tables:
            rows_of = views.get(table, f"from {base}.{identifier(table)}")
            con.execute(f"create view {identifier(table)} as {rows_of}")
        own = dict(
            con.execute(
                "select view_name, sql from duckdb_views() where database_name = $1 "
                "and schema_name = 'main' and not internal order by view_oid",
                [self.database],
            ).fetchall()
        )
        if guard := own.pop(GUARD, None):
            if self.read_only and self._is_current():
                # A file that is open for reading only cannot change: one look at the map is enough.
                guard = f"create view {GUARD} as select true as is_current"
            con.execute(guard)
        for view, sql in own.items():
            try:
                con.execute(sql)
            except duckdb.Error:
                if view in all_relations():
                    raise
                # An analyst's own view may read what is not here.
        return Campaign(con, database=name, origin=self, is_supposed=bool(control or alliances))

    def _is_current(self) -> bool:
        """Whether a stored geometry is that of the squares and cities as they are."""
        from nwol_sql.project import GUARD

        try:
            self.connection.execute(f"from {self.database}.main.{GUARD}").fetchall()
        except duckdb.Error:
            return False
        return True

    def explain(self, square: str, turn: int | None = None) -> Explanation:
        """Explain a square's verdict, as of a turn (None: the latest).

        `square` is a square's name in any letter case, or its coordinates, "x,y".
        Raises QueryError for an unknown square, a turn before the first, or a stale stored geometry.
        """
        from nwol_sql.explain import explain

        campaign = self.as_of(turn)
        try:
            with self._asking():
                return explain(campaign, square)
        finally:
            if campaign is not self:
                campaign.close()

    def export(self, relation: str, path: str | Path, force: bool = False) -> None:
        """Write a table or view to a .csv, .tsv, .parquet, .json or .xlsx file, ordered by its key.

        Raises QueryError for an unknown relation or a stale stored geometry, and FileError if the file
        is there already (and `force` is not given) or cannot be written.
        """
        from nwol_sql.export import export_relation

        with self._asking():
            export_relation(self, relation, Path(path), force)

    def materialize(self, tile_sizes: Sequence[int] | None = None) -> None:
        """Store the nearest cities and tie groups as tables, which the views then read.

        Both depend on squares and cities alone. What depends on control and alliances stays a view, so
        that changes are followed as before; squares or cities that change afterwards make every view
        that reads the tables an error, until this is called again. `tile_sizes` as in `build`.
        Raises QueryError for impossible tile sizes, where the campaign is open for reading only, and if
        DuckDB cannot store them, which leaves everything as it was.
        """
        from nwol_sql import build
        from nwol_sql.project import Project
        from nwol_sql.tiles import checked_tile_sizes, choose_tile_sizes

        con = self.connection
        if self._origin is not None or (self.path is not None and self.read_only):
            raise QueryError(READ_ONLY)
        sizes = choose_tile_sizes(con) if tile_sizes is None else checked_tile_sizes(tile_sizes)
        rulings = dict(con.execute("select ruling, value from rulings").fetchall())
        with self._asking():
            build.store_geometry(con, Project.of(rulings, True, sizes))

    def map(
        self,
        path: str | Path,
        turn: int | None = None,
        layer: str = "owner",
        region: str | None = None,
        scale: float | None = None,
        title: str | None = None,
        force: bool = False,
    ) -> None:
        """Draw the campaign as a page (.html), a drawing (.svg) or a picture (.png).

        A page holds every turn and opens at `turn` (None: the latest) and `layer`: "owner", "status",
        "deploy:STATE" or "changes:TURN". `region` is a part of the map, two corners as in
        "F0-U5:H9-X9"; `scale` is how many pixels a square of a drawing or picture is across; `title`
        stands above in place of the game's.

        Raises QueryError for an unknown turn, layer, state or square or a stale stored geometry, and
        FileError if the ending is another, the file is there already (and `force` is not given) or
        cannot be written, or a library that .png needs is missing.
        """
        from nwol_sql.map import write_map

        with self._asking():
            write_map(self, Path(path), turn, layer, region, scale, title, force)

    def relation_names(self) -> list[str]:
        """Return the names of the campaign's tables and views, sorted."""
        rows = self.connection.execute(
            "select table_name from information_schema.tables "
            "where table_catalog = current_database() and table_schema = 'main' order by 1"
        ).fetchall()
        return [str(row[0]) for row in rows]

    def known_relation(self, name: str) -> str:
        """Return the proper name of a table or view. Raises QueryError if there is none."""
        names = self.relation_names()
        folded = {known.casefold(): known for known in names}
        if checked_text("a relation's name", name).casefold() not in folded:
            raise QueryError(unknown("relation", name, names))
        return folded[name.casefold()]

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Turn what DuckDB says of a query into a QueryError."""
        try:
            yield
        except duckdb.Error as error:
            raise QueryError(self._message(error)) from error

    def _message(self, error: duckdb.Error) -> str:
        text = duckdb_text(error)
        return READ_ONLY if "read-only mode" in text else text


def checked_turn(turn: object) -> int:
    """Return a turn as one that tables can hold. Raises QueryError unless it is a whole number."""
    try:
        number = index(turn)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(turn, bool):
        raise QueryError(f"a turn is a whole number, not {turn!r}")
    return max(-(2**31), min(number, 2**31 - 1))


def _as_of(turn: int, entries: str, key: str, supposed: Mapping[str, str]) -> str:
    """Return a query of the entries up to a turn, and of what is supposed instead of some of that turn.

    `supposed` has the values of the key and of the last column, as SQL.
    """
    query = f"{entries} where turn <= {turn}"
    if supposed:
        query += f" and (turn < {turn} or ({key}) not in ({', '.join(f'({k})' for k in supposed)}))"
        rows = ", ".join(f"({turn}, {key}, {value})" for key, value in supposed.items())
        query += f" union all values {rows}"
    return query


def _pairs(pairs: Iterable[tuple[str, str]] | None) -> list[tuple[str, str]]:
    """Return pairs of states as a list. Raises QueryError if they are none."""
    found = [] if pairs is None else pairs
    if isinstance(found, Iterable) and not isinstance(found, str):
        found = [*found]
        if all(
            isinstance(pair, (tuple, list)) and [*map(type, pair)] == [str, str] for pair in found
        ):
            return [(first, second) for first, second in found]
    raise QueryError("ally and break_ are lists of pairs, as in [('BAV', 'WUR')]")


def _connect(memory_limit: str | None = None) -> duckdb.DuckDBPyConnection:
    # A name that no relation has is an error, not whatever variable of Python's bears it.
    con = duckdb.connect(config={"python_enable_replacements": False})
    if memory_limit is not None:
        try:
            _limit_memory(con, memory_limit)
        except QueryError:
            con.close()
            raise
    # In memory, DuckDB would spill large work into the current folder.
    name = f"nwol-sql-{os.getpid()}-{next(_numbers)}"
    _spill_into(con, Path(tempfile.gettempdir()) / name)
    return con


def _limit_memory(con: duckdb.DuckDBPyConnection, size: str) -> None:
    # DuckDB takes "-1GB", and "none", to mean all that there is.
    message = f"a memory limit is a size such as 8GB, not {size!r}"
    if not checked_text("a memory limit", size).strip()[:1].isdigit():
        raise QueryError(message)
    try:
        con.execute(f"set memory_limit = {literal(size)}")
    except duckdb.Error as error:
        raise QueryError(message) from error


def checked_memory_limit(size: str) -> str:
    """Return a memory limit that DuckDB takes, such as "8GB". Raises QueryError for any other."""
    with duckdb.connect() as con:
        _limit_memory(con, size)
    return size


def _spill_into(con: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Have large work spilled into a folder, which DuckDB makes and removes."""
    con.execute(f"set temp_directory = {literal(folder)}")


def _size(con: duckdb.DuckDBPyConnection) -> tuple[int, int, int]:
    (size,) = con.execute(
        "select (select count(*) from squares), (select count(*) from cities), "
        "(select count(*) from turns)"
    ).fetchall()
    return size


def _attach(con: duckdb.DuckDBPyConnection, path: Path, name: str, read_only: bool) -> None:
    """Attach a campaign's file as the current database. Raises DatabaseError if that cannot be."""
    if path.is_dir():
        raise DatabaseError(f"{path} is a folder, not a campaign's database file")
    if not path.exists():
        raise DatabaseError(
            f"there is no database {path}; build one with nwol-sql build, or name it with -d"
        )
    options = "type duckdb, read_only" if read_only else "type duckdb"
    try:
        # The whole path: ":memory:" and "md:x" are names of files here.
        con.execute(f"attach {literal(os.path.realpath(path))} as {name} ({options})")
        con.execute(f"use {name}")
        tables = con.execute(
            f"select count(*) from duckdb_tables() where database_name = '{name}' "
            "and table_name in ('squares', 'cities', 'control', 'rulings')"
        ).fetchall()
    except duckdb.Error as error:
        raise DatabaseError(_open_message(path, error)) from error
    if tables[0][0] < 4:
        raise DatabaseError(f"{path} is a DuckDB database, but no campaign's")


def _open_message(path: Path, error: duckdb.Error) -> str:
    text = str(error)
    if "lock" in text.lower() or "already attached" in text or "being used by another" in text:
        holder = text[text.index("PID") :].split(")")[0] if "PID" in text else ""
        who = f"another program ({holder})" if holder else "another program or by this one"
        return f"{path} is held open by {who}; close it there and try again"
    if "not a valid DuckDB database" in text:
        return f"{path} is not a DuckDB database file"
    return f"{path} cannot be opened: {text.splitlines()[0]}"


def _refuse_taken(target: Path) -> None:
    """Raise DatabaseError if the file to be replaced is no campaign, or open for writing."""
    if target.exists() and not target.is_dir() and target.stat().st_size:
        try:
            with _connect() as con:
                _attach(con, target, ALIAS, read_only=True)
        except DatabaseError as error:
            raise DatabaseError(f"{error} (it is left as it is)") from error


def _known(noun: str, name: str, valid: list[str]) -> None:
    if name not in valid:
        raise QueryError(unknown(noun, str(name), valid))


def _drop_temporary(con: duckdb.DuckDBPyConnection) -> None:
    for (name,) in con.execute("select table_name from duckdb_tables() where temporary").fetchall():
        con.execute(f"drop table temp.{identifier(name)}")

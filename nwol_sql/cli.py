"""The command line. Data goes to standard output, messages to standard error.

Exit status: 0 done, 1 the data or the question is at fault, 2 the command line is.
"""

from __future__ import annotations

import errno
import io
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nwol_sql import __version__
from nwol_sql.dialects import DIALECTS
from nwol_sql.errors import NwolError, QueryError, SheetError, duckdb_text
from nwol_sql.progress import STEPS

if TYPE_CHECKING:
    from nwol_sql.campaign import Campaign
    from nwol_sql.errors import Fault

Command = TypeVar("Command", bound=Callable[..., Any])

# Builds that take no longer, in seconds, show no progress.
SHORT = 2.0

FORMATS = click.Choice(["table", "csv", "json", "markdown"])


class Faults(click.ClickException):
    """A fault in the data or the question: printed without the command's usage."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        click.echo(f"nwol-sql: {self.message}", err=True)


class Commands(click.Group):
    """Turns the errors that nwol_sql raises on purpose into messages and exit status 1."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for argument in args:
            try:
                argument.encode()
            except UnicodeEncodeError as error:
                raise click.UsageError(f"{argument!a} is not written in UTF-8", ctx) from error
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        import duckdb

        _speak_utf8()
        try:
            return super().invoke(ctx)
        except NwolError as error:
            raise Faults(str(error)) from error
        except duckdb.Error as error:
            raise Faults(duckdb_text(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # whoever read the output has seen enough
            raise Faults(f"{error.filename or 'the output'}: {error.strerror}") from error
        except RuntimeError as error:
            if "interrupted" not in str(error):
                raise
            raise click.Abort from error


def _speak_utf8() -> None:
    """Have files and pipes written in UTF-8, and terminals show what they can."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8")


def database_option(command: Command) -> Command:
    return click.option(
        "-d",
        "--database",
        default="campaign.duckdb",
        show_default=True,
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="The campaign's database file.",
    )(command)


format_option = click.option(
    "--format", "style", type=FORMATS, default="table", show_default=True, help="How to print."
)


def turn_option(command: Command) -> Command:
    return click.option(
        "--turn",
        type=int,
        metavar="N",
        help="Ask as of turn N: what holds is the latest entry not after it.  [default: the latest]",
    )(command)


ruleset_option = click.option(
    "--ruleset",
    default="nwol",
    show_default=True,
    metavar="R",
    help="nwol, amwol, grid, or the path of your own ruleset file (.toml).",
)


def ruleset_options(command: Command) -> Command:
    command = click.option(
        "--ruling",
        "rulings",
        multiple=True,
        metavar="K=V",
        callback=_rulings,
        help="Read a ruling otherwise than the ruleset does; can be given several times.",
    )(command)
    return ruleset_option(command)


def text_options(command: Command) -> Command:
    command = click.option(
        "--delimiter",
        metavar="CHAR",
        callback=_delimiter,
        help="What separates the values in .csv and .tsv sheets.  [default: found by itself]",
    )(command)
    return click.option(
        "--encoding",
        metavar="NAME",
        help="The encoding of .csv and .tsv sheets, for instance cp1252.  [default: UTF-8 or UTF-16]",
    )(command)


def _delimiter(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    from nwol_sql.textfiles import checked_delimiter

    value = {"tab": "\t", "\\t": "\t"}.get(value or "", value)
    try:
        return None if value is None else checked_delimiter(value)
    except QueryError as error:
        raise click.BadParameter(f"{error} (for a tab, say tab)") from error


def _tile_sizes(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    from nwol_sql.tiles import checked_tile_sizes

    if value is None or value == "none":
        return None if value is None else ()
    try:
        return checked_tile_sizes([int(size) for size in value.split(",")])
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is not of the form 256,64,16,4, nor none") from error
    except QueryError as error:
        raise click.BadParameter(str(error)) from error


def _memory_limit(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    from nwol_sql.campaign import checked_memory_limit

    try:
        return None if value is None else checked_memory_limit(value)
    except QueryError as error:
        raise click.BadParameter(str(error)) from error


def tiles_option(command: Command) -> Command:
    return click.option(
        "--tiles",
        "tile_sizes",
        metavar="SIZES",
        callback=_tile_sizes,
        help="Sizes of the tiles by which nearest cities are searched on a large map, coarse to fine, "
        "for instance 256,64,16,4; none: every city is compared. They change no verdict.  [default: by "
        "the map's size]",
    )(command)


def force_option(command: Command) -> Command:
    return click.option("--force", is_flag=True, help="Overwrite files that are there already.")(
        command
    )


def _rulings(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    rulings = {}
    for value in values:
        name, sign, setting = value.partition("=")
        if not sign or not name or not setting:
            raise click.BadParameter(f"{value!r} is not of the form K=V")
        rulings[name.strip()] = setting.strip()
    return rulings


def _message(text: object) -> None:
    click.echo(str(text), err=True)


def _warn(faults: list[Fault]) -> None:
    """Print faults; of those that say the same, the first few. (`check` lists every one.)"""
    alike: dict[Fault, list[Fault]] = {}
    for fault in faults:
        alike.setdefault(replace(fault, row=None, value=None, nearest=None), []).append(fault)
    for same in alike.values():
        for fault in same[:3]:
            _message(fault)
        if len(same) > 3:
            what = "error" if same[0].severity == "error" else "warning"
            _message(
                f"… and {_count(len(same) - 3, f'more such {what}')}; nwol-sql check lists all"
            )


@contextmanager
def _progress_bar() -> Iterator[Callable[[str, float], None] | None]:
    """Show how far a build has come, on a terminal and once it has taken a while."""
    if not sys.stderr.isatty():
        yield None
        return
    begun = time.monotonic()
    with ExitStack() as shown:
        bars: list[Any] = []

        def progress(step: str, share: float) -> None:
            if time.monotonic() - begun < SHORT:
                return
            if not bars:
                bars.append(
                    shown.enter_context(
                        click.progressbar(length=100, show_eta=False, width=30, file=sys.stderr)
                    )
                )
            (bar,) = bars
            bar.label = step.ljust(max(map(len, STEPS)))
            bar.update(0)
            bar.update(int(share * 100) - bar.pos)

        yield progress
        for bar in bars:
            bar.update(100 - bar.pos)


def _open(database: Path, turn: int | None = None) -> Campaign:
    from nwol_sql.campaign import Campaign

    campaign = Campaign.open(database)
    shown = campaign.as_of(turn)
    _note_future(campaign, turn)
    return shown


def _note_future(campaign: Campaign, turn: int | None) -> None:
    if turn is not None and turn > (latest := campaign.latest_turn()):
        _message(f"turn {turn} has no entries yet: this is how things stand since turn {latest}")


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="nwol-sql")
def main() -> None:
    """Which state owns a square, and by which clause: for campaigns on square grids."""


@main.command()
@click.argument("folder", default="nwol-demo", type=click.Path(path_type=Path))
@click.option(
    "--campaign",
    type=click.Choice(["nwol", "amwol"]),
    default="nwol",
    show_default=True,
    help="Which of the bundled campaigns.",
)
@force_option
def demo(folder: Path, campaign: str, force: bool) -> None:
    """Build a bundled campaign in FOLDER and print who owns what, turn by turn.

    Writes the database, the ownership of all squares as CSV and Parquet, and the map as a page.
    """
    from nwol_sql.demo import run

    click.echo(run(folder, campaign, force), nl=False)
    _message(
        f"\nWritten to {folder}: {campaign}.duckdb, ownership.csv, ownership.parquet, map.html"
    )


@main.command()
@click.argument("target", type=click.Path(path_type=Path), metavar="FOLDER|FILE.xlsx")
@ruleset_option
@force_option
def new(target: Path, ruleset: str, force: bool) -> None:
    """Write an empty campaign to fill in: a workbook, or a folder of CSV sheets."""
    from nwol_sql.new import new_campaign

    new_campaign(target, ruleset, force)
    _message(f"written {target}: fill it in, then nwol-sql build {target} --ruleset {ruleset}")


@main.command()
@click.argument("source", type=click.Path(path_type=Path))
@ruleset_options
@text_options
@format_option
def check(
    source: Path,
    ruleset: str,
    rulings: dict[str, str],
    encoding: str | None,
    delimiter: str | None,
    style: Any,
) -> None:
    """List every fault in the sheets of SOURCE, a folder of sheets or a workbook.

    Rows are numbered as a spreadsheet numbers them. Exit status 1 if there are errors; warnings alone
    are no error.
    """
    from nwol_sql.check import fault_table, find_faults

    faults = find_faults(source, ruleset, rulings, encoding, delimiter)
    if faults:
        click.echo(fault_table(faults, style), nl=False)
    errors = sum(fault.severity == "error" for fault in faults)
    _message(f"{_count(errors, 'error')}, {_count(len(faults) - errors, 'warning')}")
    if errors:
        sys.exit(1)


@main.command()
@click.argument("source", type=click.Path(path_type=Path))
@ruleset_options
@text_options
@click.option(
    "--materialize",
    is_flag=True,
    help="Store the nearest cities and tie groups as tables: for large maps that are asked often.",
)
@tiles_option
@click.option(
    "--memory-limit",
    metavar="SIZE",
    callback=_memory_limit,
    help="What DuckDB may use, for instance 8GB; the rest is kept on disk.  [default: most of what the "
    "machine has]",
)
@database_option
def build(
    source: Path,
    ruleset: str,
    rulings: dict[str, str],
    encoding: str | None,
    delimiter: str | None,
    materialize: bool,
    tile_sizes: tuple[int, ...] | None,
    memory_limit: str | None,
    database: Path,
) -> None:
    """Check the sheets of SOURCE (a folder or workbook) and build the database file with its views.

    The old file stays untouched until the new one is whole.
    """
    from nwol_sql.campaign import Campaign

    try:
        with (
            _progress_bar() as progress,
            Campaign.build(
                source,
                ruleset,
                rulings,
                database,
                encoding,
                delimiter,
                materialize=materialize,
                tile_sizes=tile_sizes,
                memory_limit=memory_limit,
                progress=progress,
            ) as campaign,
        ):
            warnings = campaign.warnings
            size = campaign.size
    except SheetError as error:
        _warn(error.faults)
        errors = sum(fault.severity == "error" for fault in error.faults)
        raise Faults(
            f"{_count(errors, 'error')} in {source}, read by ruleset {ruleset}; nothing was built"
        ) from error
    _warn(warnings)
    squares, cities, turns = size or (0, 0, 0)
    _message(
        f"built {database} by ruleset {ruleset}: {_count(squares, 'square')}, "
        f"{cities} {'city' if cities == 1 else 'cities'}, {_count(turns, 'turn')}"
    )


@main.command()
@click.argument("sql")
@database_option
@turn_option
@format_option
def query(sql: str, database: Path, turn: int | None, style: Any) -> None:
    """Run a query on the campaign, which is open for reading only. SQL - is read from standard input."""
    from nwol_sql.tables import formatted

    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig") if sql == "-" else sql
    except UnicodeDecodeError as error:
        raise QueryError("the query on standard input is not UTF-8") from error
    with _open(database, turn) as campaign:
        click.echo(formatted(campaign.ask(text), style), nl=False)


@main.command()
@click.argument("relation", required=False)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The file to write; its ending says how: .csv, .tsv, .parquet, .json, .xlsx.",
)
@click.option("--sql", metavar="SQL", help="Export this query's result instead of a relation.")
@click.option(
    "--workbook",
    is_flag=True,
    help="Export the results in one .xlsx workbook: ownership, map, holdings, deployment, changes.",
)
@click.option(
    "--excel",
    is_flag=True,
    help="Write .csv for Excel: with a byte-order mark, and ' before text like a formula.",
)
@click.option(
    "--delimiter", metavar="CHAR", callback=_delimiter, help="What separates the values of a .csv."
)
@force_option
@database_option
@turn_option
def export(
    relation: str | None,
    output: Path,
    sql: str | None,
    workbook: bool,
    excel: bool,
    delimiter: str | None,
    force: bool,
    database: Path,
    turn: int | None,
) -> None:
    """Write RELATION (any table or view) to a file, ordered by its key."""
    from nwol_sql.export import export_query, export_relation, export_results

    if (relation is not None) + (sql is not None) + workbook != 1:
        raise click.UsageError("name a RELATION, or give --sql or --workbook: one of the three")
    if workbook and (excel or delimiter):
        raise click.UsageError("--excel and --delimiter are for .csv files")
    with _open(database, turn) as campaign:
        if relation is not None:
            export_relation(campaign, relation, output, force, excel, delimiter)
        elif sql is not None:
            export_query(campaign, sql, output, force, excel, delimiter)
        else:
            export_results(campaign, output, force)
    _message(f"written {output}")


# A square west or north of the origin, -1,1, is no option.
@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("square")
@database_option
@turn_option
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print.",
)
def explain(square: str, database: Path, turn: int | None, style: str) -> None:
    """Explain the verdict on SQUARE (its name, or x,y): clause, cities, alliances, who may deploy."""
    import json

    from nwol_sql.explain import explain as explain_square

    with _open(database, turn) as campaign:
        explanation = explain_square(campaign, square)
    if style == "json":
        click.echo(json.dumps(explanation.as_dict(), ensure_ascii=False, indent=2))
    else:
        click.echo(str(explanation))


@main.command()
@click.option(
    "--from", "first", type=int, metavar="N", help="The old turn.  [default: the one before]"
)
@click.option("--to", "last", type=int, metavar="M", help="The new turn.  [default: the latest]")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="OTHER.duckdb",
    help="Compare with another campaign's file, as the new one, instead of two turns of this one.",
)
@format_option
@database_option
def diff(
    first: int | None, last: int | None, against: Path | None, style: Any, database: Path
) -> None:
    """List the squares whose verdict differs between two turns, with the cause, and sum up by state."""
    from nwol_sql.campaign import Campaign
    from nwol_sql.reports import Comparison

    if against is not None and last is not None and first is None:
        raise click.UsageError("with --against, give --from N too, or neither turn")
    with Campaign.open(database) as campaign:
        if against is not None:
            other = campaign.beside(against)
            old, new = campaign.as_of(first), other.as_of(last)
            title = (
                f"{database}, turn {old.latest_turn()}, against {against}, turn {new.latest_turn()}"
            )
        else:
            to = campaign.latest_turn() if last is None else last
            since = campaign.turn_before(to) if first is None else first
            old, new = campaign.as_of(since), campaign.as_of(to)
            _note_future(campaign, max(since, to))
            title = f"Turn {since} to turn {to}"
        click.echo(Comparison(old, new).text(title, style), nl=False)


@main.command("what-if")
@click.option(
    "--control", multiple=True, metavar="CITY=STATE", help="Suppose that a state holds a city."
)
@click.option("--ally", multiple=True, metavar="A:B", help="Suppose that two states are allied.")
@click.option(
    "--break",
    "break_",
    multiple=True,
    metavar="A:B",
    help="Suppose that two states are not allied.",
)
@format_option
@database_option
@turn_option
def what_if(
    control: tuple[str, ...],
    ally: tuple[str, ...],
    break_: tuple[str, ...],
    style: Any,
    database: Path,
    turn: int | None,
) -> None:
    """List the squares whose verdict would differ if some things were otherwise. Nothing is written."""
    from nwol_sql.reports import Comparison

    if not (control or ally or break_):
        raise click.UsageError("suppose something: --control, --ally or --break")
    held = [_parted(text, "=", "CITY=STATE") for text in control]
    holders = dict(held)
    if len(holders) < len(held):
        raise click.UsageError("--control names a city twice")
    allied = [_parted(text, ":", "A:B") for text in ally]
    broken = [_parted(text, ":", "A:B") for text in break_]
    with _open(database) as campaign:
        _note_future(campaign, turn)
        old, new = campaign.as_of(turn), campaign.supposing(holders, allied, broken, turn)
        supposed = ", ".join(
            [f"{city} held by {state}" for city, state in holders.items()]
            + [f"{a} and {b} allied" for a, b in allied]
            + [f"{a} and {b} not allied" for a, b in broken]
        )
        title = f"What if, as of turn {new.latest_turn()}: {supposed}"
        click.echo(Comparison(old, new).text(title, style), nl=False)


@main.command()
@click.argument("state")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Export the list instead.",
)
@force_option
@format_option
@database_option
@turn_option
def deploy(
    state: str, output: Path | None, force: bool, style: Any, database: Path, turn: int | None
) -> None:
    """List the squares where STATE may deploy in peacetime, by basis, with counts."""
    from nwol_sql.export import export_query
    from nwol_sql.quoting import literal
    from nwol_sql.reports import known_state
    from nwol_sql.tables import formatted

    with _open(database, turn) as campaign:
        known_state(campaign, state)
        query = f"""
            select deployment.basis, deployment.square, squares.nation, squares.terrain
            from deployment inner join squares on deployment.square = squares.square
            where deployment.state = {literal(state)}
            order by basis <> 'owner', basis = 'ally', square
            """
        if output is not None:
            export_query(campaign, query, output, force)
            _message(f"written {output}")
            return
        counts = campaign.sql(
            f"""
            select basis, nation, count(*) as squares from ({query}) group by basis, nation
            order by basis <> 'owner', basis = 'ally', nation
            """
        )
        if not len(counts):
            _message(f"{state} may deploy nowhere")
        elif style in ("table", "markdown"):
            click.echo(formatted(counts, style))
        click.echo(formatted(campaign.sql(query), style), nl=False)


@main.command()
@click.argument("state_a", metavar="A")
@click.argument("state_b", metavar="B")
@format_option
@database_option
@turn_option
def war(state_a: str, state_b: str, style: Any, database: Path, turn: int | None) -> None:
    """List the units of A and B on each other's ground, and on ground that nobody owns alone."""
    from nwol_sql.reports import are_allied
    from nwol_sql.reports import war as war_report
    from nwol_sql.tables import formatted

    with _open(database, turn) as campaign:
        report = war_report(campaign, state_a, state_b)
        if are_allied(campaign, state_a, state_b):
            _message(f"{state_a} and {state_b} are allied")
        click.echo(formatted(report, style), nl=False)


@main.command()
@format_option
@database_option
@turn_option
def holdings(style: Any, database: Path, turn: int | None) -> None:
    """Print what each state holds, with a small chart of its squares over the turns."""
    from nwol_sql.reports import holdings_chart
    from nwol_sql.tables import formatted

    with _open(database, turn) as campaign:
        if style == "table":
            click.echo(holdings_chart(campaign), nl=False)
        else:
            click.echo(
                formatted(campaign.sql("from holdings_by_turn order by turn, state"), style),
                nl=False,
            )


@main.command("map")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The file to write; its ending says how: .html (a page), .svg, .png.",
)
@click.option(
    "--layer",
    default="owner",
    show_default=True,
    metavar="LAYER",
    help="What the colours tell: owner, status, deploy:STATE or changes:TURN.",
)
@click.option(
    "--region", metavar="A:B", help="Only the part between two squares, as in F0-U5:H9-X9."
)
@click.option(
    "--scale",
    type=float,
    metavar="N",
    help="Pixels for each square of .svg and .png.  [default: 10]",
)
@click.option("--title", metavar="TEXT", help="What stands above the map.  [default: the game]")
@force_option
@database_option
@turn_option
def draw_map(
    output: Path,
    layer: str,
    region: str | None,
    scale: float | None,
    title: str | None,
    force: bool,
    database: Path,
    turn: int | None,
) -> None:
    """Draw the campaign: a page to explore with every turn, or a picture of one turn."""
    with _open(database) as campaign:
        _note_future(campaign, turn)
        campaign.map(output, turn, layer, region, scale, title, force)
    _message(f"written {output}")


def _parted(text: str, sign: str, form: str) -> tuple[str, str]:
    first, found, second = text.rpartition(sign)
    if not found or not first or not second:
        raise click.UsageError(f"{text!r} is not of the form {form}")
    return first.strip(), second.strip()


@main.command()
@click.argument("relation", required=False)
@ruleset_options
@click.option(
    "--dialect",
    type=click.Choice([*DIALECTS]),
    default="duckdb",
    show_default=True,
    help="The SQL dialect to write; all but duckdb need the extra dialects.",
)
@tiles_option
def render(
    relation: str | None,
    ruleset: str,
    rulings: dict[str, str],
    dialect: str,
    tile_sizes: tuple[int, ...] | None,
) -> None:
    """Print the compiled SQL of RELATION, or of all tables and views in order, ready to run.

    In Spark's SQL, the sheets' tables are views that you have made; in PostgreSQL's, they are created.
    """
    from nwol_sql.render import rendered

    click.echo(rendered(relation, ruleset, rulings, dialect, tile_sizes or ()))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

"""Draws a campaign as a page (.html), a drawing (.svg) or a picture (.png)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nwol_sql.errors import FileError, QueryError, checked_text, unknown
from nwol_sql.export import refuse_own_database
from nwol_sql.files import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from nwol_sql.campaign import Campaign
    from nwol_sql.map.data import Region

ENDINGS = (".html", ".svg", ".png")

# Each layer, as it is written; what follows the colon is named in capitals.
LAYERS = ("owner", "status", "deploy:STATE", "changes:TURN")

# Pixels for each square of a picture, and what a picture may come to.
SCALE, SCALES = 10.0, (2.0, 100.0)


@dataclass(frozen=True)
class Layer:
    """What the map's colours tell: a kind of layer, and the state or turn that it is about."""

    kind: str
    state: str | None = None
    since: int | None = None

    def __str__(self) -> str:
        about = self.state if self.since is None else self.since
        return self.kind if about is None else f"{self.kind}:{about}"


def write_map(
    campaign: Campaign,
    path: Path,
    turn: int | None = None,
    layer: str = "owner",
    region: str | None = None,
    scale: float | None = None,
    title: str | None = None,
    force: bool = False,
) -> None:
    """Write the map to a file: see Campaign.map."""
    from nwol_sql.map.data import read
    from nwol_sql.map.page import page
    from nwol_sql.map.picture import drawing, to_png

    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise FileError(f"{path} ends in none of {', '.join(ENDINGS)}, so its format is not known")
    if scale is not None and ending == ".html":
        raise QueryError("a page has no scale: its reader zooms")
    if scale is not None and not (
        isinstance(scale, (int, float)) and SCALES[0] <= scale <= SCALES[1]
    ):
        raise QueryError(f"the scale is {SCALES[0]:g} to {SCALES[1]:g} pixels for each square")
    refuse_own_database(campaign, path)
    shown = campaign.latest_turn() if turn is None else campaign.turn_in_force(turn)
    chosen = parse_layer(campaign, layer, shown)
    part_of_map = None if region is None else parse_region(campaign, region)
    with replacing(path, overwrite=force) as part:
        data = read(campaign, part_of_map, title, is_explained=ending == ".html")
        if ending == ".html":
            part.write_text(page(data, shown, chosen), "utf-8", newline="\n")
        else:
            svg = drawing(data, shown, chosen, scale or SCALE)
            if ending == ".svg":
                part.write_text(svg, "utf-8", newline="\n")
            else:
                part.write_bytes(to_png(svg))


def parse_layer(campaign: Campaign, text: str, turn: int) -> Layer:
    """Return the layer that is meant by owner, status, deploy:STATE or changes:TURN.

    Raises QueryError for an unknown layer or state, or a turn that is not before the one shown.
    """
    from nwol_sql.reports import known_state

    kind, colon, about = (part.strip() for part in checked_text("a layer", text).partition(":"))
    written = {layer.partition(":")[0]: layer for layer in LAYERS}
    if kind not in written:
        raise QueryError(unknown("layer", text, LAYERS))
    if (":" in written[kind]) != bool(colon) or bool(colon) != bool(about):
        raise QueryError(f"the layer is written {written[kind]}, not {text!r}")
    if kind == "deploy":
        known_state(campaign, about)
        return Layer(kind, state=about)
    if kind == "changes":
        try:
            since = campaign.turn_in_force(int(about))
        except ValueError:
            raise QueryError(f"the layer is written changes:TURN, not {text!r}") from None
        if since >= turn:
            raise QueryError(f"turn {about} is not before turn {turn}, which is shown")
        return Layer(kind, since=since)
    return Layer(kind)


def parse_region(campaign: Campaign, text: str) -> Region:
    """Return the part of the map between two squares, its opposite corners: F0-U5:H9-X9.

    Raises QueryError if it is not written so, or for an unknown square.
    """
    from nwol_sql.explain import square_name
    from nwol_sql.map.data import Region

    first, colon, second = text.partition(":")
    if not colon or not first.strip() or not second.strip():
        raise QueryError(
            f"a region is two squares with a colon between, as F0-U5:H9-X9, not {text!r}"
        )
    names = [square_name(campaign, corner) for corner in (first, second)]
    (corners,) = campaign.sql(
        "select min(x), max(x), min(y), max(y) from squares where square in ($1, $2)", names
    ).fetchall()
    return Region(*corners)

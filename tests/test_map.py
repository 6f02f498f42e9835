"""The map's data, page, drawing and picture, without a browser: see test_map_browser.py for one."""

from __future__ import annotations

import importlib
import io
import json
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from nwol_sql import Campaign
from nwol_sql.errors import FileError, QueryError
from nwol_sql.map.data import Region, read
from nwol_sql.map.page import PARTS, as_json
from nwol_sql.map.picture import theme, to_png
from nwol_sql.map.shapes import Boxes, areas, edges, territories
from tests.conftest import ROOT, VALLEY
from tests.test_cli import run

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN = Path(__file__).parent / "golden" / "map"
SVG = "{http://www.w3.org/2000/svg}"

# Names as their owners never meant them, and as they must be shown.
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'&amp;<b>",
    "{{ 7 * 7 }}{% raw %}",
    "עיר הקודש",
    "\u202egnirts desrever",
    "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch",
    "a\u2028b\u2029c",
]


def hostile_campaign() -> Campaign:
    """A row of squares in a nation of many states, each with a city of a hostile name."""
    names = HOSTILE
    return Campaign.build(
        {
            "nations": [{"nation": "N", "name": "<i>N</i>", "kind": "fragmented"}],
            "states": [
                {"state": f"<{number}>", "nation": "N", "name": f"{name} state"}
                for number, name in enumerate(names)
            ],
            "squares": [
                {"x": x, "y": y, "nation": "N", "terrain": "<u>hill</u>"}
                for x in range(7 * len(names))
                for y in range(3)
            ],
            "cities": [
                {"city": name, "x": 7 * number + 2, "y": 1, "level": 1, "state": f"<{number}>"}
                for number, name in enumerate(names)
            ],
        },
        ruleset="grid",
    )


class Page(HTMLParser):
    """What a browser would make of a page: its scripts and elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self._open: dict[str, str | None] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        self._open = dict(attrs) if tag == "script" else None

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self.scripts.append((self._open, data))

    def handle_endtag(self, tag: str) -> None:
        self._open = None


def picture(path: Path) -> Image.Image:
    return Image.open(io.BytesIO(path.read_bytes())).convert("RGB")


def page_data(path: Path) -> dict[str, Any]:
    (text,) = (
        text for attributes, text in Page(path.read_text("utf-8")).scripts
        if attributes.get("id") == "campaign"
    )  # fmt: skip
    data: dict[str, Any] = json.loads(text)
    return data


def test_the_page_has_every_verdict(bundled: tuple[str, Campaign], tmp_path: Path) -> None:
    _, campaign = bundled
    path = tmp_path / "map.html"
    campaign.map(path)
    assert path.stat().st_size < 2_000_000
    data = page_data(path)
    squares = data["squares"]
    found = []
    for turn in data["turns"]:
        for place, square in enumerate(squares["square"]):
            group = squares["group"][place]
            verdict = data["verdicts"][turn["verdicts"][group]] if group is not None else {}
            cities = data["groups"][group]["cities"] if group is not None else []
            nation = squares["nation"][place]
            terrain = squares["terrain"][place]
            found.append(
                (
                    turn["turn"],
                    square,
                    squares["x"][place],
                    squares["y"][place],
                    None if nation is None else data["nations"][nation]["nation"],
                    None if terrain is None else data["terrains"][terrain],
                    verdict.get("status", "outside"),
                    verdict.get("owner"),
                    verdict.get("rule"),
                    "; ".join(cities) or None,
                    squares["squared_distance"][place],
                )
            )
    assert sorted(found) == sorted(
        campaign.sql(
            """
            select turn, square, x, y, nation, terrain, status, owner, rule, cities, squared_distance
            from ownership_by_turn
            """
        ).fetchall()
    )


def test_the_page_has_every_right_to_deploy(bundled: tuple[str, Campaign]) -> None:
    _, campaign = bundled
    data = read(campaign)
    found = {
        (turn["turn"], square, right["state"], right["basis"])
        for turn in data["turns"]
        for square, group in zip(data["squares"]["square"], data["squares"]["group"], strict=True)
        if group is not None
        for right in data["deployments"][turn["deployment"][group]]
    }
    query = "select turn, square, state, basis from deployment_by_turn"
    assert found == set(campaign.sql(query).fetchall())


def test_the_page_has_every_change_with_its_cause(bundled: tuple[str, Campaign]) -> None:
    _, campaign = bundled
    data = read(campaign)
    members: dict[int | None, list[str]] = {}
    for square, group in zip(data["squares"]["square"], data["squares"]["group"], strict=True):
        members.setdefault(group, []).append(square)
    for before, turn in [*pairwise(data["turns"])][::3]:
        found = {}
        for change in turn["changes"]:
            group = change["group"]
            old, new = (data["verdicts"][entry["verdicts"][group]] for entry in (before, turn))
            for square in members[group]:
                found[square] = (*old.values(), *new.values(), "; ".join(change["causes"]))
        old_turn, new_turn = campaign.as_of(before["turn"]), campaign.as_of(turn["turn"])
        assert found == {
            row[0]: row[1:]
            for row in old_turn.changes(new_turn)
            .project("square, old_status, old_owner, old_rule, status, owner, rule, cause")
            .fetchall()
        }


def test_the_documents_snippet_reads_the_page(
    valley: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = (ROOT / "docs" / "map.md").read_text("utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", document, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    valley.map("map.html")
    scope: dict[str, Any] = {}
    exec(snippet.replace(".read()", ".read()  # closed by the interpreter"), scope)
    query = "select turn, square, owner from ownership_by_turn where nation is not null"
    assert scope["owners"] == {(row[0], row[1]): row[2] for row in valley.sql(query).fetchall()}


# The snippet leaves closing its file to the interpreter, as such snippets do.
test_the_documents_snippet_reads_the_page = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)(test_the_documents_snippet_reads_the_page)


def test_the_documents_name_every_key(valley: Campaign) -> None:
    document = (ROOT / "docs" / "map.md").read_text("utf-8")
    data = read(valley)

    def keys(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value
            for inner in value.values():
                yield from keys(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from keys(inner)

    for key in {*keys(data)}:
        assert f"`{key}`" in document, key
    for key in data:
        assert re.search(rf"^\| .*`{key}`.* \|", document, re.MULTILINE), key


def test_a_part_of_the_map(valley: Campaign, tmp_path: Path) -> None:
    data = read(valley, Region(1, 2, 0, 1))
    assert data["squares"]["square"] == ["1,0", "2,0", "1,1", "2,1"]
    assert [city["city"] for city in data["cities"]] == ["Ford", "Mill", "Oak", "Tor"]
    valley.map(tmp_path / "part.html", region="2,1:1,0")
    assert page_data(tmp_path / "part.html")["squares"] == data["squares"]


def test_large_numbers_stay_exact() -> None:
    far = 10**9 - 1
    squares = [{"x": x, "y": 0, "nation": "N"} for x in (0, far)]
    with Campaign.build(
        {
            "nations": [{"nation": "N", "kind": "fragmented"}],
            "states": [{"state": "A", "nation": "N"}],
            "squares": squares,
            "cities": [{"city": "Here", "x": 0, "y": 0, "state": "A"}],
        },
        ruleset="grid",
    ) as campaign:
        assert read(campaign, Region(far, far, 0, 0))["squares"]["squared_distance"] == [
            str(far**2)
        ]
        with pytest.raises(QueryError, match="the map is 1,000,000,000 squares wide and 1 high"):
            read(campaign)


def test_hostile_names_are_text_in_the_page(tmp_path: Path) -> None:
    with hostile_campaign() as campaign:
        campaign.map(tmp_path / "map.html", title=HOSTILE[0])
    text = (tmp_path / "map.html").read_text("utf-8")
    page = Page(text)
    # Two blocks of data, and the page's own script, which its policy knows by hash.
    assert [attributes.get("type") for attributes, _ in page.scripts] == [
        "application/json",
        "application/json",
        "module",
    ]
    assert "img" not in page.tags
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    data = page_data(tmp_path / "map.html")
    assert {city["city"] for city in data["cities"]} == set(HOSTILE)
    assert data["title"] == HOSTILE[0]
    assert not {"\u2028", "\u2029"} & set(text)
    (policy,) = (
        value
        for _, name, value in page.attributes
        if name == "content" and value and "src" in value
    )
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_json_cannot_end_its_element() -> None:
    value = "".join(map(chr, range(0x80))) + "\u2028\u2029</script>"
    text = str(as_json([value]))
    assert json.loads(text) == [value]
    assert not set("<>&\u2028\u2029") & set(text)


def test_hostile_names_are_text_in_the_drawing(tmp_path: Path) -> None:
    with hostile_campaign() as campaign:
        campaign.map(tmp_path / "map.svg", scale=40, title=HOSTILE[0])
        campaign.map(tmp_path / "map.png", scale=40)
    tree = ElementTree.parse(tmp_path / "map.svg").getroot()
    assert {element.tag.removeprefix(SVG) for element in tree.iter()} <= {
        "svg", "title", "desc", "defs", "pattern", "rect", "text", "g", "path", "circle",
    }  # fmt: skip
    shown = {element.text for element in tree.iter(f"{SVG}text")}
    assert HOSTILE[0] in shown
    for name in HOSTILE[:6]:
        short = name if len(name) <= 30 else name[:29] + "…"
        assert short in shown, name
    assert picture(tmp_path / "map.png").width > 1000


def test_control_characters_do_not_spoil_a_drawing(valley: Campaign, tmp_path: Path) -> None:
    valley.map(tmp_path / "map.svg", title="bell \x07, null \x00, \ufffe")
    heading = ElementTree.parse(tmp_path / "map.svg").getroot().find(f"{SVG}title")
    assert heading is not None
    assert heading.text == "bell \ufffd, null \ufffd, \ufffd"


@pytest.mark.parametrize("layer", ["owner", "status", "deploy:W", "changes:0"])
def test_drawings_are_golden(valley: Campaign, tmp_path: Path, layer: str) -> None:
    name = f"valley-{layer.partition(':')[0]}.svg"
    path = tmp_path / name
    valley.map(path, layer=layer, scale=30, turn=2 if layer == "deploy:W" else None)
    ElementTree.parse(path)
    assert path.read_text("utf-8") == (GOLDEN / name).read_text("utf-8")


def test_the_readmes_drawing_is_the_programs(nwol_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "nwol-map.svg"
    assert run("map", "-o", path, "-d", nwol_file).exit_code == 0
    assert path.read_bytes() == (ROOT / "docs" / "nwol-map.svg").read_bytes()
    assert path.stat().st_size < 150_000


def test_every_square_of_a_drawing_has_its_owners_color(nwol_file: Path, tmp_path: Path) -> None:
    """In a picture's pixels, away from borders and names."""
    path = tmp_path / "map.png"
    with Campaign.open(nwol_file) as campaign:
        campaign.map(path, scale=24, turn=4)
        colors = {state["state"]: state["color"] for state in read(campaign)["states"]}
        squares = campaign.sql(
            "select x, y, owner, terrain from ownership_by_turn where turn = 4 and owner is not null"
        ).fetchall()
    drawn = picture(path)
    right = 0
    for x, y, owner, _ in squares:
        expected = [int(colors[owner][place : place + 2], 16) for place in (1, 3, 5)]
        corners = ((5, 5), (18, 5), (5, 18), (18, 18))
        seen = [drawn.getpixel((34 + 24 * x + a, 76 + 24 * y + b)) for a, b in corners]
        # Terrain makes the ground darker by 17 % at most; names lie over some squares.
        right += any(
            all(e * 0.82 - 6 <= s <= e + 3 for e, s in zip(expected, pixel, strict=True))  # type: ignore[arg-type]
            for pixel in seen
        )
    assert right / len(squares) > 0.985


def test_pictures_are_like_the_golden_one(valley: Campaign, tmp_path: Path) -> None:
    """Compared small, so that a font's details do not count."""
    valley.map(tmp_path / "valley.png", scale=40)
    small = [
        picture(path).resize((55, 42), Image.Resampling.BOX)
        for path in (tmp_path / "valley.png", GOLDEN / "valley.png")
    ]
    first, second = (image.tobytes() for image in small)
    assert sum(abs(a - b) for a, b in zip(first, second, strict=True)) / len(first) < 3


def test_a_picture_has_text_on_a_machine_without_fonts() -> None:
    import fontpkg
    import resvg_py

    text = '<text y="20" font-family="\'Noto Sans\'">Nördlingen</text>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="30">{text}</svg>'
    bare = resvg_py.svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, font_files=[str(fontpkg.path("Noto Sans"))]
    )
    # The very same as with the system's fonts.
    assert Image.open(io.BytesIO(bytes(bare))).getbbox() is not None
    assert to_png(svg) == bytes(bare)


def test_a_missing_library_is_named(
    valley: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(FileError, match=re.escape("pip install 'nwol-sql[map]'")):
        valley.map(tmp_path / "map.png")
    assert not (tmp_path / "map.png").exists()
    valley.map(tmp_path / "map.svg")
    monkeypatch.undo()
    # Without the font, the system's are used.
    monkeypatch.setitem(sys.modules, "fontpkg", None)
    valley.map(tmp_path / "map.png")
    assert importlib.import_module("resvg_py")


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    database = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=database).close()

    def message(*options: object, to: str = "map.html") -> str:
        done = run("map", "-o", tmp_path / to, "-d", database, *options)
        assert done.exit_code == 1, done.output
        assert not (tmp_path / to).exists() or to == database.name
        return done.stderr

    assert "ends in none of .html, .svg, .png" in message(to="map.gif")
    assert "there is no layer 'ownr'; did you mean 'owner'?" in message("--layer", "ownr")
    assert "the layer is written deploy:STATE, not 'deploy'" in message("--layer", "deploy")
    assert "the layer is written owner, not 'owner:A'" in message("--layer", "owner:A")
    assert "the layer is written owner, not 'owner:'" in message("--layer", "owner:")
    assert "there is no state 'a'; did you mean 'A'?" in message("--layer", "deploy:a")
    assert "the layer is written changes:TURN" in message("--layer", "changes:soon")
    assert "turn 3 is not before turn 3, which is shown" in message("--layer", "changes:3")
    assert "turn -1 is before the campaign's first turn, 0" in message("--turn", -1)
    assert "turn -1 is before" in message("--layer", "changes:-1")
    assert "a region is two squares with a colon between" in message("--region", "1,0")
    assert "there is no square '9,9' in this campaign; nearest" in message("--region", "0,0:9,9")
    assert "a page has no scale: its reader zooms" in message("--scale", 20)
    assert "the scale is 2 to 100 pixels for each square" in message("--scale", 500, to="map.svg")
    assert "is there already" not in message(to="nowhere/map.svg")
    assert run("map", "-d", database).exit_code == 2
    done = run("map", "-o", tmp_path / "map.html", "-d", database, "--turn", 9)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "turn 9 has no entries yet: this is how things stand since turn 3" in done.stderr
    again = run("map", "-o", tmp_path / "map.html", "-d", database)
    assert again.exit_code == 1
    assert "is there already; overwrite it with --force" in again.stderr
    assert run("map", "-o", tmp_path / "map.html", "-d", database, "--force").exit_code == 0


def test_a_page_as_of_a_turn_knows_no_later_one(nwol_file: Path, tmp_path: Path) -> None:
    with Campaign.open(nwol_file) as campaign:
        campaign.as_of(4).map(tmp_path / "map.html")
    assert [turn["turn"] for turn in page_data(tmp_path / "map.html")["turns"]] == [*range(5)]
    assert '<body data-turn="4" data-layer="owner">' in (tmp_path / "map.html").read_text("utf-8")


def test_the_title_is_the_rulesets_own(tmp_path: Path) -> None:
    """Even if its file is called as a bundled one."""
    text = (ROOT / "sql" / "rulesets" / "grid.toml").read_text("utf-8")
    own = tmp_path / "nwol.toml"
    own.write_text(text.replace('"Square grid"', '"Valley & Hills"'), "utf-8")
    with Campaign.build(VALLEY, own) as campaign:
        for ending in (".svg", ".html"):
            campaign.map(tmp_path / f"valley{ending}")
            drawn = (tmp_path / f"valley{ending}").read_text("utf-8")
            assert "<title" in drawn
            assert "Valley &amp; Hills" in drawn
            assert "Napoleonic" not in drawn


def test_odd_campaigns_are_drawn(tmp_path: Path) -> None:
    nations = [{"nation": "N", "kind": "fragmented"}, {"nation": "U", "kind": "unitary"}]
    states = [{"state": "A", "nation": "N"}, {"state": "B", "nation": "U"}]
    squares = [
        {"x": -3, "y": -2, "nation": "N"},
        {"x": 4, "y": 5, "nation": "U"},
        {"x": 0, "y": 0, "nation": None},
    ]
    cities = [{"city": "Port", "x": 4, "y": 5, "state": "A"}]
    for number, sheets in enumerate(
        (
            {"nations": nations, "states": states, "squares": squares, "cities": cities},
            {"nations": nations, "states": states, "squares": squares[1:2], "cities": cities},
        )
    ):
        with Campaign.build(sheets, ruleset="grid") as campaign:
            for ending in ("html", "svg", "png"):
                campaign.map(tmp_path / f"map{number}.{ending}")
            owners = dict(campaign.sql("select square, owner from ownership").fetchall())
            data = read(campaign)
            (turn,) = data["turns"]
            assert {
                square: None
                if group is None
                else data["verdicts"][turn["verdicts"][group]]["owner"]
                for square, group in zip(
                    data["squares"]["square"], data["squares"]["group"], strict=True
                )
            } == owners
            # Nobody needs to hear of other nations' cities where a nation has none.
            assert data["uncounted_cities"]["square"] == []


def test_areas_and_edges_cover_what_they_should() -> None:
    looks = {(0, 0): "a", (1, 0): "a", (0, 1): "a", (1, 1): "a", (2, 1): "b", (0, 3): "a"}
    assert areas(looks) == {"a": "M0 0h2v2h-2zM0 3h1v1h-1z", "b": "M2 1h1v1h-1z"}
    assert edges(looks, looks.get) == (
        "M0 0h2M2 1h1M0 2h3M0 3h1M0 4h1M0 0v2M0 3v1M1 3v1M2 0v2M3 1v1"
    )
    parts = territories({place: look for place, look in looks.items() if look == "a"})
    assert [(part.places, part.side, part.x, part.y) for part in parts] == [
        (4, 2, 1.0, 1.0),
        (1, 1, 0.5, 3.5),
    ]
    boxes = Boxes()
    boxes.take((0, 0, 100, 10))
    assert not boxes.is_free((99, 9, 120, 20))
    assert boxes.is_free((100, 0, 120, 10))


def test_areas_hold_every_place_once(bundled: tuple[str, Campaign]) -> None:
    _, campaign = bundled
    looks = {
        (x, y): owner or status
        for x, y, owner, status in campaign.sql(
            "select x, y, owner, status from ownership"
        ).fetchall()
    }
    covered = {}
    for look, path in areas(looks).items():
        for left, top, width, height in re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-\d+z", path):
            for x in range(int(left), int(left) + int(width)):
                for y in range(int(top), int(top) + int(height)):
                    assert (x, y) not in covered
                    covered[x, y] = look
    assert covered == looks


def test_words_and_colors_of_the_page_are_the_pictures() -> None:
    """Terrain and letters are read alike, although one is JavaScript and the other Python."""
    from nwol_sql.map.picture import LETTERS, RELIEF

    drawing = (PARTS / "6-drawing.js").read_text("utf-8")
    relief = re.findall(r"\[/(.*?)/i, ([\d.]+)\]", drawing)
    assert [(name, float(share)) for name, share in relief] == [*RELIEF]
    looks = (PARTS / "3-looks.js").read_text("utf-8")
    (letters,) = re.findall(r"const LETTERS = \{(.*?)\};", looks)
    assert dict(re.findall(r'(\w+): "(\w)"', letters)) == LETTERS
    assert {"paper", "ink", "sea", "faded"} <= set(theme())


def test_no_rule_of_the_game_stands_in_the_page() -> None:
    for path in PARTS.glob("*.js"):
        text = path.read_text("utf-8").replace('getContext("2d"', "")
        assert not re.search(r"""['"][123][abcd]['"]""", text), path.name


def test_a_picture_does_not_look_for_cities_that_do_not_decide(
    valley: Campaign, tmp_path: Path
) -> None:
    valley.connection.execute("drop view runner_up_cities; drop view uncounted_cities")
    valley.map(tmp_path / "map.svg", scale=30)
    golden = (GOLDEN / "valley-owner.svg").read_bytes()
    assert (tmp_path / "map.svg").read_bytes() == golden


@pytest.mark.parametrize("ending", [".html", ".svg"])
def test_no_turn_to_draw(ending: str, tmp_path: Path) -> None:
    with Campaign.build(VALLEY, "grid") as campaign:
        campaign.connection.execute("delete from control; delete from alliances")
        with pytest.raises(QueryError, match="there is no turn to draw"):
            campaign.map(tmp_path / f"map{ending}")
    assert not [*tmp_path.iterdir()]

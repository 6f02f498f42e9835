"""The page in a real browser: Chromium, driven by Playwright."""

from __future__ import annotations

import csv
import io
import os
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from nwol_sql import Campaign
from nwol_sql.map.data import read
from tests.conftest import SEEDS
from tests.test_map import GOLDEN, HOSTILE, hostile_campaign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

# CI sets the variable, so that there the tests cannot be skipped.
pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("NWOL_SQL_BROWSER"), reason="Chromium is not installed"
)

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
]
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}

# All of the panel's text, line by line, as `explain` prints it.
LINES = """() => [...document.querySelectorAll(
    "#explanation p, #explanation h3, #explanation summary, #explanation li"
)].map((line) => line.textContent).filter(Boolean)"""


# Whether the panel's headline begins so.
SHOWN = """(start) =>
    document.querySelector("#explanation .headline")?.textContent.startsWith(start)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None, "Chromium is not installed"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The page of each campaign, and the campaign's database."""
    folder = tmp_path_factory.mktemp("pages")
    paths = {}
    for name in ("nwol", "amwol"):
        database = folder / f"{name}.duckdb"
        with Campaign.build(SEEDS / name, name, database=database) as campaign:
            campaign.map(folder / f"{name}.html")
        paths[name] = folder / f"{name}.html"
    with hostile_campaign() as campaign:
        campaign.map(folder / "hostile.html", title=HOSTILE[0])
    paths["hostile"] = folder / "hostile.html"
    return paths


class Visit:
    """A page that is looked at, and whatever went wrong meanwhile."""

    def __init__(self, browser: Browser, path: Path, address: str = "", **options: Any) -> None:
        options = {"viewport": DESKTOP, "color_scheme": "light", **options}
        self.context: BrowserContext = browser.new_context(**options)
        self.page: Page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))
        self.page.on("request", self._note)
        self.page.goto(path.as_uri() + address)
        self.page.wait_for_function("() => document.getElementById('when').textContent !== ''")

    def _note(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.faults.append(f"request: {request.url}")

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.context.close()
        if kind is None:
            assert self.faults == []

    def lines(self) -> list[str]:
        lines: list[str] = self.page.evaluate(LINES)
        return lines

    def headline(self) -> str:
        return self.page.text_content("#explanation .headline") or ""

    def address(self) -> dict[str, str]:
        self.page.wait_for_timeout(200)  # it is written a moment after the last change
        text: str = self.page.evaluate("decodeURIComponent(location.hash.slice(1))")
        return dict(part.split("=", 1) for part in text.split("&"))

    def set_turn(self, place: int) -> None:
        self.page.evaluate(
            """(place) => {
                const slider = document.getElementById("turn");
                slider.value = place;
                slider.dispatchEvent(new Event("input", { bubbles: true }));
            }""",
            place,
        )

    def saved(self) -> list[dict[str, str]]:
        with self.page.expect_download() as saving:
            self.page.click("#save")
        path = saving.value.path()
        return [*csv.DictReader(io.StringIO(Path(path).read_text("utf-8")))]

    def picture(self) -> Image.Image:
        return Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")


def difference(one: Image.Image, other: Image.Image) -> float:
    """How much two pictures differ on average, of 255."""
    pairs = zip(one.tobytes(), other.tobytes(), strict=True)
    return sum(abs(a - b) for a, b in pairs) / (3 * one.width * one.height)


def explained(campaign: Campaign, square: str, turn: int) -> list[str]:
    return [line for line in str(campaign.explain(square, turn)).splitlines() if line]


@pytest.mark.parametrize("name", ["nwol", "amwol"])
def test_owners_in_the_page_are_those_of_the_view(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    with (
        Campaign.open(pages[name].with_suffix(".duckdb")) as campaign,
        Visit(browser, pages[name], accept_downloads=True) as visit,
    ):
        for place, (turn,) in enumerate(campaign.sql("from turns order by turn").fetchall()):
            visit.set_turn(place)
            expected = campaign.sql(
                "select turn, square, x, y, nation, status, owner, rule from ownership_by_turn "
                f"where turn = {turn} order by y, x"
            )
            assert [tuple(row.values()) for row in visit.saved()] == [
                tuple("" if value is None else str(value) for value in row)
                for row in expected.fetchall()
            ]


@pytest.mark.parametrize("name", ["nwol", "amwol"])
def test_the_panel_says_what_explain_says(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    chance = random.Random(5)
    with (
        Campaign.open(pages[name].with_suffix(".duckdb")) as campaign,
        Visit(browser, pages[name]) as visit,
    ):
        # Some squares of every clause and number of ties, and of the sea.
        rows = campaign.sql(
            """
            select turn, square from ownership_by_turn
            qualify row_number() over (
                partition by rule, tied_cities, owner is null order by hash(turn, square)
            ) <= 2
            order by turn, square
            """
        ).fetchall()
        assert len(rows) > 20
        rows += campaign.sql(
            """
            select 7, square from uncounted_cities inner join ownership using (square)
            where tied_cities > 0 order by square limit 3
            """
        ).fetchall()
        chance.shuffle(rows)
        seen = set()
        for turn, square in rows:
            visit.page.evaluate(f"location.hash = '#turn={turn}&square={square}'")
            visit.page.wait_for_function(SHOWN, arg=f"{square} (")
            visit.page.wait_for_function(
                "(turn) => document.getElementById('when').textContent.startsWith(turn)",
                arg=f"Turn {turn}",
            )
            lines = visit.lines()
            assert lines == explained(campaign, square, turn)
            seen.update(lines)
        assert any(line.startswith("Cities of other nations") for line in seen)


def test_every_square_is_painted_in_its_owners_color(
    browser: Browser, pages: dict[str, Path]
) -> None:
    """Read from the pixels: in most of a square's quarters, for names and borders lie over some."""
    with (
        Campaign.open(pages["nwol"].with_suffix(".duckdb")) as campaign,
        Visit(browser, pages["nwol"], "#turn=4&view=62,30,46") as visit,
    ):
        colors = {state["state"]: state["color"] for state in read(campaign)["states"]}
        visit.page.uncheck("#outlined")
        owners = {
            (x, y): owner
            for x, y, owner in campaign.sql(
                "select x, y, owner from ownership_by_turn where turn = 4"
            ).fetchall()
        }
        left, top, wide = visit.page.evaluate(
            """() => {
                const box = document.getElementById("map").getBoundingClientRect();
                return [box.left, box.top, box.width];
            }"""
        )
        height = visit.page.evaluate("document.getElementById('map').clientHeight")
        cell = (wide - 34) / 46
        corner = (left + 34 + (wide - 34) / 2 - 62 * cell, top + 22 + (height - 22) / 2 - 30 * cell)
        picture = visit.picture()
        right = seen = 0
        for (x, y), owner in owners.items():
            spots = [
                (corner[0] + (x + a) * cell, corner[1] + (y + b) * cell)
                for a in (0.2, 0.8)
                for b in (0.2, 0.8)
            ]
            inside = all(
                left + 40 < px < left + wide - 60 and top + 30 < py < top + height - 130
                for px, py in spots
            )
            if owner is None or not inside:
                continue
            expected = [int(colors[owner][place : place + 2], 16) for place in (1, 3, 5)]
            seen += 1
            right += any(
                all(
                    e * 0.82 - 6 <= s <= e + 3
                    for e, s in zip(expected, picture.getpixel((int(px), int(py))), strict=True)  # type: ignore[arg-type]
                )
                for px, py in spots
            )
        assert seen > 600
        assert right / seen > 0.97


def test_search(browser: Browser, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["nwol"]) as visit:
        page = visit.page
        # A city, without its accents.
        page.fill("#search", "nordl")
        assert page.get_attribute("#search", "aria-expanded") == "true"
        assert page.text_content("#found li") == "NördlingenG2-U4"
        page.press("#search", "Enter")
        assert visit.headline().startswith("G2-U4 (")
        assert page.input_value("#search") == "Nördlingen"
        # A square, by name in any case and by its coordinates.
        for text in ("g7-v8", "67,38", "67, 38"):
            page.fill("#search", text)
            page.press("#search", "Enter")
            assert visit.headline().startswith("G7-V8 (x=67, y=38) in ITA")
        # A state: its land is shown.
        page.fill("#search", "bav")
        page.press("#search", "ArrowDown")
        page.press("#search", "ArrowUp")
        page.press("#search", "Enter")
        _, _, columns = map(float, visit.address()["view"].split(","))
        assert columns < 60
        page.fill("#search", "nowhere at all")
        assert page.text_content("#found li") == "Nothing of that name"
        page.press("#search", "Escape")
        assert page.is_hidden("#found")
        page.fill("#search", "ulm")
        page.click("#found li")
        assert visit.headline().startswith("G0-U6 (")


def test_slider_and_play(browser: Browser, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["nwol"], "#turn=0") as visit:
        page = visit.page
        assert page.text_content("#changes") == "Nothing: this is the first turn."
        page.focus("#turn")
        for _ in range(4):
            page.press("#turn", "ArrowRight")
        assert visit.address()["turn"] == "4"
        assert page.get_attribute("#turn", "aria-valuetext") == "Turn 4"
        assert (page.text_content("#when") or "").startswith("Turn 4")
        # The list says what changed and why.
        first = page.text_content("#changes li") or ""
        assert first == "München: BAV to AUS12 squares: BAV → neutral"
        page.click("#changes li button")
        assert "view" in visit.address()
        page.clock.install()
        page.click("#play")
        assert page.get_attribute("#play", "aria-pressed") == "true"
        page.clock.run_for(2300)
        assert (page.text_content("#when") or "").startswith("Turn 6")
        page.click("#play")
        page.clock.run_for(5000)
        assert (page.text_content("#when") or "").startswith("Turn 6")
        page.click("#play")
        page.clock.run_for(20_000)
        assert (page.text_content("#when") or "").startswith("Turn 12")
        assert page.get_attribute("#play", "aria-pressed") == "false"


def test_pointing_pinning_and_letting_go(browser: Browser, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["nwol"]) as visit:
        page = visit.page
        box = page.locator("#map").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 400, box["y"] + 400)
        pointed = visit.headline()
        assert pointed
        assert pointed.split(" ")[0] in (page.text_content("#hint") or "")
        page.mouse.click(box["x"] + 400, box["y"] + 400)
        assert page.text_content("#verdict-title") == "Verdict, pinned"
        assert pointed.startswith(visit.address()["square"] + " ")
        page.mouse.move(box["x"] + 500, box["y"] + 300)
        assert visit.headline() == pointed
        visit.set_turn(0)
        assert "turn 0:" in visit.headline()
        page.click("#unpin")
        assert page.text_content("#verdict-title") == "Verdict"
        assert "square" not in visit.address()
        # Dragging moves the map, and pins nothing.
        before = page.screenshot()
        page.mouse.move(box["x"] + 400, box["y"] + 400)
        page.mouse.wheel(0, -600)
        page.mouse.down()
        page.mouse.move(box["x"] + 300, box["y"] + 350, steps=4)
        page.mouse.up()
        assert "square" not in visit.address()
        assert page.screenshot() != before
        page.click("#whole")
        assert "view" not in visit.address()


def test_by_keyboard_alone(browser: Browser, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["nwol"]) as visit:
        page = visit.page
        order = []
        for _ in range(12):
            page.keyboard.press("Tab")
            order.append(page.evaluate("document.activeElement.id"))
        assert order[:9] == [
            "search", "layer", "save", "theme", "map", "nearer", "whole", "farther", "play",
        ]  # fmt: skip
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        page.focus("#map")
        page.keyboard.press("ArrowRight")
        start = visit.headline()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowDown")
        moved = visit.headline()
        x, y = (
            [int(part.partition("=")[2].strip(",)")) for part in text.split(" ")[1:3]]
            for text in (start, moved)
        )
        assert (y[0] - x[0], y[1] - x[1]) == (1, 10)
        assert (page.text_content("#spoken") or "").startswith(moved)
        page.keyboard.press("Enter")
        assert moved.startswith(visit.address()["square"] + " ")
        assert (page.text_content("#spoken") or "").startswith("Pinned. ")
        page.keyboard.press("PageDown")
        assert "turn 11:" in visit.headline()
        assert "turn 11:" in (page.text_content("#spoken") or "")
        page.keyboard.press("+")
        assert "view" in visit.address()
        page.keyboard.press("0")
        assert "view" not in visit.address()
        page.keyboard.press("Escape")
        assert "square" not in visit.address()
        # To the map's edge and no farther.
        for _ in range(15):
            page.keyboard.press("Shift+ArrowLeft")
        assert "(x=0, " in visit.headline()


def test_layers(browser: Browser, pages: dict[str, Path]) -> None:
    with (
        Campaign.open(pages["nwol"].with_suffix(".duckdb")) as campaign,
        Visit(browser, pages["nwol"], "#turn=5") as visit,
    ):
        page = visit.page

        def legend() -> dict[str, int]:
            rows: list[list[str]] = page.evaluate(
                "[...document.querySelectorAll('#legend tbody tr')].map((row) =>"
                " [...row.cells].map((cell) => cell.textContent))"
            )
            return {row[1]: int(row[2].replace(",", "")) for row in rows}

        counts = dict(
            campaign.sql(
                """
                select coalesce(states.name || ' ' || owner, if(status = 'outside',
                    'outside all nations', status)), count(*)
                from ownership_by_turn left join states on owner = state where turn = 5 group by 1
                """
            ).fetchall()
        )
        assert legend() == counts
        page.select_option("#layer", "status")
        assert legend() == {
            name if name != "outside" else "outside all nations": count
            for name, count in campaign.sql(
                "select status, count(*) from ownership_by_turn where turn = 5 group by 1"
            ).fetchall()
        }
        page.select_option("#layer", "deploy")
        page.select_option("#state", "BAV")
        names = {
            "owner": "As owner",
            "sharer": "As sharer",
            "ally": "As ally of the sharers or the owner",
        }
        rights = campaign.sql(
            "select basis, count(*) from deployment_by_turn where turn = 5 and state = 'BAV' group by 1"
        ).fetchall()
        assert legend() == {names[basis]: count for basis, count in rights}
        assert visit.address()["layer"] == "deploy:BAV"
        page.select_option("#layer", "changes")
        page.select_option("#since", "2")
        assert visit.address()["layer"] == "changes:2"
        listed: list[str] = page.evaluate(
            "[...document.querySelectorAll('#changes button > span')].map((span) => span.textContent)"
        )
        changed = campaign.as_of(2).changes(campaign.as_of(5))
        assert sum(int(text.split(" ")[0]) for text in listed) == len(changed)
        assert page.text_content("#changes-title") == "Changes from turn 2 to turn 5"


def test_a_link_restores_what_it_shows(browser: Browser, pages: dict[str, Path]) -> None:
    asked = "#turn=4&layer=deploy:FRA&square=F5-T3&view=60.00,20.00,30.00"
    with Visit(browser, pages["nwol"], asked) as visit:
        page = visit.page
        assert visit.address() == {
            "turn": "4", "layer": "deploy:FRA", "square": "F5-T3", "view": "60.00,20.00,30.00",
        }  # fmt: skip
        assert visit.headline().startswith("F5-T3 (x=55, y=13) in GER, turn 4:")
        assert page.input_value("#layer") == "deploy"
        assert page.input_value("#state") == "FRA"
        first = visit.picture()
        page.reload()
        page.wait_for_timeout(300)
        assert difference(visit.picture(), first) < 0.1
    for nonsense in (
        "#turn=soon&layer=x&square=Q&view=1",
        "#turn=99&layer=deploy:XXX&view=a,b,c",
        "#%E0%A4%A",
        "#turn=-5&layer=changes:",
    ):
        with Visit(browser, pages["nwol"], nonsense) as visit:
            assert visit.page.input_value("#layer") in ("owner", "changes")


def test_hostile_names_are_text(browser: Browser, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["hostile"]) as visit:
        page = visit.page
        assert page.text_content("h1") == HOSTILE[0]
        assert page.title() == f"{HOSTILE[0]}: map"
        for number, name in enumerate(HOSTILE):
            page.evaluate(f"location.hash = '#square={7 * number + 2},1'")
            page.wait_for_function(SHOWN, arg=f"{7 * number + 2},1 (")
            assert any(line.startswith(f"  {name}: distance 0.00") for line in visit.lines())
        page.fill("#search", "script")
        found: list[str] = page.evaluate(
            "[...document.querySelectorAll('#found bdi')].map((item) => item.textContent)"
        )
        assert found[0] == HOSTILE[0]
        page.press("#search", "Enter")
        box = page.locator("#map").bounding_box()
        assert box is not None
        for x in range(60, 1000, 60):
            page.mouse.move(box["x"] + x, box["y"] + box["height"] / 2)
        assert page.evaluate("document.images.length") == 0
        assert page.evaluate("document.scripts.length") == 3


def test_nothing_of_the_page_leaks_into_the_window(
    browser: Browser, pages: dict[str, Path]
) -> None:
    with Visit(browser, pages["nwol"]) as visit:
        added = visit.page.evaluate(
            """() => {
                const frame = document.createElement("iframe");
                document.body.append(frame);
                const usual = new Set(Object.getOwnPropertyNames(frame.contentWindow));
                frame.remove();
                return Object.getOwnPropertyNames(window).filter((name) => !usual.has(name));
            }"""
        )
        assert [name for name in added if not name.startswith(("__p", "0"))] == []


def test_controls_have_names(browser: Browser, pages: dict[str, Path]) -> None:
    for viewport in (DESKTOP, PHONE):
        with Visit(browser, pages["nwol"], "#layer=deploy:BAV", viewport=viewport) as visit:
            nameless = visit.page.evaluate(
                """() => [...document.querySelectorAll(
                        "button, input, select, [tabindex], [role]:not([role=status])"
                    )]
                    .filter((element) => element.checkVisibility())
                    .filter((element) => !(
                        element.ariaLabel || element.textContent.trim() || element.labels?.length ||
                        element.getAttribute("aria-labelledby")
                    ))
                    .map((element) => element.outerHTML)"""
            )
            assert nameless == []
            ids = visit.page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
            assert len(ids) == len(set(ids))


def test_axe_finds_nothing_to_mend(browser: Browser, pages: dict[str, Path]) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for viewport in (DESKTOP, PHONE):
        for address in ("", "#turn=4&layer=deploy:BAV&square=F5-T3"):
            with Visit(browser, pages["nwol"], address, viewport=viewport) as visit:
                visit.page.fill("#search", "ba")
                found = Axe().run(visit.page)
                assert found.response["violations"] == []


def test_text_keeps_its_contrast_where_it_stands(browser: Browser, pages: dict[str, Path]) -> None:
    """AA, reckoned from the colours as the browser settled them."""
    for scheme in ("light", "dark"):
        with Visit(browser, pages["nwol"], "#square=F5-T3", color_scheme=scheme) as visit:
            poor = visit.page.evaluate(
                """() => {
                    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
                    const luminance = (color) => {
                        const [r, g, b] = color.map((c) => {
                            const share = c / 255;
                            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
                        });
                        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                    };
                    const ground = (element) => {
                        for (let at = element; at; at = at.parentElement) {
                            const color = parse(getComputedStyle(at).backgroundColor);
                            if (color.length < 4 || color[3] > 0) return color.slice(0, 3);
                        }
                        return [255, 255, 255];
                    };
                    const poor = [];
                    for (const element of document.querySelectorAll("body *")) {
                        const own = [...element.childNodes].some(
                            (node) => node.nodeType === 3 && node.textContent.trim(),
                        );
                        if (!own || !element.checkVisibility() || element.closest("noscript")) continue;
                        const text = luminance(parse(getComputedStyle(element).color).slice(0, 3));
                        const under = luminance(ground(element));
                        const ratio = (Math.max(text, under) + 0.05) / (Math.min(text, under) + 0.05);
                        if (ratio < 4.5) poor.push([element.outerHTML.slice(0, 80), ratio]);
                    }
                    return poor;
                }"""
            )
            assert poor == []


def test_theme_follows_the_system_until_it_is_chosen(
    browser: Browser, pages: dict[str, Path]
) -> None:
    theme = "document.documentElement.dataset.theme"
    with Visit(browser, pages["nwol"], color_scheme="dark") as visit:
        page = visit.page
        assert page.evaluate(theme) == "dark"
        page.emulate_media(color_scheme="light")
        page.wait_for_function(f"() => {theme} === 'light'")
        page.click("#theme")
        assert page.evaluate(theme) == "dark"
        assert page.get_attribute("#theme", "aria-pressed") == "true"


def test_touch(browser: Browser, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["nwol"], viewport=PHONE, has_touch=True, is_mobile=True) as visit:
        page = visit.page
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        box = page.locator("#map").bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + 200, box["y"] + box["height"] / 2)
        assert "square" in visit.address()
        assert page.is_visible("#explanation .headline")
        # Two fingers apart: nearer.
        session = visit.context.new_cdp_session(page)
        middle = (box["x"] + 200, box["y"] + box["height"] / 2)

        def touch(kind: str, spread: float) -> None:
            points = [{"x": middle[0] + side * spread, "y": middle[1]} for side in (-1, 1)]
            session.send(
                "Input.dispatchTouchEvent",
                {"type": kind, "touchPoints": [] if kind == "touchEnd" else points},
            )

        touch("touchStart", 20)
        for spread in (30, 45, 60, 80):
            touch("touchMove", spread)
        touch("touchEnd", 80)
        _, _, columns = map(float, visit.address()["view"].split(","))
        assert 20 < columns < 50
        before = page.locator("#map").bounding_box()
        page.click("#sheet")
        after = page.locator("#map").bounding_box()
        assert before is not None
        assert after is not None
        assert after["height"] < before["height"]


def test_on_paper(browser: Browser, pages: dict[str, Path], tmp_path: Path) -> None:
    with Visit(browser, pages["nwol"], "#view=60,20,20", color_scheme="dark") as visit:
        page = visit.page
        page.emulate_media(media="print")
        page.wait_for_function("() => document.documentElement.dataset.theme === 'light'")
        for control in ("#search", "#layer", "#play", "#nearer", "#theme"):
            assert page.is_hidden(control)
        assert page.is_visible("#legend")
        assert page.pdf(format="A4", landscape=True).startswith(b"%PDF")
        page.emulate_media(media="screen")
        page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
        assert visit.address()["view"] == "60.00,20.00,20.00"


def test_buttons_stand_beside_what_they_could_cover(
    browser: Browser, pages: dict[str, Path]
) -> None:
    # AMWOL's map is higher than wide: the last column, N9, ends left of the buttons.
    with Visit(browser, pages["amwol"]) as visit:
        box = visit.page.locator(".zoom").bounding_box()
        assert box is not None
        visit.page.mouse.move(box["x"] - 16, box["y"])
        assert visit.headline().startswith("N9-")
        visit.page.mouse.move(box["x"] - 6, box["y"])
        assert visit.page.query_selector("#explanation .headline") is None
    for width in (390, 500, 700, 1440):
        viewport = {"width": width, "height": 800}
        with Visit(browser, pages["nwol"], "#square=G0-U3", viewport=viewport) as visit:
            button, headline = (
                visit.page.locator(selector).bounding_box()
                for selector in ("#unpin", "#explanation .headline")
            )
            assert button is not None
            assert headline is not None
            assert button["y"] + button["height"] <= headline["y"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("device", "viewport"), [("desktop", DESKTOP), ("phone", PHONE)])
def test_pages_look_like_the_golden_pictures(
    browser: Browser, pages: dict[str, Path], scheme: str, device: str, viewport: dict[str, int]
) -> None:
    """Compared small, so that a font's details do not count; NWOL_SQL_GOLDEN=1 takes new ones."""
    address = "#turn=4&square=G0-U3"
    with Visit(browser, pages["nwol"], address, color_scheme=scheme, viewport=viewport) as visit:
        visit.page.wait_for_timeout(200)
        picture = visit.picture()
    size = (viewport["width"] // 12, viewport["height"] // 12)
    small = picture.resize(size, Image.Resampling.BOX)
    golden = GOLDEN / f"page-{device}-{scheme}.png"
    if os.environ.get("NWOL_SQL_GOLDEN"):
        small.save(golden, optimize=True)
    assert difference(small, Image.open(io.BytesIO(golden.read_bytes())).convert("RGB")) < 6


def test_the_slider_repaints_within_a_frame(browser: Browser, pages: dict[str, Path]) -> None:
    """A loose bound, for machines differ and may be busy; docs/map.md says what was measured."""
    for name in ("nwol", "amwol"):
        with Visit(browser, pages[name]) as visit:
            for _ in range(3):
                for place in range(13):
                    visit.set_turn(place)
            times = visit.page.evaluate(
                "performance.getEntriesByName('nwol-sql settle').map((entry) => entry.duration)"
            )
            assert sorted(times)[len(times) // 2] < 5 * 16.7

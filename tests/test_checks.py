"""Every fault that sheets can have: where it is, what is said of it, and that nothing is lost."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

from nwol_sql import Campaign, SheetError
from nwol_sql.check import find_faults
from nwol_sql.project import CHECKS, Project
from nwol_sql.rulesets import load_ruleset
from tests.conftest import SEEDS, VALLEY

if TYPE_CHECKING:
    from pathlib import Path

    from nwol_sql.errors import Fault

Sheets = dict[str, str]


def sheets() -> Sheets:
    return {path.stem: path.read_text("utf-8") for path in VALLEY.glob("*.csv")}


def write(folder: Path, content: Sheets) -> Path:
    for name, text in content.items():
        (folder / f"{name}.csv").write_bytes(text.encode())
    return folder


def faults_of(folder: Path, content: Sheets, ruleset: str = "grid") -> list[Fault]:
    return find_faults(write(folder, content), ruleset)


def swap(name: str, old: str, new: str, count: int = 1) -> Sheets:
    content = sheets()
    assert old in content[name]
    content[name] = content[name].replace(old, new, count)
    return content


def add(name: str, *rows: str) -> Sheets:
    content = sheets()
    content[name] += "".join(row + "\n" for row in rows)
    return content


# The fault's check, the sheets, and each fault: severity, sheet, row, column, value, what the message
# says, nearest spelling. Rows as a spreadsheet numbers them: the headings are row 1.
FAULTS = [
    (
        "unknown_nations",
        swap("squares", "2,0,V", "2,0,v"),
        [("error", "squares", 4, "nation", "v", "does not list this nation", "V")],
    ),
    (
        "unknown_nations",
        swap("states", "C,V", "C,VV"),
        [("error", "states", 4, "nation", "VV", "does not list this nation", "V")],
    ),
    (
        "unknown_states",
        swap("control", "Ford,C,3", "Ford,CC,3"),
        [("error", "control", 2, "state", "CC", "does not list this state", "C")],
    ),
    (
        "unknown_states",
        swap("cities", "2,A", "2,a"),
        [("error", "cities", 2, "state", "a", "does not list this state", "A")],
    ),
    (
        "unknown_states",
        swap("alliances", "B,W,0", "BB,WW,0"),
        [
            ("error", "alliances", 4, "state_a", "BB", "does not list this state", "B"),
            ("error", "alliances", 4, "state_b", "WW", "does not list this state", "W"),
        ],
    ),
    (
        "unknown_states",
        swap("units", "Second Foot,A", "Second Foot,AA"),
        [("error", "units", 3, "state", "AA", "does not list this state", "A")],
    ),
    (
        "unknown_cities",
        swap("control", "Ford", "Fjord"),
        [("error", "control", 2, "city", "Fjord", "does not list this city", "Ford")],
    ),
    (
        "unknown_squares",
        swap("units", '"4,0"', '"4,9"'),
        [("error", "units", 2, "square", "4,9", "does not list this square", "4,0")],
    ),
    (
        "unknown_squares",
        swap("cities", "Mill,1,2", "Mill,1,20"),
        [("error", "cities", 4, "square", "1,20", "does not list this square", "1,0")],
    ),
    (
        "unreadable_square_names",
        swap("units", '"4,0"', "G7-V8"),
        [("error", "units", 2, "square", "G7-V8", "whole-number coordinates, x,y", None)],
    ),
    (
        "doubled_keys",
        add("states", "A,V,Abbey again,"),
        [("error", "states", 6, "state", "A", "already in row 2", None)],
    ),
    (
        "doubled_keys",
        add("nations", "V,Valley again,fragmented"),
        [("error", "nations", 4, "nation", "V", "already in row 2", None)],
    ),
    (
        "doubled_keys",
        add("squares", "0,2,V,"),
        [("error", "squares", 17, "square", "0,2", "already in row 12", None)],
    ),
    (
        "doubled_keys",
        add("cities", "Oak,2,1,,A"),
        [("error", "cities", 6, "city", "Oak", "already in row 2", None)],
    ),
    (
        "doubled_keys",
        add("units", 'Scouts,A,"0,0"'),
        [("error", "units", 5, "unit", "Scouts", "already in row 4", None)],
    ),
    (
        "cities_on_one_square",
        add("cities", "Elm,1,0,,A"),
        [("error", "cities", 6, "square", "1,0", "Oak (row 2) stands on this square", None)],
    ),
    (
        "cities_outside_nations",
        add("cities", "Elm,4,1,,A"),
        [("error", "cities", 6, "square", "4,1", "stands on a square of no nation", None)],
    ),
    (
        "cities_without_control",
        swap("cities", "Mill,1,2,1,A", "Mill,1,2,1,"),
        [("error", "cities", 4, "city", "Mill", "first turn, 0: sheet control has no row", None)],
    ),
    (
        "cities_without_control",
        swap("cities", "Ford,3,0,1,B", "Ford,3,0,1,"),
        [
            (
                "error",
                "cities",
                3,
                "city",
                "Ford",
                "its first row in sheet control is for turn 3",
                None,
            )
        ],
    ),
    (
        "contradicting_holders",
        add("control", "Ford,B,3"),
        [
            (
                "error",
                "control",
                3,
                "state",
                "B",
                "held by C in turn 3 already (sheet control, row 2)",
                None,
            )
        ],
    ),
    (
        "contradicting_holders",
        add("control", "Oak,B,"),
        [
            (
                "error",
                "control",
                3,
                "state",
                "B",
                "held by A in turn 0 already (sheet cities, row 2)",
                None,
            )
        ],
    ),
    (
        "repeated_holders",
        add("control", "Ford,C,3"),
        [("warning", "control", 3, "city", "Ford", "row 2 says the same", None)],
    ),
    (
        "contradicting_alliances",
        add("alliances", "A,B,2,true"),
        [
            (
                "error",
                "alliances",
                6,
                "allied",
                "true",
                "row 5 says the opposite of A and B in turn 2",
                None,
            )
        ],
    ),
    (
        "repeated_alliances",
        add("alliances", "B,A,0,1"),
        [("warning", "alliances", 6, "state_a", "A, B", "row 2 says the same", None)],
    ),
    (
        "self_alliances",
        add("alliances", "C,C,1,"),
        [("error", "alliances", 6, "state_b", "C", "cannot be allied with itself", None)],
    ),
    (
        "unclear_owners",
        add("states", "X,W,,"),
        [
            (
                "error",
                "nations",
                3,
                "state",
                None,
                "W is unitary and has 2 states: name the one",
                None,
            )
        ],
    ),
    (
        "unclear_owners",
        add("nations", "E,Empty,minor"),
        [("error", "nations", 4, "state", None, "E is unitary and has no state", None)],
    ),
    (
        "unclear_owners",
        {
            **sheets(),
            "nations": "nation,kind,state\nV,fragmented,\nW,unitary,A\n",
        },
        [("error", "nations", 3, "state", "A", "A does not belong to W", None)],
    ),
    (
        "unknown_kinds",
        swap("nations", "fragmented", "fragmentd"),
        [("error", "nations", 2, "kind", "fragmentd", "not one of major, minor", "fragmented")],
    ),
    (
        "not_whole_numbers",
        swap("squares", "3,1,V", "3,1.5,V"),
        [("error", "squares", 10, "y", "1.5", "y is not a whole number", None)],
    ),
    (
        "not_whole_numbers",
        swap("cities", "Mill,1,2", "Mill,one,2"),
        [("error", "cities", 4, "x", "one", "x is not a whole number", None)],
    ),
    (
        "not_whole_numbers",
        swap("cities", "Oak,1,0,2", "Oak,1,0,II"),
        [("error", "cities", 2, "level", "II", "level is not a whole number", None)],
    ),
    (
        "not_whole_numbers",
        swap("control", "Ford,C,3", "Ford,C,three"),
        [("error", "control", 2, "turn", "three", "turn is not a whole number", None)],
    ),
    (
        "not_whole_numbers",
        add("alliances", 'A,C,"1,000",'),
        [("error", "alliances", 6, "turn", "1,000", "turn is not a whole number", None)],
    ),
    (
        "not_whole_numbers",
        add("control", "Ford,A,99999999999"),
        [("error", "control", 3, "turn", "99999999999", "turn goes beyond 2,147,483,647", None)],
    ),
    (
        "not_whole_numbers",
        add("alliances", "A,C,-2147483649,"),
        [("error", "alliances", 6, "turn", "-2147483649", "turn goes beyond 2,147,483,647", None)],
    ),
    (
        "not_whole_numbers",
        swap("squares", "3,1,V", f"{10**20},1,V"),
        [("error", "squares", 10, "x", str(10**20), "x goes beyond a billion", None)],
    ),
    (
        "not_truth_values",
        swap("alliances", "yes", "maybe"),
        [("error", "alliances", 4, "allied", "maybe", "neither true nor false", None)],
    ),
    (
        "missing_values",
        add("control", "Ford,,4", ",C,4"),
        [
            ("error", "control", 3, "state", None, "the value is missing", None),
            ("error", "control", 4, "city", None, "the value is missing", None),
        ],
    ),
    (
        "missing_values",
        add("states", "D,,Dale,"),
        [("error", "states", 6, "nation", None, "the value is missing", None)],
    ),
    (
        "missing_places",
        add("squares", ",,V,hill", "7,,V,"),
        [
            ("error", "squares", 17, "square", None, "give its name, or x and y", None),
            ("error", "squares", 18, "y", None, "x and y go together", None),
        ],
    ),
    (
        "off_the_map",
        add("squares", "1000000001,0,V,"),
        [("error", "squares", 17, "x", "1000000001", "at most a billion", None)],
    ),
    (
        "off_the_map",
        add("squares", "0,-9223372036854775808,V,"),
        [("error", "squares", 17, "y", "-9223372036854775808", "at most a billion", None)],
    ),
    (
        "unreadable_colors",
        swap("states", "#993333", "brown"),
        [("error", "states", 3, "color", "brown", "#rrggbb", None)],
    ),
    (
        "nations_without_cities",
        {
            **add("nations", "U,Upland,fragmented"),
            "squares": sheets()["squares"] + "5,0,U,\n",
        },
        [("warning", "nations", 4, "nation", "U", "has squares but no city", None)],
    ),
    (
        "needless_owners",
        {**sheets(), "nations": "nation,kind,state\nV,,A\nW,unitary,\n"},
        [
            (
                "warning",
                "nations",
                2,
                "state",
                "A",
                "V is fragmented, so its squares are judged",
                None,
            )
        ],
    ),
    (
        "cities_without_control",
        {
            **{
                name: text
                for name, text in sheets().items()
                if name not in ("control", "alliances")
            },
            "cities": "city,x,y,state\nOak,1,0,\n",
        },
        [("error", "cities", 2, "city", "Oak", "first turn, 0: sheet control has no row", None)],
    ),
    (
        "left_examples",
        add("states", "XA,V,example: replace this row,"),
        [("warning", "states", 6, "name", "XA", "is still the example", None)],
    ),
    (
        "codes_alike",
        add("states", "a,V,,"),
        [("warning", "states", 6, "state", "a", "differs from A in letter case only", None)],
    ),
]


def assert_faults(found: list[Fault], expected: list[tuple[object, ...]]) -> None:
    places = [(f.severity, f.sheet, f.row, f.column, f.value, f.nearest) for f in found]
    assert places == [(*fault[:5], fault[6]) for fault in expected]
    for fault, (*_, problem, _nearest) in zip(found, expected, strict=True):
        assert str(problem) in fault.problem
        assert str(problem) in str(fault)


@pytest.mark.parametrize(("check", "content", "expected"), FAULTS)
def test_fault(
    tmp_path: Path, check: str, content: Sheets, expected: list[tuple[object, ...]]
) -> None:
    found = faults_of(tmp_path, content)
    assert_faults(found, expected)
    errors = [fault for fault in found if fault.severity == "error"]
    if errors:
        with pytest.raises(SheetError) as raised:
            Campaign.build(tmp_path, "grid")
        assert raised.value.faults == found
        assert str(errors[0]) in str(raised.value)
    else:
        with Campaign.build(tmp_path, "grid") as campaign:
            assert campaign.warnings == found


LETTERED = [
    (
        "contradicting_places",
        "square,x,y,nation\nA0-S0,0,0,GER\nA1-S0,2,0,GER\nA2-S0,2,3,GER\n",
        [
            ("error", "squares", 3, "x", "2", "A1-S0 is x=1, y=0, but the row says x=2, y=0", None),
            ("error", "squares", 4, "y", "3", "A2-S0 is x=2, y=0, but the row says x=2, y=3", None),
        ],
    ),
    (
        "unreadable_square_names",
        "square,nation\nA0-S0,GER\nM0-S0,GER\nA0S1,GER\nA0-S,GER\n",
        [
            (
                "error",
                "squares",
                3,
                "square",
                "M0-S0",
                "columns are A0 to L9 and its rows S0 to Z9",
                "A0-S0",
            ),
            ("error", "squares", 4, "square", "A0S1", "columns are A0 to L9", "A0-S0"),
            ("error", "squares", 5, "square", "A0-S", "columns are A0 to L9", "A0-S0"),
        ],
    ),
    (
        "off_the_map",
        "x,y,nation\n0,0,GER\n120,0,GER\n0,80,GER\n-1,0,GER\n",
        [
            (
                "error",
                "squares",
                3,
                "x",
                "120",
                "off the map, where x is 0 to 119 and y 0 to 79",
                None,
            ),
            ("error", "squares", 4, "y", "80", "lies off the map", None),
            ("error", "squares", 5, "x", "-1", "lies off the map", None),
        ],
    ),
]


@pytest.mark.parametrize(("check", "squares", "expected"), LETTERED)
def test_fault_in_square_names(
    tmp_path: Path, check: str, squares: str, expected: list[tuple[object, ...]]
) -> None:
    content = {
        "nations": "nation\nGER\n",
        "states": "state,nation\nBAV,GER\nSAX,GER\n",
        "squares": squares,
        "cities": "city,square,state\nUlm,A0-S0,BAV\n",
    }
    assert_faults(faults_of(tmp_path, content, "nwol"), expected)


def test_a_map_too_wide_for_exact_manhattan_distances(tmp_path: Path) -> None:
    content = add("squares", "-1000000000,-1000000000,V,", "1000000000,1000000000,V,")
    write(tmp_path, content)
    assert find_faults(tmp_path, "grid") == []
    (fault,) = find_faults(tmp_path, "grid", {"metric": "manhattan"})
    assert (fault.sheet, fault.row) == ("squares", 18)
    assert "span more than 3,000,000,000" in fault.problem


def test_every_check_has_a_fault_here() -> None:
    project = Project(load_ruleset("nwol").rulings)
    tested = {check for check, *_ in [*FAULTS, *LETTERED]} | {"map_too_wide"}
    assert tested == set(project.names(*CHECKS))


def test_every_check_says_its_severity() -> None:
    project = Project(load_ruleset("nwol").rulings)
    for name in project.names(*CHECKS):
        assert project.template(name).header[0].startswith(("Error: ", "Warning: "))


def test_all_faults_are_found_at_once(tmp_path: Path) -> None:
    content = swap("control", "Ford,C,3", "Fort,D,x")
    content["squares"] = content["squares"].replace("2,0,V", "2,0,Q").replace("3,1,V,", "3,1")
    content["units"] = content["units"].replace("Scouts,A", "Scouts,")
    found = faults_of(tmp_path, content)
    assert [(fault.sheet, fault.row, fault.column) for fault in found] == [
        ("squares", 4, "nation"),
        ("squares", 10, None),
        ("control", 2, "city"),
        ("control", 2, "state"),
        ("control", 2, "turn"),
        ("units", 4, "state"),
    ]
    assert {fault.severity for fault in found} == {"error"}


def test_a_sheet_that_cannot_be_read_hides_no_faults_of_others(tmp_path: Path) -> None:
    content = swap("control", "Ford,C,3", "Fort,D,x")
    content["units"] = "unit,state\nScouts,Z\n"
    content["nations"] = content["nations"].replace("fragmented", "fragment")
    assert [(fault.sheet, fault.row, fault.column) for fault in faults_of(tmp_path, content)] == [
        ("nations", 2, "kind"),
        ("control", 2, "city"),
        ("control", 2, "state"),
        ("control", 2, "turn"),
        ("units", 1, None),
    ]
    content["states"] = "state\nA\n"
    # Without the states nothing can be said of those that other sheets name.
    assert [(fault.sheet, fault.row, fault.column) for fault in faults_of(tmp_path, content)] == [
        ("nations", 2, "kind"),
        ("states", 1, None),
        ("control", 2, "city"),
        ("control", 2, "turn"),
        ("units", 1, None),
    ]


def test_a_bad_value_after_many_good_rows_is_found(tmp_path: Path) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerows([x, y, "V", ""] for x in range(5, 205) for y in range(305))
    content = add("squares", *buffer.getvalue().split("\r\n")[:-1], "7,0.25,V,")
    (fault,) = faults_of(tmp_path, content)
    assert (fault.row, fault.column, fault.value) == (61017, "y", "0.25")


def test_units_where_they_may_not_deploy_are_warned_about(tmp_path: Path) -> None:
    content = sheets()
    content["units"] = (
        'unit,state,square\nAllied,W,"0,1"\nAt home,A,"0,0"\nTorn,A,"2,0"\nAt sea,B,"4,1"\n'
    )
    found = faults_of(tmp_path, content)
    assert [(fault.severity, fault.row, fault.value) for fault in found] == [
        ("warning", 2, "0,1"),
        ("warning", 4, "2,0"),
        ("warning", 5, "4,1"),
    ]
    place = "may not deploy here in peacetime: the square is"
    assert [fault.problem for fault in found] == [
        f"Allied (W) {place} owned by A",
        f"Torn (A) {place} unowned",
        f"At sea (B) {place} outside all nations",
    ]
    found = find_faults(tmp_path, "grid", {"owner_allies_deploy": "true"})
    assert [fault.row for fault in found] == [4, 5]


def test_the_bundled_campaigns_have_no_errors() -> None:
    for name in ("nwol", "amwol"):
        found = find_faults(SEEDS / name, name)
        assert [(fault.severity, fault.sheet, fault.column) for fault in found[:2]] == [
            ("warning", "cities", "lat"),
            ("warning", "cities", "lon"),
        ]
        with Campaign.build(SEEDS / name, name) as campaign:
            ((misplaced,),) = campaign.sql(
                "select count(*) from unit_positions where not may_deploy"
            ).fetchall()
        assert len(found) == 2 + misplaced
        assert {fault.sheet for fault in found[2:]} == {"units"}

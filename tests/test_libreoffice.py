"""The workbooks in a spreadsheet program: LibreOffice opens them, and what it saves is read right."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import openpyxl
import pytest

from nwol_sql import Campaign
from nwol_sql.check import find_faults
from nwol_sql.export import export_results
from tests.conftest import SEEDS
from tests.test_workbooks import MAP, MATRIX, cells, save

if TYPE_CHECKING:
    from pathlib import Path

OFFICE = shutil.which("soffice") or shutil.which("libreoffice")

# CI sets the variable, so that there the tests cannot be skipped.
pytestmark = pytest.mark.skipif(
    OFFICE is None and not os.environ.get("NWOL_SQL_LIBREOFFICE"),
    reason="LibreOffice is not installed",
)


def convert(path: Path, kind: str, folder: Path) -> Path:
    assert OFFICE is not None, "LibreOffice is not installed"
    subprocess.run(
        [
            OFFICE,
            f"-env:UserInstallation={(folder / 'profile').as_uri()}",
            "--headless",
            "--convert-to",
            kind,
            "--outdir",
            folder,
            path,
        ],
        check=True,
        capture_output=True,
        timeout=300,
    )
    return folder / f"{path.stem}.{kind.partition(':')[0]}"


def test_results_open_with_every_cell_right(tmp_path: Path) -> None:
    with Campaign.build(SEEDS / "nwol", "nwol") as campaign:
        export_results(campaign, tmp_path / "results.xlsx")
        # Sheet 1, Ownership, as CSV: commas, quotes, UTF-8, cells as shown.
        text = convert(
            tmp_path / "results.xlsx", "csv:Text - txt - csv (StarCalc):44,34,76", tmp_path
        )
        with text.open(encoding="utf-8", newline="") as file:
            heading, *rows = csv.reader(file)
        view = campaign.sql(f"select {', '.join(heading)} from ownership order by y, x")
        expected = [
            [
                "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
                for value in row
            ]
            for row in view.fetchall()
        ]
    assert rows == expected
    # As a document: the map alone, for the tables fill hundreds of pages.
    book = openpyxl.load_workbook(tmp_path / "results.xlsx")
    for name in book.sheetnames:
        if name != "Map":
            del book[name]
    book.save(tmp_path / "map.xlsx")
    assert convert(tmp_path / "map.xlsx", "pdf", tmp_path).read_bytes().startswith(b"%PDF")


def test_results_saved_as_ods_can_be_built_from_again(tmp_path: Path) -> None:
    query = "select * from ownership_by_turn order by turn, square"
    with Campaign.build(SEEDS / "nwol", "nwol") as campaign:
        export_results(campaign, tmp_path / "results.xlsx")
        verdicts = campaign.sql(query).fetchall()
    with Campaign.build(convert(tmp_path / "results.xlsx", "ods", tmp_path), "nwol") as again:
        assert again.sql(query).fetchall() == verdicts


def test_ods_matrices_maps_and_traps(tmp_path: Path) -> None:
    save(tmp_path / "good.xlsx", {**cells(), "alliances": MATRIX, "squares": MAP})
    assert find_faults(convert(tmp_path / "good.xlsx", "ods", tmp_path), "grid") == []
    path = save(tmp_path / "bad.xlsx", cells())
    book = openpyxl.load_workbook(path)
    book["squares"]["C8"] = "=NA()"
    book["squares"].merge_cells("C13:C14")
    book["control"]["B2"] = True
    book.save(path)
    found = find_faults(convert(path, "ods", tmp_path), "grid")
    assert [(fault.sheet, fault.row, fault.column) for fault in found] == [
        ("squares", 8, "nation"),
        ("squares", 13, "nation"),
        ("control", 2, "state"),
    ]
    assert "C8 holds an error" in found[0].problem
    assert "C13:C14 are merged" in found[1].problem

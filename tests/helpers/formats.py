"""Small tables in the formats of other programs."""

import gzip
import io
import tempfile
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pyreadstat


def workbook(**sheets) -> bytes:
    """An Excel workbook of sheets, each a list of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def archive(**files) -> bytes:
    """A zip archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return packed.getvalue()


def spss(frame: pd.DataFrame, **about) -> bytes:
    """A file of SPSS."""
    return _written(pyreadstat.write_sav, frame, ".sav", about)


def stata(frame: pd.DataFrame, **about) -> bytes:
    """A file of Stata."""
    return _written(pyreadstat.write_dta, frame, ".dta", about)


def _written(write, frame: pd.DataFrame, ending: str, about: dict) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{ending}"
        write(frame, path, **about)
        return path.read_bytes()


PEOPLE = [["age", "sex"], [20, "F"], [39.0, "M"], [None, "F"]]
PEOPLE_FRAME = pd.DataFrame({"age": [20.0, 39.0, None], "sex": [1.0, 2.0, 1.0]})
SEX_LABELS = {"variable_value_labels": {"sex": {1: "F", 2: "M"}}}
PEOPLE_CSV = b"age,sex\n20,F\n39,M\n,F\n"
PEOPLE_JSON = b'{"age": 20, "sex": "F"}\n{"age": 39, "sex": "M"}\n{"sex": "F"}\n'
FILES = {
    "people.csv": PEOPLE_CSV,
    "people.csv.gz": gzip.compress(PEOPLE_CSV, mtime=0),
    "people.zip": archive(**{"data/people.csv": PEOPLE_CSV, "__MACOSX/._people.csv": b"\0"}),
    "people.jsonl": PEOPLE_JSON,
    "people.json": b"[" + PEOPLE_JSON.strip().replace(b"\n", b",\n") + b"]",
    "people.xlsx": workbook(People=PEOPLE),
    "people.sav": spss(PEOPLE_FRAME, **SEX_LABELS),
    "people.dta": stata(PEOPLE_FRAME, **SEX_LABELS),
}

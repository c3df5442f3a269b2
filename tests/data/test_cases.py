"""Small files that went wrong once: what is proposed for each, what is said, and what comes back.

The files are not part of the project; where they are absent the tests skip.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from mwem_core.__main__ import main
from mwem_core.data.code_books import first_schema
from mwem_core.data.encoding import encode
from mwem_core.data.files import read_table
from mwem_core.data.records import Records
from mwem_core.domain.domain import Domain
from mwem_core.release.files import rows_csv

CASES = Path(__file__).parents[3] / "shared" / "cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason=f"the small files are not at {CASES}")

WHOLE = r"\d+\.0|"
PROPOSED = {  # by file: by column, what its rows look like
    "codes.csv": {"sex": "F|M", "zip": "own", "naics": "own"},
    "columns.json": {"SEQN": r"9370[3-6]", "RIDAGEYR": r"3[7-9]|4[0-4]", "BMXBMI": "own"},
    "comments.csv": {"sex": "F|M", "age": r"[3-6]", "smoke": "no|yes"},
    "count_zero.csv": {"sex": "F|M", "count": r"[012]"},
    "countries.csv": {"country": "own", "income": "low|high"},
    "dash.csv": {"sex": "F|M", "result": "own"},
    "dates.csv": {
        "sex": "F|M",
        "tz": r"2021-03-\d\dT\d\d:\d\d:00\+01:00",
        "ampm": r"03/\d\d/2021 \d\d:\d\d [AP]M",
        "mon": r"\d\d-Mar-2021",
        "two": r"03/\d\d/21",
        "end": r"2021-03-\d\d|9999-12-31",
        "mixed": r"2021-03-\d\d|unknown",
    },
    "int_nan.csv": {"sex": "F|M", "visits": WHOLE, "pulse": WHOLE, "year": WHOLE},
    "lon.csv": {"sex": "F|M", "longitude": r"-11[78]\.\d{1,3}"},
    "merged_header.xlsx": {"sex": "F|M", "age": r"\d\d", "math": r"\d{1,2}", "read": r"\d{1,2}"},
    "money.csv": {
        "sex": "F|M",
        "salary": r"\$1,\d{3}\.\d\d",
        "pct": r"\d+\.\d%",
        "balance": r"\d+(\.\d+)?|\(\d+(\.\d+)?\)",
    },
    "nhanes_like.xpt": {"RIAGENDR": "[12]", "RIDAGEYR": r"\d\d", "BMXBMI": r"\d\d\.\d"},
    "no_header.csv": {"column_1": r"[34]\d|5\d", "column_2": "F|M", "column_3": "no|yes", "column_4": r"[12]\d{4}"},
    "numbers.csv": {
        **{"sex": "F|M", "lat": r"4[78]\.\d{6}", "lon": r"-122\.\d{6}", "out": r"\d\d|1000000000"},
        **{"sci": r"\d\.\d{3}e-\d\d", "p": r"0\.\d+", "neg": r"-?\d{1,2}", "cents": "own", "pop": r"\d{8,9}"},
        **{"plus": r"[-+]\d", "half": "own", "dur": r"\d{1,2}:[0-5]\d", "hms": r"\d:[0-5]\d:[0-5]\d"},
    },
    "refused.csv": {"sex": "F|M", "income": r"1\d{3}|refused", "crp": r"[5-7]\.\d|<5", "bmi": r"2\d\.\d|<NA>"},
    "sep.csv": {"sex": "F|M", "age": "own"},
    "survey_3_header_rows.csv": {"Q1": "Male|Female", "Q2": "[1-5]", "Q3": r"[2-4]\d"},
    "temp_c.csv": {"sex": "F|M", "temp_c": r"3[6-9]\.\d|40\.\d"},
    "trailing_commas.csv": {"sex": "F|M", "age": r"3\d"},
    "two_missing.csv": {"sex": "F|M", "a": "[567]|"},
    "us_dates.csv": {"sex": "F|M", "visit": r"\d\d/\d\d/2021"},
}
READING = {"no_header.csv": {"header": False}}
SAID = {  # on standard error by `mwem schema`
    "comments.csv": "Left out: 2 lines of comments above the column names.",
    "count_zero.csv": "name it with --count count",
    "countries.csv": "'country' has 110 values, 3 rows each on average",
    "dates.csv": "'end' has dates, but for '9999-12-31' (17 rows); --take 'end=Own categories' or 'end=Missing'",
    "merged_header.xlsx": "The column names stand in 2 rows: the lowest is used.",
    "nhanes_like.xpt": "'SEQN' has a different whole number in every row: an identifier",
    "no_header.csv": "The first row looks like data (43, F, no, 19813): --no-header reads it as a record",
    "numbers.csv": "'out' has numbers, but for '1000000000' (1 row)",
    "refused.csv": "'income' has numbers, but for 'refused' (1 row); --take 'income=Own categories'",
    "sep.csv": "Left out: the first line, which says what divides the cells.",
    "survey_3_header_rows.csv": "Left out: 2 rows below the column names, in which a survey platform writes",
    "trailing_commas.csv": "Left out: 2 columns without a name and without values.",
    "us_dates.csv": "12/01/2021 may be 12 January or 1 December: read as day first",
}


def test_every_small_file_is_here():
    assert {path.name for path in CASES.iterdir()} == {*PROPOSED}


@pytest.mark.parametrize("name", PROPOSED)
def test_rows_of_a_small_file_are_such_as_its_own(name):
    table = read_table(CASES / name, **READING.get(name, {}))
    domain = first_schema(table).domain
    assert {*domain.names} == PROPOSED[name].keys()
    B = encode(table, domain, count=None)
    assert B.total == table.num_rows
    codes = tuple(np.arange(300).astype(np.int64) * 7 % attribute.size for attribute in domain.attributes)
    rows = Records(domain, codes)
    written = read_table(rows_csv(rows, np.random.default_rng(0), plain=True))
    again = encode(written, domain, count=None)
    assert all(np.array_equal(a, b) for a, b in zip(rows.codes, again.codes, strict=True))
    for column, form in PROPOSED[name].items():
        original = {text or "" for text in table[column].to_pylist()}
        drawn = {text or "" for text in written[column].to_pylist()}
        odd = drawn - original if form == "own" else {text for text in drawn if not re.fullmatch(form, text)}
        assert not odd, f"{column}: {sorted(odd)[:5]}"


@pytest.mark.parametrize("name", PROPOSED)
def test_the_command_line_says_what_it_saw_and_writes_the_proposed_schema(name, capsys):
    main(["schema", "--table", str(CASES / name)])
    out, said = capsys.readouterr()
    assert Domain.from_toml(out) == first_schema(read_table(CASES / name)).domain
    assert SAID.get(name, "NOT PRIVATE") in said

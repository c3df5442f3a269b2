from pathlib import Path

import pytest

from mwem_app.inputs.schema_rows import domain_of, rows_of
from mwem_core.domain import Attribute, Domain
from mwem_core.forms import NumberStyle
from mwem_core.values import Codes, Dates, Edges, Range, Values

SAMPLES = sorted((Path(__file__).parents[3] / "sample_data").glob("*.toml"))
AWKWARD = Domain(
    (
        Attribute("commas, too", Values(("a, b", 'say "c"', "", "d")), missing="?", other=True),
        Attribute("grid", Range(-5, 99, 10), missing=""),
        Attribute("bins", Edges((0.5, 1.0, 2.25)), other=True),
        Attribute("rounded", Edges((0.5, 1.0, 2.25), NumberStyle(2))),
        Attribute("even", Range(0, 99, 20, NumberStyle(0))),
        Attribute("icd", Codes(("A00", "A01", "B, 2"), 1), missing="?"),
        Attribute("month", Dates(("2019-01-01", "2024-12-31"), "month", "DD.MM.YYYY")),
        Attribute("era", Dates(("1900-01-01", "1950-01-01", "2000-01-01"), form="M/D/YYYY HH:MM"), other=True),
        Attribute("bits", Range(0, 1)),
    )
)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_rows_say_all_that_a_sample_schema_says(path):
    domain = Domain.from_toml(path.read_text(encoding="utf-8"))
    assert domain_of(rows_of(domain, {})) == domain


def test_rows_say_all_that_an_awkward_schema_says():
    assert domain_of(rows_of(AWKWARD, {})) == AWKWARD


def test_columns_left_out_are_listed_with_their_reason_and_not_in_use():
    rows = rows_of(AWKWARD, {"id": "has a value a row", "bins": "is there already"})
    assert [row["name"] for row in rows if not row["use"]] == ["id"]
    assert rows[-1]["why"] == "has a value a row"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "bins", "values": "1, x"}, "attribute 'bits': bins are numbers separated by commas"),
        ({"kind": "bins", "values": "2, 1"}, "attribute 'bits': edges must increase"),
        ({"kind": "whole numbers", "values": "1-5"}, "write low..high, as in 0..99 or 0..99 by 10, got '1-5'"),
        ({"kind": "whole numbers", "values": "9..5"}, "range is reversed"),
        ({"kind": "whole numbers", "values": "0..9 by 0"}, "width must be a whole number from 1 up"),
        ({"kind": "bins", "values": "0..9 lg"}, "write bins as 17, 25, 90, or as 0..100 by 10, 0..100 equal or"),
        ({"kind": "bins", "values": "0, 1, 9", "decimals": "x"}, "decimals must be a whole number, got 'x'"),
        ({"kind": "grouped codes", "values": "A, B"}, "write the number of characters and the codes, as in first 3:"),
        ({"kind": "dates", "values": "2019"}, "write first..last by month, as in 2019-01-01..2024-12-31 by month"),
        (
            {"kind": "dates", "values": "2019-01-01..2020-01-01 by moon"},
            "by must be one of hour, day, week, month",
        ),
        ({"kind": "categories", "values": "one"}, "fewer than two possible values"),
        ({"kind": "categories", "values": None}, "fewer than two possible values"),
        ({"kind": "categories", "values": "a, b, a"}, "values list 'a' twice"),
    ],
)
def test_a_row_that_cannot_be_read_is_told_with_its_name(change, sentence):
    rows = rows_of(AWKWARD, {})
    with pytest.raises(ValueError, match="'bits'") as error:
        domain_of([*rows[:-1], {**rows[-1], **change}])
    assert sentence in str(error.value)


def test_a_schema_of_no_row_is_refused():
    with pytest.raises(ValueError, match="tick at least one"):
        domain_of([{**row, "use": False} for row in rows_of(AWKWARD, {})])


MEASURED = """
[[attribute]]
name = "gain"
range = [0, 99999]
measured_bins = 16
missing = "?"
[[attribute]]
name = "price"
range = [0.5, 99.5]
decimals = 1
measured_bins = 7
[[attribute]]
name = "weight"
range = [0, 9999]
width = 10
decimals = 0
measured_bins = 4
"""


def test_rows_say_all_of_bins_to_be_measured():
    domain = Domain.from_toml(MEASURED)
    rows = rows_of(domain, {})
    assert [row["values"] for row in rows] == ["0..99999 in 16", "0.5..99.5 in 7", "0..9999 by 10 in 4"]
    assert domain_of(rows) == domain


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ("0, x", "bins are numbers separated by commas"),
        ("", "measured bins need the ends of a range, as in 0..99999 or 0..99999 in 16"),
        ("0..9.5", "the range of measured bins ends at 9.5: declare its decimals, or whole numbers"),
        ("0..9 in 10", "measured_bins asks for 10 bins, but 9 are the most that the range has"),
    ],
)
def test_bins_to_be_measured_that_cannot_be_read_are_told(values, sentence):
    row = {**rows_of(Domain.from_toml(MEASURED), {})[0], "values": values}
    with pytest.raises(ValueError, match=r"^attribute 'gain': ") as error:
        domain_of([row])
    assert sentence in str(error.value)

from pathlib import Path

import pytest

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import Edges, Range, Values
from ui.inputs.schema_rows import domain_of, rows_of

SAMPLES = sorted((Path(__file__).parents[3] / "sample_data").glob("*.toml"))
AWKWARD = Domain(
    (
        Attribute("commas, too", Values(("a, b", 'say "c"', "", "d")), missing="?", other=True),
        Attribute("grid", Range(-5, 99, 10), missing=""),
        Attribute("bins", Edges((0.5, 1.0, 2.25)), other=True),
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

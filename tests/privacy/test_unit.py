import pytest
from messages import exactly

from mwem_core.privacy.unit import RECORD, Unit


def test_a_unit_says_what_neighbours_differ_by():
    assert RECORD.neighbours == "add or remove one record"
    person = "add or remove one person, named by column 'patient', of whom at most"
    assert Unit("patient").neighbours == f"{person} 1 record is kept"
    assert Unit("patient", 1000).neighbours == f"{person} 1,000 records are kept"


@pytest.mark.parametrize(
    ("text", "unit"),
    [("patient:10000", Unit("patient", 10_000)), (" the id :1", Unit("the id")), ("a:b:12", Unit("a:b", 12))],
)
def test_a_unit_is_read_from_a_column_and_a_limit(text, unit):
    assert Unit.parse(text) == unit


@pytest.mark.parametrize("text", ["", "patient", ":3", " :3", "patient:", "patient:x", "patient:-1", "patient:²"])
def test_another_text_is_refused(text):
    message = f"the unit must be COLUMN:C, such as patient:3 for at most 3 records each, got {text!r}"
    with pytest.raises(ValueError, match=exactly(message)):
        Unit.parse(text)


@pytest.mark.parametrize("records", [0, -1, 1.0, True, 10_001])
def test_a_limit_that_is_no_whole_number_from_1_to_10_000_is_refused(records):
    message = f"the records of a person must be a whole number from 1 to 10,000, got {records!r}"
    with pytest.raises(ValueError, match=exactly(message)):
        Unit("patient", records)


def test_a_limit_needs_a_column():
    message = "a limit of records needs the column that names the person of each record"
    with pytest.raises(ValueError, match=exactly(message)):
        Unit("", 2)

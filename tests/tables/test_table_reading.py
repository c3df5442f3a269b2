"""In a release, an error names a column of the schema, and shows no value and no count of the table."""

import re

import pyarrow as pa
import pytest
from messages import exactly
from people import PEOPLE, codes, parquet

from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import encode, encode_unit
from mwem_core.privacy import Unit
from mwem_core.tables import TableProblem, read_table, without_values
from mwem_core.tables.table_reading import UNREADABLE
from mwem_core.values import Range, Values

REMEDIES = "correct them, or widen the schema, declare them missing, or set other = true"
AGE_OUTSIDE = f"column 'age' has values outside the schema: it expects a number from 17 to 90; {REMEDIES}"
SEX_OUTSIDE = f"column 'sex' has values outside the schema: it expects one of 'F', 'M'; {REMEDIES}"
COUNT = "; correct them, or take the column as an attribute"
TAKE_OUT = "or take the attribute out of the schema"

BAD_TABLES = {
    "a value outside": (b"age,sex\n20,SECRET\n20,F\n", SEX_OUTSIDE),
    "an empty cell": (b"age,sex\n20,\n20,F\n", SEX_OUTSIDE),
    "a number outside": (b"age,sex\n777.77,F\n20,F\n", AGE_OUTSIDE),
    "no number": (b"age,sex\nSECRET,F\n20,F\n", AGE_OUTSIDE),
    "NaN": (parquet(age=[20.0, float("nan")], sex=["F", "F"]), AGE_OUTSIDE),
    "a null": (parquet(age=[20.0, None], sex=["F", "F"]), AGE_OUTSIDE),
    "another type": (parquet(age=[True, False], sex=["F", "F"]), AGE_OUTSIDE),
    "lists": (
        parquet(age=[[20], [777]], sex=["F", "F"]),
        "column 'age' holds values that are not text or numbers; leave it out of the schema",
    ),
    "no header": (b"20,SECRET\n30,F\n", f"the table has no column 'age'; add it, {TAKE_OUT}"),
    "a similar header": (b"Age,sex\n20,F\n", f"the table has no column 'age'; add it, {TAKE_OUT}"),
    "bad weights": (b"age,sex,count\n20,F,-777\n", f"column 'count' must hold whole numbers from 0 up{COUNT}"),
    "too many": (
        f"age,sex,count\n20,F,{2**54}\n".encode(),
        "column 'count' adds up to too many records; it must be at most 2^53",
    ),
    "a ragged row": (b"age,sex\n20,F,SECRET\n20,F\n", UNREADABLE),
    "an open quote": (b'age,sex\n20,"SECRET\n20,F\n', UNREADABLE),
    "binary data": (b"age,sex\n20,SECRET\x00\n", UNREADABLE),
    "no rows": (b"age,sex\n", UNREADABLE),
    "a damaged file": (b"PAR1 SECRET", UNREADABLE),
}


def count_of(data: bytes) -> str | None:
    return "count" if b"count" in data else None


@pytest.mark.parametrize("table", BAD_TABLES)
def test_in_a_release_an_error_names_the_column_and_shows_no_value(table):
    data, message = BAD_TABLES[table]
    with pytest.raises(ValueError, match=exactly(message)) as caught:
        without_values(lambda: encode(read_table(data), PEOPLE, count=count_of(data)))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None  # nor is the first error reached from the second


@pytest.mark.parametrize("table", [name for name, (data, _) in BAD_TABLES.items() if not data.startswith(b"PAR1")])
def test_two_tables_with_the_same_fault_get_the_same_message(table):
    """The message cannot hold a count or a value: a table of other values, three times as long, has the same."""
    data, message = BAD_TABLES[table]
    header, *rows = data.splitlines(keepends=True)
    changed = [re.sub(rb"SECRET|777", b"OTHER 888", row) for row in rows] * 3
    with pytest.raises(ValueError, match=exactly(message)):
        without_values(lambda: encode(read_table(header + b"".join(changed)), PEOPLE, count=count_of(data)))


def test_exploring_still_shows_the_values():
    with pytest.raises(TableProblem, match=r"has 1 row outside the schema \(for example 'SECRET'\)"):
        encode(read_table(b"age,sex\n20,SECRET\n"), PEOPLE)


def test_a_person_s_column_that_is_not_there_is_named_without_those_that_are():
    message = "the table has no column 'id' that names the person of each record"
    with pytest.raises(ValueError, match=exactly(message)):
        without_values(lambda: encode_unit(read_table(b"SECRET id,age,sex\n1,20,F\n"), PEOPLE, Unit("id")))


def test_any_other_exception_is_silent_too():
    with pytest.raises(ValueError, match=exactly(UNREADABLE)):
        without_values(lambda: pa.array(["SECRET"]).cast(pa.int64()))


def test_what_is_outside_the_schema_goes_to_a_declared_catch_all():
    """Unknown texts, empty cells, nulls, NaN, infinities and numbers that cannot be read."""
    domain = Domain((Attribute("sex", Values(("F", "M")), other=True), Attribute("age", Range(0, 9), other=True)))
    table = read_table(parquet(sex=["F", "SECRET", "", None], age=["3", "NaN", "-inf", "3 years"]))
    assert codes(without_values(lambda: encode(table, domain))) == [[0, 2, 2, 2], [3, 10, 10, 10]]

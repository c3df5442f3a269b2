"""A column of counts is named by the user, and its name alone says nothing."""

import pytest
from messages import exactly
from people import PEOPLE, codes

from mwem_core.encoding import CountPolicy, count_column, encode, encode_unit, likely_count, read_rows, records_of
from mwem_core.privacy import Unit
from mwem_core.schemas import first_schema
from mwem_core.tables import read_table
from mwem_core.values import Range

TABLE = read_table(b"age,sex,count,Freq\n20,F,3,1\n20,M,0,2.0\n30,M,4,0\n")
ASK = (
    "the table has a column 'count' that is no attribute: say whether it holds the number of records of each row"
    " (--count count; in Python count='count') or not (--count none; in Python count=None)"
)


def test_the_column_that_is_named_holds_the_numbers_of_records_and_rows_of_none_are_dropped():
    records = encode(TABLE, PEOPLE, count="count")
    assert (records.total, codes(records), records.weights.tolist()) == (7, [[0, 1], [0, 1]], [3, 4])
    assert encode(TABLE, PEOPLE, count="Freq").weights.tolist() == [1, 2]


def test_without_one_each_row_is_a_record():
    records = encode(TABLE, PEOPLE, count=None)
    assert (records.total, records.weights) == (3, None)


def test_what_a_likely_name_means_has_to_be_said():
    with pytest.raises(ValueError, match=exactly(ASK)):
        read_rows(TABLE, PEOPLE)
    with pytest.raises(ValueError, match=exactly(ASK)):
        encode(TABLE, PEOPLE)
    with pytest.raises(ValueError, match=exactly(ASK)):
        encode_unit(TABLE, PEOPLE, Unit("age"))
    assert encode_unit(TABLE, PEOPLE, Unit("age"), count=None).total == 2
    assert likely_count(["age", "N"], ["age"]) == "N"
    assert count_column(["age", "count"], ["count"], CountPolicy.REFUSED) is None


def test_a_name_that_is_no_column_or_an_attribute_is_refused():
    with pytest.raises(ValueError, match=r"^the table has no column 'counts' that holds .*did you mean 'count'"):
        encode(TABLE, PEOPLE, count="counts")
    with pytest.raises(ValueError, match=r"^column 'sex' is an attribute of the schema and cannot also be the number"):
        encode(TABLE, PEOPLE, count="sex")


def test_whole_numbers_are_counts_however_they_are_written():
    assert [records_of(text) for text in ("0", "007", "3.0", "3.", "-1", "1.5", "", "9" * 5000, "²")] == [
        *(0, 7, 3, 3),
        *[None] * 5,
    ]


def test_a_person_s_own_number_is_proposed_as_an_attribute_unless_it_is_named():
    table = read_table(b"sex,count\n" + b"".join(b"%s,%d\n" % (b"FM"[i % 2 :][:1], i % 3) for i in range(26)))
    proposed = first_schema(table)
    assert proposed.domain.attributes[1].value_set == Range(0, 2)
    assert encode(table, proposed.domain).total == 26
    assert encode(table, proposed.domain.project(["sex"]), count=None).total == 26
    named = first_schema(table, count="count")
    assert (named.domain.names, named.left_out) == (("sex",), {"count": "holds the number of records of each row"})

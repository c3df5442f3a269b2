import numpy as np
import pytest
from messages import exactly
from people import AGE, PEOPLE, SEX, codes, parquet, people

from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import encode
from mwem_core.tables import read_table
from mwem_core.values import Range, Values

ADD = "add it, or take the attribute out of the schema"
OUTSIDE = "; correct them, or widen the schema, declare them missing, or set other = true"


def test_blanks_around_values_and_headers_do_not_count():
    assert codes(people(" age, sex\n 20 ,F\n30,  M \n20,F ")) == [[0, 1, 0], [0, 1, 0]]


def test_columns_that_the_schema_does_not_name_are_ignored():
    records = people("id,sex,age\n1,F,20\n2,M,30\n")
    assert records.domain == PEOPLE
    assert codes(records) == [[0, 1], [0, 1]]


def test_cells_stay_text_so_that_leading_zeros_count():
    domain = Domain((Attribute("zip", Values(("007", "7"))),))
    assert codes(encode(read_table(b"zip\n007\n7\n"), domain)) == [[0, 1]]


def test_parquet_and_csv_of_one_table_become_the_same_records():
    csv = people("age,sex\n20,F\n30,M\n35,M\n")
    arrow = encode(read_table(parquet(age=[20.0, 30.0, 35.0], sex=["F", "M", "M"])), PEOPLE)
    assert codes(csv) == codes(arrow) == [[0, 1, 2], [0, 1, 1]]


@pytest.mark.parametrize(
    ("csv", "message"),
    [
        (
            "age,gender\n20,F\n",
            "the table has no column 'sex'; add it, or take the attribute out of the schema; there are 'age', 'gender'",
        ),
        (
            "Age,sex\n20,F\n",
            "the table has no column 'age'; add it, or take the attribute out of the schema; did you mean 'Age'?",
        ),
        (
            "age,sex\n20,x\n20,x\n20,y\n20,\n20,F\n20,z\n",
            "column 'sex' has 5 rows outside the schema (for example 'x', 'y', '', an empty cell):"
            " it expects one of 'F', 'M'" + OUTSIDE,
        ),
        (
            "age,sex\n16.5,F\n20,F\n",
            "column 'age' has 1 row outside the schema (for example '16.5'): it expects a number from 17 to 90"
            + OUTSIDE,
        ),
        (
            "age,sex\ntwenty,F\nNaN,F\n-inf,F\n",
            "column 'age' has 3 rows outside the schema (for example 'twenty', 'NaN', '-inf'):"
            " it expects a number from 17 to 90" + OUTSIDE,
        ),
        (
            "age,sex,count\n20,F,-1\n20,M,1.5\n20,M,\n",
            "column 'count' must hold whole numbers from 0 up, got '-1', '1.5', '', an empty cell;"
            " correct them, or take the column as an attribute",
        ),
        (
            f"age,sex,count\n20,F,{2**53}\n20,M,1\n",
            "column 'count' adds up to too many records; it must be at most 2^53",
        ),
    ],
)
def test_a_table_that_does_not_fit_the_schema_is_refused(csv, message):
    count = "count" if "count" in csv else None
    with pytest.raises(ValueError, match=exactly(message)):
        encode(read_table(csv.encode()), PEOPLE, count=count)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused_in_parquet_unless_declared_missing(bad):
    table = read_table(parquet(age=[20.0, bad]))
    with pytest.raises(ValueError, match=rf"^column 'age' has 1 row outside the schema \(for example '{bad}'\)"):
        encode(table, Domain((AGE,)))
    assert codes(encode(table, Domain((Attribute("age", AGE.value_set, missing=str(bad)),)))) == [[0, 3]]


def test_a_column_of_lists_is_refused_only_when_the_schema_names_it():
    table = read_table(parquet(age=[20], sex=["F"], tags=[["a", "b"]], raw=[b"\xff"]))
    assert encode(table, PEOPLE).total == 1
    with pytest.raises(ValueError, match=r"^column 'tags' holds list<.*>, not text or numbers; leave it out of the"):
        encode(table, Domain((Attribute("tags", Values(("a", "b"))),)))


def test_codes_take_the_smallest_integer_type():
    domain = Domain(tuple(Attribute(name, Range(0, high)) for name, high in (("a", 255), ("b", 256), ("c", 65536))))
    records = encode(read_table(b"a,b,c\n255,256,65536\n"), domain)
    assert [column.dtype for column in records.codes] == [np.uint8, np.uint16, np.uint32]
    assert codes(records) == [[255], [256], [65536]]


def test_a_declared_catch_all_takes_every_other_text():
    domain = Domain((Attribute("sex", SEX.value_set, missing="", other=True),))
    assert codes(encode(read_table(b"sex,x\nF,1\n,1\nx,1\n"), domain)) == [[0, 2, 3]]

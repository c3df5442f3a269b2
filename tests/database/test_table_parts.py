"""Tables read in parts: weights count, and values outside the schema are refused with examples."""

import re

import pyarrow as pa
import pytest
from awkward_table import AB, assert_same_marginals, error_of, write

from mwem_core.database import count_file
from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import encode
from mwem_core.tables import read_table
from mwem_core.values import Range, Values

WEIGHTED = "a,b,count\n1,2,3\n2,2,0\n1,2,4\n3,9,0\n1,3,1\n"


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_column_of_counts_holds_weights(tmp_path, format, source_type):
    path = write(tmp_path / "t.csv", WEIGHTED)
    expected = encode(read_table(path), AB, count="count")
    if format == "parquet":
        columns = {"a": list("12131"), "b": [2, 2, 2, 9, 3], "count": [3, 0, 4, 0, 1]}
        path = write(tmp_path / "t.parquet", pa.table(columns))
    counted = count_file(path, AB, count="count")
    assert isinstance(counted, source_type)
    assert counted.total == 8
    assert_same_marginals(counted, expected, [(), (0,), (1,), (0, 1)])


INVALID_TABLES = {
    "missing column": "a,c\n1,2\n",
    "column of another case": "a,B\n1,2\n",
    "one value outside": "a,b\n1,2\n1,10\n1,10\n",
    "not a number": "a,b\n1,2\n1,two\n",
    "several values outside": "a,b\n1,x\n1,x\n1,y\n1,z\n1,z\n1,\n1,5\n",
    "empty cell": "a,b\n1,2\n1,\n",
    "fraction": "a,b\n1,2.5\n",
    "negative weight": "a,b,count\n1,2,-1\n1,2,4\n",
    "no such weight": "a,b\n1,2\n",
    "fractional weight": "a,b,count\n1,2,1.5\n",
    "total over 2^53": f"a,b,count\n1,2,{2**53}\n1,3,1\n",
    "weight over 2^63": f"a,b,count\n1,2,{10**30}\n",
    "empty": "",
    "blanks": " \n\r\n",
    "picture": b"\x89PNG\r\n\x1a\n\0\0",
    "binary": b"a,b\n\0\1,2\n",
    "damaged": b"PAR1abc",
    "ragged": "a,b\n1,2\n3\n",
    "open quote": 'a,b\n1,"x\n2,y\n3,z\n',
}


@pytest.mark.parametrize("table", INVALID_TABLES)
def test_an_invalid_table_is_refused_with_the_message_of_read_table_and_encode(tmp_path, table, source_type):
    path = write(tmp_path / "t.csv", INVALID_TABLES[table])
    count = "count" if "weight" in table or "total" in table else None
    expected = error_of(lambda: encode(read_table(path), AB, count=count))
    assert error_of(lambda: count_file(path, AB, count=count)) == expected


def test_columns_of_one_name_are_numbered_as_by_read_table(tmp_path, source_type):
    path = write(tmp_path / "t.csv", "a,b,a\n1,2,3\n2,2,4\n")
    domain = Domain((Attribute("a", Range(1, 4)), Attribute("a (2)", Range(1, 4))))
    counted = count_file(path, domain)
    assert_same_marginals(counted, encode(read_table(path), domain), [(0, 1), (1,)])
    assert counted.marginals([(1,)])[0].tolist() == [0, 0, 1, 1]


def test_a_table_whose_counts_are_all_zero_has_no_records(tmp_path):
    path = write(tmp_path / "t.csv", "a,b,count\n1,0,0\n2,3,0\n")
    assert error_of(lambda: count_file(path, AB, count="count")) == "t.csv has no records; it needs at least one"


def test_rows_outside_the_schema_are_counted_in_all_parts(tmp_path, on_disk):
    path = write(tmp_path / "t.parquet", pa.table({"a": ["1"] * 5000, "b": [*range(1000, 4000), *range(2000)]}))
    message = error_of(lambda: count_file(path, AB))
    assert message == error_of(lambda: encode(read_table(path), AB))
    assert message.startswith("column 'b' has 4,990 rows outside the schema (for example '1000', '1001', '1002')")


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a", None, "b ", "a"], pa.string_view()),
        pa.array(["a", None, "b", "a"]).dictionary_encode(),
        pa.array([b"a", None, b"b", b"a"], pa.large_binary()),
        pa.array([0.0, -0.0, None, float("nan")]),
        pa.array([1, 2, None, 1], pa.timestamp("s", "Europe/Berlin")),
        pa.array([1, 2, None, 2**64 - 1], pa.uint64()),
    ],
    ids=lambda column: str(column.type),
)
def test_columns_of_every_type_have_the_codes_of_encode(tmp_path, column, source_type):
    path = write(tmp_path / "t.parquet", pa.table({"x": column, "y": range(4)}))
    table = read_table(path)
    texts = tuple(dict.fromkeys(table["x"].to_pylist()))
    domain = Domain((Attribute("x", Values(texts)), Attribute("y", Range(0, 3))))
    assert_same_marginals(count_file(path, domain), encode(table, domain), [(0,), (0, 1)])


def test_a_column_of_lists_is_refused_if_the_schema_names_it(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table({"a": [["1"]], "b": [1]}))
    assert re.match(
        "column 'a' holds list<.*>, not text or numbers; leave it out of the schema$",
        error_of(lambda: count_file(path, AB)),
    )

from decimal import Decimal

import pyarrow as pa
from people import parquet

from mwem_core.tables import distinct_texts, read_table, text_column


def test_values_of_every_type_become_the_texts_of_a_text_table():
    columns = {
        "whole": pa.array([39, -1, None], pa.int16()),
        "fraction": [39.0, 0.5, None],
        "infinite": [float("nan"), float("inf"), float("-inf")],
        "truth": [True, False, None],
        "text": [" a ", "a", None],
        "dictionary": pa.array(["b", None, "b "]).dictionary_encode(),
        "codebook": pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int8()), pa.array([10, 20])),
        "constant": pa.array(["c"] * 3, pa.large_string()),
        "date": pa.array([0, 1, None], pa.date32()),
        "nothing": pa.nulls(3),
        "decimal": pa.array([Decimal("39.0"), Decimal("1.5"), None]),
        "bytes": pa.array([b"a", b"\xc3\xa9", None]),
    }
    assert read_table(parquet(**columns)).to_pydict() == {
        "whole": ["39", "-1", ""],
        "fraction": ["39", "0.5", ""],
        "infinite": ["nan", "inf", "-inf"],
        "truth": ["1", "0", ""],
        "text": ["a", "a", ""],
        "dictionary": ["b", "", "b"],
        "codebook": ["20", "10", ""],
        "constant": ["c"] * 3,
        "date": ["1970-01-01", "1970-01-02", ""],
        "nothing": [""] * 3,
        "decimal": ["39.0", "1.5", ""],
        "bytes": ["a", "é", ""],
    }


def test_each_row_has_the_index_of_its_text():
    column = text_column(pa.chunked_array([["b ", "a"], ["b", None, "a"]]))
    texts, text_of = distinct_texts(column, "x")
    assert sorted(texts) == ["", "a", "b"]
    assert [texts[i] for i in text_of] == ["b", "a", "b", "", "a"]


def test_a_column_of_lists_is_not_converted():
    column = pa.chunked_array([[["a"], ["b"]]])
    assert text_column(column) is column

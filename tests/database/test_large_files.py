"""Large files: found, parsed and refused as `read_table` does, or with advice of their own."""

import numpy as np
import pyarrow as pa
import pytest
from awkward_table import AB, DOMAIN, as_csv, assert_same_marginals, awkward_table, error_of, write

from mwem_core.database import count_file, is_large, large_files
from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import encode
from mwem_core.tables import read_table
from mwem_core.values import Values


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_files_that_match_a_pattern_are_counted_as_one_table(tmp_path, format):
    def content(table: pa.Table) -> bytes | pa.Table:
        return as_csv(table) if format == "csv" else table

    table, sets = awkward_table(), [(), *((i,) for i in range(len(DOMAIN))), (4, 2), (5, 6, 7, 8)]
    for i in range(3):
        write(tmp_path / f"part-{i}.{format}", content(table.slice(i * 1000, 1000)))
    whole = write(tmp_path / f"whole.{format}", content(table))
    assert_same_marginals(count_file(tmp_path / f"part-?.{format}", DOMAIN), encode(read_table(whole), DOMAIN), sets)


def test_a_file_whose_name_is_a_pattern_is_read_and_not_matched(tmp_path):
    domain = Domain((Attribute("a", Values(("x", "y"))),))
    for name, content in {"t[1].csv": "a\nx\n", "t1.csv": "a\ny\ny\n", "it's.csv": "a\nx\n"}.items():
        write(tmp_path / name, content)
        write(tmp_path / name.replace("csv", "parquet"), pa.table({"a": content.split()[1:]}))
    for suffix in ("csv", "parquet"):
        assert count_file(tmp_path / f"t[1].{suffix}", domain).marginal((0,)).tolist() == [1, 0]
        assert count_file(tmp_path / f"it's.{suffix}", domain).marginal((0,)).tolist() == [1, 0]


def test_names_that_differ_in_case_only_are_different_columns(tmp_path):
    domain = Domain((Attribute("A", Values(("x", "y"))), Attribute("a", Values(("1", "2")))))
    parquet = write(tmp_path / "t.parquet", pa.table({" a ": [1, 2, 2], "A": ["x", "y", "y"]}))
    csv = write(tmp_path / "t.csv", "a ,A\n1,x\n2,y\n2,y\n")
    for path in (parquet, csv):
        assert count_file(path, domain).marginal((0, 1)).tolist() == [[1, 0], [0, 2]]


@pytest.mark.parametrize(
    "text",
    [
        'a,b\r\n1,2\r\n"2",3\r\n\r\n',
        'a,b\n"1\n1",2\r\n3,4\r\n',
        "\ufeffa;b\n1;2\n;3\n",
        "a\tb\n1\t2\nNULL\t3",
        'a,b\n"3"",4",5\n"",4\n',
        "a|b\r1|2\r",
        'a,b\n5" pipe,2\n1,3\n',
    ],
)
def test_text_is_parsed_as_read_table_parses_it(tmp_path, text):
    path = write(tmp_path / "t.csv", text)
    assert_same_marginals(count_file(path, AB), encode(read_table(path), AB), [(0,), (1,), (0, 1)])


def test_blank_lines_of_a_single_column_are_not_rows(tmp_path):
    path = write(tmp_path / "t.csv", 'a\n1\n\n""\n2\n\n')
    domain = AB.project(["a"])
    assert count_file(path, domain).total == encode(read_table(path), domain).total == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n", "t.csv has no records; it needs at least one"),
        ("a,b", "t.csv has no records; it needs at least one"),
        (
            pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.int8())}),
            "t.csv has no records; it needs at least one",
        ),
        (
            "a;b\n1,5;2\n2,25;3\n",
            "t.csv has decimal commas, and large files are read with points; save it as Parquet, or with points",
        ),
        (b"a,b\n1,\xff\n", "t.csv has text that is not UTF-8; save the file as UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "t.csv is utf-16 text; save the file as UTF-8"),
    ],
    ids=["header only", "header without end", "empty Parquet", "commas", "legacy", "utf-16"],
)
def test_a_table_without_rows_commas_and_text_not_in_utf_8_are_refused_with_advice(tmp_path, content, message):
    assert error_of(lambda: count_file(write(tmp_path / "t.csv", content), AB)) == message


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_parquet_file_is_counted_or_refused_in_one_sentence(tmp_path, seed, source_type):
    rng = np.random.default_rng(seed)
    data = bytearray(write(tmp_path / "whole", pa.table({"a": ["1", "2", "3"] * 50, "b": [1, 2, 3] * 50})).read_bytes())
    for place in rng.integers(4, len(data) - 500 * (seed % 2), size=6):
        data[place] = rng.integers(256)
    try:
        assert count_file(write(tmp_path / "t.parquet", bytes(data)), AB).total > 0
    except ValueError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either outcome is right


def test_a_path_that_is_no_file_is_refused(tmp_path):
    missing, pattern = tmp_path / "missing.csv", tmp_path / "*.csv"
    message = "missing.csv cannot be opened: No such file or directory; check the path"
    assert error_of(lambda: count_file(missing, AB)) == message
    assert error_of(lambda: count_file(tmp_path, AB)) == f"{tmp_path.name} is a directory; choose a file in it"
    assert error_of(lambda: count_file(pattern, AB)) == f"no file matches {str(pattern)!r}; check the pattern"


def test_files_of_one_table_need_the_same_columns(tmp_path):
    write(tmp_path / "1.csv", "a,b\n1,2\n")
    write(tmp_path / "2.csv", "b,a\n2,1\n")
    message = "2.csv has other columns than 1.csv; count them separately"
    assert error_of(lambda: count_file(tmp_path / "?.csv", AB)) == message
    write(tmp_path / "1.parquet", pa.table({"a": ["1"], "b": [1]}))
    write(tmp_path / "2.parquet", pa.table({"a": ["1"], "b": [1.5]}))
    message = "2.parquet has other columns than 1.parquet; count them separately"
    assert error_of(lambda: count_file(tmp_path / "?.parquet", AB)) == message


@pytest.mark.parametrize(
    ("content", "large"),
    [("a,b\n1,2\n", True), (pa.table({"a": [1]}), True), ('[{"a": 1}]', False), (b"PK\3\4", False), (b"\0", False)],
    ids=["text", "Parquet", "JSON", "workbook", "binary"],
)
def test_large_files_of_text_and_parquet_are_counted_in_parts(tmp_path, monkeypatch, content, large):
    path = write(tmp_path / "t", content)
    assert not is_large(path)
    monkeypatch.setattr(large_files, "MAX_READ_BYTES", 0)
    assert is_large(path) == large

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from messages import exactly
from people import parquet

from mwem_core.tables import read_table

DAMAGED_PARQUET = "t.csv is a damaged Parquet file, or too large; write it again or export it as CSV"


def test_parquet_in_many_row_groups_is_one_table(tmp_path):
    texts = [f"v{i % 7}" for i in range(1000)]
    pq.write_table(pa.table({"x": texts}), tmp_path / "x.parquet", row_group_size=100)
    assert read_table(tmp_path / "x.parquet").column("x").to_pylist() == texts


def test_a_parquet_file_is_recognised_by_its_content_under_any_name(tmp_path):
    (tmp_path / "people.csv").write_bytes(parquet(age=[20], sex=["F"]))
    assert read_table(tmp_path / "people.csv").to_pydict() == {"age": ["20"], "sex": ["F"]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "t.csv is empty; it needs a header and at least one row"),
        (b" \n\r\n", "t.csv is empty; it needs a header and at least one row"),
        (b"\xef\xbb\xbf", "t.csv is empty; it needs a header and at least one row"),
        (b"a,b\n", "t.csv has a header but no rows; it needs at least one"),
        (parquet(a=pa.array([], pa.int8())), "t.csv has a header but no rows; it needs at least one"),
        (b"\x89PNG\r\n\x1a\n\0\0", "t.csv is not a table of text: it holds binary data; export it as CSV or Parquet"),
        (
            b"PK\x03\x04\x14\0\x06\0",
            "t.csv is a damaged archive; pack the table again, or give the table itself",
        ),
        (parquet(a=[1, 2])[:-20], DAMAGED_PARQUET),
        (b"PAR1", DAMAGED_PARQUET),
        (
            b"a,b\n1,2\n\n3\n4,5\n",
            "t.csv line 4 has 1 cell where the header has 2;"
            " add or remove delimiters, or quote the cell that holds one",
        ),
        (
            b'a,b\n"1\n1",2\n3,4,5\n',
            "t.csv line 4 has 3 cells where the header has 2;"
            " add or remove delimiters, or quote the cell that holds one",
        ),
        (
            b'a,b\n1,"x\n2,y\n3,z\n',
            "t.csv line 2 opens a quote that does not close at its cell's end; close it, or double it inside",
        ),
        (
            b'a,"b',
            "t.csv line 1 opens a quote that does not close at its cell's end; close it, or double it inside",
        ),
        (b"a,b", "t.csv has a header but no rows; it needs at least one"),
        (b"\xff\xfea\0,\0\xd8", "t.csv line 1: byte 0xd8 is not utf-16-le text; save the file as UTF-8"),
    ],
    ids=lambda value: "" if isinstance(value, str) else None,
)
def test_a_file_that_is_not_a_table_is_refused(data, message):
    with pytest.raises(ValueError, match=exactly(message)):
        read_table(data, name="t.csv")


def test_a_path_that_cannot_be_opened_is_refused(tmp_path):
    with pytest.raises(ValueError, match=exactly(f"{tmp_path.name} is a directory; choose a file in it")):
        read_table(tmp_path)
    message = "gone.csv cannot be opened: No such file or directory; check the path"
    with pytest.raises(ValueError, match=exactly(message)):
        read_table(tmp_path / "gone.csv")


def test_a_table_over_the_limit_is_refused_before_it_is_read(tmp_path, monkeypatch):
    message = (
        "big.csv has 3.0 MB, over the limit of 2.0 MB;"
        " drop unneeded columns, save it as Parquet, or read it on your own machine with --unlimited"
    )
    (tmp_path / "big.csv").write_bytes(b"a,b\n" + b" " * 3_000_000)
    sources = (tmp_path / "big.csv", (tmp_path / "big.csv").read_bytes())
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
    for source in sources:
        with pytest.raises(ValueError, match=exactly(message)):
            read_table(source, name="big.csv", max_bytes=2_000_000)


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_parquet_file_is_read_or_refused_in_one_sentence(seed):
    rng = np.random.default_rng(seed)
    data = bytearray(parquet(a=[1, 2, 3], b=["x", "y", "z"]))
    for position in rng.integers(4, len(data), size=4):
        data[position] = rng.integers(256)
    rows, problem = 0, ""
    try:
        rows = read_table(bytes(data), name="t.parquet").num_rows
    except ValueError as error:  # any other exception fails the test
        problem = str(error)
    assert rows == 3 or re.fullmatch(r"t\.parquet [^\n]+", problem)


def test_a_table_that_would_fill_the_memory_is_refused_before_it_is_read():
    names = [f"c{i}" for i in range(10_001)]
    wide = ",".join(names) + "\n" + ",".join("1" for _ in names) + "\n"
    message = "the table has 10,001 columns, over the limit of 10,000; drop unneeded ones"
    for file in (wide.encode(), parquet(**{name: [1] for name in names})):
        with pytest.raises(ValueError, match=exactly(message)):
            read_table(file)
    rows = parquet(a=pa.repeat(7, 10**6), b=pa.repeat(1, 10**6))
    assert len(rows) < 10_000
    message = (
        "t.parquet has 2,000,000 cells, over the limit of 333,333;"
        " drop unneeded columns, or read it on your own machine with --unlimited"
    )
    with pytest.raises(ValueError, match=exactly(message)):
        read_table(rows, name="t.parquet", max_bytes=10**6)


def test_parquet_whose_metadata_contradict_each_other_is_damaged_and_ends_no_process():
    """A column that has statistics of missing values and now must have none: Arrow aborts if asked for its size."""
    file = parquet(age=["20", None]).replace(b"%\x02\x18\x03age", b"%\x00\x18\x03age")
    with pytest.raises(ValueError, match=exactly(DAMAGED_PARQUET)):
        read_table(file, name="t.csv", max_bytes=10**6)


def test_parquet_with_text_or_a_name_that_is_not_utf_8_is_damaged():
    damaged = (parquet(abcd=["xyzw", "é"]).replace(name, b"\xf5\xf5\xf5\xf5") for name in (b"abcd", b"xyzw"))
    for file in damaged:
        with pytest.raises(
            ValueError,
            match=exactly(DAMAGED_PARQUET),
        ):
            read_table(file, name="t.csv")

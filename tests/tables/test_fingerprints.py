"""A digest that recognises a table's content, however it is stored."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mwem_core.tables import column_fingerprints, fingerprint, read_table, texts as module

KEY = bytes(range(32))
ROWS = pa.table(
    {"age": ["39", "5", "39", "17"], "sex": ["F", "M", "F", ""], "town": ["Ghent", "Bonn", "Ghent", "Bonn"]}
)


def read(rows: pa.Table) -> pa.Table:
    lines = [rows.column_names, *zip(*(column.to_pylist() for column in rows.columns), strict=True)]
    return read_table("".join(",".join(line) + "\n" for line in lines).encode())


DIGEST = fingerprint(read(ROWS), KEY)


@pytest.mark.parametrize(
    "same",
    [ROWS.take([3, 0, 2, 1]), ROWS.select(["town", "age", "sex"])],
    ids=["rows in another order", "columns in another order"],
)
def test_the_order_does_not_matter(same):
    assert fingerprint(read(same), KEY) == DIGEST


def test_the_rows_that_are_digested_at_a_time_do_not_matter(monkeypatch):
    monkeypatch.setattr(module, "CHUNK_ROWS", 3)
    assert fingerprint(read(ROWS), KEY) == DIGEST


def test_the_format_of_the_file_does_not_matter(tmp_path):
    numbers = ROWS.set_column(0, "age", pa.array([39.0, 5.0, 39.0, 17.0]))
    pq.write_table(numbers, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("age;sex;town\r\n39;F;Ghent\r\n5;M;Bonn\r\n39;F;Ghent\r\n17;;Bonn\r\n")
    for name in ("t.parquet", "t.csv"):
        assert fingerprint(read_table(tmp_path / name), KEY) == DIGEST


@pytest.mark.parametrize(
    "other",
    [
        ROWS.slice(0, 3),
        pa.concat_tables([ROWS, ROWS.slice(0, 1)]),
        ROWS.set_column(0, "age", pa.array(["39", "5", "39", "18"])),
        ROWS.set_column(0, "age", pa.array(["5", "39", "39", "17"])),  # the marginals are the same
        ROWS.rename_columns(["years", "sex", "town"]),
        ROWS.rename_columns(["age", "town", "sex"]),
        ROWS.drop_columns(["town"]),
        ROWS.slice(0, 2),
    ],
    ids=["a row less", "a row twice", "a cell", "two cells", "a name", "two names", "a column less", "half"],
)
def test_another_content_has_another_digest(other):
    assert fingerprint(read(other), KEY) != DIGEST


def test_cells_do_not_run_into_each_other():
    one, other = pa.table({"a": ["1:x", ""], "b": ["", "y"]}), pa.table({"a": ["1", ""], "b": [":x", "y"]})
    assert fingerprint(read(one), KEY) != fingerprint(read(other), KEY)


def test_without_the_key_the_digest_says_nothing():
    digests = {fingerprint(read(ROWS), key) for key in (KEY, bytes(32), KEY[::-1])}
    assert len(digests) == 3
    assert all(len(digest) == 64 for digest in digests)


def test_a_column_has_the_same_digest_under_another_name_in_another_order_and_beside_other_columns():
    columns = column_fingerprints(read(ROWS), KEY)
    assert len(columns) == 3
    for same in (ROWS.take([3, 0, 2, 1]), ROWS.rename_columns(["years", "sex", "place"])):
        assert column_fingerprints(read(same), KEY) == columns
    more = ROWS.append_column("more", pa.array(["1", "2", "3", "4"]))
    assert column_fingerprints(read(more), KEY) > columns
    assert column_fingerprints(read(ROWS.drop_columns(["town"])), KEY) < columns


@pytest.mark.parametrize(
    "cells", [["39", "5", "39"], ["39", "5", "39", "18"], ["39", "5", "5", "17"], ["39", "5", "39", "17", "17"]]
)
def test_another_content_of_a_column_has_another_digest_and_so_has_another_key(cells):
    ages = read(ROWS.select(["age"]))
    assert column_fingerprints(ages, KEY).isdisjoint(column_fingerprints(read(pa.table({"age": cells})), KEY))
    assert column_fingerprints(ages, KEY).isdisjoint(column_fingerprints(ages, bytes(32)))


def test_random_tables_that_differ_in_one_cell_differ():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=(50, 4))
    digests = set()
    for _ in range(100):
        codes[rng.integers(50), rng.integers(4)] += 1
        digests.add(fingerprint(read(pa.table({f"c{i}": column.astype(str) for i, column in enumerate(codes.T)})), KEY))
    assert len(digests) == 100

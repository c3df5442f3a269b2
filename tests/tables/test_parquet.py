"""The headers of pages tell what a Parquet file unpacks to."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mwem_core import read_table
from mwem_core.tables import parquet as parquet_reader
from mwem_core.tables.parquet import page_contents


def parquet(table: pa.Table, **options) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"use_dictionary": False, "compression": "none"},
        {"compression": "zstd", "data_page_version": "2.0", "write_page_checksum": True},
        {"row_group_size": 700, "data_page_size": 500, "write_page_index": True},
    ],
    ids=["plain", "flat", "second version", "small pages"],
)
def test_all_values_and_bytes_are_counted(options):
    numbers = np.random.default_rng(0).integers(0, 10**9, 3_000)
    size, values = page_contents(parquet(pa.table({"a": numbers, "b": [1.5, None, 2.5] * 1_000}), **options))
    assert values == 6_000
    assert 3_000 * 8 <= size < 3_000 * 24


def test_a_long_text_is_counted_however_well_it_packs():
    data = parquet(pa.table({"a": ["x" * 10**6, "y"]}), compression="zstd")
    assert len(data) < 10**4
    assert page_contents(data)[0] > 10**6
    with pytest.raises(ValueError, match=r"t has 1,000,0\d\d bytes, over the limit of 300,000; drop unneeded columns"):
        read_table(data, name="t", max_bytes=10**5)
    two = parquet(pa.table({"a": ["x" * (10**6 + 1), "y"]}), compression="zstd")
    with pytest.raises(ValueError, match="t has a text of 1,000,001 bytes in column 'a', over the limit of 1,000,000;"):
        read_table(two, name="t")


@pytest.mark.parametrize("kind", [pa.string(), pa.binary(), pa.large_binary(), pa.large_string(), pa.string_view()])
def test_a_long_value_in_many_rows_is_in_memory_once(kind):
    value = b"x" * 10**5 if "binary" in str(kind) else "x" * 10**5
    try:
        data = parquet(pa.table({"a": pa.array([value] * 100, kind)}))
    except pa.ArrowNotImplementedError:
        pytest.skip(f"this version of pyarrow writes no {kind}")
    before = pa.default_memory_pool().max_memory()
    assert read_table(data).nbytes < 10**6
    assert pa.default_memory_pool().max_memory() - before < 5 * 10**6


def test_wide_values_count_for_each_row():
    value = pa.array([b"x" * 1_000] * 500, pa.binary(1_000))
    with pytest.raises(ValueError, match="t has 500,000 bytes, over the limit of 300,000;"):
        read_table(parquet(pa.table({"a": value})), name="t", max_bytes=10**5)


def test_too_many_parts_and_deep_columns_are_refused(monkeypatch):
    deep = pa.array([1])
    for _ in range(70):
        deep = pa.StructArray.from_arrays([deep], names=["a"])
    with pytest.raises(ValueError, match="columns nested too deeply"):
        page_contents(parquet(pa.table({"a": deep}), store_schema=False))
    monkeypatch.setattr(parquet_reader, "MAX_ITEMS", 20)
    with pytest.raises(ValueError, match="too many parts"):
        page_contents(parquet(pa.table({"a": [1]})))

"""A Parquet file takes no more memory than its texts, and one that would take more is refused."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mwem_core import read_table


def parquet(table: pa.Table, **options) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def test_a_long_text_is_refused_however_well_it_packs():
    data = parquet(pa.table({"a": ["x" * (10**6 + 1), "y"]}), compression="zstd")
    assert len(data) < 10**4
    with pytest.raises(ValueError, match="t has a text of 1,000,001 bytes in column 'a', over the limit of 1,000,000;"):
        read_table(data, name="t")


def test_what_unpacks_to_more_than_memory_is_refused():
    data = parquet(pa.table({"a": [chr(97 + i) * 10**8 for i in range(10)]}), compression="zstd")
    assert len(data) < 10**6
    with pytest.raises(ValueError, match="t is a damaged Parquet file, or too large;"):
        read_table(data, name="t")


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

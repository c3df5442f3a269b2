"""The awkward table as a file, and the two ways to count a table."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from awkward_table import as_csv, awkward_table

from mwem_core import Records
from mwem_core.database import RecordsOnDisk, large_files, table_parts


@pytest.fixture
def on_disk(monkeypatch):
    """No distinct rows fit in memory, tables have several parts, and few values are known from one to the next."""
    monkeypatch.setattr(table_parts, "MAX_DISTINCT_BYTES", 0)
    monkeypatch.setattr(table_parts, "MAX_KNOWN_VALUES", 7)
    for module in (large_files, table_parts):
        monkeypatch.setattr(module, "PART_ROWS", 500)


@pytest.fixture(params=[Records, RecordsOnDisk])
def source_type(request) -> type:
    """What a count gives: distinct rows held in memory, and codes in a file."""
    if request.param is RecordsOnDisk:
        request.getfixturevalue("on_disk")
    return request.param


@pytest.fixture(scope="session", params=["parquet", "csv"])
def awkward(request, tmp_path_factory) -> Path:
    """The awkward table as a file in each format."""
    path, table = tmp_path_factory.mktemp("awkward") / f"awkward.{request.param}", awkward_table()
    if request.param == "csv":
        path.write_bytes(as_csv(table))
    else:
        pq.write_table(table, path, row_group_size=700)
    return path

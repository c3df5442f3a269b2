"""The awkward table as a file, and the two ways to count a table."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from awkward_table import as_csv, awkward_table

from mwem_core import Records
from mwem_core.database import DatabaseTable, sql_table


@pytest.fixture
def on_demand(monkeypatch):
    """No distinct rows fit in memory, and all marginals take several unions and passes."""
    monkeypatch.setattr(sql_table, "MAX_DISTINCT_BYTES", 0)
    monkeypatch.setattr(sql_table, "MAX_UNION_CELLS", 60)
    monkeypatch.setattr(sql_table, "MAX_PASS_SETS", 7)


@pytest.fixture(params=[Records, DatabaseTable])
def source_type(request) -> type:
    """What a count gives: distinct rows held in memory, and marginals counted on demand."""
    if request.param is DatabaseTable:
        request.getfixturevalue("on_demand")
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

"""Counting files larger than memory with an embedded DuckDB: Parquet, CSV and other delimited text.

Values are read as `read_table` and `encode` read them, but text files must be UTF-8, and numbers need a decimal point
and no marks between thousands.
"""

from __future__ import annotations

import csv
import glob
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from mwem_core.database.sql import quote
from mwem_core.database.sql_table import DatabaseTable, Query, count_sql_table, sql_table
from mwem_core.domain import Domain, Records
from mwem_core.encoding import Count, CountPolicy
from mwem_core.forms import from_cell
from mwem_core.tables import SAMPLE_BYTES, check_text, delimited_header, numbered_names

MAX_READ_BYTES = 2**28  # of a file that is read into memory; DuckDB counts a larger file
BATCH_ROWS, BLOCK_BYTES = 10**6, 1 << 22


def count_file(
    path: Path | str, domain: Domain, *, memory: str = "2GB", count: Count = CountPolicy.REFUSED
) -> Records | DatabaseTable:
    """Count the records of a file, or of all files that match a pattern such as "part-*.parquet", under a schema.

    `memory` limits DuckDB's memory; beyond it, DuckDB uses a temporary folder. `count` is that of `encode`. Raises
    ValueError, with a message of one sentence: as `read_table` and `encode` do, if DuckDB is not installed, or if the
    files have different columns.
    """
    if find_spec("duckdb") is None:
        raise ValueError("tables larger than memory are counted by DuckDB: pip install 'mwem-explorer[duckdb]'")
    path = Path(path)
    files = [_inspect(file) for file in _matches(path)]
    first = files[0]
    for file in files[1:]:
        if (file.delimiter, file.columns) != (first.delimiter, first.columns):
            raise ValueError(f"{file.path.name} has other columns than {first.path.name}; count them separately")
    names, types = zip(*first.columns, strict=True)
    columns = list(zip(numbered_names(names), types, strict=True))

    def query_on(positions: list[int]) -> Query:
        return partial(_query, path.name, files, positions, memory)

    return count_sql_table(sql_table(columns, domain, query_on, count), path.name)


def is_pattern(path: Path) -> bool:
    """Whether a path is a pattern such as "part-*.parquet", and not the name of a file."""
    return glob.has_magic(str(path)) and not path.exists()


def is_large(path: Path) -> bool:
    """Whether DuckDB should count a file, as it is too large to read into memory."""
    return path.is_file() and path.stat().st_size > MAX_READ_BYTES


@dataclass(frozen=True)
class _File:
    """A file's format, before it is counted: its named columns, and for text its delimiter and number of quotes.

    A Parquet file has an empty delimiter.
    """

    path: Path
    delimiter: str
    columns: list[tuple[str, pa.DataType]]
    quotes: int = 0


def _matches(path: Path) -> list[Path]:
    """The files that a path or pattern names; raises ValueError if there are none."""
    if path.is_dir():
        raise ValueError(f"{path.name} is a directory; choose a file in it")
    files = [Path(name) for name in sorted(glob.glob(str(path), recursive=True))] if is_pattern(path) else [path]
    if not files:
        raise ValueError(f"no file matches {str(path)!r}; check the pattern")
    return files


def _inspect(path: Path) -> _File:
    """Read a file's format; raises ValueError if it cannot be opened or is not a table."""
    try:
        with path.open("rb") as file:
            start = file.read(SAMPLE_BYTES + 1)
    except OSError as error:
        raise ValueError(f"{path.name} cannot be opened: {error.strerror}; check the path") from None
    if start.startswith(b"PAR1"):
        try:
            schema = pq.read_schema(path)
        except (pa.ArrowException, OSError):
            raise ValueError(f"{path.name} is a damaged Parquet file; write it again or export it as CSV") from None
        return _File(path, "", [(field.name.strip(), _value_type(field.type)) for field in schema])
    delimiter, header = delimited_header(start, path.name)
    columns = [(from_cell(name.strip()), pa.string()) for name in header]
    return _File(path, delimiter, columns, _count_quotes(path, delimiter))


def _count_quotes(path: Path, delimiter: str) -> int:
    """The number of quotes in a text file; raises ValueError for binary data and for a quote that does not close.

    Arrow would read the rest of the file after such a quote as one cell.
    """
    quotes = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            check_text(block, path.name)
            quotes += block.count(b'"')
    if quotes % 2:
        _check_quotes(path, delimiter)
    return quotes


def _check_quotes(path: Path, delimiter: str) -> None:
    """Raise ValueError for the first line with a quote that does not close at the end of its cell."""
    line = 1
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        rows = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            for _ in rows:
                line = rows.line_num + 1
        except csv.Error:
            raise ValueError(
                f"{path.name} line {line} opens a quote that does not close at its cell's end;"
                " close it, or double it inside"
            ) from None


def _value_type(type: pa.DataType) -> pa.DataType:
    """The type of the values, also where the column is stored as a dictionary."""
    return type.value_type if pa.types.is_dictionary(type) else type


def _query(
    name: str, files: Sequence[_File], positions: Sequence[int], memory: str, sql: str, _: object
) -> Iterator[pa.RecordBatch]:
    """Run a query on the files: DuckDB reads Parquet files itself, while Arrow parses text files for it."""
    import duckdb

    try:
        with TemporaryDirectory(prefix="mwem-") as folder, duckdb.connect() as connection:
            connection.execute(f"SET memory_limit = {quote(memory)}")
            connection.execute(f"SET temp_directory = {quote(folder)}")
            connection.execute("SET preserve_insertion_order = false")
            connection.execute("SET enable_progress_bar = false")  # it would be printed between the results
            raw = [f"raw{position}" for position in range(len(files[0].columns))]
            if files[0].delimiter:
                connection.register("cells", _parse_text(files, raw, [raw[position] for position in positions]))
                relation = "cells"
            else:
                paths = ", ".join(quote(glob.escape(str(file.path))) for file in files)
                relation = f"read_parquet([{paths}], hive_partitioning = false) AS rows_read({', '.join(raw)})"
            columns = ", ".join(f"{raw[position]} AS c{i}" for i, position in enumerate(positions))
            connection.execute(f"CREATE VIEW source AS SELECT {columns} FROM {relation}")
            yield from connection.sql(sql).to_arrow_reader(BATCH_ROWS)
    except (duckdb.Error, pa.ArrowException) as error:
        raise ValueError(_message(name, str(error))) from None


def _parse_text(files: Sequence[_File], names: list[str], used: list[str]) -> pa.RecordBatchReader:
    """The cells of text files in the columns `used`, parsed as `read_table` parses them.

    The files are read block by block, as an Arrow data set would read far ahead.
    """
    from pyarrow import csv as arrow

    def blocks() -> Iterator[pa.RecordBatch]:
        for file in files:
            yield from arrow.open_csv(
                file.path,
                parse_options=arrow.ParseOptions(delimiter=file.delimiter, newlines_in_values=file.quotes > 0),
                read_options=arrow.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=BLOCK_BYTES),
                convert_options=arrow.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()), include_columns=used
                ),
            )

    return pa.RecordBatchReader.from_batches(pa.schema([(name, pa.string()) for name in used]), blocks())


def _message(name: str, error: str) -> str:
    """An error of DuckDB or Arrow as a sentence for the user."""
    if ragged := re.search(r"Expected (\d+) columns, got (\d+): (.{,60}?)(?:\. Detail:|\n|$)", error):
        expected, cells, row = ragged.groups()
        return (
            f"{name} has a row of {cells} {'cell' if cells == '1' else 'cells'} where the header has {expected}:"
            f" {row!r}; add or remove delimiters, or quote the cell that holds one"
        )
    if "invalid UTF8" in error:
        return f"{name} has text that is not UTF-8; save the file as UTF-8"
    return f"{name} cannot be counted: {' '.join(error.split())[:200]}"

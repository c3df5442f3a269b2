"""Counting files larger than memory through DuckDB, embedded: straight from Parquet, CSV and its kin.

Values are read as `read_table` and `encode` read them. Large text files must be UTF-8.
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

from mwem_core.checks import repeated
from mwem_core.data.files import BYTE_ORDER_MARKS, CONTROL, FOREIGN, SAMPLE, sniff
from mwem_core.data.records import Records
from mwem_core.database.counted import Counted, count
from mwem_core.database.sql import quoted
from mwem_core.database.stored import Ask, seen_through
from mwem_core.domain.domain import Domain

LARGE = 2**28  # bytes: from here on, a file is better counted by DuckDB than read
BATCH, BLOCK = 10**6, 1 << 22  # rows, bytes


def count_file(path: Path | str, domain: Domain, *, memory: str = "2GB") -> Records | Counted:
    """Count a file, or all the files a pattern such as "part-*.parquet" names, under a schema.

    `memory` is what DuckDB may take; what it needs beyond that goes to a temporary folder. Raises ValueError, one
    sentence, as `read_table` and `encode` do, where DuckDB is not installed, and where files differ in their columns.
    """
    if find_spec("duckdb") is None:
        raise ValueError("tables larger than memory are counted by DuckDB: pip install 'mwem-explorer[duckdb]'")
    path = Path(path)
    files = [_look(file) for file in _files(path)]
    first = files[0]
    for other in files[1:]:
        if (other.delimiter, other.columns) != (first.delimiter, first.columns):
            raise ValueError(f"{other.path.name} has other columns than {first.path.name}; count them apart")
    if twice := repeated([name for name, _ in first.columns]):
        raise ValueError(f"{first.path.name} has two columns named {twice[0]!r}; rename one")

    def reading(places: list[int]) -> Ask:
        return partial(_ask, path.name, files, places, memory)

    return count(seen_through(first.columns, domain, reading), path.name)


def is_pattern(path: Path) -> bool:
    """Whether a path names files by a pattern rather than being one."""
    return glob.has_magic(str(path)) and not path.exists()


def is_large(path: Path) -> bool:
    """Whether a file is better counted by DuckDB than read."""
    return path.is_file() and path.stat().st_size > LARGE


@dataclass(frozen=True)
class _File:
    """What is known of a file before it is counted; Parquet has no delimiter."""

    path: Path
    delimiter: str
    columns: list[tuple[str, pa.DataType]]
    quotes: int = 0


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        raise ValueError(f"{path.name} is a directory; choose a file in it")
    found = [Path(name) for name in sorted(glob.glob(str(path), recursive=True))] if is_pattern(path) else [path]
    if not found:
        raise ValueError(f"no file matches {str(path)!r}; check the pattern")
    return found


def _look(path: Path) -> _File:
    """Open a file; raises ValueError where it is none, or no table."""
    try:
        with path.open("rb") as opened:
            start = opened.read(SAMPLE + 1)
    except OSError as problem:
        raise ValueError(f"{path.name} cannot be opened: {problem.strerror}; check the path") from None
    if start.startswith(b"PAR1"):
        try:
            schema = pq.read_schema(path)
        except (pa.ArrowException, OSError):
            raise ValueError(f"{path.name} is a damaged Parquet file; write it again or export it as CSV") from None
        return _File(path, "", [(field.name.strip(), _plain(field.type)) for field in schema])
    for magic, kind in FOREIGN.items():
        if start.startswith(magic):
            raise ValueError(f"{path.name} is {kind}, not a table; export it as CSV or Parquet")
    mark = next((mark for mark in BYTE_ORDER_MARKS if start.startswith(mark)), b"")
    if mark and BYTE_ORDER_MARKS[mark] != "utf-8-sig":
        raise ValueError(f"{path.name} is {BYTE_ORDER_MARKS[mark]} text; save the file as UTF-8")
    start = start.removeprefix(mark)
    if not start.strip():
        raise ValueError(f"{path.name} is empty; it needs a header and at least one row")
    if not start.endswith(b"\n") and len(start.splitlines()) == 1:
        raise ValueError(f"{path.name} has no rows; it needs at least one")
    delimiter, header = sniff(start)
    return _File(path, delimiter, [(name.strip(), pa.string()) for name in header], _quotes(path, delimiter))


def _quotes(path: Path, delimiter: str) -> int:
    """How many quotes a text file holds; Arrow would let one that does not close swallow the rest of the file."""
    quotes = 0
    with path.open("rb") as opened:
        while block := opened.read(BLOCK):
            if any(byte in block for byte in CONTROL):
                raise ValueError(
                    f"{path.name} is not a table of text: it holds binary data; export it as CSV or Parquet"
                )
            quotes += block.count(b'"')
    if quotes % 2:
        _look_closer(path, delimiter)
    return quotes


def _look_closer(path: Path, delimiter: str) -> None:
    """Raises ValueError for the line where a quote opens that does not close at its cell's end."""
    line = 1
    with path.open(encoding="utf-8", errors="replace", newline="") as opened:
        rows = csv.reader(opened, delimiter=delimiter, strict=True)
        try:
            for _ in rows:
                line = rows.line_num + 1
        except csv.Error:
            raise ValueError(
                f"{path.name} line {line} opens a quote that does not close at its cell's end;"
                " close it, or double it inside"
            ) from None


def _plain(type: pa.DataType) -> pa.DataType:
    return type.value_type if pa.types.is_dictionary(type) else type


def _ask(
    name: str, files: Sequence[_File], places: Sequence[int], memory: str, select: str, _: object
) -> Iterator[pa.RecordBatch]:
    """Answer a query on the files: DuckDB reads Parquet itself, and text as Arrow cuts it into cells."""
    import duckdb

    try:
        with TemporaryDirectory(prefix="mwem-") as folder, duckdb.connect() as connection:
            connection.execute(f"SET memory_limit = {quoted(memory)}")
            connection.execute(f"SET temp_directory = {quoted(folder)}")
            connection.execute("SET preserve_insertion_order = false")
            connection.execute("SET enable_progress_bar = false")  # it would go to stdout, among the results
            raw = [f"raw{place}" for place in range(len(files[0].columns))]
            if files[0].delimiter:
                connection.register("cells", _cells(files, raw, [raw[place] for place in places]))
                relation = "cells"
            else:
                listed = ", ".join(quoted(glob.escape(str(file.path))) for file in files)
                relation = f"read_parquet([{listed}], hive_partitioning = false) AS rows_read({', '.join(raw)})"
            named = ", ".join(f"{raw[place]} AS c{i}" for i, place in enumerate(places))
            connection.execute(f"CREATE VIEW source AS SELECT {named} FROM {relation}")
            yield from connection.sql(select).to_arrow_reader(BATCH)
    except (duckdb.Error, pa.ArrowException) as problem:
        raise ValueError(_sentence(name, str(problem))) from None


def _cells(files: Sequence[_File], names: list[str], used: list[str]) -> pa.RecordBatchReader:
    """The cells of text files, as `read_table` has them cut, block by block: a data set would read far ahead."""
    from pyarrow import csv as arrow

    def blocks() -> Iterator[pa.RecordBatch]:
        for file in files:
            yield from arrow.open_csv(
                file.path,
                parse_options=arrow.ParseOptions(delimiter=file.delimiter, newlines_in_values=file.quotes > 0),
                read_options=arrow.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=BLOCK),
                convert_options=arrow.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()), include_columns=used
                ),
            )

    return pa.RecordBatchReader.from_batches(pa.schema([(name, pa.string()) for name in used]), blocks())


def _sentence(name: str, problem: str) -> str:
    """What was found wrong on the way, in a sentence."""
    if ragged := re.search(r"Expected (\d+) columns, got (\d+): (.{,60}?)(?:\. Detail:|\n|$)", problem):
        wanted, got, row = ragged.groups()
        return (
            f"{name} has a row of {got} {'cell' if got == '1' else 'cells'} where the header has {wanted}: {row!r};"
            " add or remove delimiters, or quote the cell that holds one"
        )
    if "invalid UTF8" in problem:
        return f"{name} is not UTF-8 text throughout; save the file as UTF-8"
    return f"{name} cannot be counted: {' '.join(problem.split())[:200]}"

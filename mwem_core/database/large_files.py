"""Counting files larger than memory: Parquet, CSV and other delimited text.

Values are read as `read_table` and `encode` read them, but text files must be UTF-8, and numbers need a decimal point.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from mwem_core.database.table_parts import PART_ROWS, RecordsOnDisk, count_parts
from mwem_core.domain import Domain, Records
from mwem_core.encoding import Count, CountPolicy
from mwem_core.forms import COMMA, detected_decimal, from_cell
from mwem_core.tables import (
    DAMAGED_PARQUET,
    bad_row,
    check_text,
    delimited_header,
    is_parquet,
    numbered_names,
    text_column,
)

MAX_READ_BYTES = 2**28  # of a file that is read into memory; a larger one is counted in parts
BLOCK_BYTES = 1 << 22  # read at a time; the header must fit
PACKED_OR_JSON = b"PK", b"\x1f\x8b", b"{", b"["  # how files begin that are read whole


def count_file(path: Path | str, domain: Domain, *, count: Count = CountPolicy.REFUSED) -> Records | RecordsOnDisk:
    """Count the records of a file, or of all files that match a pattern such as "part-*.parquet", under a schema.

    `count` is that of `encode`. Raises ValueError, with a message of one sentence: as `read_table` and `encode` do, or
    if the files have different columns.
    """
    path = Path(path)
    files = [_inspect(file) for file in _matches(path)]
    first = files[0]
    for file in files[1:]:
        if (file.delimiter, file.columns) != (first.delimiter, first.columns):
            raise ValueError(f"{file.path.name} has other columns than {first.path.name}; count them separately")
    names, types = zip(*first.columns, strict=True)
    columns = list(zip(numbered_names(names), types, strict=True))
    try:
        if first.delimiter and _has_decimal_commas(first):
            raise ValueError(
                f"{path.name} has decimal commas, and large files are read with points;"
                " save it as Parquet, or with points"
            )
        return count_parts(path.name, columns, domain, count, lambda positions: _batches(files, positions))
    except (pa.ArrowException, OSError) as error:
        for file in (file for file in files if file.delimiter):
            if problem := _bad_row(file.path, file.delimiter, len(names)):
                raise ValueError(problem) from None
        utf_8 = "has text that is not UTF-8; save the file as UTF-8"
        cause = utf_8 if "invalid UTF8" in str(error) else f"cannot be counted: {' '.join(str(error).split())[:200]}"
        raise ValueError(f"{path.name} {cause}") from None


def is_pattern(path: Path) -> bool:
    """Whether a path is a pattern such as "part-*.parquet", and not the name of a file."""
    return glob.has_magic(str(path)) and not path.exists()


def is_large(path: Path) -> bool:
    """Whether a file is a Parquet or text file that is too large to be read into memory."""
    if not path.is_file() or path.stat().st_size <= MAX_READ_BYTES:
        return False
    with path.open("rb") as file:
        start = file.read(BLOCK_BYTES)
    return is_parquet(start) or not (b"\0" in start or start.lstrip().startswith(PACKED_OR_JSON))


@dataclass(frozen=True)
class _File:
    """A file's format, before it is counted: its named columns, and for text its delimiter and whether it has quotes.

    A Parquet file has an empty delimiter.
    """

    path: Path
    delimiter: str
    columns: list[tuple[str, pa.DataType]]
    has_quotes: bool = False


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
            start = file.read(BLOCK_BYTES)
    except OSError as error:
        raise ValueError(f"{path.name} cannot be opened: {error.strerror}; check the path") from None
    if is_parquet(start):
        try:
            schema = pq.read_schema(path)
        except (pa.ArrowException, OSError):
            raise ValueError(DAMAGED_PARQUET.format(path.name)) from None
        return _File(path, "", [(field.name.strip(), field.type) for field in schema])
    delimiter, header = delimited_header(start, path.name)
    columns = [(from_cell(name.strip()), pa.string()) for name in header]
    return _File(path, delimiter, columns, _has_quotes(path, delimiter, len(columns)))


def _has_quotes(path: Path, delimiter: str, width: int) -> bool:
    """Whether a text file has quotes; raises ValueError for binary data and for a quote that does not close.

    Arrow would read the rest of the file after such a quote as one cell.
    """
    quotes = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            check_text(block, path.name)
            quotes += block.count(b'"')
    if quotes % 2 and (problem := _bad_row(path, delimiter, width)):
        raise ValueError(problem)
    return quotes > 0


def _has_decimal_commas(file: _File) -> bool:
    """Whether the numbers of a text file's first block have decimal commas, as `read_table` finds it."""
    block = next(_batches([file], range(len(file.columns))), None)
    if block is None:
        return False
    texts = [text_column(pa.chunked_array([column])) for column in block.columns]
    return detected_decimal(pa.table(texts, names=block.schema.names), file.delimiter) == COMMA


def _bad_row(path: Path, delimiter: str, width: int) -> str:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return bad_row(file, delimiter, path.name, width, 1)


def _batches(files: Sequence[_File], positions: Sequence[int]) -> Iterator[pa.RecordBatch]:
    """The columns of all files at these positions, block by block, parsed as `read_table` parses them."""
    for file in files:
        if file.delimiter:
            names = [str(i) for i in range(len(file.columns))]
            used = [names[position] for position in positions]
            yield from pyarrow.csv.open_csv(
                file.path,
                parse_options=pyarrow.csv.ParseOptions(delimiter=file.delimiter, newlines_in_values=file.has_quotes),
                read_options=pyarrow.csv.ReadOptions(
                    column_names=names, skip_rows_after_names=1, block_size=BLOCK_BYTES
                ),
                convert_options=pyarrow.csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()), include_columns=used
                ),
            )
        else:
            with pq.ParquetFile(file.path) as parquet:
                own = [parquet.schema_arrow.names[position] for position in positions]
                unique = len({*parquet.schema_arrow.names}) == len(parquet.schema_arrow.names)
                for group in range(parquet.num_row_groups):  # Arrow frees what it has read at the end of a call
                    for batch in parquet.iter_batches(PART_ROWS, row_groups=[group], columns=own if unique else None):
                        yield batch.select(own if unique else positions)

"""Files of Parquet, SPSS, Stata and SAS, which a library reads, as a rule in a process of its own.

A value that has a label is that label.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mwem_core.tables.archives import read_in_process
from mwem_core.tables.delimited_text import check_width
from mwem_core.tables.texts import MAX_VALUES, TextColumn, text_column, text_of

SPSS = (b"$FL2", b"$FL3")
STATA = (b"<stata_dta>", *(bytes([release, order, 1]) for release in range(110, 116) for order in (1, 2)))
SAS_TRANSPORT = (b"HEADER RECORD*******LIBRARY HEADER RECORD", b"HEADER RECORD*******LIBV8   HEADER RECORD")
SAS = b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0\x09\xc7\x31\x8c\x18\x1f\x10\x11"
PROGRAMS = {  # by the first bytes of a file
    SPSS: ("SPSS", "read_sav"),
    STATA: ("Stata", "read_dta"),
    SAS_TRANSPORT: ("SAS", "read_xport"),
    (SAS,): ("SAS", "read_sas7bdat"),
}
LABELS_ONLY = "labels"
PARQUET = b"PAR1"
CELL_BYTES = 3  # of a cell, on average, in CSV of as many cells as a file may have
DAMAGED_PARQUET = "{} is a damaged Parquet file, or too large; write it again or export it as CSV"


def is_parquet(data: bytes) -> bool:
    """Whether the data are a Parquet file."""
    return data.startswith(PARQUET)


def read_parquet(data: bytes, name: str, max_bytes: float) -> pa.Table:
    """The columns of a Parquet file. It may have as many cells as CSV of `max_bytes`: equal cells take it no room.

    A file without a limit is read in this process, which a damaged one can end; another in a process of its own. No
    encoding takes a column of lists or structs: only its type is kept, with nulls. Raises ValueError where the file is
    damaged or unpacks to too much.
    """
    damage = DAMAGED_PARQUET.format(name)
    if max_bytes < math.inf:
        return read_in_process(read_parquet_columns, data, name, str(max_bytes), damage=damage)
    try:
        return read_parquet_columns(data, name, str(max_bytes))
    except (pa.ArrowException, OSError, UnicodeError):
        raise ValueError(damage) from None


def read_parquet_columns(data: bytes, name: str, max_bytes: str) -> pa.Table:
    """The columns, read in this process."""
    file = pq.ParquetFile(pa.BufferReader(data))
    about, fields = file.metadata, list(file.schema_arrow)
    check_width(about.num_columns, name)
    cells, most = about.num_rows * about.num_columns, float(max_bytes) / CELL_BYTES
    if cells > most:
        raise ValueError(
            f"{name} has {cells:,} cells, over the limit of {most:,.0f};"
            " drop unneeded columns, or read it on your own machine with --unlimited"
        )
    # A text that stands in many rows is then in memory once, as it is in the file.
    texts = [field.name for field in fields if _is_text(field.type)]
    flat = [field.name for field in fields if not pa.types.is_nested(field.type)]
    chosen = flat if len({*flat}) == len(flat) else None  # columns of one name come back in another order if chosen
    read = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts).read(columns=chosen)
    columns = iter([text_column(column) for column in read.columns if not pa.types.is_nested(column.type)])
    own = [pa.nulls(about.num_rows, each.type) if pa.types.is_nested(each.type) else next(columns) for each in fields]
    for column in own:
        if pa.types.is_dictionary(column.type) and column.num_chunks:
            column.chunk(0).dictionary.validate(full=True)  # refuses what is not UTF-8
    return pa.table(own, names=[field.name.strip() for field in fields])


def _is_text(type: pa.DataType) -> bool:
    """Whether its values take as much room as they like: texts, and bytes that may be texts."""
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(is_kind(type) for is_kind in (*kinds, pa.types.is_binary, pa.types.is_large_binary))


def is_statistics_file(data: bytes) -> bool:
    """Whether the data are a file of SPSS (sav, zsav), of Stata 7 or later (dta), or of SAS (xpt, sas7bdat)."""
    return any(map(data.startswith, PROGRAMS))


def read_statistics_file(data: bytes, name: str) -> pa.Table:
    """Read the file's columns; what the file declares missing is an empty cell.

    The table's metadata lists as JSON the labels of each variable. Raises ValueError where the file is damaged or
    pyreadstat is not installed.
    """
    table = _in_process(data, name)
    check_width(table.num_columns, name)
    return table


def labels_of(data: bytes, name: str) -> dict[str, list[str]]:
    """The labels of each variable in the order of their codes; none of a variable without. No record is read."""
    return declared_labels(_in_process(data, name, LABELS_ONLY))


def declared_labels(table: pa.Table) -> dict[str, list[str]]:
    """The labels that a file declares, by variable; of a file that declares none, none."""
    return json.loads((table.schema.metadata or {}).get(b"labels", b"{}"))


def _in_process(data: bytes, name: str, *arguments: str) -> pa.Table:
    program, _ = _program(data)
    if find_spec("pyreadstat") is None:
        raise ValueError(
            f"{name} is a file of {program}, which needs pyreadstat: pip install 'mwem-explorer[files]', or save as CSV"
        )
    damage = f"{name} is a damaged file of {program}, or too large; save it again, or export it as CSV"
    return read_in_process(read_statistics, data, name, *arguments, damage=damage)


def _program(data: bytes) -> tuple[str, str]:
    """The program that a file is of, and the function that reads it."""
    return next(program for starts, program in PROGRAMS.items() if data.startswith(starts))


def _with_labels(values: list, labels: dict) -> pa.Array:
    column = TextColumn()
    for row, value in enumerate(values, 1):
        column.add(text_of(labels.get(value, value)), row=row)
    return column.filled(len(values))


def read_statistics(data: bytes, name: str, *parts: str) -> pa.Table:
    """The columns of a file in this process; without its records, where `LABELS_ONLY` is among the `parts`."""
    import pyreadstat

    labels_only = LABELS_ONLY in parts
    program, function = _program(data)
    read = getattr(pyreadstat, function)
    which = {} if program == "SAS" else {"user_missing": True}  # which values are missing
    _, about = read(io.BytesIO(data), output_format="dict", metadataonly=True, **which)
    columns = {} if labels_only else _columns(read, data, name, about)
    labels = about.variable_value_labels
    names = {column: column.strip() for column in about.column_names}
    arrays = [] if labels_only else [_with_labels(columns.pop(column), labels.get(column, {})) for column in names]
    missing = about.missing_ranges
    declared = {own: _in_order(labels.get(column, {}), missing.get(column, [])) for column, own in names.items()}
    metadata = {"labels": json.dumps(declared)}
    return pa.table(arrays, names=[] if labels_only else list(names.values()), metadata=metadata)


def _columns(read: Callable[..., Any], data: bytes, name: str, about: Any) -> dict[str, list]:
    """The values of each column. Raises ValueError where they are too many, whatever number the file declares."""
    check_width(len(about.column_names), name)
    rows = MAX_VALUES // max(len(about.column_names), 1)
    if (about.number_rows or 0) <= rows:
        columns = read(io.BytesIO(data), output_format="dict", row_limit=rows + 1)[0]
        if all(len(values) <= rows for values in columns.values()):
            return columns
    raise ValueError(f"{name} has more than {MAX_VALUES:,} cells; drop unneeded columns, or export it as CSV")


def _in_order(labels: dict, missing: list[Any]) -> list[str]:
    """The labels in the order of their codes, without those of values that the file declares missing."""
    codes = [code for code in labels if not any(_within(code, each["lo"], each["hi"]) for each in missing)]
    codes.sort(key=lambda code: (isinstance(code, str), code))
    return list(dict.fromkeys(text_of(labels[code]).strip() for code in codes))


def _within(code: Any, low: Any, high: Any) -> bool:
    return isinstance(code, str) == isinstance(low, str) and low <= code <= high

"""Files that a library reads in a process of its own: of Arrow (Feather, arrow), SPSS, Stata and SAS.

A value that has a label is that label.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from mwem_core.tables.archives import read_in_process
from mwem_core.tables.delimited_text import check_width
from mwem_core.tables.texts import MAX_VALUES, NESTED_TYPE, TEXT_TYPE, TextColumn, text_column, text_of

ARROW = b"ARROW1\0\0"
MAX_CELLS = 10 * MAX_VALUES  # a column of equal cells takes no room in the file
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


def is_arrow_file(data: bytes) -> bool:
    """Whether the data are a file of Arrow, also called Feather."""
    return data.startswith(ARROW)


def read_arrow_file(data: bytes, name: str) -> pa.Table:
    """The columns as text; one of lists or structs has no cells. Raises ValueError where the file is damaged."""
    damage = f"{name} is a damaged file of Arrow, or too large; write it again, or export it as CSV"
    return read_in_process(read_arrow, data, name, damage=damage)


def read_arrow(data: bytes, name: str) -> pa.Table:
    """The columns as text, in this process."""
    table = pa.ipc.open_file(pa.BufferReader(data)).read_all()
    check_width(table.num_columns, name)
    if table.num_rows * table.num_columns > MAX_CELLS:
        raise ValueError(f"{name} has more than {MAX_CELLS:,} cells; drop unneeded columns, or save it as Parquet")
    table.validate(full=True)
    columns = []
    for column in table.columns:
        texts = text_column(column)
        is_text = pa.types.is_dictionary(texts.type) and texts.type.value_type == pa.string()
        columns.append(texts.cast(TEXT_TYPE) if is_text else pa.nulls(table.num_rows, NESTED_TYPE))
    return pa.table(columns, names=[own.strip() for own in table.column_names])


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

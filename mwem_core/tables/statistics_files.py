"""Files of SPSS, Stata and SAS as columns of text: a value that has a label is that label."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from mwem_core.tables.delimited import check_width
from mwem_core.tables.limited_process import read_apart, write_apart
from mwem_core.tables.texts import MAX_VALUES, TextColumn, text_of

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


def is_statistics_file(data: bytes) -> bool:
    """Whether the data are a file of SPSS (sav, zsav), of Stata 7 or later (dta), or of SAS (xpt, sas7bdat)."""
    return any(map(data.startswith, PROGRAMS))


def read_statistics_file(data: bytes, name: str) -> pa.Table:
    """Read the file's columns; what the file declares missing is an empty cell.

    The table's metadata lists as JSON the labels of each variable. Raises ValueError where the file is damaged or
    pyreadstat is not installed.
    """
    table = _apart(data, name)
    check_width(table.num_columns, name)
    return table


def labels_of(data: bytes, name: str) -> dict[str, list[str]]:
    """The labels of each variable in the order of their codes; none of a variable without. No record is read."""
    return declared_labels(_apart(data, name, LABELS_ONLY))


def declared_labels(table: pa.Table) -> dict[str, list[str]]:
    """The labels that a file declares, by variable; of a file that declares none, none."""
    return json.loads((table.schema.metadata or {}).get(b"labels", b"{}"))


def _apart(data: bytes, name: str, *arguments: str) -> pa.Table:
    program, _ = _program(data)
    if find_spec("pyreadstat") is None:
        raise ValueError(
            f"{name} is a file of {program}, which needs pyreadstat: pip install 'mwem-explorer[files]', or save as CSV"
        )
    table = read_apart(__name__, data, name, *arguments)
    if table is None:
        raise ValueError(f"{name} is a damaged file of {program}, or too large; save it again, or export it as CSV")
    return table


def _program(data: bytes) -> tuple[str, str]:
    """The program that a file is of, and the function that reads it."""
    return next(program for starts, program in PROGRAMS.items() if data.startswith(starts))


def _labelled(values: list, labels: dict) -> pa.Array:
    column = TextColumn()
    for row, value in enumerate(values, 1):
        column.add(text_of(labels.get(value, value)), row=row)
    return column.filled(len(values))


def _read(data: bytes, name: str, *, labels_only: bool) -> pa.Table:
    import pyreadstat

    program, function = _program(data)
    read = getattr(pyreadstat, function)
    which = {} if program == "SAS" else {"user_missing": True}  # which values are missing
    _, about = read(io.BytesIO(data), output_format="dict", metadataonly=True, **which)
    columns = {} if labels_only else _columns(read, data, name, about)
    labels = about.variable_value_labels
    names = {column: column.strip() for column in about.column_names}
    arrays = [] if labels_only else [_labelled(columns.pop(column), labels.get(column, {})) for column in names]
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


def main() -> None:
    """Read a file from standard input; the arguments are its name and, to leave out its records, `LABELS_ONLY`."""
    name, *rest = sys.argv[1:]
    write_apart(lambda data: _read(data, name, labels_only=rest == [LABELS_ONLY]))


if __name__ == "__main__":
    main()

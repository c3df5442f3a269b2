"""Files of SPSS and Stata as columns of text: a value that has a label is that label."""

from __future__ import annotations

import io
from importlib.util import find_spec

import pyarrow as pa

from mwem_core.data.apart import read_apart, write_apart
from mwem_core.data.delimited import check_width
from mwem_core.data.texts import TextColumn, text_of

SPSS = (b"$FL2", b"$FL3")
STATA = (b"<stata_dta>", *(bytes([release, order, 1]) for release in range(110, 116) for order in (1, 2)))


def is_statistics_file(data: bytes) -> bool:
    """Whether the data are a file of SPSS (sav, zsav) or of Stata 7 or later (dta)."""
    return data.startswith((*SPSS, *STATA))


def read_statistics_file(data: bytes, name: str) -> pa.Table:
    """Read the file's columns; what the file declares missing is an empty cell.

    Raises ValueError where the file is damaged or pyreadstat is not installed.
    """
    program = "SPSS" if data.startswith(SPSS) else "Stata"
    if find_spec("pyreadstat") is None:
        raise ValueError(
            f"{name} is a file of {program}, which needs pyreadstat: pip install 'mwem-explorer[files]', or save as CSV"
        )
    table = read_apart(__name__, data)
    if table is None:
        raise ValueError(f"{name} is a damaged file of {program}; save it again, or export it as CSV")
    check_width(table.num_columns, name)
    return table


def _labelled(values: list, labels: dict) -> pa.Array:
    column = TextColumn()
    for row, value in enumerate(values, 1):
        column.add(text_of(labels.get(value, value)), row=row)
    return column.filled(len(values))


def _read(data: bytes) -> pa.Table:
    import pyreadstat

    read = pyreadstat.read_sav if data.startswith(SPSS) else pyreadstat.read_dta
    columns, about = read(io.BytesIO(data), output_format="dict")
    labels = about.variable_value_labels
    arrays = [_labelled(values, labels.get(name, {})) for name, values in columns.items()]
    return pa.table(arrays, names=[name.strip() for name in columns])


def main() -> None:
    """Read a file from standard input."""
    write_apart(_read)


if __name__ == "__main__":
    main()

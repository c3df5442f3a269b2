"""Files of SPSS and Stata as columns of text: a value that has a label is that label.

They are read in a process of their own, because a damaged file can end the process that reads it.
"""

from __future__ import annotations

import io
import subprocess
import sys
from importlib.util import find_spec

import pyarrow as pa

from mwem_core.data.delimited import check_width
from mwem_core.data.texts import TextColumn, text_of

SPSS = (b"$FL2", b"$FL3")
STATA = (b"<stata_dta>", *(bytes([release, order, 1]) for release in range(110, 116) for order in (1, 2)))
SECONDS = 300  # that reading a file may take


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
    try:
        read = subprocess.run([sys.executable, "-m", __name__], input=data, capture_output=True, timeout=SECONDS)
        table = pa.ipc.open_stream(read.stdout).read_all() if read.returncode == 0 else None
    except (subprocess.TimeoutExpired, pa.ArrowException):
        table = None
    if table is None:
        raise ValueError(f"{name} is a damaged file of {program}; save it again, or export it as CSV")
    check_width(table.num_columns, name)
    return table


def _labelled(values: list, labels: dict) -> pa.Array:
    column = TextColumn()
    for row, value in enumerate(values, 1):
        column.add(text_of(labels.get(value, value)), row=row)
    return column.filled(len(values))


def main() -> None:
    """Read a file from standard input, and write its columns to standard output as a stream of Arrow."""
    import pyreadstat

    data = sys.stdin.buffer.read()
    read = pyreadstat.read_sav if data.startswith(SPSS) else pyreadstat.read_dta
    columns, about = read(io.BytesIO(data), output_format="dict")
    labels = about.variable_value_labels
    arrays = [_labelled(values, labels.get(name, {})) for name, values in columns.items()]
    table = pa.table(arrays, names=[name.strip() for name in columns])
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)


if __name__ == "__main__":
    main()

"""Delimited text, such as CSV: its encoding and delimiter are detected, and malformed rows are refused by line."""

from __future__ import annotations

import contextlib
import csv
import io

import pyarrow as pa
import pyarrow.csv

from mwem_core.data.legacy import guess_encoding
from mwem_core.data.numerals import detected_decimal, with_decimal
from mwem_core.data.texts import TEXT_TYPE, text_column
from mwem_core.domain.csv_cell import from_cell

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\0\0": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
BLOCK = 1 << 23  # bytes that are parsed at a time; no line may be longer
MAX_COLUMNS = 10_000
MAX_TITLES = 20  # above the names of the columns
SAMPLE_BYTES = 1 << 20  # from which the delimiter is detected; the header must fit
ENCODING_BYTES = 1 << 14  # of lines with non-ASCII bytes, from which a legacy encoding is guessed
CONTROL_BYTES = [bytes([byte]) for byte in range(9)]  # never part of a text table


def read_delimited(
    data: bytes, name: str, encoding: str | None = None, delimiter: str | None = None, decimal: str | None = None
) -> pa.Table:
    """Read delimited text as columns of text; the table's metadata names its encoding, delimiter and decimal mark.

    Up to `MAX_TITLES` lines above the names of the columns are left out; the metadata counts them as titles.
    What is not given is detected. If the bytes are not Unicode, their encoding is a guess.
    """
    data, encoding = _as_utf8(data, name, encoding)
    _check_lines(data, name)
    data, titles = _without_titles(data)
    delimiter, header = sniff(data, None if delimiter is None else delimiter_named(delimiter))
    check_width(len(header), name)
    if not data.endswith(b"\n"):
        data += b"\n"  # without it, Arrow takes a lone header for an empty file
    quotes = data.count(b'"')
    try:
        table = pyarrow.csv.read_csv(
            pa.py_buffer(data),
            # One block needs no threads, and a process that ends while Arrow still starts them is aborted.
            read_options=pyarrow.csv.ReadOptions(block_size=BLOCK, use_threads=len(data) > BLOCK),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=quotes > 0),
            convert_options=pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(header, TEXT_TYPE)),
        )
    except pa.ArrowException:
        problem = _bad_row(data, delimiter, name) or f"{name} cannot be cut into rows of cells; export it again as CSV"
        raise ValueError(problem) from None
    # Arrow reads the rest of the file after an unclosed quote as one cell. An odd number of quotes may hide one.
    if quotes % 2 and (problem := _bad_row(data, delimiter, name)):
        raise ValueError(problem)
    columns = [text_column(column) for column in table.columns]
    detected = {"encoding": encoding, "delimiter": DELIMITERS[delimiter]}  # shown on screen
    if titles:
        detected["titles"] = str(titles)
    read = pa.table(columns, names=[from_cell(column.strip()) for column in table.column_names], metadata=detected)
    return with_decimal(read, decimal or detected_decimal(read, delimiter))


def delimiter_named(text: str) -> str:
    """A delimiter given as itself or by its name, such as semicolon. Raises ValueError for any other text."""
    for delimiter, name in DELIMITERS.items():
        if text in (delimiter, name):
            return delimiter
    raise ValueError(f"cells may be divided by a {', '.join(DELIMITERS.values())}, got {text!r}")


def check_width(columns: int, name: str) -> None:
    """Raise ValueError if a table has more columns than can be read in a second or two."""
    if columns > MAX_COLUMNS:
        raise ValueError(f"{name} has {columns:,} columns, over the limit of {MAX_COLUMNS:,}; drop unneeded ones")


def check_text(data: bytes, name: str) -> None:
    """Raise ValueError if the data has bytes that no text table holds."""
    if any(byte in data for byte in CONTROL_BYTES):
        raise ValueError(f"{name} is not a table of text: it holds binary data; export it as CSV or Parquet")


def _as_utf8(data: bytes, name: str, encoding: str | None) -> tuple[bytes, str]:
    """The text re-encoded as UTF-8, and its original encoding."""
    if encoding is not None:
        text = _decode(data, name, encoding)
    else:
        encoding = next((known for mark, known in BYTE_ORDER_MARKS.items() if data.startswith(mark)), "utf-8")
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            text, encoding = _decode_legacy(data, name, error)
    if not text.strip():
        raise ValueError(f"{name} is empty; it needs a header and at least one row")
    data = data if encoding == "utf-8" else text.encode()
    check_text(data, name)
    return data, encoding.removesuffix("-sig")


def _decode(data: bytes, name: str, encoding: str) -> str:
    """The text in an encoding that the user has chosen, without a byte order mark."""
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02x}"
        raise ValueError(f"{name} line {line}: {byte} is not {encoding} text; choose another encoding") from None
    except (LookupError, UnicodeError):
        raise ValueError(f"{encoding!r} is no text encoding; use a name such as cp1252 or utf-8") from None


def _decode_legacy(data: bytes, name: str, error: UnicodeDecodeError) -> tuple[str, str]:
    """The text, and its single- or double-byte encoding as guessed from the lines that are not ASCII."""
    line = data.count(b"\n", 0, error.start) + 1
    problem = f"{name} line {line}: byte 0x{data[error.start]:02x} is not {error.encoding} text; save the file as UTF-8"
    start = data.rfind(b"\n", 0, error.start) + 1
    not_ascii = (line for line in data[start : start + SAMPLE_BYTES].splitlines() if not line.isascii())
    sample = b"\n".join(not_ascii)[:ENCODING_BYTES]
    encoding = guess_encoding(sample) if error.encoding == "utf-8" else None
    if encoding is None:
        raise ValueError(problem)
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError:
        raise ValueError(problem) from None


def _without_titles(data: bytes) -> tuple[bytes, int]:
    """The text with empty lines in place of titles above the names, and the number of titles.

    Titles are lines of one cell, if all rows below have equally many cells, and more than one; and if no delimiter
    makes a table of all lines.
    """
    sample = data[:SAMPLE_BYTES].decode(errors="ignore")
    found = [_titles(sample, delimiter, whole=len(data) <= SAMPLE_BYTES) for delimiter in DELIMITERS]
    _, lines, titles = max(found)
    if not titles or any(width > 1 and not above for width, _, above in found):
        return data, 0
    return b"\n" * lines + data.split(b"\n", lines)[lines], titles


def _titles(sample: str, delimiter: str, *, whole: bool) -> tuple[int, int, int]:
    """The width of the rows below titles, and how many lines and titles are above; (width, 0, 0) without titles."""
    rows, reader = list[tuple[int, int]](), csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    before = 0
    with contextlib.suppress(csv.Error):
        for row in reader:
            if row:
                rows.append((before, len(row)))
            before = reader.line_num
    rows = rows if whole else rows[:-1]
    first = next((i for i, (_, width) in enumerate(rows) if width > 1), 0)
    below = {width for _, width in rows[first:]}
    if len(below) != 1:
        return 0, 0, 0
    titles = first if first <= MAX_TITLES and len(rows) - first > 1 else 0
    return below.pop(), rows[first][0] if titles else 0, titles


def sniff(data: bytes, chosen: str | None = None) -> tuple[str, list[str]]:
    """The delimiter, and the header that it gives.

    Unless one is chosen, it is the one that splits the first rows most evenly into several cells.
    """
    sample = data[:SAMPLE_BYTES].decode(errors="ignore")

    def first_rows(delimiter: str) -> list[list[str]]:
        rows: list[list[str]] = []
        with contextlib.suppress(csv.Error):  # a cell over the csv module's limit: `_bad_row` names its line
            rows.extend(row for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if row)
        return (rows[:-1] if len(data) > SAMPLE_BYTES else rows) or [[""]]  # the sample's last row may be incomplete

    def evenness(delimiter: str) -> tuple[bool, float, int]:
        rows = first_rows(delimiter)
        width = len(rows[0])
        return width > 1, sum(len(row) == width for row in rows) / len(rows), width

    delimiter = chosen or max(DELIMITERS, key=evenness)
    return delimiter, first_rows(delimiter)[0]


def _check_lines(data: bytes, name: str) -> None:
    """Raise ValueError if a line is longer than a block."""
    start = 0
    while len(data) - start > BLOCK:
        end = max(data.rfind(sign, start, start + BLOCK) for sign in (b"\n", b"\r"))
        if end < 0:
            line = data.count(b"\n", 0, start) + 1
            raise ValueError(f"{name} line {line} has more than {BLOCK:,} bytes; write one record per line")
        start = end + 1


def _bad_row(data: bytes, delimiter: str, name: str) -> str:
    """The error message for the first row that is ragged or has a misplaced quote; empty if there is none."""
    rows = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8", newline=""), delimiter=delimiter, strict=True)
    width, line = 0, 1
    try:
        for row in rows:
            width = width or len(row)
            if row and len(row) != width:
                cells = f"{len(row)} {'cell' if len(row) == 1 else 'cells'} where the header has {width}"
                return f"{name} line {line} has {cells}; add or remove delimiters, or quote the cell that holds one"
            line = rows.line_num + 1
    except csv.Error:
        return f"{name} line {line} opens a quote that does not close at its cell's end; close it, or double it inside"
    return ""

"""Bytes of a text file as UTF-8: the encoding is chosen, told by a byte order mark, or guessed."""

from __future__ import annotations

from mwem_core.tables.legacy import guess_encoding

BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\0\0": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
LOOKED_AT = 1 << 20  # from the first byte that is not Unicode, in which lines are looked for
ENCODING_BYTES = 1 << 14  # of lines with non-ASCII bytes, from which a legacy encoding is guessed
CONTROL_BYTES = [bytes([byte]) for byte in range(9)]  # never part of a text table


def as_utf8(data: bytes, name: str, encoding: str | None) -> tuple[bytes, str]:
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
    data = data.removeprefix(b"\xef\xbb\xbf") if encoding == "utf-8" else text.encode()
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
    not_ascii = (line for line in data[start : start + LOOKED_AT].splitlines() if not line.isascii())
    sample = b"\n".join(not_ascii)[:ENCODING_BYTES]
    encoding = guess_encoding(sample) if error.encoding == "utf-8" else None
    if encoding is None:
        raise ValueError(problem)
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError:
        raise ValueError(problem) from None


def check_text(data: bytes, name: str) -> None:
    """Raise ValueError if the data has bytes that no text table holds."""
    if any(byte in data for byte in CONTROL_BYTES):
        raise ValueError(f"{name} is not a table of text: it holds binary data; export it as CSV or Parquet")

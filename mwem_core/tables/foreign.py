"""Files that are no table, or one that no library here reads: what they are, and how to export them."""

from __future__ import annotations

import re

EXPORT = "export it as CSV or Parquet"
R = "in R, write it with write.csv or arrow::write_parquet"
UNPACK = "decompress it, and give the table itself"
STARTS = {  # by the first bytes of a file
    b"\x89PNG": ("a PNG image, not a table", EXPORT),
    b"\xff\xd8\xff": ("a JPEG image, not a table", EXPORT),
    b"GIF8": ("a GIF image, not a table", EXPORT),
    b"%PDF": ("a PDF document, not a table", EXPORT),
    b"PK\x03\x04": ("a zip archive, not a table", EXPORT),
    b"\x1f\x8b": ("a gzip archive, not a table", EXPORT),
    b"BZh": ("an archive of bzip2", UNPACK),
    b"\xfd7zXZ\0": ("an archive of xz", UNPACK),
    b"\x28\xb5\x2f\xfd": ("an archive of Zstandard", UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a 7-Zip archive", UNPACK),
    b"Rar!": ("a RAR archive", UNPACK),
    b"SQLite format 3": ("a SQLite database, not a table", "export a table of it as CSV or Parquet"),
    b"\0\x01\0\0Standard": ("an Access database", "export a table of it as CSV or xlsx"),
    b"RDX2\n": ("a workspace of R (RData)", R),
    b"RDX3\n": ("a workspace of R (RData)", R),
    b"RDA2\n": ("a workspace of R (RData)", R),
    b"RDA3\n": ("a workspace of R (RData)", R),
    b"X\n\0\0\0": ("a value that R has saved (rds)", R),
    b"MATLAB 5.0 MAT-file": ("a file of MATLAB", "in MATLAB, write the table with writetable to CSV"),
    b"\x89HDF": ("a file of HDF5, such as one of MATLAB or pandas", "export its table as CSV or Parquet"),
    b"\x93NUMPY": ("an array of NumPy", "write it with numpy.savetxt, or as a table to CSV or Parquet"),
    b"\x80\x04\x95": ("a pickle of Python", "write the table with to_csv or to_parquet"),
    b"\x80\x05\x95": ("a pickle of Python", "write the table with to_csv or to_parquet"),
    b"Obj\x01": ("a file of Avro", EXPORT),
    b"ORC": ("a damaged file of ORC", "write it again, or export it as CSV or Parquet"),
    b"**COMPRESSED** **COMPRESSED**": (
        "a file of PROC CPORT of SAS",
        "write it with PROC COPY to the XPORT engine, or with PROC EXPORT to CSV",
    ),
    b"{\\rtf": ("a text document (RTF), not a table", "save its table as xlsx or CSV"),
}
MARKUP = {
    re.compile(rb"\s*(<!doctype\s+html|<html|<head|<body|<table|<meta|<div)", re.IGNORECASE): (
        "a page of HTML",
        "open it in a spreadsheet program, and save it as xlsx or CSV",
    ),
    re.compile(rb"\s*<(\?xml|[a-z][\w:.-]*(\s+xmlns|\s*>\s*<))", re.IGNORECASE): (
        "a document of XML",
        "export its table as CSV or xlsx, or open it in a spreadsheet program",
    ),
}
START_BYTES = 4096
PORTABLE = b"SPSSPORT"


def check_format(start: bytes, name: str) -> None:
    """Raise ValueError if a file starts like one that cannot be read, such as an image or a page of HTML."""
    start = start[:START_BYTES]
    found = next((what for magic, what in STARTS.items() if start.startswith(magic)), None)
    marked = start.removeprefix(b"\xef\xbb\xbf")
    found = found or next((what for pattern, what in MARKUP.items() if pattern.match(marked)), None)
    if found is None and PORTABLE in start[:600]:
        found = "a portable file of SPSS", "in SPSS, save it as sav"
    if found:
        what, remedy = found
        raise ValueError(f"{name} is {what}; {remedy}")

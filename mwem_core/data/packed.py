"""Packed files: gzip, and zip archives with one file in them."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from typing import Protocol

GZIP = b"\x1f\x8b"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second: without a file in it
MAX_LISTED = 4
BLOCK = 1 << 20


class Readable(Protocol):
    """An open file of bytes."""

    def read(self, size: int, /) -> bytes:
        """So many bytes at most; none at the end."""
        ...


def unpack(data: bytes, name: str, max_bytes: int | None) -> tuple[bytes, str]:
    """The one file that a packed file holds, with its name; other data as they are.

    Raises ValueError where it is damaged, has a password, holds no file or several, or one of more than `max_bytes`.
    """
    try:
        if data.startswith(GZIP):
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                return _read(file, name, max_bytes), name.removesuffix(".gz")
        if data.startswith(ZIP):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return _only_file(archive, name, max_bytes)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError):
        raise ValueError(f"{name} is a damaged archive; pack the table again, or give the table itself") from None
    return data, name


def _only_file(archive: zipfile.ZipFile, name: str, max_bytes: int | None) -> tuple[bytes, str]:
    own = [
        member
        for member in archive.infolist()
        if not (member.is_dir() or member.filename.startswith("__MACOSX/") or _base(member).startswith("."))
    ]
    if len(own) != 1:
        listed = ", ".join(repr(_base(member)) for member in own[:MAX_LISTED]) + (
            ", …" if len(own) > MAX_LISTED else ""
        )
        found = f"{len(own):,} files ({listed})" if own else "no file"
        raise ValueError(f"{name} holds {found}; give an archive with one table, or the table itself")
    if own[0].flag_bits & 1:
        raise ValueError(f"{name} has a password; unpack it, and give the table itself")
    with archive.open(own[0]) as file:
        return _read(file, name, max_bytes), _base(own[0])


def _base(member: zipfile.ZipInfo) -> str:
    return member.filename.rpartition("/")[2]


def _read(file: Readable, name: str, max_bytes: int | None) -> bytes:
    """All of a file, and no more than that much of it: a small archive may hold a huge one."""
    blocks, size = [], 0
    while block := file.read(BLOCK):
        size += len(block)
        if max_bytes is not None and size > max_bytes:
            raise ValueError(
                f"{name} unpacks to more than the limit of {max_bytes / 1e6:,.1f} MB;"
                " drop unneeded columns, save it as Parquet, or work on your own machine"
            )
        blocks.append(block)
    return b"".join(blocks)

"""Archives, and processes of their own, in which files are read that may be damaged or made to do harm.

gzip, and zip archives with one file in them, unpack to a limit. A damaged file can end the process that reads it or
fill its memory, so some are read in another process.
"""

from __future__ import annotations

import gzip
import io
import math
import os
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import IO

import pyarrow as pa

GZIP = b"\x1f\x8b"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second: without a file in it
STARTS = (b"\x1f\x8b\x08", b"PK\x01\x02")  # of each file in a gzip archive, and of each entry of a zip archive
MAX_FILES = 20_000  # in an archive: gzip files may be made of blocks
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack to a gigabyte before their size can be checked
MAX_LISTED = 4
DAMAGE = (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError)  # what unpacking raises
SECONDS = 120  # that reading may take: the most that is read needs twenty
MIN_MEMORY, MAX_MEMORY = 85 * 10**7, 2 * 10**9  # bytes that it may fill, where the system can limit a process
PER_BYTE = 40  # of them, above the least, for each byte of the file
MEMORY = "MWEM_READING_MEMORY"
EXIT_DAMAGED = 1  # the exit code where nothing can be said of the error
EXIT_REFUSED = 3  # the exit code where the error is a sentence


def unpack(data: bytes, name: str, max_bytes: float) -> tuple[bytes, str]:
    """The one file that a packed file holds, with its name; other data as they are.

    Raises ValueError where it is damaged, has a password, holds no file or several, or one of more than `max_bytes`.
    """
    try:
        if data.startswith(GZIP):
            _check_number(data, name)
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                return _read(file, name, max_bytes), name.removesuffix(".gz")
        if data.startswith(ZIP):
            with open_archive(data, name) as archive:
                return _only_file(archive, name, max_bytes)
    except DAMAGE:
        raise ValueError(f"{name} is a damaged archive; pack the table again, or give the table itself") from None
    return data, name


def open_archive(data: bytes, name: str) -> zipfile.ZipFile:
    """A zip archive, whose files unpack to no more than the sizes in it.

    Raises ValueError if it holds too many files, or packs one in another way than most programs; one of `DAMAGE` if it
    is damaged.
    """
    _check_number(data, name)
    archive = zipfile.ZipFile(io.BytesIO(data))
    if any(member.compress_type not in METHODS for member in archive.infolist()):
        raise ValueError(f"{name} is packed in an unusual way; pack it again as an ordinary zip archive")
    return archive


def _check_number(data: bytes, name: str) -> None:
    if any(data.count(start) > MAX_FILES for start in STARTS):
        raise ValueError(f"{name} is an archive of more than {MAX_FILES:,} pieces; give the table itself")


def _only_file(archive: zipfile.ZipFile, name: str, max_bytes: float) -> tuple[bytes, str]:
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


def _read(file: IO[bytes] | gzip.GzipFile, name: str, max_bytes: float) -> bytes:
    """All of a file, and no more than that much of it: a small archive may hold a huge one."""
    data = file.read(-1 if max_bytes == math.inf else int(max_bytes) + 1)
    if len(data) > max_bytes:
        raise ValueError(
            f"{name} unpacks to more than the limit of {max_bytes / 1e6:,.1f} MB;"
            " drop unneeded columns, save it as Parquet, or read it on your own machine with --unlimited"
        )
    return data


def read_in_process(read: Callable[..., pa.Table], data: bytes, *arguments: str, damage: str) -> pa.Table:
    """What `read(data, *arguments)` returns in a process of its own, which may fill more memory for a larger file.

    Raises ValueError with the sentence of the ValueError that it raised; or with `damage` if it ended without a table.
    """
    command = [sys.executable, "-m", __name__, read.__module__, read.__name__, *arguments]
    most = min(MAX_MEMORY, MIN_MEMORY + PER_BYTE * len(data))
    try:
        ended = subprocess.run(
            command, input=data, capture_output=True, timeout=SECONDS, env=os.environ | {MEMORY: str(most)}
        )
        if ended.returncode == 0:
            return pa.ipc.open_stream(ended.stdout).read_all()
        raise ValueError(ended.stderr.decode() if ended.returncode == EXIT_REFUSED else damage)
    except (subprocess.TimeoutExpired, pa.ArrowException):
        raise ValueError(damage) from None


def limit_memory(most: int) -> None:
    """Let this process fill so many bytes at most, where the system can limit one."""
    with suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        # Not the address space, of which libraries reserve more than they fill: some for each processor.
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def write_from_process(read: Callable[[bytes], pa.Table]) -> None:
    """Read a file from standard input, and write its table to standard output as a stream of Arrow."""
    limit_memory(int(os.environ.get(MEMORY, MAX_MEMORY)))
    try:
        table = read(sys.stdin.buffer.read())
    except (UnicodeError, OSError, MemoryError, pa.ArrowException):  # of a library: the file is damaged, or too large
        sys.exit(EXIT_DAMAGED)
    except ValueError as error:
        sys.stderr.buffer.write(str(error).encode())  # not in the encoding of the system, which is read as UTF-8
        sys.exit(EXIT_REFUSED)
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)


if __name__ == "__main__":
    module, function, *rest = sys.argv[1:]
    write_from_process(lambda data: getattr(import_module(module), function)(data, *rest))

"""Reading a file in a process of its own, as a damaged file can end the process that reads it or fill its memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress

import pyarrow as pa

SECONDS = 600  # that reading may take
MIN_MEMORY, MAX_MEMORY = 85 * 10**7, 2 * 10**9  # bytes that it may fill, where the system can limit a process
PER_BYTE = 40  # of them, above the least, for each byte of the file
MEMORY = "MWEM_READING_MEMORY"
DAMAGED = 1  # the exit code where nothing can be said of the error
REFUSED = 3  # the exit code where the error is a sentence


def read_apart(module: str, data: bytes, *arguments: str, size: int | None = None) -> pa.Table | None:
    """The table that a module's `main` writes by `write_apart`; None if the process ended without one.

    It may fill more memory for a file of more bytes; `size` says how many where the data are no longer packed.

    Raises ValueError with the sentence of the ValueError that `main` raised.
    """
    command = [sys.executable, "-m", module, *arguments]
    most = min(MAX_MEMORY, MIN_MEMORY + PER_BYTE * (len(data) if size is None else size))
    try:
        read = subprocess.run(
            command, input=data, capture_output=True, timeout=SECONDS, env=os.environ | {MEMORY: str(most)}
        )
        if read.returncode == REFUSED:
            raise ValueError(read.stderr.decode())
        return pa.ipc.open_stream(read.stdout).read_all() if read.returncode == 0 else None
    except (subprocess.TimeoutExpired, pa.ArrowException):
        return None


def limit_memory(most: int) -> None:
    """Let this process fill so many bytes at most, where the system can limit one."""
    with suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        # Not the address space, of which libraries reserve more than they fill: some for each processor.
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def write_apart(read: Callable[[bytes], pa.Table]) -> None:
    """Read a file from standard input, and write its table to standard output as a stream of Arrow."""
    limit_memory(int(os.environ.get(MEMORY, MAX_MEMORY)))
    try:
        table = read(sys.stdin.buffer.read())
    except UnicodeError:  # of a library: the file is damaged
        sys.exit(DAMAGED)
    except ValueError as error:
        sys.stderr.buffer.write(str(error).encode())  # not in the encoding of the system, which is read as UTF-8
        sys.exit(REFUSED)
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)

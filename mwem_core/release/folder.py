"""A folder that is written as a whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp

ROOM = 50  # megabytes of the disk that are kept free while the files are made: most releases take less


def write_folder(out: Path, make: Callable[[], dict[str, bytes]]) -> None:
    """Make files, and write them to a folder beside `out` that then takes its place; if that fails, it is removed.

    While the files are made, which may take long and cost a budget, nothing of them is on the disk. So a process that
    is killed meanwhile leaves nothing behind. Raises ValueError, before anything is made, where `out` is a file, or a
    folder with anything in it, and OSError where it cannot be written or its disk lacks `ROOM`. Where another process
    fills `out` meanwhile, or the files take more than the disk has, they are in a folder that the ValueError names.
    """
    check_empty(out)
    partial = out.absolute().with_name(f".{out.absolute().name}.{secrets.token_hex(8)}")
    partial.mkdir(parents=True)  # fails now, if ever
    partial.rmdir()
    with TemporaryFile(dir=partial.parent) as room:  # without a name: it is gone with the process
        for _ in range(ROOM):
            room.write(os.urandom(10**6))  # which no disk packs
        room.flush()
        files = make()
    try:
        _write(partial, files)
    except OSError as error:
        kept = Path(mkdtemp(prefix=f"{out.name}."))
        with suppress(OSError):
            _write(kept, files)
            raise ValueError(
                f"{str(out)!r} cannot be written: {error.strerror}; the files are in {str(kept)!r}"
            ) from None
        raise
    try:
        if out.exists():
            out.rmdir()
        partial.rename(out)
    except OSError:
        raise ValueError(
            f"another program has written to {str(out)!r} meanwhile, or has it open: the files are in {str(partial)!r}"
        ) from None


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Write all files or none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def check_empty(out: Path) -> None:
    """Raise ValueError where `out` is a file, or a folder with anything in it, which might be overwritten."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise ValueError(f"{str(out)!r} is not an empty folder: name another one")

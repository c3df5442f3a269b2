"""A folder that is written as a whole or not at all."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable
from pathlib import Path


def write_folder(out: Path, make: Callable[[], dict[str, bytes]]) -> None:
    """Make files, and write them to a folder beside `out` that then takes its place; if that fails, it is removed.

    While the files are made, which may take long and cost a budget, nothing of them is on the disk. So a process that
    is killed meanwhile leaves nothing behind. Raises ValueError, before anything is made, where `out` is a file, or a
    folder with anything in it, and OSError where it cannot be written. Where another process fills `out` meanwhile, the
    files stay in the folder beside it, which the ValueError names.
    """
    check_empty(out)
    partial = out.absolute().with_name(f".{out.absolute().name}.{secrets.token_hex(8)}")
    partial.mkdir(parents=True)  # fails now, if ever
    partial.rmdir()
    files = make()
    partial.mkdir(parents=True)
    try:
        for name, content in files.items():
            (partial / name).write_bytes(content)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    try:
        if out.exists():
            out.rmdir()
        partial.rename(out)
    except OSError:
        raise ValueError(
            f"another program has written to {str(out)!r} meanwhile, or has it open: the files are in {str(partial)!r}"
        ) from None


def check_empty(out: Path) -> None:
    """Raise ValueError where `out` is a file, or a folder with anything in it, which might be overwritten."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise ValueError(f"{str(out)!r} is not an empty folder: name another one")

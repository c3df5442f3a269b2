"""A folder that is written as a whole or not at all."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Yield an empty folder beside `out`, which takes its place at the end; if anything fails, it is removed.

    Raises ValueError at once where `out` is a file, or a folder with anything in it, and OSError where it cannot be
    written.
    """
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise ValueError(f"{str(out)!r} is not an empty folder: name another one")
    partial = out.absolute().with_name(f".{out.absolute().name}.{secrets.token_hex(8)}")
    partial.mkdir(parents=True)
    try:
        yield partial
        if out.exists():
            out.rmdir()
        partial.rename(out)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise

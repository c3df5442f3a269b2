"""A PostgreSQL server of the tests' own: an installed one, in a temporary folder, on a socket there."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

INITDB = next(
    (
        Path(found)
        for found in [shutil.which("initdb"), *sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")))]
        if found
    ),
    None,
)
PORT, USER, BASE = 54321, "tester", "postgres"  # the port names the socket; nothing listens on the network


@contextmanager
def serving() -> Iterator[str]:
    """A fresh server; yields the URL of its database."""
    if INITDB is None:
        raise RuntimeError("no PostgreSQL: initdb is neither on the PATH nor in /usr/lib/postgresql/*/bin")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a socket's path must be short
    try:
        if os.geteuid() == 0:  # as root PostgreSQL does not run
            shutil.chown(folder, "nobody")
        data, log, start = folder / "data", folder / "log", f"-k {folder} -p {PORT} -c listen_addresses= -c fsync=off"
        _as_nobody("initdb", "-D", str(data), "-A", "scram-sha-256", "-U", USER, "--pwfile", str(_secret(folder)))
        _as_nobody("pg_ctl", "-D", str(data), "-l", str(log), "-w", "-o", start, "start")
        try:
            yield f"postgres://{USER}:{PASSWORD}@/{BASE}?host={quote(str(folder), safe='')}&port={PORT}"
        finally:
            _as_nobody("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


PASSWORD = "sesame-7"


def _secret(folder: Path) -> Path:
    path = folder / "secret"
    path.write_text(PASSWORD)
    path.chmod(0o644)
    return path


def _as_nobody(program: str, *words: str) -> None:
    assert INITDB is not None
    other = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryFile("w+") as told:  # a pipe would stay open in the server
        command = [str(INITDB.with_name(program)), *words]
        if subprocess.run(command, stdout=told, stderr=told, cwd="/", check=False, **other).returncode:
            told.seek(0)
            raise RuntimeError(f"{program} failed:\n{told.read()}")

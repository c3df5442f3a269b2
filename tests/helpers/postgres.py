"""A PostgreSQL server for the tests: its data and its socket are in a temporary folder."""

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
        Path(program)
        for program in [shutil.which("initdb"), *sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")))]
        if program
    ),
    None,
)
# The port is part of the socket's name; the server does not listen on the network.
PORT, USER, BASE = 54321, "tester", "postgres"
PASSWORD = "sesame-7"


@contextmanager
def serving() -> Iterator[str]:
    """Start a new server, yield the URL of its database, and stop it. Raises RuntimeError without PostgreSQL."""
    if INITDB is None:
        raise RuntimeError("no PostgreSQL: initdb is neither on the PATH nor in /usr/lib/postgresql/*/bin")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # the path of a socket must be short
    try:
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "nobody")
        data, log, start = folder / "data", folder / "log", f"-k {folder} -p {PORT} -c listen_addresses= -c fsync=off"
        _as_nobody(
            "initdb", "-D", str(data), "-A", "scram-sha-256", "-U", USER, "--pwfile", str(_password_file(folder))
        )
        _as_nobody("pg_ctl", "-D", str(data), "-l", str(log), "-w", "-o", start, "start")
        try:
            yield f"postgres://{USER}:{PASSWORD}@/{BASE}?host={quote(str(folder), safe='')}&port={PORT}"
        finally:
            _as_nobody("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _password_file(folder: Path) -> Path:
    path = folder / "password"
    path.write_text(PASSWORD)
    path.chmod(0o644)
    return path


def _as_nobody(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL, as the user nobody if this process is root's. Raises RuntimeError if it fails."""
    assert INITDB is not None
    user = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:  # the server would keep a pipe open
        command = [str(INITDB.with_name(program)), *arguments]
        if subprocess.run(command, stdout=output, stderr=output, cwd="/", check=False, **user).returncode:
            output.seek(0)
            raise RuntimeError(f"{program} failed:\n{output.read()}")

"""Every shell command of README and docs/, one after another as a reader types them, in a clean copy of the checkout.

`.ci/run` calls it, in an environment that has the project installed. Files and a database that commands name and a
checkout lacks are made first. The first command that fails, or cannot run, ends the script with an error, and so does
the end of the time that all may take. A server has to answer, and is stopped.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SECONDS = 40 * 60  # for all commands together: a command that hangs ends
SERVE = "streamlit run", "mwem app"  # commands that go on until they are stopped


def commands(text: str) -> list[str]:
    """The commands in a page's blocks of `sh`, each on one line. Refuses blocks of another shell."""
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    if others := {language for language, _ in fences} & {"bash", "console", "shell", "zsh"}:
        raise SystemExit(f"it has blocks of {', '.join(sorted(others))}, which nothing runs: write sh")
    lines = "\n".join(block for language, block in fences if language == "sh")
    return [line for line in re.sub(r"\s*\\\n\s*", " ", lines).splitlines() if line.strip()]


def run(command: str, folder: Path, seconds: float) -> None:
    """Run one command in a folder. SystemExit if it fails."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    where = {"STREAMLIT_SERVER_HEADLESS": "true", "STREAMLIT_SERVER_PORT": f"{port}"}
    shell = ["bash", "-euo", "pipefail", "-c", command]
    process = subprocess.Popen(shell, cwd=folder, env=os.environ | where, start_new_session=True)
    try:
        if any(serves in command for serves in SERVE):
            _await_answer(process, f"http://127.0.0.1:{port}/_stcore/health", seconds)
        elif code := process.wait(seconds):
            raise SystemExit(f"a documented command ended with {code}: {command}")
    except (subprocess.TimeoutExpired, TimeoutError):
        raise SystemExit(f"a documented command did not end, or answer, in {seconds:.0f} s: {command}") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)


def _await_answer(server: subprocess.Popen, address: str, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if (code := server.poll()) is not None:
            raise SystemExit(f"the server ended with {code} and never answered")
        with suppress(OSError), urlopen(address, timeout=5) as answer:
            print(answer.read().decode())
            return
        time.sleep(0.2)
    raise TimeoutError


if __name__ == "__main__":
    began = time.monotonic()
    clean = [".git", *(ROOT / ".gitignore").read_text().replace("/\n", "\n").split()]
    with tempfile.TemporaryDirectory() as folder:  # a reader's
        checkout = shutil.copytree(ROOT, Path(folder, "checkout"), ignore=shutil.ignore_patterns(*clean))
        for command in (each for page in PAGES for each in commands(page.read_text(encoding="utf-8"))):
            print(f"$ {command}", flush=True)
            started = time.monotonic()
            run(command, checkout, SECONDS - (started - began))
            print(f"[{time.monotonic() - started:.0f} s]", flush=True)
    print(f"every shell command of the README and of docs/ ran, in {time.monotonic() - began:.0f} s")

"""Calling the command line in this process: its exit code, the JSON it prints, and the one line of a refusal."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from mwem_core.__main__ import main

ROOT = Path(__file__).parents[2]
SCHEMA = """
[[attribute]]
name = "age"
edges = [17, 25, 35, 90]
[[attribute]]
name = "hours"
range = [0, 3]
[[attribute]]
name = "sex"
values = ["F", "M"]
[[attribute]]
name = "smoker"
bits = true
"""


def people_csv(rows: int = 60) -> str:
    """A table of the schema: its CSV text."""
    rng = np.random.default_rng(0)
    columns = (
        rng.integers(17, 91, rows),
        rng.integers(4, size=rows),
        rng.choice(["F", "M"], rows),
        rng.integers(2, size=rows),
    )
    return "age,hours,sex,smoker\n" + "".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


def words(arguments: dict[str, str]) -> list[str]:
    """Options and their values, as a shell passes them."""
    return [word for pair in arguments.items() for word in pair]


def call(command: str, arguments: dict[str, str], *more: str) -> int:
    """Run a command; its exit code."""
    return main([command, *words(arguments), *more])


def printed_json(capsys, command: str, arguments: dict[str, str], *more: str) -> dict:
    """Run a command with --json; the object it prints. On stderr there is one line, on the time it took."""
    assert call(command, arguments, "--json", *more) == 0
    out, err = capsys.readouterr()
    assert re.fullmatch(r"(1 (round|trial)|\d+ (round|trial)s) in \d+\.\d\d s\n", err)
    return json.loads(out)


def assert_refused(capsys, command: str, arguments: dict[str, str], message: str, *, exact: bool = True) -> None:
    """Exit code 2, nothing on stdout, and one line on stderr: the message or, unless exact, a line it begins."""
    assert call(command, arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"mwem: [^\n]+\n", err)
    line = err.removeprefix("mwem: ").removesuffix("\n")
    assert (line if exact else line[: len(message)]) == message


def assert_script_repeats(out: Path, **environment: str) -> None:
    """A run's script runs in the run's folder, as `cd out && python script.py`, and writes the same rows or answers."""
    rows, answers = out / "rows.csv", out / "answers.csv"
    before, written = (rows if rows.exists() else answers).read_bytes(), out / "synthetic.csv"
    answers.unlink(missing_ok=True)
    ended = subprocess.run(
        [sys.executable, "script.py"],
        cwd=out,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert (written if rows.exists() else answers).read_bytes() == before

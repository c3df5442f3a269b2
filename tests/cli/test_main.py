"""Exit codes, and one line on stderr for every error."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import call, words

from mwem_core.__main__ import main

ROOT = Path(__file__).parents[2]


def test_a_process_that_refuses_exits_with_2_and_prints_no_traceback(people):
    command = [sys.executable, "-m", "mwem_core", "run", *words(people | {"--epsilon": "0"})]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "mwem: epsilon must be a positive number, got 0.0\n"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("command", ["run", "release"])
def test_a_text_that_an_encoding_lacks_is_written_in_words(people, encoding, command):
    ended = subprocess.run(
        [sys.executable, "-m", "mwem_core", command, *(words(people) if command == "run" else ["--help"])],
        cwd=ROOT,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert b"epsilon" in ended.stdout


def test_missing_arguments_are_named(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["run", "--table", "t.csv"])
    assert "the following arguments are required: --workload, --epsilon" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_named_in_one_line(people, capsys, tmp_path):
    (tmp_path / "out" / "rows.csv").mkdir(parents=True)
    assert call("run", people | {"--out": str(tmp_path / "out")}) == 2
    progress, *errors = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"\d+ rounds? in \d+\.\d\d s", progress)
    assert errors == [f"mwem: {str(tmp_path / 'out' / 'rows.csv')!r} cannot be written: Is a directory"]


def test_an_interruption_exits_with_130(people, capsys, monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("mwem_core.cli.run.settings_from_arguments", interrupted)
    assert call("run", people) == 130
    assert capsys.readouterr() == ("", "\nmwem: stopped\n")

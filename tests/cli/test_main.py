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


def test_missing_arguments_are_named(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["run", "--table", "t.csv"])
    assert "the following arguments are required: --workload, --epsilon" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["run", "help"])
def test_a_command_whose_reader_has_ended_ends_quietly(people, command):
    """As in `mwem run … | head`: the pipe has no reader."""
    reader, writer = os.pipe()
    os.close(reader)
    given = ["run", *words(people)] if command == "run" else ["run", "--help"]
    line = [sys.executable, "-m", "mwem_core", *given]
    ended = subprocess.run(line, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert ended.returncode in ((141,) if command == "run" else (0, 141))  # argparse forgives it
    assert re.fullmatch(r"(\d+ rounds? in \d+\.\d\d s\n)?", ended.stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_output_that_is_full_is_told_in_one_line():
    line = [sys.executable, "-m", "mwem_core", "--help"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = subprocess.run(line, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "mwem: the output cannot be written: No space left on device\n")


def test_an_interruption_exits_with_130(people, capsys, monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("mwem_core.cli.run_command.settings_from_arguments", interrupted)
    assert call("run", people) == 130
    assert capsys.readouterr() == ("", "\nmwem: stopped\n")

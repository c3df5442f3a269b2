"""`mwem lessons` has the app write the lessons, into a folder that it can make."""

import sys

import pytest
from command_line import assert_refused

from mwem_core.__main__ import main


@pytest.fixture
def started(monkeypatch):
    """What is started."""
    calls = []
    monkeypatch.setattr("mwem_core.cli.app_commands.subprocess.call", lambda command: calls.append(command) or 0)
    return calls


def test_the_app_writes_the_lessons_of_a_seed_into_the_folder(started, tmp_path):
    folder = tmp_path / "new" / "site"
    assert (main(["lessons", "--out", str(folder)]), main(["lessons", "--out", str(folder), "--seed", "3"])) == (0, 0)
    assert folder.is_dir()
    assert started == [[sys.executable, "-m", "mwem_app.course.site", str(folder), seed] for seed in ("1", "3")]


def test_what_a_teacher_keeps_goes_into_another_folder(started, tmp_path, capsys):
    out, teacher = str(tmp_path / "site"), str(tmp_path / "mine")
    assert main(["lessons", "--out", out, "--teacher", teacher]) == 0
    assert started == [[sys.executable, "-m", "mwem_app.course.site", out, "1", teacher]]
    said = f"--teacher must be outside {out!r}, which students get: its files have answers"
    for within in (out, f"{out}/teacher"):
        assert_refused(capsys, "lessons", {"--out": out, "--teacher": within}, said)


def test_a_folder_that_cannot_be_made_and_what_is_no_seed_are_refused(started, tmp_path, capsys):
    file = tmp_path / "file"
    file.touch()
    assert_refused(capsys, "lessons", {"--out": str(file)}, f"{str(file)!r} is not an empty folder: name another one")
    inside = str(file / "site")
    assert_refused(capsys, "lessons", {"--out": inside}, f"{inside!r} cannot be written: Not a directory")
    seed = {"--out": str(tmp_path), "--seed": "-3"}
    assert_refused(capsys, "lessons", seed, "seed must be a whole number from 0 up, got '-3'")
    assert not started


def test_lessons_are_not_written_over_others_or_over_what_a_teacher_keeps(started, tmp_path, capsys):
    full, new = tmp_path / "full", str(tmp_path / "new")
    full.mkdir()
    (full / "index.html").touch()
    said = f"{str(full)!r} is not an empty folder: name another one"
    assert_refused(capsys, "lessons", {"--out": str(full)}, said)
    assert_refused(capsys, "lessons", {"--out": new, "--teacher": str(full)}, said)
    assert not started

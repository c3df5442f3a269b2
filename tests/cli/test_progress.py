"""Progress is printed on stderr: a bar on a terminal, else the last line alone."""

import re
import sys

import pytest

from mwem_core.cli.console import with_progress


def test_steps_are_passed_on_and_counted(capsys):
    assert list(with_progress(enumerate("abc", 1), 3, "trial")) == ["a", "b", "c"]
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"3 trials in \d+\.\d\d s\n", err)


@pytest.mark.parametrize(("steps", "line"), [([], "0 trials in"), ([(1, "a")], "1 trial in")])
def test_a_single_step_has_no_plural(capsys, steps, line):
    list(with_progress(iter(steps), None, "trial"))
    assert capsys.readouterr().err.startswith(f"{line} ")


@pytest.mark.parametrize(
    ("planned", "bars"),
    [
        (2, [r"░{30} round 0 of 2 ", r"█{15}░{15} round 1 of 2    0 s left", r"█{30} round 2 of 2    0 s left"]),
        (None, ["round 0", "round 1", "round 2"]),
    ],
)
def test_on_a_terminal_a_bar_grows(capsys, monkeypatch, planned, bars):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    list(with_progress(enumerate("abc"), planned, "round"))
    start, *drawn = capsys.readouterr().err.split("\r")
    assert start == ""
    last, end, rest = drawn.pop().split("\n")
    for bar, pattern in zip([*drawn, last], bars, strict=True):
        assert re.fullmatch(pattern, bar)
    assert re.fullmatch(r"2 rounds in \d+\.\d\d s", end)
    assert rest == ""

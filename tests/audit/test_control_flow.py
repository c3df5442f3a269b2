"""The path through the core's code is compared line by line, apart from what counts the data."""

import sys
from pathlib import PureWindowsPath

import numpy as np
import pytest

from mwem_core.audit import neighbour_replay
from mwem_core.audit.neighbour_replay import first_fork, trace
from mwem_core.audit.random_inputs import domain_of, random_records
from mwem_core.base import hint
from mwem_core.workload import marginals


def ending(name):
    return trace(lambda: hint(name, ["age", "sex"]))


def test_a_run_takes_the_same_path_twice_and_its_result_is_returned():
    (words, path), (_, again) = ending("ages"), ending("ages")
    assert words == hint("ages", ["age", "sex"])
    assert path
    assert first_fork(path, again) is None


def test_a_branch_that_only_one_run_takes_is_found():
    (_, path), (_, other) = ending("ages"), ending("town")
    assert first_fork(path, other).startswith("base/checks.py:")
    assert first_fork(path, path[:-1]) is not None


def test_counting_the_data_is_not_part_of_the_path():
    """Tables with and without equal records are counted on other paths."""
    domain = domain_of([2] * 6)
    Q, rng = marginals(domain, 2), np.random.default_rng(0)
    tables = [random_records(domain, n, rng) for n in (1, 200)]
    paths = [trace(lambda B=B: Q.answers(B))[1] for B in tables]
    assert paths[0]
    assert first_fork(*paths) is None


def test_a_tracer_that_was_there_before_is_there_again():
    before = sys.gettrace()
    ending("town")
    assert sys.gettrace() is before


@pytest.mark.parametrize("core", ["/lib/mwem_core", r"C:\lib\mwem_core"])
def test_the_same_files_are_followed_under_either_separator(core, monkeypatch):
    """Each function is one line, which is followed or not."""
    monkeypatch.setattr(neighbour_replay, "CORE", PureWindowsPath(core))
    separator = core[-10]

    def path(*names: str) -> list[neighbour_replay.Line]:
        defined = {}
        exec(compile("def f(): return 1", separator.join(names), "exec"), defined)
        return trace(defined["f"])[1]

    (line,) = path(core, "mwem", "mwem.py")
    assert first_fork([line], [(line[0], 2)]) == "mwem/mwem.py:1"
    for names in (("domain", "records.py"), ("domain", "counting.py"), ("audit", "draws.py")):
        assert path(core, *names) == []
    assert path(f"{core}_beside", "model", "loglinear.py") == []

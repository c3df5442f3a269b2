"""The audit's table says of each check whether it holds, and its verdict follows."""

import re
from dataclasses import replace

import numpy as np
import pytest

from mwem_core.audit.attacks import Target
from mwem_core.audit.audit import (
    Extent,
    bound_line,
    count_findings,
    coverage,
    findings,
    replay_lines,
    report,
    text,
    twin_line,
)
from mwem_core.audit.cases import SETTINGS, case
from mwem_core.audit.neighbour_replay import Replay, replay_case
from mwem_core.privacy import Seeded

MECHANISM = Target("Laplace", 2.0, lambda side, m: np.zeros(m), tight=True)


@pytest.fixture(scope="module")
def replays():
    return [result for number in (0, 1, 2) for result in replay_case(case(number), Seeded(0))]


@pytest.mark.parametrize(
    ("epsilon", "tight", "holds"), [(1.9, True, True), (2.1, True, False), (1.5, True, False), (1.5, False, True)]
)
def test_a_bound_holds_up_to_epsilon_and_not_far_below_it_where_all_of_epsilon_can_be_found(epsilon, tight, holds):
    line = bound_line(replace(MECHANISM, tight=tight), epsilon)
    assert line.holds == holds == (not line.problems)
    assert (line.stated, line.found) == ("ε = 2.000", f"ε ≥ {epsilon:.3f}")


def test_a_twin_that_passes_fails_the_audit():
    assert twin_line("half of the noise", "a lower bound").holds
    assert not twin_line("half of the noise", "").holds


def test_a_system_whose_draws_never_move_was_not_tested(replays):
    (line,) = replay_lines([replace(replays[0], used=0.0)])
    assert not line.holds
    assert line.problems == ("no draw moved, so that nothing was tested",)


def test_one_violation_fails_its_system_and_the_verdict_and_is_shown_with_its_case(replays):
    broken = [replace(replays[0], violations=("draw 1: it moved",)), *replays[1:]]
    sound, failing = report(replays), report(broken)
    assert sound.holds
    assert sound.verdict.startswith("All 3 checks hold.")
    assert not failing.holds
    assert failing.verdict.startswith("NOT SAFE: 1 of 3 checks fail")
    shown = text(failing).splitlines()
    assert sum(" NO " in line for line in shown[1:4]) == 1
    assert any(
        line.startswith(f"{replays[0].case.subject}: case 0, ") and line.endswith("draw 1: it moved") for line in shown
    )
    assert shown[-1] == failing.verdict


def test_the_coverage_counts_pairs_cases_and_settings(replays):
    pairs, measured, systems, _, values, planned, settings = map(int, re.findall(r"\d+", coverage(replays)))
    assert pairs == len(replays)
    assert systems == len({result.case.system for result in replays})
    assert settings == len(SETTINGS) <= values < planned
    assert measured == sum(result.case.measures_n for result in replays) > 0


def test_an_audit_makes_as_many_findings_as_planned(monkeypatch):
    monkeypatch.setattr("mwem_core.audit.audit.targets", lambda: (MECHANISM,))
    monkeypatch.setattr("mwem_core.audit.audit.twins", lambda: ())
    extent = Extent(pairs=7, draws=100, slow_draws=10)
    found = list(findings(extent))
    assert len(found) == count_findings(extent) == 8
    assert sum(isinstance(each, Replay) for each in found) == 7
    assert not report(found).holds  # the mechanism gives nothing away, and should

"""Results of trials, system by system."""

import math

from trial_results import result

from ui.results.metrics import METRICS
from ui.results.standings import as_table, problems, standings, with_interval

TV = METRICS["Mean TV"]


def test_infinite_errors_are_shown_as_such_and_never_averaged():
    some = [result(0.1, seed=0, entropy=math.inf), result(0.1, seed=1, entropy=2.0)]
    assert not METRICS["Relative entropy"].values(some)
    table = as_table(some, tabular=True, first=TV)
    assert table["Relative entropy"][0] == "∞"
    assert not standings(some, METRICS["Relative entropy"])


def test_a_spread_reads_as_a_percentage_or_as_a_factor():
    assert with_interval([0.1, 0.1, 0.1]) == with_interval([0.1]) == "0.1"
    assert with_interval([0.1, 0.102, 0.098]).startswith("0.1 ± ")
    assert " ×/÷ " in with_interval([0.01, 1.0, 0.1])
    assert with_interval([]) == with_interval([None]) == "–"


def test_problems_are_told_once_each():
    some = [result(0, seed=seed, problem="it is too large") for seed in range(3)]
    assert problems([*some, result(0.1)]) == [("MWEM", "it is too large")]

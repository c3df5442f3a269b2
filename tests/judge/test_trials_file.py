"""A file of trials holds results exactly, and trials can be resumed from it."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
from without_seconds import without_seconds

from mwem_core.judge.errors import Errors
from mwem_core.judge.trials import COLUMNS, Result, Trial, from_csv, run_trials, to_csv

AWKWARD = Errors(0.1 + 0.2, 1e-300, 1 / 3, None, math.inf, 2 / 3, None, 1e300)


def test_writing_and_reading_are_inverse(results):
    changed = (("repeats", True), ("update", "newest"), ("update.step", 0.5), ("output", "average"))
    trial = Trial(system="mwem", epsilon=1.0, seed=0, T=10**6, changed=changed)
    data = {"workload": 'where:sex == "F"; x < 2', "n": 5, "domain_size": 2**1000}
    everything = [
        *results,
        Result(trial=trial, **data, problem='it says "no, never";\nin two lines, ünd so'),
        Result(trial=trial, **data, answers=AWKWARD, epsilon_spent=math.inf, relative_entropy=math.inf),
    ]
    assert from_csv(to_csv(everything)) == everything
    assert to_csv(from_csv(to_csv(everything))) == to_csv(everything)


def test_the_columns_are_those_of_committed_files():
    errors = ("max_error", "mean_error", "mean_squared_error", "mean_tv", "max_tv", "error_95")
    errors += ("mean_cuboid_error", "max_cuboid_error")
    assert COLUMNS == [
        *("system", "epsilon", "delta", "T", "seed", "changed"),
        *("workload", "n", "domain_size", "problem", "ran", "seconds", "rounds"),
        *("epsilon_spent", "delta_used", "relative_entropy"),
        *(f"answers_{name}" for name in errors),
        *(f"rows_{name}" for name in errors),
    ]


def test_trials_resumed_from_a_file_repeat_nothing(B, Q, trials, results):
    text = to_csv(results[:7])
    finished = {result.trial for result in from_csv(text)}
    with ThreadPoolExecutor(1) as executor:
        resumed = list(run_trials(B, Q, [trial for trial in trials if trial not in finished], executor))
    assert without_seconds([*from_csv(text), *resumed]) == without_seconds(results)
    assert len(resumed) == len(trials) - 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is not a file of trials: its first line must name 32 columns, system,epsilon,…"),
        ("a,b\n1,2\n", "this is not a file of trials: its first line must name 32 columns, system,epsilon,…"),
        ("{header}mwem,much,0,,0\n", "line 2 of the trials cannot be read: delete it"),
        ("{header}mwem,1\n", "line 2 of the trials cannot be read: delete it"),
        ("{header}" + "x," * 50 + "\n", "line 2 of the trials cannot be read: delete it"),
    ],
)
def test_any_other_file_is_refused(text, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        from_csv(text.format(header=to_csv([])))

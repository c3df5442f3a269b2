"""Section 2.3.3's improvements: their settings, ratios to Figure 1, and the rule on frames on either side of it."""

import pytest

from mwem_core.experiments.experiment_tables import load
from mwem_core.experiments.pieces import (
    BASE,
    CHANGES,
    COMBINED_CHANGES,
    FOUR,
    IMPROVEMENTS,
    SINGLE_CHANGES,
    UNIFORM,
    method,
    ratios,
)
from mwem_core.experiments.results import frame_of
from mwem_core.experiments.summaries import at
from mwem_core.judge import Trial, settings_of
from mwem_core.mwem import figure_1
from mwem_core.workload import families

Q = families.parities(load("czech").domain, 3)


def settings(name):
    version = method(name)
    return settings_of(
        Trial(system=version.system, epsilon=1.0, seed=0, T=version.Ts[0], changed=version.changed), Q, 9
    )


def test_the_base_is_figure_1_to_the_letter():
    assert settings(BASE) == figure_1(epsilon=1.0, T=10)


def test_every_improvement_changes_one_setting_and_all_four_change_them_all():
    base = vars(settings(BASE))
    changed = {name: {k for k, v in vars(settings(name)).items() if v != base[k]} for name in CHANGES}
    assert all(len(changed[name]) == 1 for name in SINGLE_CHANGES)
    assert changed[FOUR] == set.union(*(changed[name] for name in SINGLE_CHANGES))


def test_the_full_run_has_every_set_of_figures_2_to_4_and_the_quick_run_lacks_nltcs():
    assert [batch.table for batch in IMPROVEMENTS.batches(False)][-1] == "nltcs"
    assert len(IMPROVEMENTS.batches(False)) == 8
    assert [batch.table for batch in IMPROVEMENTS.batches(True)] == [
        batch.table for batch in IMPROVEMENTS.batches(False)
    ][:-1]


def ablation(alone, four, base=8.0):
    """One set at two ε; `alone` is the error of each of the four at both, `four` that of all of them."""
    values = {BASE: (base, base), UNIFORM: (20.0, 20.0), **dict(zip(SINGLE_CHANGES, alone, strict=True))}
    values |= dict.fromkeys(COMBINED_CHANGES, four)
    rows = [
        {"method": m, "epsilon": e, "T": 10, "mean_squared_error": y, "relative_entropy": y}
        for m, pair in values.items()
        for e, y in zip((0.1, 1.0), pair, strict=True)
    ]
    return frame_of([{"table": "czech", "seed": 0} | row for row in rows], IMPROVEMENTS.metrics)


LESS, MORE, HALF = (4.0, 4.0), (9.0, 9.0), (4.0, 9.0)


@pytest.mark.parametrize(
    ("frame", "holds"),
    [
        (ablation([LESS] * 4, LESS), "holds"),
        (ablation([LESS, LESS, LESS, HALF], LESS), "holds with conditions"),  # one lowers only half of the points
        (ablation([MORE] * 4, LESS), "holds with conditions"),
        (ablation([LESS] * 4, HALF), "does not hold"),  # all four lower only half
        (ablation([LESS] * 4, (8.0, 8.0)), "does not hold"),  # as large is not smaller
    ],
)
def test_the_rule(frame, holds):
    assert IMPROVEMENTS.verdict(frame).holds == holds


def test_ratios_are_to_figure_1_and_the_numbers_tell_them():
    frame = ablation([LESS, HALF, MORE, LESS], (2.0, 4.0))
    assert at(ratios(frame, "mean_squared_error"), FOUR).tolist() == [0.25, 0.5]
    assert at(ratios(frame, "mean_squared_error"), UNIFORM).tolist() == [2.5, 2.5]
    numbers = IMPROVEMENTS.verdict(frame).numbers
    assert "in 2 with A_T as output (0.5), in 1 with replay (0.75), in 0 with histogram start (1.1)" in numbers
    assert "is 0.25 to 0.5, the first on czech, ε = 0.1, the last on czech, ε = 1" in numbers


@pytest.mark.parametrize(("changes", "names"), [("alone", SINGLE_CHANGES), ("together", COMBINED_CHANGES)])
def test_the_figure_shows_the_changes_alone_or_together(changes, names):
    plot = IMPROVEMENTS.figure(ablation([LESS] * 4, LESS), changes=changes)
    assert set(plot.points["method"]) - set(plot.beside) == names.keys()

"""The charts of Compare and Trade-off."""

import numpy as np
import pytest
from trial_results import BITS, PAIRS, B, result

from mwem_core.evaluation.course import course
from mwem_core.relatives.weights import Weights
from mwem_core.systems import SYSTEMS
from ui.figures.course import error_and_bound, potential_and_paid
from ui.figures.curves import error_curves
from ui.figures.palette import STROKES
from ui.figures.scatter import true_against_estimated
from ui.figures.systems import error_bars
from ui.figures.where import group_bars, pair_maps
from ui.results.bounds import Bound
from ui.results.curves import over_epsilon
from ui.results.metrics import METRICS
from ui.results.standings import standings
from ui.results.where import by_pairs
from ui.words.badges import PRIVATE

RNG = np.random.default_rng(0)
TV = METRICS["Mean TV"]


def charts():
    some = [result(e, system=s, seed=i, epsilon=x) for s in SYSTEMS for i, e in enumerate((0.1, 0.2)) for x in (1, 2)]
    truth, estimate = RNG.random(PAIRS.size), RNG.random(PAIRS.size) - 0.2
    gap = np.abs(truth - estimate)
    maps = {"MWEM": by_pairs(PAIRS, gap), "Laplace": by_pairs(PAIRS, gap / 2)}
    yield error_bars(standings(some, TV), TV)
    bound = Bound("SVD bound", ((1, 0.5), (2, 0.3)), "No less.")
    yield error_curves(over_epsilon(some, TV, None), TV, "ε", bound=bound)
    found = course(Weights(T=5), B, PAIRS)
    yield from (error_and_bound(found), potential_and_paid(found))
    drawn = {"MWEM": (estimate, STROKES["mwem"]), "Net mechanism": (estimate / 2, STROKES["net"])}
    yield from true_against_estimated(PAIRS, np.arange(PAIRS.size), truth, drawn, 300)
    yield from pair_maps(BITS.names, "mean total variation", maps)
    yield group_bars(
        ["<b>one", "two"], "", "mean error", {"MWEM": (gap[:2], STROKES["mwem"]), "AIM": (gap[2:4], STROKES["aim"])}
    )


@pytest.mark.parametrize("chart", list(charts()), ids=lambda chart: chart.title)
def test_every_chart_is_marked_private_says_what_it_shows_and_lets_no_label_become_markup(chart):
    assert chart.badge == PRIVATE
    assert len(chart.alt) > 20
    shown = chart.figure.to_json()
    assert "<b>a" not in shown
    assert "<b>one" not in shown

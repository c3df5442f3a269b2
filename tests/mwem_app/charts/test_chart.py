"""What holds of every chart: its badge, its alternative text, and labels that cannot become markup."""

import numpy as np
import pytest
from synthetic_rows import DOMAIN, ORIGINAL, SYNTHETIC
from trial_results import PAIRS, result

from mwem_app.base import EXPLORATION, PRIVATE
from mwem_app.charts.chart import break_label, cut, log_axis, rgba
from mwem_app.charts.heat import distance_map, pair_heat
from mwem_app.compare import (
    METRICS,
    error_bars,
    error_curves,
    over_epsilon,
    ranked_systems,
    true_against_estimated,
)
from mwem_app.run import marginal_bars
from mwem_core.systems import SYSTEMS

RNG = np.random.default_rng(0)
TV = METRICS["Mean TV"]


def charts():
    """Every chart that reads the private data, with markup in the names of attributes, values and groups."""
    results = [
        result(e, system=s, seed=i, epsilon=x) for s in SYSTEMS for i, e in enumerate((0.1, 0.2)) for x in (1, 2)
    ]
    truth, estimate = RNG.random(PAIRS.size), RNG.random(PAIRS.size) - 0.2
    yield error_bars(ranked_systems(results, TV), TV)
    yield error_curves(over_epsilon(results, TV, None), TV, "ε", PRIVATE)
    yield true_against_estimated(PAIRS, "mwem", truth, estimate, 300)
    yield marginal_bars(0, SYNTHETIC, ORIGINAL, EXPLORATION)
    yield from pair_heat((0, 1), SYNTHETIC, ORIGINAL, PRIVATE)
    yield distance_map(DOMAIN.names, np.tri(3) / 50)


@pytest.mark.parametrize("chart", list(charts()), ids=lambda chart: chart.title[:30])
def test_every_chart_is_marked_private_describes_its_numbers_and_lets_no_label_become_markup(chart):
    assert chart.badge == PRIVATE
    assert any(letter.isdigit() for letter in chart.alt)
    assert chart.spoken == f"{chart.alt} Made from the records: do not publish unless they are public."
    drawn = chart.figure.to_json().replace("\\u003c", "<")
    for markup in ("<b>a", "<b>one", "<b>income", "<=50K"):
        assert markup not in drawn


def test_a_logarithmic_axis_ends_at_half_decades_around_the_positive_values():
    low, high = log_axis([0.0, 0.02, 0.8])["range"]
    assert (2 * low, 2 * high) == (round(2 * low), round(2 * high))
    assert low <= np.log10(0.02) < np.log10(0.8) <= high
    assert high - low <= np.log10(0.8 / 0.02) + 1.2


def test_long_labels_are_cut_or_broken_near_the_middle():
    assert cut("relationship", 6) == "relat…"
    assert cut("<b>", 3) == break_label("<b>") == "&lt;b&gt;"
    assert break_label("Optimal Gaussian marginals") == "Optimal Gaussian<br>marginals"
    assert break_label("MWEM") == "MWEM"


def test_a_colour_keeps_its_parts():
    assert rgba("#B7791F", 0.5) == "rgba(183, 121, 31, 0.5)"

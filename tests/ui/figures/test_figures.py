"""Charts say in words what they draw, carry their badge, and let no label become markup."""

import numpy as np
import pytest

from mwem_core import Domain, Records, Run, Seeded, default, parse_workload
from mwem_core.evaluation.metrics import Errors
from ui.figures import bars as columns
from ui.figures import heat, rounds
from ui.figures.chart import AMBER, TEAL
from ui.results.accuracy import tv
from ui.words.badges import PRIVATE, RELEASED
from ui.words.numbers import share

DOMAIN = Domain.from_toml("""
[[attribute]]
name = "<b>income</b>"
values = ["<=50K", ">50K & more", "a & b"]

[[attribute]]
name = "a name so long that no axis on any telephone would have room for the half of it"
range = [0, 99]

[[attribute]]
name = "amount"
range = [0, 4356]
""")
RNG = np.random.default_rng(0)
ORIGINAL = Records(DOMAIN, tuple(RNG.integers(size, size=500).astype(np.uint16) for size in DOMAIN.shape))
SYNTHETIC = Records(DOMAIN, tuple(RNG.integers(size, size=400).astype(np.uint16) for size in DOMAIN.shape))


def bars(a, original=ORIGINAL, **options):
    return columns.marginal_bars(a, SYNTHETIC, original, RELEASED, **options)


def heats(pair, original=ORIGINAL):
    return heat.pair_heat(pair, SYNTHETIC, original, RELEASED)


def errors(largest, mean):
    return Errors(largest, mean, 1.0, None, None)


def run(seed=1, **settings):
    workload = parse_workload("marginals:1", DOMAIN)
    chosen = default(workload, n=500, epsilon=1.0, **settings)
    return Run(workload, chosen, "default", tuple(chosen.rounds(ORIGINAL, workload, noise=Seeded(seed))), seed)


@pytest.mark.parametrize("chart", [bars(0), bars(1), bars(2), *heats((0, 1))[::2]], ids=lambda chart: chart.title[:9])
def test_what_shows_the_original_is_marked_private(chart):
    assert chart.badge == PRIVATE


@pytest.mark.parametrize(
    "chart", [bars(0, None), bars(2, None, small=True), *heats((0, 1), None)], ids=lambda chart: chart.title[:9]
)
def test_without_the_original_a_chart_has_the_rows_alone(chart):
    assert chart.badge == RELEASED
    assert len(chart.figure.data) == 1
    assert "original" not in chart.figure.to_json().lower() + chart.alt.lower() + chart.note


def test_bars_are_shares_of_each_side_s_own_rows_and_their_outline_is_the_original():
    synthetic, original = bars(0).figure.data
    assert sum(synthetic.x) == pytest.approx(1)
    assert list(original.x) == pytest.approx(list(ORIGINAL.marginal((0,)) / 500))
    assert (synthetic.marker.line.color, original.marker.line.color) == (TEAL, AMBER)


def test_total_variation_is_half_the_l1_of_the_shares():
    assert tv(np.array([1.0, 1.0]), np.array([30.0, 10.0])) == pytest.approx(0.25)
    apart = tv(SYNTHETIC.marginal((0,)), ORIGINAL.marginal((0,)))
    assert bars(0).note == f"total variation {share(apart)}"


def test_more_values_than_can_be_drawn_are_summed_with_their_neighbours():
    drawn = bars(2).figure.data[0]
    assert len(drawn.y) <= columns.MOST_POINTS
    assert sum(drawn.y) == pytest.approx(1)
    assert drawn.text[0] == "0 … 4"
    assert drawn.text[-1] == "4355 … 4356"
    drawn = heats((1, 2))[1].figure.data[0]
    assert max(np.shape(drawn.z)) <= heat.MOST_SIDE
    assert np.sum(drawn.z) == pytest.approx(1)


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (1, 2)])
def test_the_longer_side_of_a_pair_stands_upright_and_the_difference_is_synthetic_minus_original(pair):
    original, synthetic, difference = (np.array(chart.figure.data[0].z) for chart in heats(pair))
    assert original.shape[0] >= original.shape[1]
    assert difference == pytest.approx(synthetic - original)
    scales = [chart.figure.data[0] for chart in heats(pair)]
    assert scales[0].zmax == scales[1].zmax
    assert -scales[2].zmin == scales[2].zmax


@pytest.mark.parametrize("chart", [bars(0), *heats((0, 1)), heat.distances(DOMAIN.names, np.tri(3) / 50)])
def test_labels_are_text_and_not_markup(chart):
    drawn = chart.figure.to_json()
    assert "<=50K" not in drawn
    assert "\\u003c=50K" not in drawn
    assert "<b>income" not in drawn
    assert "\\u003cb\\u003eincome" not in drawn


def test_long_names_are_cut_on_axes():
    for chart in heats((0, 1)):
        assert len(chart.figure.layout.yaxis.title.text) <= 30


def test_alternative_texts_carry_the_numbers():
    labels = ("yes", "no")
    assert columns.describe_marginal("smoking", labels, np.array([0.25, 0.75]), None) == (
        "smoking in the synthetic rows. Largest shares: no 75.0%; yes 25.0%."
    )
    assert columns.describe_marginal("smoking", labels, np.array([0.25, 0.75]), np.array([0.5, 0.5])) == (
        "smoking, original and synthetic. Largest shares: yes 50.0% and 25.0%; no 50.0% and 75.0%. "
        "Total variation 0.25."
    )
    assert heat.describe_pair("original", ("a", "b"), (labels, labels), np.array([[0.1, 0.2], [0.3, 0.4]])) == (
        "a × b: original, shares of the rows by cell. Most marked: no × no 40.00%; no × yes 30.00%; yes × no 20.00%."
    )
    assert heat.describe_distances(("a", "b"), np.array([[0.01, np.nan], [0.03, 0.02]])) == (
        "Total variation between original and synthetic rows for each column and pair: "
        "mean 0.020, largest 0.030 for a × b."
    )
    assert rounds.describe_errors([errors(0.8, 0.01), errors(0.02, 0.0003)]) == (
        "Error by round, shares of n on a logarithmic scale. Largest error 0.80 at the start, 0.020 after round 1; "
        "mean error 0.010 at the start, 0.00030 after round 1."
    )
    assert rounds.describe_surprises([(1, 5000.0, 40.0), (2, 60.0, 50.0)]) == (
        "Distance of each measurement from what the model said before it, in records: 5,000 in round 1 with 40 "
        "expected from the noise alone; 60 in round 2 with 50."
    )


def test_errors_are_drawn_on_a_logarithmic_scale_that_holds_them_and_an_exact_fit_does_not_break_it():
    figure = rounds.error_by_round([errors(0.8, 0.01), errors(0.02, 0.0)], 500).figure
    low, high = figure.layout.yaxis.range
    assert low <= np.log10(0.01) < np.log10(0.8) <= high
    assert rounds.error_by_round([errors(0.0, 0.0)], 500).figure.layout.yaxis.type == "log"


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_expected_noise_is_the_mean_of_the_mechanism_over_the_cells(delta):
    done = run(delta=delta)
    for (index, surprise, noise), entry in zip(rounds.surprises(done), done.rounds[1:], strict=True):
        mean = 1 if delta == 0 else np.sqrt(2 / np.pi)
        assert index == entry.index
        assert surprise == entry.residual
        assert noise == pytest.approx(mean * entry.measurement.scale * entry.measurement.value.size)
    assert "expected from the noise alone" in rounds.surprise_by_round(done).alt


def test_a_run_stopped_before_its_first_measurement_still_draws():
    done = run()
    start = Run(done.workload, done.settings, done.preset, done.rounds[:1], done.seed)
    assert rounds.surprise_by_round(start).alt == "Nothing has been measured yet."

"""Where systems are wrong: answers worked out again, dots, maps by pair of attributes, bars by group of queries."""

import numpy as np
import pytest
from trial_results import BITS, PAIRS, B

from mwem_app.charts import BLUE, RED, STROKES, rgba
from mwem_app.compare.closer_look import answers, error_by_pair, has_pair_map, part_errors, query_groups
from mwem_app.compare.error_charts import MAX_DOTS, error_maps, group_bars, true_against_estimated
from mwem_core import Domain, parse_workload
from mwem_core.judge import Trial, run_trial

RNG = np.random.default_rng(0)
SCHEMA = "".join(f'[[attribute]]\nname = "{a}"\nvalues = ["0", "1"]\n' for a in "abcd")
LINE = Domain.from_toml('[[attribute]]\nname = "x"\nrange = [0, 4999]\n')
QUERIES = parse_workload("marginals:1", LINE)
NAMES = ("age", "sex")
MWEM, LAPLACE = np.array([[0.1, np.nan], [0.4, 0.2]]), np.array([[0.2, np.nan], [0.1, 0.2]])


def test_recalled_answers_have_the_error_of_the_trial():
    trial = Trial(system="laplace", epsilon=1.0, seed=3)
    judged, again = run_trial(B, PAIRS, trial), answers(B.distinct(), PAIRS, trial)
    assert np.abs(again - PAIRS.answers(B) / 300).max() == pytest.approx(judged.answers.max_error)


def test_the_error_of_a_pair_is_the_mean_over_the_marginals_that_hold_both():
    triples, gap = parse_workload("marginals:3", BITS), RNG.random(4 * 8)
    errors = part_errors(triples, gap)
    assert errors == pytest.approx(gap.reshape(4, 8).sum(axis=1) / 2)
    by_pair = error_by_pair(triples, gap)
    for a in range(4):
        for b in range(a + 1):
            holding = [e for S, e in zip(triples.sets, errors, strict=True) if {a, b} <= set(S)]
            assert by_pair[a, b] == pytest.approx(np.mean(holding))
    assert np.isnan(by_pair[np.triu_indices(4, 1)]).all()


@pytest.mark.parametrize(
    ("spec", "applies"),
    [("marginals:2", True), ("cuboids:2", True), ("parities:2", True), ("marginals:4", False), ("where:a == 1", False)],
)
def test_a_map_of_pairs_needs_several_parts_about_attributes_alone(spec, applies):
    assert has_pair_map(parse_workload(spec, Domain.from_toml(SCHEMA))) == applies


def test_single_queries_are_groups_where_there_are_few_queries():
    workload = parse_workload("marginals:1", BITS)
    groups = query_groups(workload, RNG.random(workload.size))
    assert [label for label, _ in groups] == [workload.query(j)[2] for j in range(8)]
    assert [list(queries) for _, queries in groups] == [[j] for j in range(8)]


def test_groups_hold_every_query_once_in_order_of_the_true_answer():
    truth = RNG.random(PAIRS.size)
    groups = query_groups(PAIRS, truth)
    joined = np.concatenate([queries for _, queries in groups])
    assert len(groups) == 10
    assert groups[0][0] == f"{truth.min():.2g} to {np.sort(truth)[2]:.2g}"
    assert sorted(joined) == list(range(PAIRS.size))
    assert (np.diff(truth[joined]) >= 0).all()


def scatter(truth, estimate, queries=None, n=5000):
    queries = np.arange(len(truth)) if queries is None else queries
    return true_against_estimated(QUERIES, queries, truth, {"MWEM": (estimate, STROKES["mwem"])}, n)[0]


def test_of_too_many_queries_half_the_dots_are_those_with_the_largest_errors():
    truth = np.full(5000, 2e-4)
    errors = 1e-6 * (1 + np.arange(5000))
    chart = scatter(truth, truth + errors)
    _, dots = chart.figure.data
    assert len(dots.x) == MAX_DOTS
    largest = (truth + errors)[-MAX_DOTS // 2 :]
    assert set(largest) <= set(dots.y)
    assert "1,500 dots of 5,000" in chart.note


def test_few_queries_are_all_drawn_and_the_note_is_empty():
    chart = scatter(np.full(5000, 0.1), np.full(5000, 0.2), queries=np.array([3, 7]))
    assert chart.note == ""
    assert list(chart.figure.data[1].text) == [QUERIES.query(j)[2] for j in (3, 7)]
    assert chart.alt == "MWEM: true against estimated shares of 2 queries, mean error 0.1."


def test_shares_below_half_a_record_lie_at_the_edge_which_is_marked_as_0():
    chart = scatter(np.array([0.0, 0.5]), np.array([0.25, -0.1]), n=100)
    _, dots = chart.figure.data
    assert list(dots.x) == [0.005, 0.5]
    assert list(dots.y) == [0.25, 0.005]
    assert chart.figure.layout.xaxis.ticktext[0] == "0"
    assert chart.figure.layout.xaxis.tickvals[0] == pytest.approx(0.005)


def test_a_negative_parity_is_turned_together_with_its_estimate():
    _, dots = scatter(np.array([-0.4, 0.4]), np.array([-0.3, 0.3])).figure.data
    assert list(dots.x) == [0.4, 0.4]
    assert list(dots.y) == [0.3, 0.3]
    assert dots.customdata.tolist() == [[-0.4, -0.3], [0.4, 0.3]]


def test_two_systems_share_a_scale_and_get_a_map_of_their_difference():
    first, second, difference = error_maps(NAMES, "mean error", {"MWEM": MWEM, "Laplace": LAPLACE})
    assert first.figure.data[0].zmax == second.figure.data[0].zmax == 0.4
    assert difference.title == "MWEM − Laplace"
    assert np.array_equal(np.array(difference.figure.data[0].z), MWEM - LAPLACE, equal_nan=True)
    assert difference.alt == (
        "MWEM − Laplace: difference in mean error by pair of attributes, largest 0.30 for age × sex. "
        "Blue: the error of MWEM is larger. Red: it is smaller."
    )
    low, *_, high = difference.figure.data[0].colorscale
    assert (low[1], high[1]) == (rgba(RED, 0.5), rgba(BLUE, 0.5))


def test_one_system_has_one_map():
    (chart,) = error_maps(NAMES, "mean error", {"MWEM": MWEM})
    assert chart.alt == "MWEM: mean error by pair of attributes, largest 0.40 for age × sex."


def test_groups_are_bars_side_by_side_in_each_system_s_stroke():
    errors = {"MWEM": (np.array([0.1, 0.3]), STROKES["mwem"]), "AIM": (np.array([0.2, 0.1]), STROKES["aim"])}
    chart = group_bars(["0 to 0.1", "0.1 to 1"], "queries by their true share of n", "mean error", errors)
    assert [list(bar.x) for bar in chart.figure.data] == [[0.1, 0.3], [0.2, 0.1]]
    assert chart.figure.layout.barmode == "group"
    assert chart.alt == "Mean error by group of queries; largest: MWEM 0.3; AIM 0.2."

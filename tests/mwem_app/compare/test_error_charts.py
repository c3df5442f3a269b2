"""Where systems are wrong: answers worked out again, dots, maps by pair of attributes, bars by group of queries."""

import numpy as np
import pytest
from trial_results import BITS, PAIRS, B

from mwem_app.compare.closer_look import answers, error_by_pair, has_pair_map, part_errors
from mwem_app.compare.error_charts import MAX_DOTS, true_against_estimated
from mwem_core import Domain, parse_workload
from mwem_core.judge import Trial, run_trial

RNG = np.random.default_rng(0)
SCHEMA = "".join(f'[[attribute]]\nname = "{a}"\nvalues = ["0", "1"]\n' for a in "abcd")
LINE = Domain.from_toml('[[attribute]]\nname = "x"\nrange = [0, 4999]\n')
QUERIES = parse_workload("marginals:1", LINE)


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


def scatter(truth, estimate, n=5000):
    return true_against_estimated(QUERIES, "mwem", truth, estimate, n)


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
    chart = scatter(np.full(2, 0.1), np.full(2, 0.2))
    assert chart.note == ""
    assert list(chart.figure.data[1].text) == [QUERIES.query(j)[2] for j in (0, 1)]
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

"""True answers against estimated ones."""

import numpy as np
import pytest

from mwem_app.charts import STROKES
from mwem_app.compare.scatter import MAX_DOTS, true_against_estimated
from mwem_core import Domain, parse_workload

LINE = Domain.from_toml('[[attribute]]\nname = "x"\nrange = [0, 4999]\n')
QUERIES = parse_workload("marginals:1", LINE)


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

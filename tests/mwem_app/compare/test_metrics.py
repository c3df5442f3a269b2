"""The metrics that trials are judged by."""

from dataclasses import replace

import pytest
from trial_results import result

from mwem_app.compare.metrics import METRICS, metric_names, rows_error


def test_total_variation_needs_whole_marginals():
    assert metric_names(tabular=True) == list(METRICS)
    assert metric_names(tabular=False) == [name for name in METRICS if name != "Mean TV"]


@pytest.mark.parametrize(
    ("metric", "value"),
    [("Mean TV", 0.2), ("Records off per count", 30.0), ("Max error", 0.2), ("Squared error", 0.04)],
)
def test_each_metric_reads_its_own_number_of_the_answers(metric, value):
    assert METRICS[metric].values([result(0.2), result(0.2, problem="too large")]) == [pytest.approx(value)]


def test_total_variation_is_called_0_to_1_unless_noisy_answers_exceed_1():
    tv, squared = METRICS["Mean TV"], METRICS["Squared error"]
    assert tv.unit_of([0.2, 1.0]) == "mean total variation, 0 to 1"
    assert tv.unit_of([0.2, 1.87]) == "mean total variation; noisy answers can exceed 1"
    assert squared.unit_of([0.2, 1.87]) == squared.unit


def test_relative_entropy_is_left_out_where_a_system_has_none():
    assert METRICS["Relative entropy"].values([result(0.1, entropy=0.7), result(0.1)]) == [0.7]


def test_the_error_of_rows_is_their_total_variation_else_records_off_per_count():
    by_marginals = result(0.2)
    assert rows_error(by_marginals) == 0.2
    assert rows_error(replace(by_marginals, rows=replace(by_marginals.rows, mean_tv=None))) == pytest.approx(30.0)
    assert rows_error(replace(by_marginals, rows=None)) is None


@pytest.mark.parametrize(
    ("metric", "least"),
    [("Mean TV", 0.1 / 300), ("Records off per count", 0.1), ("Max error", 0.1 / 300), ("Squared error", 0.01)],
)
def test_an_exact_answer_counts_as_one_that_errs_by_a_tenth_of_a_record(metric, least):
    assert METRICS[metric].values([result(0.0)]) == [pytest.approx(least)]
    assert rows_error(result(0.0)) == pytest.approx(0.1 / 300)

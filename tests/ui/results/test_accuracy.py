"""The errors of a run's rows, and the distances of their marginals from the truth."""

import numpy as np
import pytest
from finished_runs import errors_by_round, finished
from synthetic_rows import ORIGINAL, SYNTHETIC

from ui.results import accuracy as module
from ui.results.accuracy import accuracy, pair_distances, tv


def test_total_variation_is_half_the_l1_distance_of_the_shares():
    assert tv(np.array([1.0, 1.0]), np.array([30.0, 10.0])) == pytest.approx(0.25)
    assert tv(np.array([3.0, 0.0]), np.array([0.0, 7.0])) == 1
    assert tv(np.array([1.0, 2.0]), np.array([2.0, 4.0])) == 0


def test_rows_that_are_the_truth_have_no_error(czech, czech_run):
    run, _ = czech_run
    for of_rows, of_model, of_uniform in accuracy(run, czech, czech).values():
        assert float(of_rows) == 0
        assert float(of_model) > 0
        assert float(of_uniform.replace(",", "")) > 0


def test_rows_stand_beside_the_model_and_the_uniform_table(czech, czech_run):
    run, rows = czech_run
    errors = errors_by_round(run, czech)
    of_rows, of_model, of_uniform = (float(text) for text in accuracy(run, rows, czech)["mean total variation, 0 to 1"])
    assert of_rows < of_uniform / 5
    assert of_model == pytest.approx(errors[-1].mean_tv, rel=0.05)
    assert of_uniform == pytest.approx(errors[0].mean_tv, rel=0.05)


@pytest.mark.parametrize("spec", ["parities:2", "where:smoking == 'yes'; smoking == 'no'", "cuboids:3"])
def test_total_variation_is_given_for_tabular_workloads_alone(czech, spec):
    run, rows = finished(czech, spec)
    metrics = accuracy(run, rows, czech)
    assert ("mean total variation, 0 to 1" in metrics) is run.workload.tabular
    assert "mean error, share of n" in metrics


def test_distances_are_zero_from_a_table_to_itself_and_stand_below_the_diagonal(czech):
    distances = pair_distances(czech, czech)
    assert np.array_equal(np.isfinite(distances), np.tri(6, dtype=bool))
    assert np.nanmax(distances) == 0


def test_distances_are_total_variations_of_columns_and_pairs(czech, czech_run):
    _, rows = czech_run
    distances = pair_distances(rows, czech)
    for S in ((2,), (1, 4)):
        p, q = (table.marginal(S) / table.total for table in (rows, czech))
        assert distances[S[-1], S[0]] == pytest.approx(np.abs(p - q).sum() / 2)


def test_pairs_with_too_many_cells_are_left_out(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIR_CELLS", 4357)
    distances = pair_distances(SYNTHETIC, ORIGINAL)  # of attributes with 3, 100 and 4,357 values
    assert np.isfinite(distances).tolist() == [[True, False, False], [True, True, False], [False, False, True]]

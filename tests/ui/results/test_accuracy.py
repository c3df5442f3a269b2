"""The errors of a run's rows, and the distances of their marginals from the truth."""

import numpy as np
import pytest
from finished_runs import errors_by_round, finished

from ui.results.accuracy import accuracy, pair_distances


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

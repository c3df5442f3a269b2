"""Errors of a run's synthetic rows."""

import numpy as np
import pytest
from finished_runs import errors_by_round
from synthetic_rows import DOMAIN, ORIGINAL, SYNTHETIC

from mwem_app.run import accuracy as module
from mwem_app.run.accuracy import SOURCES, accuracy, pair_distances, tv
from mwem_core import Run, Seeded, mwem_by_rule, parse_workload


def test_total_variation_is_half_the_l1_distance_of_the_shares():
    assert tv(np.array([1.0, 1.0]), np.array([30.0, 10.0])) == pytest.approx(0.25)
    assert tv(np.array([3.0, 0.0]), np.array([0.0, 7.0])) == 1
    assert tv(np.array([1.0, 2.0]), np.array([2.0, 4.0])) == 0


def test_distances_are_those_of_columns_on_the_diagonal_and_of_pairs_below_it():
    distances = pair_distances(SYNTHETIC, ORIGINAL)
    assert distances[1, 1] == tv(SYNTHETIC.marginal((1,)), ORIGINAL.marginal((1,)))
    assert distances[1, 0] == tv(SYNTHETIC.marginal((0, 1)), ORIGINAL.marginal((0, 1)))
    assert np.isnan(distances[np.triu_indices(3, 1)]).all()
    assert distances[1, 0] >= max(distances[0, 0], distances[1, 1])  # merging cells brings tables nearer


def test_pairs_with_too_many_cells_are_left_out(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIR_CELLS", 300)
    assert np.isnan(pair_distances(SYNTHETIC, ORIGINAL)[2]).tolist() == [True, True, False]


@pytest.mark.parametrize(("spec", "metrics"), [("marginals:1", 5), ("ranges:amount:50", 3)])
def test_rows_that_are_the_truth_have_no_error_and_every_source_has_a_column(spec, metrics):
    workload = parse_workload(spec, DOMAIN)
    settings = mwem_by_rule(workload, n=500, epsilon=1.0, T=2)
    rounds = tuple(settings.rounds(ORIGINAL, workload, noise=Seeded(1)))
    table = accuracy(Run(workload, settings, "default", rounds, 1), ORIGINAL, ORIGINAL)
    assert len(table) == metrics
    for rows, model, uniform in table.values():
        assert float(rows) == 0
        assert float(model) > 0
        assert float(uniform) > 0
    assert len(SOURCES) == 3


def test_the_model_and_the_uniform_table_have_the_errors_of_the_last_and_first_round(czech, czech_run):
    run, rows = czech_run
    errors = errors_by_round(run, czech)
    of_rows, of_model, of_uniform = (float(text) for text in accuracy(run, rows, czech)["mean total variation, 0 to 1"])
    assert of_rows < of_uniform / 5
    assert of_model == pytest.approx(errors[-1].mean_tv, rel=0.05)
    assert of_uniform == pytest.approx(errors[0].mean_tv, rel=0.05)

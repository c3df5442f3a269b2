"""A run by round."""

import numpy as np
import pytest
from synthetic_rows import DOMAIN, ORIGINAL

from mwem_app.run.round_charts import describe_errors, describe_residuals, error_by_round, residual_by_round, residuals
from mwem_core import Run, Seeded, mwem_by_rule, parse_workload
from mwem_core.judge import Errors


def errors(largest, mean):
    return Errors(largest, mean, 1.0, None, None)


def run(seed=1, **settings):
    workload = parse_workload("marginals:1", DOMAIN)
    chosen = mwem_by_rule(workload, n=500, epsilon=1.0, **settings)
    return Run(workload, chosen, "mwem", tuple(chosen.rounds(ORIGINAL, workload, noise=Seeded(seed))), seed)


def test_errors_are_drawn_on_a_logarithmic_scale_and_one_of_zero_as_a_tenth_of_a_record():
    figure = error_by_round([errors(0.8, 0.01), errors(0.02, 0.0)], 500).figure
    low, high = figure.layout.yaxis.range
    assert low <= np.log10(0.01) < np.log10(0.8) <= high
    assert [list(trace.y) for trace in figure.data] == [[0.8, 0.02], [0.8, 0.8], [0.01, 0.0002], [0.01, 0.01]]
    assert error_by_round([errors(0.0, 0.0)], 500).figure.layout.yaxis.type == "log"


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_residual_is_that_of_the_round_and_expected_noise_the_mechanism_s_mean_over_the_cells(delta):
    finished = run(delta=delta, T=3)
    for (index, residual, noise), entry in zip(residuals(finished), finished.rounds[1:], strict=True):
        mean = 1 if delta == 0 else np.sqrt(2 / np.pi)
        assert index == entry.index
        assert residual == entry.residual
        assert noise == pytest.approx(mean * entry.measurement.scale * entry.measurement.value.size)
    _, residual, noise = zip(*residuals(finished), strict=True)
    assert [tuple(curve.y) for curve in residual_by_round(finished).figure.data] == [residual, noise]


def test_a_run_stopped_before_its_first_measurement_still_draws():
    finished = run()
    start = Run(finished.workload, finished.settings, finished.system, finished.rounds[:1], finished.seed)
    assert residual_by_round(start).alt == "Nothing has been measured yet."


def test_alternative_texts_give_the_first_and_the_last_round():
    assert describe_errors([errors(0.8, 0.01), errors(0.02, 0.0003)]) == (
        "Error by round, shares of n on a logarithmic scale. Largest error 0.80 at the start, 0.020 after round 1; "
        "mean error 0.010 at the start, 0.00030 after round 1."
    )
    assert describe_residuals([(1, 5000.0, 40.0), (2, 60.0, 50.0)]) == (
        "Distance of each measurement from the model before it, in records: 5,000 in round 1, where noise alone is "
        "expected to give 40; 60 in round 2, where noise alone is expected to give 50."
    )

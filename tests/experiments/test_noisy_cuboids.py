"""Expected errors of noise on cuboids are those of trials, and the chosen cuboids serve all at little noise."""

import itertools
import math

import numpy as np
import pytest

from mwem_core.experiments.cuboids import all_cuboids, covers, expected_errors, summed_cells
from mwem_core.experiments.experiment_tables import load
from mwem_core.judge import Trial, run_trial
from mwem_core.workload import cuboids

CZECH = load("czech")


@pytest.mark.parametrize("system", ["laplace", "laplace-cells"])
def test_expected_errors_are_the_means_of_trials(system):
    Q = cuboids(CZECH.domain, 2, up_to=True)
    measured = Q.sets if system == "laplace" else [tuple(range(6))]
    trials = [run_trial(CZECH, Q, Trial(system=system, epsilon=0.5, seed=seed), rows=False) for seed in range(100)]
    means = [trial.answers.mean_cuboid_error for trial in trials if trial.answers]
    expected = expected_errors(summed_cells(CZECH.domain, measured, Q.sets)).mean() / 0.5
    assert np.mean(means) == pytest.approx(expected, abs=4 * np.std(means) / math.sqrt(len(means)))


def test_a_sum_of_laplace_variables_has_its_mean_absolute_value():
    draws = np.random.default_rng(0).laplace(size=(40_000, 12))
    for terms in (1, 3, 12):
        sums = np.abs(draws[:, :terms].sum(axis=1))
        assert expected_errors(np.array([[terms]])) == pytest.approx(sums.mean(), rel=0.03)


def test_covers_serve_every_cuboid_within_a_logarithm_of_the_least_largest_error():
    domain = load("adult").domain.project(("race", "sex", "relationship"))
    targets = all_cuboids(3)
    sums = summed_cells(domain, targets, targets)
    largest = [expected_errors(sums[chosen]).max() for chosen in covers(sums)]
    assert all(math.isfinite(error) for error in largest)
    subsets = (list(s) for k in range(1, 8) for s in itertools.combinations(range(7), k))
    least = min(expected_errors(sums[s]).max() for s in subsets if np.isfinite(sums[s].min(axis=0)).all())
    assert least <= min(largest) <= (math.log(7) + 1) * least


def test_a_cuboid_is_summed_from_the_measured_one_with_the_fewest_cells():
    domain = load("adult").domain.project(("race", "sex"))  # five and two values
    sums = summed_cells(domain, [(0, 1), (1,)], all_cuboids(2))
    assert sums.tolist() == [[2, 5, 1], [math.inf, 1, math.inf]]
    assert expected_errors(sums) == pytest.approx([2 * 1.5, 2, 2])  # the mean of |a sum of two| is 3/2

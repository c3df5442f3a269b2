"""The class as a table: what MWEM releases of it, and what a larger class would change."""

import numpy as np
import pytest

from mwem_app.course.classroom.class_table import ROUNDS, UNIFORM, class_records as records, release, true_shares
from mwem_core.privacy import Seeded


@pytest.fixture(scope="module")
def answers() -> np.ndarray:
    """28 students, five questions; the first two nearly always agree."""
    rng = np.random.default_rng(0)
    answers = rng.random((28, 5)) < [0.7, 0.7, 0.3, 0.5, 0.5]
    answers[:24, 1] = answers[:24, 0]
    return answers


def mean_error(answers: np.ndarray, **settings) -> float:
    """Over 20 seeds, in shares."""
    truth = true_shares(answers)
    return float(
        np.mean([np.abs(release(answers, noise=Seeded(seed), **settings).shares - truth) for seed in range(20)])
    )


def test_the_shares_are_those_counted_by_hand(answers):
    B, truth = records(answers), true_shares(answers)
    pairs = release(answers, epsilon=1.0, noise=Seeded(0)).pairs
    assert B.domain.size == 2**5
    assert len(pairs) == 10
    for (i, j), shares in zip(pairs, truth, strict=True):
        cells = [np.mean((answers[:, i] == a) & (answers[:, j] == b)) for a in (False, True) for b in (False, True)]
        assert shares == pytest.approx(cells)


def test_a_release_is_a_distribution_for_every_pair(answers):
    once = release(answers, epsilon=1.0, noise=Seeded(0))
    assert once.n == 28
    assert once.shares.shape == (10, 4)
    assert (once.shares >= 0).all()
    assert once.shares.sum(axis=1) == pytest.approx(np.ones(10))
    assert len(once.measured) == ROUNDS
    assert set(once.measured) <= set(once.pairs)


def test_the_budget_of_a_release_pays_for_its_noise(answers):
    """Laplace noise of scale b costs 1/b. Five measurements must leave something of ε for the selections."""
    for epsilon in (0.5, 1.0, 4.0):
        once = release(answers, epsilon=epsilon, noise=Seeded(0))
        assert ROUNDS / once.noise < epsilon


def test_a_class_that_is_100_times_as_large_has_the_same_noise_and_a_hundredth_of_it_by_size(answers):
    small, large = (release(answers, epsilon=1.0, noise=Seeded(0), times=times) for times in (1, 100))
    assert large.n == 100 * small.n
    assert large.noise == small.noise
    assert mean_error(answers, epsilon=1.0, times=100) < mean_error(answers, epsilon=1.0) / 8


def test_a_small_class_at_a_small_epsilon_is_no_better_than_uniform_and_a_large_class_is(answers):
    uniform = float(np.abs(UNIFORM - true_shares(answers)).mean())
    assert mean_error(answers, epsilon=0.2) > uniform
    assert mean_error(answers, epsilon=0.2, times=100) < uniform / 2


def test_nothing_is_released_of_nobody():
    with pytest.raises(ValueError, match="nobody has answered yet"):
        release(np.zeros((0, 5), bool), epsilon=1.0, noise=Seeded(0))

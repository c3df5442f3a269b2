import math

import numpy as np
import pytest

from mwem_core.privacy.mechanisms import exponential, gaussian, laplace
from mwem_core.privacy.noise import Seeded, Witness

DRAWS = 100_000


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_every_value_gets_an_independent_draw(mechanism):
    """Successive draws are uncorrelated: within five standard deviations of 1/√100,000 for 100,000 draws."""
    exact = np.zeros((DRAWS // 100, 10, 10))
    noisy = getattr(Seeded(3), mechanism)(exact, 1.0)
    assert noisy.shape == exact.shape
    flat = noisy.ravel()
    assert len(set(flat)) == DRAWS
    assert abs(np.corrcoef(flat[:-1], flat[1:])[0, 1]) < 5 / math.sqrt(DRAWS)


def draws(noise):
    weights = np.arange(50) / 9
    return [
        noise.choose(weights),
        noise.permute_and_flip(weights),
        *noise.laplace(np.ones(3), 2),
        *noise.gaussian(np.ones(3), 2),
    ]


def test_equal_seeds_repeat_their_draws_and_no_two_sources_share_one_otherwise():
    assert draws(Seeded(5)) == draws(Seeded(5))
    real = [x for seed in (5, 6, None, None) for x in draws(Seeded(seed))[2:]]
    assert len(set(real)) == len(real) == 24


def test_a_witness_changes_no_draw():
    assert draws(Witness(Seeded(4))) == draws(Seeded(4))


def test_a_witness_records_the_probabilities_and_the_exact_values_of_its_last_draws():
    witness = Witness(Seeded(0))
    exponential(np.array([0.0, 2.0, -math.inf]), epsilon=1, sensitivity=1, noise=witness)
    assert witness.probabilities() == pytest.approx([1 / (1 + math.e), math.e / (1 + math.e), 0])
    exponential(np.array([5e5, 1e6]), epsilon=1, sensitivity=1, noise=witness)
    assert witness.probabilities().tolist() == [0, 1]
    for mechanism, privacy in ((laplace, "epsilon"), (gaussian, "rho")):
        mechanism(np.array([7.0]), sensitivity=1, noise=witness, **{privacy: 1})
        assert witness.exact is not None
        assert witness.exact.tolist() == [7.0]


def test_a_witness_without_a_selection_has_no_probabilities():
    with pytest.raises(ValueError, match=r"^nothing was selected yet: run a round first$"):
        Witness(Seeded(0)).probabilities()

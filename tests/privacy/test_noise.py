import math

import numpy as np
import pytest
from scipy import stats

from mwem_core.privacy import noise as noise_module
from mwem_core.privacy.mechanisms import discrete_laplace, exponential, gaussian, laplace
from mwem_core.privacy.noise import Seeded, Witness

DRAWS = 100_000


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_every_value_gets_an_independent_draw(mechanism):
    """Successive draws are uncorrelated: within five standard deviations of 1/√100,000 for 100,000 draws."""
    exact = np.zeros((DRAWS // 100, 10, 10))
    noisy = getattr(Seeded(3), mechanism)(exact, 1.0, 1.0)
    assert noisy.shape == exact.shape
    flat = noisy.ravel()
    assert len(set(flat)) == DRAWS
    assert abs(np.corrcoef(flat[:-1], flat[1:])[0, 1]) < 5 / math.sqrt(DRAWS)


def draws(noise):
    scores = np.arange(50) / 9
    return [
        noise.choose(scores, 2, 1),
        noise.permute_and_flip(scores, 2, 1),
        *noise.laplace(np.ones(3), 2, 1),
        *noise.gaussian(np.ones(3), 2, 1),
    ]


def test_equal_seeds_repeat_their_draws_and_no_two_sources_share_one_otherwise():
    assert draws(Seeded(5)) == draws(Seeded(5))
    real = [x for seed in (5, 6, None, None) for x in draws(Seeded(seed))[2:]]
    assert len(set(real)) == len(real) == 24


def test_choices_noise_and_rows_draw_from_streams_of_their_own():
    """No number of choices moves the noise, nor noise the choices; and neither repeats what rows are drawn from."""
    scores, few = np.zeros(10**6), Seeded(7)
    noisy = few.laplace(np.zeros(4), 1, 1)
    chosen = few.choose(scores, 1, 1)
    many = Seeded(7)
    assert many.choose(scores, 1, 1) == chosen
    assert [many.permute_and_flip(scores, 1, 1) for _ in range(5)] != [chosen] * 5
    assert many.laplace(np.zeros(4), 1, 1).tolist() == noisy.tolist()
    rows = np.random.default_rng(7)
    assert chosen != int(rows.random() * len(scores))
    assert noisy.tolist() != np.random.default_rng(7).laplace(size=4).tolist()


class Given:
    """A generator of given uniform draws."""

    def __init__(self, *draws):
        self.draws = list(draws)

    def random(self):
        return self.draws.pop(0)


def test_a_choice_inverts_the_law_at_any_distance_below_the_best(monkeypatch):
    """45 nats below, a running sum of the probabilities no longer moves. A draw below a billionth is drawn again, as a
    billionth of a finer one, and decides whether the choice is among the light ones; then it starts anew with them."""
    source, scores = Seeded(0), np.array([0.0, -45.0, 0.0, -90.0])
    light = math.exp(-45) / 2 / noise_module.RARE**2  # the chance of the light ones, seen by the third draw
    lightest = math.exp(-45) / noise_module.RARE**2  # that of the last one among the light ones
    for rare, draws, chosen in (
        ([0.5], [0.4], 0),
        ([0.5], [0.6], 2),
        ([0.0, 0.0, 1.01 * light], [0.4], 0),
        ([0.0, 0.0, 0.99 * light, 0.5], [0.4], 1),
        ([0.0, 0.0, 0.99 * light, 0.0, 0.0, 0.99 * lightest, 0.5], [0.4], 3),
    ):
        monkeypatch.setattr(source, "_rare", Given(*rare))
        monkeypatch.setattr(source, "_choices", Given(*draws))
        assert source.choose(scores, 2, 1) == chosen
        assert source._rare.draws == source._choices.draws == []


def test_a_uniform_draw_is_fine_near_zero(monkeypatch):
    """With the limit moved to where draws fall: the law stays uniform, also a million times closer to zero."""
    monkeypatch.setattr(noise_module, "RARE", 0.1)
    source = Seeded(0)
    drawn = np.array([source._fine_uniform() for _ in range(DRAWS // 2)])
    assert stats.kstest(drawn, stats.uniform.cdf).pvalue > 1e-4
    assert stats.kstest(drawn[drawn < 0.01] / 0.01, stats.uniform.cdf).pvalue > 1e-4
    assert len(set(drawn[drawn < 1e-3])) == (drawn < 1e-3).sum() > 20


def test_exponential_draws_have_no_end(monkeypatch):
    """With the limit moved to where draws fall, the draws that are made again have the exponential law too."""
    monkeypatch.setattr(noise_module, "MAX_DRAW", 2.0)
    drawn = Seeded(0)._exponentials(DRAWS)
    assert stats.kstest(drawn, stats.expon.cdf).pvalue > 1e-4
    assert stats.kstest(drawn[drawn > 6] - 6, stats.expon.cdf).pvalue > 1e-4  # drawn four times


def test_a_witness_changes_no_draw():
    assert draws(Witness(Seeded(4))) == draws(Seeded(4))


def test_a_witness_records_the_probabilities_and_the_exact_values_of_its_last_draws():
    witness = Witness(Seeded(0))
    exponential(np.array([0.0, 2.0, -math.inf]), epsilon=1, sensitivity=1, noise=witness)
    assert witness.probabilities() == pytest.approx([1 / (1 + math.e), math.e / (1 + math.e), 0])
    exponential(np.array([5e5, 1e6]), epsilon=1, sensitivity=1, noise=witness)
    assert witness.probabilities().tolist() == [0, 1]
    for mechanism, privacy in ((laplace, "epsilon"), (discrete_laplace, "epsilon"), (gaussian, "rho")):
        mechanism(np.array([7.0]), sensitivity=1, noise=witness, **{privacy: 1})
        assert witness.exact is not None
        assert witness.exact.tolist() == [7.0]


def test_a_witness_without_a_selection_has_no_probabilities():
    with pytest.raises(ValueError, match=r"^nothing was selected yet: run a round first$"):
        Witness(Seeded(0)).probabilities()
    assert Witness(Seeded(0)).exact is None

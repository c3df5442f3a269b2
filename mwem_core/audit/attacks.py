"""The mechanisms under attack, each on two neighbouring inputs, and a lower bound on ε from their outputs alone.

(ε, δ)-DP says that every event E has P(E on B) <= e^ε P(E on B') + δ. So any event with a large P on B and a small one
on B' proves that ε is at least ln((P - δ) / P'). One half of the outputs chooses the event: a set of outputs where the
ratio of the two likelihoods is largest, as Neyman and Pearson's lemma says. The other half bounds both probabilities
by Clopper and Pearson's exact binomial intervals, so the choice cannot flatter the bound."""

import math
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attribute, Domain
from mwem_core.model import LogLinear, drawn_columns, independent_draws
from mwem_core.privacy import NoiseSource, RandomisedResponse, ReleaseNoise, Seeded, epsilon_of, mechanisms
from mwem_core.values import Range

FALSE_ALARM = 1e-6  # the probability that one of the two intervals does not hold its probability
MAX_VALUES = 512  # that are told apart; outputs with more are put into bins
BINS = 256  # of one column of outputs, equally full
SMOOTHING = 0.5  # added to both counts of a value, so that a likelihood ratio exists


def lower_bound(ours: np.ndarray, theirs: np.ndarray, *, delta: float = 0.0) -> float:
    """A lower bound on ε of outputs (m,) or (m, columns) of independent runs on each side; 0 if they prove nothing.

    The larger of the bounds in both directions. It exceeds the true ε with a probability of at most 4 · 10⁻⁶.
    """
    a, b = _values(np.asarray(ours, float), np.asarray(theirs, float))
    half = len(a) // 2
    return max(_bound(a, b, half, delta), _bound(b, a, half, delta))


def clopper_pearson(successes: np.ndarray, trials: int) -> tuple[np.ndarray, np.ndarray]:
    """The exact lower and upper limits of a binomial probability, each missed with probability `FALSE_ALARM` / 2."""
    from scipy.special import betaincinv  # imported late: it takes a fifth of a second

    k, alpha = np.asarray(successes, float), FALSE_ALARM / 2
    with np.errstate(invalid="ignore"):
        low = np.where(k > 0, betaincinv(k, trials - k + 1, alpha), 0.0)
        high = np.where(k < trials, betaincinv(k + 1, trials - k, 1 - alpha), 1.0)
    return low, high


def _bound(ours: np.ndarray, theirs: np.ndarray, half: int, delta: float) -> float:
    """The bound of one direction: the event of the best bound on the first half, bounded on the second."""
    kinds = int(max(ours.max(), theirs.max())) + 1
    first = [np.bincount(side[:half], minlength=kinds) for side in (ours, theirs)]
    second = [np.bincount(side[half:], minlength=kinds) for side in (ours, theirs)]
    order = np.argsort(-(first[0] + SMOOTHING) / (first[1] + SMOOTHING), kind="stable")
    low, _ = clopper_pearson(np.cumsum(first[0][order]), half)
    _, high = clopper_pearson(np.cumsum(first[1][order]), half)
    event = order[: int(np.argmax((low - delta) / high)) + 1]
    trials = len(ours) - half
    low, _ = clopper_pearson(second[0][event].sum(), trials)
    _, high = clopper_pearson(second[1][event].sum(), trials)
    ratio = (float(low) - delta) / float(high)
    return math.log(ratio) if ratio > 1 else 0.0


def _values(ours: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both sides' outputs as whole numbers from 0: their distinct values, or the bins that they fall in, (m,) each."""
    together = np.concatenate([ours, theirs]).reshape(len(ours) + len(theirs), -1)
    columns = [_numbered(column) for column in together.T]
    _, numbers = np.unique(np.stack(columns), axis=1, return_inverse=True)
    numbers = numbers.ravel()
    return numbers[: len(ours)], numbers[len(ours) :]


def _numbered(column: np.ndarray) -> np.ndarray:
    distinct, numbers = np.unique(column, return_inverse=True)
    if len(distinct) <= MAX_VALUES:
        return numbers
    return np.searchsorted(np.quantile(column, np.arange(1, BINS) / BINS), column)


EPSILON, RHO, DELTA = 2.0, 0.5, 1e-2
CANDIDATES = 20  # of a selection by the exponential mechanism: its loss comes near ε if there are many
ROWS = Domain((Attribute("a", Range(0, 63)),))  # the domain of synthetic rows
TIGHT = 0.8  # of the stated ε: the least that a mechanism with such an input must be proven to cost

Run = Callable[[int, int], np.ndarray]


@dataclass(frozen=True)
class Target:
    """A mechanism that states ε, at δ. `outputs(side, m)` are m independent outputs on input 0 or 1.

    `tight` says that some event costs all of ε, so that the attack must find `TIGHT` of it. A choice is made one at a
    time (`slow`), so there are fewer draws.
    """

    name: str
    epsilon: float
    outputs: Run
    delta: float = 0.0
    tight: bool = False
    slow: bool = False


def laplace(noise: NoiseSource) -> Run:
    """A count of 0 or 1."""
    return lambda side, m: mechanisms.laplace(np.full(m, float(side)), epsilon=EPSILON, sensitivity=1, noise=noise)[0]


def gaussian(noise: NoiseSource) -> Run:
    """A count of 0 or 1."""
    return lambda side, m: mechanisms.gaussian(np.full(m, float(side)), rho=RHO, sensitivity=1, noise=noise)[0]


def discrete_laplace(noise: NoiseSource) -> Run:
    """A count of 0 or 1."""
    return lambda side, m: mechanisms.discrete_laplace(
        np.full(m, float(side)), epsilon=EPSILON, sensitivity=1, noise=noise
    )


def exponential(noise: NoiseSource) -> Run:
    """One candidate of many is better by 2 on one side, as it gains 1 and the others lose 1."""
    scores = np.zeros((2, CANDIDATES))
    scores[1], scores[1, 0] = -1.0, 1.0
    return _chosen(lambda side: mechanisms.exponential(scores[side], epsilon=EPSILON, sensitivity=1, noise=noise))


def permute_and_flip(noise: NoiseSource) -> Run:
    """Two candidates that tie, or one is better by 2."""
    scores = np.array([[0.0, 0.0], [1.0, -1.0]])
    return _chosen(lambda side: mechanisms.permute_and_flip(scores[side], epsilon=EPSILON, sensitivity=1, noise=noise))


def randomised_response(noise: NoiseSource) -> Run:
    """A person's truth is no or yes."""
    response = RandomisedResponse(EPSILON)
    return lambda side, m: response.answers(np.full(m, bool(side)), noise=noise)


def count_and_row(rows: Callable[[Sequence[int]], np.ndarray]) -> Run:
    """A noisy count of 0 or 1 from a seed that the attacker lacks, and a synthetic row, which may depend on the seed.

    `rows` makes one for each seed: (m,).
    """

    def outputs(side: int, m: int) -> np.ndarray:
        seeds, count = [secrets.randbits(63) for _ in range(m)], np.array(float(side))
        noisy = [mechanisms.laplace(count, epsilon=EPSILON, sensitivity=1, noise=Seeded(seed))[0] for seed in seeds]
        return np.column_stack([noisy, rows(seeds)])

    return outputs


def independent_rows(seeds: Sequence[int]) -> np.ndarray:
    """Rows of a uniform model, drawn from fresh entropy, as a release draws them."""
    uniform, draws = LogLinear.uniform(ROWS.shape, 1.0), independent_draws(np.random.default_rng())
    return drawn_columns(uniform, len(seeds), draws)[0]


def targets() -> tuple[Target, ...]:
    """Every mechanism, with the noise of exploring and with that of a release."""
    seeded, releasing, gaussian_epsilon = Seeded(2012), ReleaseNoise(), epsilon_of(RHO, DELTA)
    return (
        Target("Laplace", EPSILON, laplace(seeded), tight=True),
        Target("Gaussian, ρ = 0.5", gaussian_epsilon, gaussian(seeded), delta=DELTA),
        Target("discrete Laplace", EPSILON, discrete_laplace(seeded), tight=True),
        Target("exponential", EPSILON, exponential(seeded), slow=True),
        Target("permute-and-flip", EPSILON, permute_and_flip(seeded), tight=True, slow=True),
        Target("randomised response", EPSILON, randomised_response(seeded), tight=True, slow=True),
        Target("Laplace and a synthetic row", EPSILON, count_and_row(independent_rows), slow=True),
        Target("release: Laplace", EPSILON, laplace(releasing), tight=True),
        Target("release: Gaussian, ρ = 0.5", gaussian_epsilon, gaussian(releasing), delta=DELTA),
        Target("release: noisy max at ρ = ε²/8", EPSILON, exponential(releasing), slow=True),
        Target("release: noisy max", EPSILON, permute_and_flip(releasing), tight=True, slow=True),
    )


def _chosen(choose: Callable[[int], int]) -> Run:
    return lambda side, m: np.array([choose(side) for _ in range(m)])

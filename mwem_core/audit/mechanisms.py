"""The mechanisms under attack: each on two neighbouring inputs where one record makes the most difference."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attribute, Domain
from mwem_core.model import LogLinear
from mwem_core.output import sample
from mwem_core.privacy import NoiseSource, RandomisedResponse, ReleaseNoise, Seeded, epsilon_of, mechanisms
from mwem_core.values import Range

EPSILON, RHO, DELTA = 2.0, 0.5, 1e-2
CANDIDATES = 20  # of a selection by the exponential mechanism: its loss comes near ε if there are many
ROWS = Domain((Attribute("a", Range(0, 63)),))  # the domain of synthetic rows
TIGHT = 0.8  # of the stated ε: the least that a mechanism with such an input must be proven to cost

Run = Callable[[int, int], np.ndarray]


@dataclass(frozen=True)
class Attacked:
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
    return sample(ROWS, LogLinear.uniform(ROWS.shape, 1.0), len(seeds), np.random.default_rng()).codes[0]


def attacked() -> tuple[Attacked, ...]:
    """Every mechanism, with the noise of exploring and with that of a release."""
    seeded, releasing, gaussian_epsilon = Seeded(2012), ReleaseNoise(), epsilon_of(RHO, DELTA)
    return (
        Attacked("Laplace", EPSILON, laplace(seeded), tight=True),
        Attacked("Gaussian, ρ = 0.5", gaussian_epsilon, gaussian(seeded), delta=DELTA),
        Attacked("discrete Laplace", EPSILON, discrete_laplace(seeded), tight=True),
        Attacked("exponential", EPSILON, exponential(seeded), slow=True),
        Attacked("permute-and-flip", EPSILON, permute_and_flip(seeded), tight=True, slow=True),
        Attacked("randomised response", EPSILON, randomised_response(seeded), tight=True, slow=True),
        Attacked("Laplace and a synthetic row", EPSILON, count_and_row(independent_rows), slow=True),
        Attacked("release: Laplace", EPSILON, laplace(releasing), tight=True),
        Attacked("release: Gaussian, ρ = 0.5", gaussian_epsilon, gaussian(releasing), delta=DELTA),
        Attacked("release: noisy max at ρ = ε²/8", EPSILON, exponential(releasing), slow=True),
        Attacked("release: noisy max", EPSILON, permute_and_flip(releasing), tight=True, slow=True),
    )


def _chosen(choose: Callable[[int], int]) -> Run:
    return lambda side, m: np.array([choose(side) for _ in range(m)])

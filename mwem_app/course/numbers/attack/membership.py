"""Membership inference: was this person's record in the table that was released?"""

import math
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Records
from mwem_core.privacy import NoiseSource, cap, laplace

EPSILONS = 0.1, 0.25, 0.5, 2.0, 4.0
FRACTION = 5  # the twin's noise is a fifth of what it states
THRESHOLDS = 31  # of the evidence: points of a ROC curve
ROUNDING = 1e-9  # of the evidence, which is ±ε exactly for many releases
RELEASES = 8000  # with the person and as many without, for each curve
ERRORS = 4.0  # standard errors that are allowed: chance alone exceeds them once in 30,000 attacks


@dataclass(frozen=True, eq=False)
class Attack:
    """An attack on many releases, half of them with the person.

    `false_alarms` and `hits` are the ROC curve: the shares of releases without and with the person for which the
    attacker says "was in it", as the evidence demanded grows. `won` is the share of bets won at evenly matched odds.
    """

    false_alarms: np.ndarray
    hits: np.ndarray
    won: float


def attack(B: Records, person: int, *, epsilon: float, stated: float, noise: NoiseSource) -> Attack:
    """Attack releases of B's whole table by Laplace noise at `epsilon`, which say that they are at `stated`.

    At ε = ∞ the counts are exact. The attacker knows every record but the person's, so one cell is left to look at:
    that of the person's values. The evidence is the log-likelihood ratio of its count, with the person over without, at
    the stated noise.
    """
    cell = int(B.marginal(tuple(range(len(B.domain))))[tuple(column[person] for column in B.codes)])
    with_person, without = (
        _evidence(_released(count, epsilon=epsilon, noise=noise), cell, stated) for count in (cell, cell - 1)
    )
    demanded = np.linspace(stated, -stated, THRESHOLDS)[:, None] - ROUNDING
    return Attack(
        false_alarms=_closed((without >= demanded).mean(axis=1)),
        hits=_closed((with_person >= demanded).mean(axis=1)),
        won=float(((with_person > 0).mean() + (without <= 0).mean()) / 2),
    )


def allowed(epsilon: float) -> float:
    """`cap` plus four standard errors of the share of bets won in `attack`."""
    return cap(epsilon) + ERRORS * math.sqrt(0.25 / (2 * RELEASES))


def _released(count: int, *, epsilon: float, noise: NoiseSource) -> np.ndarray:
    """The person's cell in each of many releases of the whole table, at ε each: a record is in one cell."""
    exact = np.full(RELEASES, float(count))
    return exact if math.isinf(epsilon) else laplace(exact, epsilon=epsilon, sensitivity=1, noise=noise)[0]


def _evidence(noisy: np.ndarray, cell: int, epsilon: float) -> np.ndarray:
    """ln of how much more probable a noisy count is if the person is among `cell` than if there are `cell` - 1."""
    return epsilon * (np.abs(noisy - (cell - 1)) - np.abs(noisy - cell))


def _closed(shares: np.ndarray) -> np.ndarray:
    """A curve from 0 to 1."""
    return np.concatenate([[0.0], shares, [1.0]])

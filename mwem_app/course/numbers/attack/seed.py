"""A published seed: whoever knows it draws the same noise again, and subtracts it."""

from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attrs, Records
from mwem_core.privacy import Seeded, laplace

TRIED = 40  # seeds that the attacker tries
WHOLE = 1e-6  # a count this near to a whole number is one


@dataclass(frozen=True, eq=False)
class Unmasked:
    """A release whose noise was drawn from a seed below `TRIED`, and what is left when each seed's noise is subtracted.

    `exact` and `released` are (cells,), `left` is (`TRIED`, cells), all in records.
    """

    exact: np.ndarray
    released: np.ndarray
    left: np.ndarray
    seed: int

    @property
    def whole(self) -> np.ndarray:
        """For each seed, whether nothing but whole numbers is left, as counts are: (`TRIED`,)."""
        return np.abs(self.left - self.left.round()).max(axis=1) < WHOLE


def unmasked(B: Records, attrs: Attrs, *, epsilon: float, seed: int) -> Unmasked:
    """Release B's marginal on `attrs` with Laplace noise from `seed`, then subtract the noise of every seed tried."""
    exact = B.marginal(attrs).ravel().astype(float)
    released = _noisy(exact, epsilon, seed)
    nothing = np.zeros_like(exact)
    return Unmasked(exact, released, np.stack([released - _noisy(nothing, epsilon, i) for i in range(TRIED)]), seed)


def _noisy(counts: np.ndarray, epsilon: float, seed: int) -> np.ndarray:
    """Counts of a marginal with Laplace noise: ε-DP, if nobody knows the seed."""
    return laplace(counts, epsilon=epsilon, sensitivity=1, noise=Seeded(seed))[0]

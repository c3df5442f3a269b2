"""A noisy measurement of one query, or of a whole marginal."""

from dataclasses import dataclass

import numpy as np

from mwem_core.domain.source import Attrs


@dataclass(frozen=True, eq=False)
class Measurement:
    """What a mechanism returned for a query, or for every cell of a marginal.

    `q` holds the query's values on the cells of the marginal over `attrs`, in [-1, 1], and `value` its noisy answer;
    where `q` is None the whole marginal was measured and `value` has a number a cell. `value` and `scale` (of the
    noise: b for Laplace, σ for Gaussian) are in records.
    """

    attrs: Attrs
    value: np.ndarray
    scale: float
    q: np.ndarray | None = None

    def answer(self, marginal: np.ndarray) -> np.ndarray:
        """q(A) from A's marginal over `attrs`, in its unit: a number, or the whole marginal."""
        return marginal if self.q is None else np.asarray(np.vdot(self.q, marginal))

    def residual(self, marginal: np.ndarray) -> np.ndarray:
        """m - q(A), in records."""
        return self.value - self.answer(marginal)

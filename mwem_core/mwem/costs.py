"""What the measurements of a run cost: all the same, or those of small tables less than those of large ones."""

from fractions import Fraction
from typing import Literal

import numpy as np

from mwem_core.base import fitted
from mwem_core.privacy import PRECISION, Budget
from mwem_core.workload import Workload, weights_of_tables


def relative_costs(Q: Workload, unit: Literal["ε", "ρ"]) -> np.ndarray:
    """What a measurement of each table of Q costs, the typical one (geometric mean) as 1: (parts,).

    Within bounds, so that no table takes a large part of the budget. Large tables cost the same.
    """
    weights = weights_of_tables(Q.part_cells.astype(float), unit)
    return np.clip(weights / np.exp(np.log(weights).mean()), 1 / fitted.MAX_RELATIVE_COST, fitted.MAX_RELATIVE_COST)


class Costs:
    """How T measurements share their budget, as they are chosen. All of it is spent once T are made.

    `relative`, (candidates,), is what each costs beside the others; without it all cost the same. It is public, and so
    is what was chosen: so what a measurement costs may depend on it (`Accountant`).
    """

    def __init__(self, T: int, relative: np.ndarray | None):
        self._T, self._relative = T, relative
        self._measurements, self._left = T, T * PRECISION

    @property
    def expected(self) -> np.ndarray | None:
        """What each candidate would get of a T-th of the budget, if the other measurements were typical ones.

        (candidates,), or None if all get the same.
        """
        if self._relative is None:
            return None
        return self._relative * self._T / (self._relative + self._T - 1)

    def of(self, j: int | None, mean: Budget) -> Budget:
        """What the next measurement, of candidate j or of none, costs, if `mean` is a T-th of the budget.

        What is left is shared with the measurements to come as if these were typical ones.
        """
        if self._relative is None:
            return mean
        self._measurements -= 1
        r = 1.0 if j is None else float(self._relative[j])
        units = round(self._left * (r / (r + self._measurements)))
        self._left -= units
        return mean.part(Fraction(units, PRECISION))

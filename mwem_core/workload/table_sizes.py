"""What follows from the sizes of whole tables: how they share a budget, and whether weighted rows can hold them."""

from fractions import Fraction
from typing import Literal

import numpy as np

from mwem_core.base import constants
from mwem_core.privacy import PRECISION, Budget
from mwem_core.weighted import rows_for
from mwem_core.workload.workload import Workload


def are_large(Q: Workload) -> bool:
    """Whether Q's marginals have so many cells that most are nearly empty."""
    return Q.tabular and Q.part_cells.mean() >= constants.LARGE_TABLE


def rows_hold(Q: Workload) -> bool:
    """Whether weighted rows can have the marginals of Q, by the number of their cells."""
    return Q.part_cells.mean() * constants.ROWS_PER_CELL <= rows_for(Q.parts)


def weights_of_tables(cells: np.ndarray, unit: Literal["ε", "ρ"]) -> np.ndarray:
    """What tables of so many cells should cost, up to a factor: (tables,).

    A table with a share s has noise of scale 1/s times the budget's (1/√s under zCDP) in each cell, for a record moves
    one cell by 1. In total variation the tables' noise adds up to the least at shares ∝ √cells (cells^(2/3) under
    zCDP). But the prior takes out more of the noise of large tables, whose cells are small, and the worst cells are
    those of small tables. So their shares are larger: ∝ √cells under zCDP, where the sum of squared errors is least,
    and under ε to a lower power (`COST_POWER`). Of the cells of large tables fewer count, as most are nearly empty:
    there the power is `LARGE_COST_POWER`.
    """
    large = cells.mean() >= constants.LARGE_TABLE
    return cells ** (1 / 2 if unit == "ρ" else constants.LARGE_COST_POWER if large else constants.COST_POWER)


def relative_costs(Q: Workload, unit: Literal["ε", "ρ"]) -> np.ndarray:
    """What a measurement of each table of Q costs, the typical one (geometric mean) as 1: (parts,).

    Within bounds, so that no table takes a large part of the budget. Large tables cost the same.
    """
    weights = weights_of_tables(Q.part_cells.astype(float), unit)
    return np.clip(
        weights / np.exp(np.log(weights).mean()), 1 / constants.MAX_RELATIVE_COST, constants.MAX_RELATIVE_COST
    )


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

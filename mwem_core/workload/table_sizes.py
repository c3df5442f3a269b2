"""What follows from the sizes of whole tables: how they share a budget, and whether weighted rows can hold them."""

from typing import Literal

import numpy as np

from mwem_core.base import fitted
from mwem_core.weighted import rows_for
from mwem_core.workload.workload import Workload


def are_large(Q: Workload) -> bool:
    """Whether Q's marginals have so many cells that most are nearly empty."""
    return Q.tabular and Q.part_cells.mean() >= fitted.LARGE_TABLE


def rows_hold(Q: Workload) -> bool:
    """Whether weighted rows can have the marginals of Q, by the number of their cells."""
    return Q.part_cells.mean() * fitted.ROWS_PER_CELL <= rows_for(Q.parts)


def weights_of_tables(cells: np.ndarray, unit: Literal["ε", "ρ"]) -> np.ndarray:
    """What tables of so many cells should cost, up to a factor: (tables,).

    A table with a share s has noise of scale 1/s times the budget's (1/√s under zCDP) in each cell, for a record moves
    one cell by 1. In total variation the tables' noise adds up to the least at shares ∝ √cells (cells^(2/3) under
    zCDP). But the prior takes out more of the noise of large tables, whose cells are small, and the worst cells are
    those of small tables. So their shares are larger: ∝ √cells under zCDP, where the sum of squared errors is least,
    and under ε to a lower power (`COST_POWER`). Of the cells of large tables fewer count, as most are nearly empty:
    there the power is `LARGE_COST_POWER`.
    """
    large = cells.mean() >= fitted.LARGE_TABLE
    return cells ** (1 / 2 if unit == "ρ" else fitted.LARGE_COST_POWER if large else fitted.COST_POWER)

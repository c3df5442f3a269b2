"""Small tables around a workload: each holds one of its attribute sets, so it also answers that one."""

import numpy as np

from mwem_core.workload.families import MAX_ATTRIBUTE_SETS
from mwem_core.workload.operators import Cells
from mwem_core.workload.workload import Block, Workload


def supersets(Q: Workload, most_cells: int) -> Workload:
    """The marginals of Q, then all larger ones that hold one of its attribute sets, of at most `most_cells` cells.

    Measuring a table of order l costs as much as measuring one of order k, as a record moves one cell of either. On
    attributes of s values, a cell of order k then is a sum of s^(l-k) noisy cells. But fewer rounds are needed: T by
    the default's rule is proportional to l^(-3/2). Under pure ε the variance of the noise is proportional to T², so a
    cell of order k gets (k/l)³ s^(l-k) times as much. This is least at l = 3 / ln s, so at e³ = 20 cells, whatever s
    and k. Under zCDP the variance is proportional to T, and T to l^(-9/5): the least is at e^(9/5) = 6 cells, which few
    supersets have.
    Raises ValueError if there are more than a million.
    """
    sizes, found = np.array(Q.domain.shape, float), list(Q.blocks)
    own: dict[int, list[np.ndarray]] = {}
    for block in Q.blocks:
        own.setdefault(block.sets.shape[1], []).append(block.sets)
    larger = np.zeros((0, min(own)), int)
    for order in range(min(own), len(sizes)):
        larger = _with_one_more(np.concatenate([larger, *own.get(order, [])]), sizes, most_cells)
        measured = {tuple(S) for sets in own.get(order + 1, []) for S in sets.tolist()}
        new = larger[[tuple(S) not in measured for S in larger.tolist()]] if measured else larger
        if len(new):
            found.append(Block(new, Cells()))
    return Workload(Q.domain, "marginals", f"around:{Q.spec}", f"marginals around {Q.name}", tuple(found))


def _with_one_more(sets: np.ndarray, sizes: np.ndarray, most_cells: int) -> np.ndarray:
    """The sets with one attribute more, where that leaves at most `most_cells` cells: (m, k) -> (m', k + 1)."""
    cells = sizes[sets].prod(axis=1)
    sets, cells = sets[cells * sizes.min() <= most_cells], cells[cells * sizes.min() <= most_cells]
    additions = np.searchsorted(np.sort(sizes), most_cells / cells, side="right").sum() - sets.size
    if additions > MAX_ATTRIBUTE_SETS * (sets.shape[1] + 1):  # a set of k + 1 attributes arises at most k + 1 times
        raise ValueError(
            f"there are more than {MAX_ATTRIBUTE_SETS:,} tables of up to {most_cells:,} cells around the workload: "
            "lower superset_cells, or leave attributes out"
        )
    fits = cells[:, None] * sizes <= most_cells
    np.put_along_axis(fits, sets, values=False, axis=1)
    rows, added = np.nonzero(fits)
    return np.unique(np.sort(np.column_stack([sets[rows], added]), axis=1), axis=0)

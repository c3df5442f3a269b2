"""The downward closure of a workload: the marginals over all subsets of its attribute sets."""

from itertools import combinations

import numpy as np

from mwem_core.workload.operators import Cells
from mwem_core.workload.workload import Block, Workload


def closure(Q: Workload, *, most: int | None = None) -> Workload:
    """All marginals over subsets of the workload's sets, of 1 to `most` attributes: its downward closure."""
    largest = max(block.sets.shape[1] for block in Q.blocks)
    blocks = []
    for order in range(1, (most or largest) + 1):
        within = [block.sets[:, S] for block in Q.blocks for S in combinations(range(block.sets.shape[1]), order)]
        sets = np.concatenate(within)
        blocks.append(Block(np.unique(sets)[:, None] if order == 1 else np.unique(sets, axis=0), Cells()))
    return Workload(Q.domain, "marginals", f"within:{Q.spec}", f"marginals within {Q.name}", tuple(blocks))


def overlap(Q: Workload, tables: Workload) -> np.ndarray:
    """Σ_W |S ∩ W| over the workload's sets W, for the set S of each of `tables`: (parts,).

    Each attribute of S counts once for every W that holds it.
    """
    held = np.bincount(np.concatenate([block.sets.ravel() for block in Q.blocks]), minlength=len(Q.domain))
    return np.concatenate([held[block.sets].sum(axis=1) for block in tables.blocks]).astype(float)

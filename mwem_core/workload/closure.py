"""The downward closure of a workload: the marginals over all non-empty subsets of its attribute sets."""

from collections import defaultdict
from functools import lru_cache
from itertools import combinations

import numpy as np

from mwem_core.workload.families import marginals
from mwem_core.workload.operators import Cells
from mwem_core.workload.workload import Block, Workload


def closure(Q: Workload, *, max_order: int | None = None) -> Workload:
    """All marginals over 1 to `max_order` attributes of any one set of Q; over any number of them by default."""
    largest = max(block.sets.shape[1] for block in Q.blocks)
    blocks = []
    for order in range(1, (max_order or largest) + 1):
        subsets = np.concatenate(
            [block.sets[:, S] for block in Q.blocks for S in combinations(range(block.sets.shape[1]), order)]
        )
        blocks.append(Block(np.unique(subsets)[:, None] if order == 1 else np.unique(subsets, axis=0), Cells()))
    return Workload(Q.domain, "marginals", f"within:{Q.spec}", f"marginals within {Q.name}", tuple(blocks))


@lru_cache(maxsize=8)
def lower(Q: Workload) -> Workload:
    """The marginals of one attribute fewer than the largest of Q, within any one of its sets, and Q's smaller ones."""
    largest = max(block.sets.shape[1] for block in Q.blocks)
    by_order: dict[int, list[np.ndarray]] = defaultdict(list)
    for block in Q.blocks:
        k = block.sets.shape[1]
        order = min(k, max(1, largest - 1))
        by_order[order] += [block.sets[:, S] for S in combinations(range(k), order)]
    blocks = tuple(Block(np.unique(np.concatenate(by_order[k]), axis=0), Cells()) for k in sorted(by_order))
    return Workload(Q.domain, "marginals", f"below:{Q.spec}", f"marginals below {Q.name}", blocks)


def tables_of(Q: Workload) -> Workload:
    """The whole marginals with the residuals that Q reads, each once.

    They are Q itself, the k-way marginals of parities up to k, or the marginals of the attributes of predicates and
    ranges; of a mixed workload, those of all its terms.
    """
    if Q.tabular:
        return Q
    if Q.family == "parities":
        return marginals(Q.domain, Q.blocks[-1].sets.shape[1])
    by_order: dict[int, list[np.ndarray]] = defaultdict(list)
    for block in [block for term in Q.terms for block in tables_of(term.workload).blocks] or Q.blocks:
        by_order[block.sets.shape[1]].append(block.sets)
    blocks = tuple(Block(np.unique(np.concatenate(by_order[k]), axis=0), Cells()) for k in sorted(by_order))
    return Workload(Q.domain, "marginals", f"of:{Q.spec}", f"marginals of {Q.name}", blocks)


def overlap(Q: Workload, candidates: Workload) -> np.ndarray:
    """Σ_W |S ∩ W| over Q's attribute sets W, for the set S of each part of `candidates`: (parts,).

    Each attribute of S counts once for every W that contains it.
    """
    sets_with = np.bincount(np.concatenate([block.sets.ravel() for block in Q.blocks]), minlength=len(Q.domain))
    return np.concatenate([sets_with[block.sets].sum(axis=1) for block in candidates.blocks]).astype(float)

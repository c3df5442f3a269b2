"""Sums over products of tables, and a grouping of attribute sets that share such a sum."""

import math
from collections.abc import Sequence

import numpy as np
import opt_einsum

from mwem_core.domain.source import Attrs


def contract(factors: Sequence[tuple[np.ndarray, Sequence[int]]], attrs: Attrs) -> np.ndarray:
    """Multiply tables, each given with the attributes of its axes, and sum over all attributes but `attrs`."""
    if len(factors) == 1:
        ((table, own),) = factors
        return np.einsum(table, range(len(own)), [own.index(a) for a in attrs])
    operands = [item for factor in factors for item in factor]
    return np.asarray(opt_einsum.contract(*operands, list(attrs), optimize="greedy"))


def grouped_by_union(sets: Sequence[Attrs], sizes: Sequence[int], max_cells: int) -> list[tuple[Attrs, list[Attrs]]]:
    """Attribute sets in groups, each with its union: one joint table over the union has all marginals of the group.

    A union has at most `max_cells` cells; a larger set is a group of its own. Greedy: a union starts with the first
    set left. It then takes the attribute that completes the most sets, relative to its size; where no attribute
    completes a set, it takes in the set that adds the fewest cells.
    """
    if not sets:
        return []
    used = sorted({a for S in sets for a in S})
    column = {a: i for i, a in enumerate(used)}
    member = np.zeros((len(sets), len(used)), bool)
    for row, S in zip(member, sets, strict=True):
        row[[column[a] for a in S]] = True
    bits = np.log2([sizes[a] for a in used])
    left, groups = np.arange(len(sets)), []
    while len(left):
        union = member[left[0]].copy()
        while True:
            missing = member[left] & ~union
            count = missing.sum(axis=1)
            fits = ~union & (bits + bits @ union <= math.log2(max_cells))
            gain = np.where(fits, missing[count == 1].sum(axis=0) / bits, 0.0)
            if gain.any():
                union[gain.argmax()] = True
                continue
            extra = np.where(count > 0, missing @ bits, np.inf)
            if extra.min(initial=np.inf) + bits @ union > math.log2(max_cells):
                break
            union |= missing[extra.argmin()]
        inside = count == 0
        groups.append((tuple(used[i] for i in np.flatnonzero(union)), [sets[j] for j in left[inside]]))
        left = left[~inside]
    return groups

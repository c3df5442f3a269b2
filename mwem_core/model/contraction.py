"""Sums over products of tables, and which marginals to get out of one such sum."""

import math
from collections.abc import Sequence

import numpy as np
import opt_einsum

from mwem_core.domain.source import Attrs


def contract(parts: Sequence[tuple[np.ndarray, Sequence[int]]], attrs: Attrs) -> np.ndarray:
    """Multiply tables, each with the attributes of its axes, and sum over all attributes but `attrs`."""
    if len(parts) == 1:
        ((table, own),) = parts
        return np.einsum(table, range(len(own)), [own.index(a) for a in attrs])
    flat = [item for part in parts for item in part]
    return np.asarray(opt_einsum.contract(*flat, list(attrs), optimize="greedy"))


def bundles(sets: Sequence[Attrs], sizes: Sequence[int], most: int) -> list[tuple[Attrs, list[Attrs]]]:
    """Split attribute sets into groups, each with a union of at most `most` cells: one joint table serves a group.

    Greedy: a union starts with a set that is left and takes in the attribute that lets it hold the most of the others
    for its size. A set of more cells than `most` is a group of its own.
    """
    if not sets:
        return []
    used = sorted({a for S in sets for a in S})
    place = {a: i for i, a in enumerate(used)}
    lacks = np.zeros((len(sets), len(used)), bool)  # which attributes of a set the union lacks
    for row, S in zip(lacks, sets, strict=True):
        row[[place[a] for a in S]] = True
    bits = np.log2([sizes[a] for a in used])
    member, left, found = lacks.copy(), np.arange(len(sets)), []
    while len(left):
        union = member[left[0]].copy()
        while True:
            lacks = member[left] & ~union
            count = lacks.sum(axis=1)
            fits = ~union & (bits + bits @ union <= math.log2(most))
            gain = np.where(fits, lacks[count == 1].sum(axis=0) / bits, 0.0)
            if gain.any():
                union[gain.argmax()] = True
                continue
            extra = np.where(count > 0, lacks @ bits, np.inf)
            if extra.min(initial=np.inf) + bits @ union > math.log2(most):
                break
            union |= lacks[extra.argmin()]
        inside = count == 0
        found.append((tuple(used[i] for i in np.flatnonzero(union)), [sets[j] for j in left[inside]]))
        left = left[~inside]
    return found

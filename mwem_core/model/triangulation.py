"""Cliques and a junction tree for a set of attribute sets (Lauritzen & Spiegelhalter 1988; SPEC: the model)."""

import heapq
import math
from collections.abc import Iterable, Sequence

from mwem_core.domain.source import Attrs

Clique = tuple[int, ...]  # attributes in the order of its table's axes: small ones first, which keeps inner loops long


def triangulate(sets: Iterable[Attrs], sizes: Sequence[int], attrs: Iterable[int]) -> list[Clique]:
    """Maximal cliques of a chordal graph over `attrs` in which every one of `sets` is complete.

    Eliminates greedily the attribute whose clique has the fewest cells; ties go to the lower index.
    """
    near: dict[int, set[int]] = {a: set() for a in attrs}
    for S in sets:
        for a in S:
            near[a].update(S)
    for a, others in near.items():
        others.discard(a)

    def cells(a: int) -> int:
        return sizes[a] * math.prod(sizes[b] for b in near[a])

    queue = [(cells(a), a) for a in near]
    heapq.heapify(queue)
    cliques: list[set[int]] = []
    holding: dict[int, list[int]] = {a: [] for a in near}  # attribute -> cliques that hold it
    while queue:
        size, a = heapq.heappop(queue)
        if a not in near or size != cells(a):
            continue  # eliminated, or priced before its neighbourhood changed
        others = near.pop(a)
        clique = others | {a}
        if not any(clique <= cliques[k] for k in holding[a]):
            for b in clique:
                holding[b].append(len(cliques))
            cliques.append(clique)
        for b in others:
            near[b] |= others
            near[b] -= {a, b}
            heapq.heappush(queue, (cells(b), b))
    return [tuple(sorted(clique, key=lambda a: (sizes[a], a))) for clique in cliques]


def connected(sets: Iterable[Attrs], attrs: Iterable[int]) -> list[list[int]]:
    """`attrs` in groups, as small as can be, so that each of `sets` lies within one; groups and members in order."""
    groups = _Groups(attrs)
    for S in sets:
        for a in S[1:]:
            groups.join(S[0], a)
    found: dict[int, list[int]] = {}
    for a in groups.of:
        found.setdefault(groups.top(a), []).append(a)
    return list(found.values())


def _spanning(cliques: Sequence[Clique]) -> list[tuple[int, int]]:
    """A spanning forest of largest separators, which has the running intersection."""
    holding: dict[int, list[int]] = {}
    for k, clique in enumerate(cliques):
        for a in clique:
            holding.setdefault(a, []).append(k)
    pairs = {(i, j) for ks in holding.values() for x, i in enumerate(ks) for j in ks[x + 1 :]}
    groups = _Groups(range(len(cliques)))
    edges = sorted((-len(set(cliques[i]) & set(cliques[j])), i, j) for i, j in pairs)
    return [(i, j) for _, i, j in edges if groups.join(i, j)]


class _Groups:
    """Disjoint groups that join, each named by its least member."""

    def __init__(self, members: Iterable[int]):
        self.of = {a: a for a in members}

    def top(self, a: int) -> int:
        while self.of[a] != a:
            self.of[a] = a = self.of[self.of[a]]
        return a

    def join(self, a: int, b: int) -> bool:
        """Make one group of a's and b's; False if it was one."""
        low, high = sorted((self.top(a), self.top(b)))
        self.of[high] = low
        return low != high

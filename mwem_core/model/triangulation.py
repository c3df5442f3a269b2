"""Triangulation: the cliques of a junction tree for a set of attribute sets (Lauritzen & Spiegelhalter 1988)."""

import heapq
import math
from collections.abc import Iterable, Sequence

from mwem_core.domain import Attrs

Clique = tuple[int, ...]  # attributes in the order of its table's axes: small ones first, which keeps inner loops long
MAX_EXACT = 8  # attributes of a graph whose elimination orders are searched; a search takes about 0.1 ms


def triangulate(sets: Iterable[Attrs], sizes: Sequence[int], attrs: Iterable[int]) -> list[Clique]:
    """Maximal cliques of a chordal graph over `attrs` in which every one of `sets` is complete."""
    return order_cliques(eliminate(with_edges({a: set() for a in attrs}, sets), sizes), sizes)


def with_edges(graph: dict[int, set[int]], sets: Iterable[Attrs]) -> dict[int, set[int]]:
    """The graph, attribute -> neighbours, with every one of `sets` complete; it is changed in place."""
    for S in sets:
        for a in S:
            graph[a].update(S)
            graph[a].discard(a)
    return graph


def order_cliques(cliques: Iterable[set[int]], sizes: Sequence[int]) -> list[Clique]:
    """The cliques with their attributes in the order of a table's axes."""
    return [tuple(sorted(clique, key=lambda a: (sizes[a], a))) for clique in cliques]


def eliminate(graph: dict[int, set[int]], sizes: Sequence[int]) -> list[set[int]]:
    """Maximal cliques of a chordal graph that holds this one, attribute -> neighbours, which is used up.

    With at most `MAX_EXACT` attributes, of two values or more each, no such graph has cliques of fewer cells in all.
    """
    if len(graph) > MAX_EXACT:
        return _greedy(graph, sizes)
    cliques = _greedy({a: set(others) for a, others in graph.items()}, sizes)
    adds_edges = any(clique - graph[a] - {a} for clique in cliques for a in clique)
    return _fewest_cells(graph, sizes, cliques) if adds_edges else cliques


def _fewest_cells(graph: dict[int, set[int]], sizes: Sequence[int], known: list[set[int]]) -> list[set[int]]:
    """Maximal cliques of the elimination order with the fewest cells in all; `known` ones if no order has fewer.

    A dynamic program over the sets of eliminated attributes, as bits. Such a set decides the neighbours of the others,
    and whether an attribute's clique lies within an earlier one and adds no cells. An attribute whose neighbours are
    all joined can go first. Of orders with as many cells, the first that is found stays.
    """
    attrs, cells = sorted(graph), [1]  # cells of each set of attributes, by its bits
    for a in attrs:
        cells += [sizes[a] * others for others in cells]
    limit = sum(math.prod([sizes[a] for a in clique]) for clique in known)
    near = [sum(1 << i for i, b in enumerate(attrs) if b == a or b in graph[a]) for a in attrs]
    best: dict[int, tuple[int, list[int], list[int]]] = {0: (0, near, [])}  # cells, neighbours and cliques, by the set
    for gone in range(len(cells) - 1):
        if gone not in best:
            continue
        held, near, cliques = best[gone]
        left = [i for i in range(len(attrs)) if not gone >> i & 1]
        joined = [near[i] for i in left if not any(near[i] >> j & 1 and near[i] & ~near[j] for j in left)]
        for C in joined[:1] or [near[i] for i in left]:
            new = [] if any(not C & ~earlier for earlier in cliques) else [C]
            now, more = gone | sum(1 << i for i in left if not near[i] & ~C), held + (cells[C] if new else 0)
            if more < best.get(now, (limit,))[0]:
                later = [(others | C if C >> i & 1 else others) & ~now for i, others in enumerate(near)]
                best[now] = more, later, cliques + new
    _, _, cliques = best.get(len(cells) - 1, (limit, [], []))
    return [{a for i, a in enumerate(attrs) if C >> i & 1} for C in cliques] or known


def _greedy(graph: dict[int, set[int]], sizes: Sequence[int]) -> list[set[int]]:
    """`eliminate`, where the next attribute is the one whose clique has the fewest cells; ties: the lower index."""
    cells = {a: sizes[a] * math.prod([sizes[b] for b in others]) for a, others in graph.items()}
    queue = [(size, a) for a, size in cells.items()]
    heapq.heapify(queue)
    cliques: list[set[int]] = []
    cliques_with: dict[int, list[int]] = {a: [] for a in graph}
    while queue:
        size, a = heapq.heappop(queue)
        if a not in graph or size != cells[a]:
            continue  # already eliminated, or queued before its neighbours changed
        others = graph.pop(a)
        clique = others | {a}
        if not any(clique <= cliques[k] for k in cliques_with[a]):
            for b in clique:
                cliques_with[b].append(len(cliques))
            cliques.append(clique)
        if len(others) == len(graph):
            break  # what is left is within this clique
        for b in others:
            joined = clique - graph[b] - {b}
            graph[b] |= joined
            graph[b].discard(a)
            cells[b] = cells[b] // sizes[a] * math.prod([sizes[c] for c in joined])
            heapq.heappush(queue, (cells[b], b))
    return cliques


def connected_components(sets: Iterable[Attrs], attrs: Iterable[int]) -> list[list[int]]:
    """The finest partition of `attrs` in which each of `sets` lies within one group.

    Groups keep the order of `attrs`, and so do the attributes within a group.
    """
    groups = _DisjointSets(attrs)
    for S in sets:
        for a in S[1:]:
            groups.union(S[0], a)
    members: dict[int, list[int]] = {}
    for a in groups.parent:
        members.setdefault(groups.find(a), []).append(a)
    return list(members.values())


def spanning_forest(cliques: Sequence[Clique]) -> list[tuple[int, int]]:
    """A spanning forest of largest separators, as edges between indices of `cliques` (Kruskal's algorithm).

    Over the maximal cliques of a chordal graph it has the running intersection property.
    """
    cliques_with: dict[int, list[int]] = {}
    for k, clique in enumerate(cliques):
        for a in clique:
            cliques_with.setdefault(a, []).append(k)
    pairs = {(i, j) for ks in cliques_with.values() for x, i in enumerate(ks) for j in ks[x + 1 :]}
    trees = _DisjointSets(range(len(cliques)))
    edges = sorted((-len(set(cliques[i]) & set(cliques[j])), i, j) for i, j in pairs)
    return [(i, j) for _, i, j in edges if trees.union(i, j)]


class _DisjointSets:
    """Union-find. Each set is named by its least member."""

    def __init__(self, members: Iterable[int]):
        self.parent = {a: a for a in members}

    def find(self, a: int) -> int:
        """The least member of a's set."""
        while self.parent[a] != a:
            self.parent[a] = a = self.parent[self.parent[a]]
        return a

    def union(self, a: int, b: int) -> bool:
        """Merge the sets of a and b; False if they were the same set already."""
        low, high = sorted((self.find(a), self.find(b)))
        self.parent[high] = low
        return low != high

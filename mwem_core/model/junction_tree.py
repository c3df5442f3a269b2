"""A junction tree: cliques in a forest, in which those that hold any one attribute are connected."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mwem_core.domain.source import Attrs
from mwem_core.model.triangulation import Clique, _spanning, triangulate

NOWHERE: frozenset[int] = frozenset()


def _holder(cliques: Sequence[Clique], S: Attrs) -> int:
    """The smallest of `cliques` that holds S."""
    return min((k for k, clique in enumerate(cliques) if set(S) <= set(clique)), key=lambda k: len(cliques[k]))


@dataclass(frozen=True)
class JunctionTree:
    """A forest of cliques in which the cliques holding any one attribute are connected.

    `parent[k]` is -1 at a root; `separator[k]` is what clique k shares with its parent, () at a root;
    `order` lists the cliques depth first, parents before children.
    """

    cliques: tuple[Clique, ...]
    parent: tuple[int, ...]
    separator: tuple[Attrs, ...]
    order: tuple[int, ...]

    @classmethod
    def over(cls, sets: Iterable[Attrs], sizes: Sequence[int], attrs: Iterable[int] | None = None) -> "JunctionTree":
        """Triangulate over `attrs`, or over all, and span."""
        cliques = triangulate(sets, sizes, range(len(sizes)) if attrs is None else attrs)
        return cls._rooted(cliques, _spanning(cliques))

    def taking(self, S: Attrs, sizes: Sequence[int]) -> "JunctionTree":
        """This tree, or forest, with S in one clique: only the cliques between S's attributes are triangulated anew.

        What hangs on those cliques is hung on new ones that hold its separator: each of the old is within a new one.
        """
        between = set(self.subtree(S))
        attrs = sorted({*S, *(a for k in between for a in self.cliques[k])})
        new = triangulate([*(self.cliques[k] for k in between), S], sizes, attrs)
        kept = [k for k in range(len(self.cliques)) if k not in between]
        place = {k: i for i, k in enumerate(kept, start=len(new))}
        edges = _spanning(new)
        for k in kept:
            if (parent := self.parent[k]) >= 0:
                edges.append((place[k], place[parent] if parent in place else _holder(new, self.separator[k])))
        for k in between:
            if (parent := self.parent[k]) in place:
                edges.append((place[parent], _holder(new, self.separator[k])))
        return self._rooted([*new, *(self.cliques[k] for k in kept)], edges)

    @classmethod
    def forest(cls, trees: Sequence["JunctionTree"]) -> "JunctionTree":
        """Some trees over different attributes side by side."""
        if len(trees) == 1:
            return trees[0]
        cliques = tuple(clique for tree in trees for clique in tree.cliques)
        separator = tuple(S for tree in trees for S in tree.separator)
        parent, order = [], []
        for tree in trees:
            first = len(parent)
            order += [first + k for k in tree.order]
            parent += [first + k if k >= 0 else -1 for k in tree.parent]
        return cls(cliques, tuple(parent), separator, tuple(order))

    @classmethod
    def _rooted(cls, cliques: Sequence[Clique], edges: Iterable[tuple[int, int]]) -> "JunctionTree":
        beside: list[list[int]] = [[] for _ in cliques]
        for i, j in edges:
            beside[i].append(j)
            beside[j].append(i)
        parent, order, seen = [-1] * len(cliques), [], [False] * len(cliques)
        for root in range(len(cliques)):
            stack = [root] if not seen[root] else []
            while stack:
                k = stack.pop()
                seen[k] = True
                order.append(k)
                for j in reversed(beside[k]):
                    if not seen[j]:
                        parent[j] = k
                        stack.append(j)
        shared = tuple(
            tuple(sorted(set(c) & set(cliques[p]))) if p >= 0 else () for c, p in zip(cliques, parent, strict=True)
        )
        return cls(tuple(cliques), tuple(parent), shared, tuple(order))

    @cached_property
    def holding(self) -> dict[int, frozenset[int]]:
        """Attribute -> the cliques that hold it."""
        found: dict[int, set[int]] = {}
        for k, clique in enumerate(self.cliques):
            for a in clique:
                found.setdefault(a, set()).add(k)
        return {a: frozenset(ks) for a, ks in found.items()}

    @cached_property
    def beside(self) -> tuple[tuple[int, ...], ...]:
        """Each clique's neighbours in the tree."""
        beside: list[list[int]] = [[] for _ in self.cliques]
        for k, parent in enumerate(self.parent):
            if parent >= 0:
                beside[k].append(parent)
                beside[parent].append(k)
        return tuple(map(tuple, beside))

    def near(self, k: int, far: int) -> list[int]:
        """The cliques at most `far` edges from k, parents before children."""
        found, edge = {k}, {k}
        for _ in range(far):
            edge = {j for i in edge for j in self.beside[i]} - found
            found |= edge
        return [j for j in self.order if j in found]

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """Edges between a clique and its root."""
        depth = [0] * len(self.cliques)
        for k in self.order:
            if self.parent[k] >= 0:
                depth[k] = depth[self.parent[k]] + 1
        return tuple(depth)

    @cached_property
    def root(self) -> tuple[int, ...]:
        """The root of each clique's component."""
        root = list(range(len(self.cliques)))
        for k in self.order:
            if self.parent[k] >= 0:
                root[k] = root[self.parent[k]]
        return tuple(root)

    def home(self, S: Attrs) -> int | None:
        """The smallest clique (fewest attributes, then lowest index) that holds all of S, or None."""
        holding = [self.holding.get(a, NOWHERE) for a in S] or [frozenset(range(len(self.cliques)))]
        shared = frozenset.intersection(*holding)
        return min(shared, key=lambda k: (len(self.cliques[k]), k), default=None)

    def home_of(self, S: Attrs) -> int:
        """The home of a set the tree is known to cover."""
        k = self.home(S)
        if k is None:
            raise ValueError(f"no clique holds the attributes {S}: build the tree to cover them")
        return k

    def path(self, i: int, j: int) -> list[int]:
        """Cliques from i to j, both included; they must lie in one component."""
        up, down = [i], [j]
        while up[-1] != down[-1]:
            side = up if self.depth[up[-1]] >= self.depth[down[-1]] else down
            side.append(self.parent[side[-1]])
        return up + down[-2::-1]

    def subtree(self, S: Attrs) -> list[int]:
        """The cliques, connected within each component, that a sum over all attributes but S has to visit."""
        members: set[int] = set()
        for a in S:
            holders = self.holding[a]
            if not members & holders:
                start = min(holders, key=lambda k: (self.depth[k], k))
                same = [k for k in members if self.root[k] == self.root[start]]
                members.update(self.path(same[0], start) if same else [start])
        wanted, shrinking = set(S), True
        while shrinking:  # a leaf whose part of S its neighbour holds too adds nothing
            shrinking = False
            for k in sorted(members, key=lambda k: -self.depth[k]):
                beside = [j for j in members if self.parent[j] == k or self.parent[k] == j]
                if len(beside) == 1 and wanted & set(self.cliques[k]) <= set(self.cliques[beside[0]]):
                    members.remove(k)
                    shrinking = True
        return [k for k in self.order if k in members]

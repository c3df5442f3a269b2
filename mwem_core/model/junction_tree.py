"""A junction tree: a forest of cliques with the running intersection property (Lauritzen & Spiegelhalter 1988)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mwem_core.domain import Attrs
from mwem_core.model.triangulation import Clique, spanning_forest, triangulate

NO_CLIQUES: frozenset[int] = frozenset()


@dataclass(frozen=True)
class JunctionTree:
    """A forest of cliques with the running intersection property: the cliques with any one attribute are connected.

    `parent[k]` is clique k's parent, -1 at a root; `separator[k]` is the intersection of clique k with its parent, ()
    at a root; `order` lists the cliques depth first, parents before children.
    """

    cliques: tuple[Clique, ...]
    parent: tuple[int, ...]
    separator: tuple[Attrs, ...]
    order: tuple[int, ...]

    @classmethod
    def over(cls, sets: Iterable[Attrs], sizes: Sequence[int], attrs: Iterable[int] | None = None) -> "JunctionTree":
        """A junction tree over `attrs`, by default over all attributes, with each of `sets` in one clique."""
        return cls.joining(triangulate(sets, sizes, range(len(sizes)) if attrs is None else attrs))

    @classmethod
    def joining(cls, cliques: Sequence[Clique]) -> "JunctionTree":
        """A junction tree of these maximal cliques of a chordal graph."""
        return cls._rooted(cliques, spanning_forest(cliques))

    def covering(self, S: Attrs, sizes: Sequence[int]) -> "JunctionTree":
        """This forest with S in one clique: only the subtree between S's attributes is triangulated again.

        Each old clique of that subtree lies within a new one. A neighbour of an old clique becomes the neighbour of a
        new clique that contains their separator.
        """
        replaced = set(self.subtree(S))
        attrs = sorted({*S, *(a for k in replaced for a in self.cliques[k])})
        new = triangulate([*(self.cliques[k] for k in replaced), S], sizes, attrs)
        kept = [k for k in range(len(self.cliques)) if k not in replaced]
        new_index = {k: i for i, k in enumerate(kept, start=len(new))}
        edges = spanning_forest(new)
        for k in kept:
            if (parent := self.parent[k]) >= 0:
                above = new_index[parent] if parent in new_index else _smallest_containing(new, self.separator[k])
                edges.append((new_index[k], above))
        for k in replaced:
            if (parent := self.parent[k]) in new_index:
                edges.append((new_index[parent], _smallest_containing(new, self.separator[k])))
        return self._rooted([*new, *(self.cliques[k] for k in kept)], edges)

    @classmethod
    def forest(cls, trees: Sequence["JunctionTree"]) -> "JunctionTree":
        """The disjoint union of trees over different attributes."""
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
        """Root each tree of the forest at its first clique."""
        neighbours: list[list[int]] = [[] for _ in cliques]
        for i, j in edges:
            neighbours[i].append(j)
            neighbours[j].append(i)
        parent, order, seen = [-1] * len(cliques), [], [False] * len(cliques)
        for root in range(len(cliques)):
            stack = [root] if not seen[root] else []
            while stack:
                k = stack.pop()
                seen[k] = True
                order.append(k)
                for j in reversed(neighbours[k]):
                    if not seen[j]:
                        parent[j] = k
                        stack.append(j)
        separator = tuple(
            tuple(sorted(set(c) & set(cliques[p]))) if p >= 0 else () for c, p in zip(cliques, parent, strict=True)
        )
        return cls(tuple(cliques), tuple(parent), separator, tuple(order))

    @cached_property
    def cliques_with(self) -> dict[int, frozenset[int]]:
        """Attribute -> the cliques that contain it."""
        members: dict[int, set[int]] = {}
        for k, clique in enumerate(self.cliques):
            for a in clique:
                members.setdefault(a, set()).add(k)
        return {a: frozenset(ks) for a, ks in members.items()}

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Each clique's neighbours in the tree."""
        neighbours: list[list[int]] = [[] for _ in self.cliques]
        for k, parent in enumerate(self.parent):
            if parent >= 0:
                neighbours[k].append(parent)
                neighbours[parent].append(k)
        return tuple(map(tuple, neighbours))

    def neighbourhood(self, k: int, radius: int) -> list[int]:
        """The cliques at most `radius` edges from k, parents before children."""
        reached, frontier = {k}, {k}
        for _ in range(radius):
            frontier = {j for i in frontier for j in self.neighbours[i]} - reached
            reached |= frontier
        return [j for j in self.order if j in reached]

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """The number of edges between each clique and its root."""
        depth = [0] * len(self.cliques)
        for k in self.order:
            if self.parent[k] >= 0:
                depth[k] = depth[self.parent[k]] + 1
        return tuple(depth)

    @cached_property
    def root(self) -> tuple[int, ...]:
        """The root of each clique's tree."""
        root = list(range(len(self.cliques)))
        for k in self.order:
            if self.parent[k] >= 0:
                root[k] = root[self.parent[k]]
        return tuple(root)

    def find_clique(self, S: Attrs) -> int | None:
        """The smallest clique (fewest attributes, then lowest index) that contains S, or None."""
        candidates = [self.cliques_with.get(a, NO_CLIQUES) for a in S] or [frozenset(range(len(self.cliques)))]
        containing = frozenset.intersection(*candidates)
        return min(containing, key=lambda k: (len(self.cliques[k]), k), default=None)

    def clique_for(self, S: Attrs) -> int:
        """`find_clique`, for a set that the tree was built to cover. Raises ValueError if no clique contains S."""
        k = self.find_clique(S)
        if k is None:
            raise ValueError(f"no clique holds the attributes {S}: build the tree to cover them")
        return k

    def path(self, i: int, j: int) -> list[int]:
        """The cliques from i to j, both included; i and j must lie in the same tree."""
        from_i, from_j = [i], [j]
        while from_i[-1] != from_j[-1]:
            deeper = from_i if self.depth[from_i[-1]] >= self.depth[from_j[-1]] else from_j
            deeper.append(self.parent[deeper[-1]])
        return from_i + from_j[-2::-1]

    def subtree(self, S: Attrs) -> list[int]:
        """Cliques enough to compute the marginal on S, parents before children, connected within each tree."""
        members: set[int] = set()
        for a in S:
            candidates = self.cliques_with[a]
            if not members & candidates:
                nearest = min(candidates, key=lambda k: (self.depth[k], k))
                same_tree = [k for k in members if self.root[k] == self.root[nearest]]
                members.update(self.path(same_tree[0], nearest) if same_tree else [nearest])
        wanted = {k: set(S).intersection(self.cliques[k]) for k in members}
        shrinking = len(members) > 1
        while shrinking:  # drop a leaf whose only neighbour also contains the leaf's part of S
            shrinking = False
            for k in sorted(members, key=self.depth.__getitem__, reverse=True):
                neighbours = [j for j in members if self.parent[j] == k or self.parent[k] == j]
                if len(neighbours) == 1 and wanted[k] <= wanted[neighbours[0]]:
                    members.remove(k)
                    shrinking = True
        return [k for k in self.order if k in members]


def _smallest_containing(cliques: Sequence[Clique], S: Attrs) -> int:
    """The index of the smallest of `cliques` that contains S."""
    return min((k for k, clique in enumerate(cliques) if set(S) <= set(clique)), key=lambda k: len(cliques[k]))

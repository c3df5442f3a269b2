"""The lesson "Why a factored model": what the model holds as pairs of attributes are measured, and that it is exact."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from mwem_core.domain import Attrs, Records
from mwem_core.model import JunctionTree, LogLinear, connected_components
from mwem_core.mwem import MWEM, REPLAY, Tables
from mwem_core.privacy import NoiseSource
from mwem_core.workload import parse_workload

EPSILON, ROUNDS = 1.0, 16
RING = ("education", "occupation", "race", "native-country")  # of the prediction: four pairs, each with the next
PUZZLE_PAIRS, PUZZLE_CELLS = 6, 500


@dataclass(frozen=True)
class Structure:
    """A junction tree over attributes with these numbers of values, and the pairs it was built for."""

    sizes: tuple[int, ...]
    pairs: tuple[Attrs, ...]
    tree: JunctionTree

    @classmethod
    def of(cls, pairs: Iterable[Attrs], sizes: Sequence[int], attrs: Iterable[int] | None = None) -> "Structure":
        """The structure of a model in which these pairs were measured, over `attrs`, by default over all."""
        pairs = tuple(sorted(pairs))
        return cls(tuple(sizes), pairs, JunctionTree.over(pairs, sizes, attrs))

    @cached_property
    def attrs(self) -> list[int]:
        """The attributes, sorted."""
        return sorted(self.tree.cliques_with)

    @cached_property
    def clique_cells(self) -> tuple[int, ...]:
        """The number of cells of each clique's table."""
        return tuple(math.prod(self.sizes[a] for a in clique) for clique in self.tree.cliques)

    @property
    def largest(self) -> int:
        """The number of cells of the largest clique's table."""
        return max(self.clique_cells)

    @property
    def cells(self) -> int:
        """The number of cells of all clique tables: what the model holds."""
        return sum(self.clique_cells)

    @property
    def component_cells(self) -> int:
        """The number of cells of one table for each connected component (the paper, section 4)."""
        return sum(math.prod(self.sizes[a] for a in group) for group in self.components)

    @property
    def dense_cells(self) -> int:
        """|D|: the number of cells of a single table."""
        return math.prod(self.sizes[a] for a in self.attrs)

    @cached_property
    def components(self) -> list[list[int]]:
        """The attributes, in groups that no pair connects."""
        return connected_components(self.pairs, self.attrs)

    @cached_property
    def added_pairs(self) -> tuple[Attrs, ...]:
        """The pairs that the triangulation joined in a clique although nobody measured them."""
        joined = {pair for clique in self.tree.cliques for pair in combinations(sorted(clique), 2)}
        return tuple(sorted(joined - set(self.pairs)))


@dataclass(frozen=True)
class GrowthStep:
    """The model after one more pair was measured. `error` is the mean total variation of all pairs, of the truth."""

    pair: Attrs | None
    structure: Structure
    error: float


def growth_steps(B: Records, noise: NoiseSource) -> list[GrowthStep]:
    """A run of MWEM on all pairs of B at `EPSILON`, from A_0 to round `ROUNDS`: the structure of each model."""
    workload = parse_workload("marginals:2", B.domain)
    pairs = list(combinations(range(len(B.domain)), 2))
    truth = B.marginals(pairs)

    def error(A: LogLinear) -> float:
        distances = [np.abs(a - b).sum() / (2 * B.total) for a, b in zip(A.marginals(pairs), truth, strict=True)]
        return float(np.mean(distances))

    start = LogLinear.uniform(B.domain.shape, B.total)
    steps, measured = [GrowthStep(None, Structure.of([], B.domain.shape), error(start))], []
    for entry in _settings().rounds(B, workload, noise=noise):
        if isinstance(entry.A, LogLinear) and entry.measurement:
            measured.append(entry.measurement.attrs)
            tree = JunctionTree.forest([component.tree for component in entry.A.components])
            structure = Structure(B.domain.shape, tuple(sorted(measured)), tree)
            steps.append(GrowthStep(measured[-1], structure, error(entry.A)))
    return steps


def ring(B: Records) -> Structure:
    """The structure of the prediction: four attributes in a ring, of which neighbours are measured together."""
    attrs = [B.domain.attrs(name)[0] for name in RING]
    pairs = [tuple(sorted((a, b))) for a, b in zip(attrs, [*attrs[1:], attrs[0]], strict=True)]
    return Structure.of(pairs, B.domain.shape, sorted(attrs))


def cut_the_other_way(ring: Structure) -> Structure:
    """The ring with the diagonal that its triangulation did not add."""
    (diagonal,) = ring.added_pairs
    other = tuple(a for a in ring.attrs if a not in diagonal)
    return Structure.of([*ring.pairs, other], ring.sizes, ring.attrs)


def star(B: Records) -> Structure:
    """The structure of the exercise: the attribute of fewest values, measured with each of the others."""
    centre = min(range(len(B.domain)), key=B.domain.shape.__getitem__)
    return Structure.of([tuple(sorted((centre, a))) for a in range(len(B.domain)) if a != centre], B.domain.shape)


def _settings() -> MWEM:
    """Whole pairs, selected one at a time; a tenth of each round's budget selects."""
    return MWEM(
        epsilon=EPSILON,
        T=ROUNDS,
        candidates=Tables(penalty="noise"),
        selection="permute-and-flip",
        split=0.1,
        update=REPLAY,
        cell_budget=10**5,
    )

"""What the parts of a workload read: which residuals, and how an error of each weighs in a part's answers."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attrs, attribute_sets, nonempty_subsets
from mwem_core.model import centre, table_marginals
from mwem_core.workload.operators import Boxes, PredicateCount
from mwem_core.workload.residuals import Residuals
from mwem_core.workload.workload import Workload

# Every residual of a predicate's attributes weighs at least this, so that each is measured, with next to no budget if
# no predicate reads it: no budget at all would be infinite noise.
LEAST_WEIGHT = 1e-12


@dataclass(frozen=True, eq=False)
class Readings:
    """Every pair of a part of a workload and a residual r_A that it reads, as three arrays: (readings,).

    `parts` has the number of the part, `subsets` that of A, and `weights` what an error counts: a coordinate's squared
    error of e in r_A is one of weight · rank · cells(A) · e in the part.
    """

    parts: np.ndarray
    subsets: np.ndarray
    weights: np.ndarray

    def placed(self, first: int, numbers: np.ndarray) -> "Readings":
        """The same within more parts, of which these start at `first`, and more subsets, where A has `numbers[A]`."""
        return Readings(self.parts + first, numbers[self.subsets], self.weights)

    @classmethod
    def joined(cls, readings: "Sequence[Readings]") -> "Readings":
        """All of these."""
        return cls(
            np.concatenate([each.parts for each in readings]),
            np.concatenate([each.subsets for each in readings]),
            np.concatenate([each.weights for each in readings]),
        )


@dataclass(frozen=True, eq=False)
class ReadResidual:
    """The predicates that read r_A, of `rank` coordinates, and what each adds up of it.

    `predicates` has their numbers, (m,), and `vectors` a row for each: (m, cells(A)). A predicate q over S is
    q · t_S = Σ q_A · r_A / cells(S \\ A), with q_A its sums on A, centred along every axis.
    """

    rank: int
    predicates: np.ndarray
    vectors: np.ndarray

    def readings(self, number: int) -> Readings:
        """What the queries read of r_A, the residual of this number."""
        coordinates = max(1, self.rank) * self.vectors.shape[1]
        weights = np.maximum((self.vectors**2).sum(axis=1) / coordinates, LEAST_WEIGHT)
        return Readings(self.predicates, np.full(len(weights), number), weights)


def read_by_ranges(Q: Workload, sets: Sequence[Attrs]) -> Readings:
    """What boxes over one attribute set, one part, read of each residual r_A within it, in the order of `sets`.

    A box is a product of intervals. An interval of l of an attribute's m values has, centred, the squared length
    l - l²/m, and the mean l/m; what a box reads of r_A is the product of the one over A and of the other beyond.
    """
    (S,), operator = Q.sets, Q.blocks[0].operator
    assert isinstance(operator, Boxes)
    length, size = (operator.high - operator.low + 1).astype(float), np.array(operator.sizes, float)
    squares, means = length - length**2 / size, (length / size) ** 2
    weights = []
    for A in sets:
        inside = np.array([a in A for a in S])
        rank_and_cells = np.maximum(1, size[inside] - 1).prod() * size[inside].prod()
        read = squares[:, inside].prod(axis=1) * means[:, ~inside].prod(axis=1)
        weights.append(max(float(read.sum()) / rank_and_cells, LEAST_WEIGHT))
    return Readings(np.zeros(len(sets), int), np.arange(len(sets)), np.array(weights))


def read_by_marginals(Q: Workload, residuals: Residuals) -> Readings:
    """What tables or parities read of each residual. Subsets have the order of `residuals`, without the empty one."""
    if Q.family == "parities":  # which are in the order of the subsets
        parities = np.arange(Q.parts)
        return Readings(parities, parities, np.ones(Q.parts))
    first, readings = np.cumsum([0, *(len(sets) for sets in residuals.sets[1:])]), []
    for group in residuals.groups:
        parts = np.searchsorted(Q.offsets, group.first, side="right") - 1
        weights = np.full(len(parts), 1 / math.prod(group.shape))
        readings += [
            Readings(parts, first[index - 1] + rows, weights) for J, (index, rows) in group.subsets.items() if J
        ]
    return Readings.joined(readings)


def read_by_predicates(Q: Workload, residuals: Residuals) -> list[ReadResidual]:
    """What predicates read of the residual over each subset, in the order of `residuals`, without the empty one."""
    read: dict[Attrs, list[tuple[int, np.ndarray]]] = defaultdict(list)
    for part, block in enumerate(Q.blocks):
        if isinstance(block.operator, PredicateCount):
            S, mask = Q.attrs(part), block.operator.predicate.mask.astype(float)
            for A, sums in table_marginals(mask, S, nonempty_subsets(S)).items():
                read[A].append((part, centre(sums).ravel() * (sums.size / mask.size)))
    return [
        ReadResidual(
            math.prod(size - 1 for size in Q.domain.sizes(A)),
            np.array([part for part, _ in read[A]]),
            np.array([vector for _, vector in read[A]]),
        )
        for sets in residuals.sets[1:]
        for A in attribute_sets(sets)
    ]

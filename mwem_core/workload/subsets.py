"""Marginals within a workload's: its downward closure, and the subsets whose residuals it reads."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from mwem_core.domain import Attrs, attribute_sets
from mwem_core.workload.families import marginals
from mwem_core.workload.operators import Cells
from mwem_core.workload.readings import Readings, ReadResidual, read_by_marginals, read_by_predicates, read_by_ranges
from mwem_core.workload.residuals import Residuals
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


@dataclass(frozen=True, eq=False)
class Subsets:
    """All non-empty subsets A of the attribute sets of a workload.

    Arrays are (subsets,).

    A table's squared error is Σ rank e cells(A)/cells(S) over the A within its S, if a coordinate of r_A errs by e on
    average. A parity is √cells(A) times the one coordinate of r_A, for its own set A. So for both, a part of q queries
    has the squared error Σ rank e cells(A)/q over the subsets that it reads.
    """

    Q: Workload
    residuals: Residuals
    units: tuple[float, ...] = ()  # of the errors of a mixed workload's terms: what each errs by itself; or all 1

    @classmethod
    def of(cls, Q: Workload) -> "Subsets":
        """The subsets of a workload. Raises ValueError where they have too many cells to be visited."""
        return cls(Q, Residuals.of(tables_of(Q)))

    @cached_property
    def sets(self) -> list[Attrs]:
        """The attribute sets, in order of shape."""
        return [S for sets in self.residuals.sets[1:] for S in attribute_sets(sets)]

    def places(self, within: "Subsets") -> np.ndarray:
        """The numbers of the subsets of `within`, which are subsets here too: (subsets of `within`,)."""
        number = {A: i for i, A in enumerate(self.sets)}
        return np.array([number[A] for A in within.sets])

    def _per_shape(self, values: Sequence[float]) -> np.ndarray:
        """One value for each shape but (), repeated for its sets."""
        return np.repeat(np.array(values, float), [len(sets) for sets in self.residuals.sets[1:]])

    @cached_property
    def cells(self) -> np.ndarray:
        """The number of cells of A's marginal."""
        return self._per_shape([math.prod(shape) for shape in self.residuals.shapes[1:]])

    @cached_property
    def rank(self) -> np.ndarray:
        """Π (n_i - 1), the number of coordinates of A's residual."""
        return self._per_shape([math.prod(n - 1 for n in shape) for shape in self.residuals.shapes[1:]])

    @cached_property
    def order(self) -> np.ndarray:
        """The number of A's attributes."""
        return self._per_shape([len(shape) for shape in self.residuals.shapes[1:]]).astype(int)

    @cached_property
    def signs(self) -> np.ndarray:
        """The number of A's two-valued attributes."""
        return self._per_shape([shape.count(2) for shape in self.residuals.shapes[1:]])

    @cached_property
    def cover(self) -> np.ndarray:
        """Σ weight over the workload's parts that read r_A (`Readings`)."""
        return np.bincount(self.readings.subsets, self.readings.weights, minlength=len(self.cells))

    def cover_by(self, per_part: np.ndarray) -> np.ndarray:
        """The cover, if the squared error of each part counts so much: (parts,) -> (subsets,)."""
        weights = self.readings.weights * per_part[self.readings.parts]
        return np.bincount(self.readings.subsets, weights, minlength=len(self.cells))

    @cached_property
    def readings(self) -> Readings:
        """Which residuals the workload's parts read."""
        if self.Q.terms:
            return Readings.joined(
                [
                    each.readings.placed(parts.start, self.places(each))
                    for parts, each in zip(self.Q.term_parts, self.of_terms, strict=True)
                ]
            )
        if self.Q.family == "ranges":
            return read_by_ranges(self.Q, self.sets)
        if self.Q.family == "predicates":
            return Readings.joined([read.readings(number) for number, read in enumerate(self.read)])
        return read_by_marginals(self.Q, self.residuals)

    @cached_property
    def of_terms(self) -> "list[Subsets]":
        """The subsets of each term of a mixed workload."""
        return [Subsets.of(term.workload) for term in self.Q.terms]

    @cached_property
    def per_part(self) -> np.ndarray:
        """What a part of q queries adds to the mean error, times the root of q times its squared error: (parts,).

        The error of whole marginals is the mean total variation, ½ Σ |error|, and of other queries the mean |error|. A
        mixed workload's is the mean over its terms, by their weights and in their `units`; a term's parts count alike.
        """
        Q, by_query = self.Q, np.where(self.Q.whole, 0.5, 1 / self.Q.query_counts)
        if not Q.terms:
            return by_query / Q.parts
        shares, total = np.zeros(Q.parts), sum(term.weight for term in Q.terms)
        for term, parts, unit in zip(Q.terms, Q.term_parts, self.units or [1.0] * len(Q.terms), strict=True):
            shares[parts] = term.weight / (total * unit * term.workload.parts) if unit else 0.0
        return shares * by_query

    @cached_property
    def read(self) -> list[ReadResidual]:
        """What predicates read of each residual."""
        return read_by_predicates(self.Q, self.residuals)

    def summed(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value of each part, (parts,), over those that read r_A: (subsets,)."""
        return np.bincount(self.readings.subsets, values[self.readings.parts], minlength=len(self.cells))

    def part_errors(self, errors: np.ndarray) -> np.ndarray:
        """The squared error of each part of the workload, summed over its queries: (parts,).

        `errors` is the squared error of a coordinate of each residual, (subsets,). Residuals are orthogonal, so that a
        part's error is a sum over the subsets that it reads.
        """
        per_residual, read = self.rank * self.cells * errors, self.readings
        return np.bincount(read.parts, read.weights * per_residual[read.subsets], minlength=self.Q.parts)

    def mean_tv(self, errors: np.ndarray, n: float) -> float:
        """Mean total variation of the workload's parts, were a part's errors normal and alike in its queries.

        `errors` is the squared error of a coordinate of each residual, in records²: (subsets,). A table of q cells and
        squared error E has the total variation ½ √(2/π) √(q E) / n. So does a parity, whose q is 1: its total variation
        is that of the numbers of records with an even and an odd number of ones, half of the parity's error.
        Of a mixed workload it is its `mean_error`.
        """
        if self.Q.terms:
            return self.mean_error(self.part_errors(errors), n)
        by_part = np.sqrt(self.Q.query_counts * self.part_errors(errors))
        return float(math.sqrt(1 / (2 * math.pi)) * by_part.sum() / (n * self.Q.parts))

    def mean_error(self, part_errors: np.ndarray, n: float) -> float:
        """The workload's mean error (`per_part`), as a share of n, from the squared error of each part: (parts,)."""
        by_part = np.sqrt(self.Q.query_counts * part_errors)
        return float(math.sqrt(2 / math.pi) * (self.per_part * by_part).sum() / n)


@lru_cache(maxsize=4)
def subsets_of(Q: Workload) -> Subsets:
    """The subsets of a workload, cached: a page asks for them again and again."""
    return Subsets.of(Q)

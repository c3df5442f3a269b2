"""Models made of others: one of which some marginals are known better, and the average that Theorem 2.3 bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mwem_core.domain import Attrs, Source
from mwem_core.model import LogLinear, marginalise
from mwem_core.weighted.weighted_records import WeightedRecords


@dataclass(frozen=True, eq=False)
class CorrectedModel(Source):
    """A, from which records are drawn, and marginals that are answered in place of A's own: one array for each set.

    The first table that contains a subset answers it, and A all else. `tables` are in records, of A's total and without
    negative cells.
    """

    A: LogLinear | WeightedRecords
    tables: Mapping[Attrs, np.ndarray] = field(repr=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each attribute: (d,)."""
        return self.A.sizes

    @property
    def total(self) -> float:
        """The sum of the weights, in records."""
        return self.A.total

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal on each of `sets`, in records."""
        found = {S: self._known(S) for S in dict.fromkeys(sets)}
        left = [S for S, table in found.items() if table is None]
        found |= zip(left, self.A.marginals(left), strict=True)
        return [table for S in sets if (table := found[S]) is not None]

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """A/total at each record: one (m,) array of codes for each attribute -> (m,) shares."""
        return self.A.probability(codes)

    def _known(self, S: Attrs) -> np.ndarray | None:
        if S in self.tables:
            return self.tables[S]
        attrs = set(S)
        R = next((R for R in self.tables if attrs.issubset(R)), None)
        return None if R is None else marginalise(self.tables[R], R, S)


Single = LogLinear | WeightedRecords  # what a round updates


@dataclass(frozen=True, eq=False)
class Average(Source):
    """(1/T) Σ A_i. Its answers are the means of the models' answers; a record is drawn from a random model."""

    models: tuple[Single, ...] = field(repr=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each attribute: (d,)."""
        return self.models[0].sizes

    @property
    def total(self) -> float:
        """The sum of the weights, in records."""
        return self.models[0].total

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The mean marginal on each of `sets`, in records."""
        by_set = zip(*(model.marginals(sets) for model in self.models), strict=True)
        return [np.mean(tables, axis=0) for tables in by_set]

    def flat_marginals(self, blocks: Sequence[np.ndarray]) -> list[np.ndarray]:
        """For each (m, k) array of attribute sets, the cells of their mean marginals in one vector, in records."""
        by_block = zip(*(model.flat_marginals(blocks) for model in self.models), strict=True)
        return [np.mean(cells, axis=0) for cells in by_block]

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """The mean probability of each record: one (m,) array of codes for each attribute -> (m,) shares."""
        return np.mean([model.probability(codes) for model in self.models], axis=0)


Model = Single | Average | CorrectedModel

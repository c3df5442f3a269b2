"""The average of several models: the output that Theorem 2.3 bounds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mwem_core.domain import Attrs, Source
from mwem_core.model import LogLinear
from mwem_core.weighted.corrected import Corrected
from mwem_core.weighted.weighted_records import WeightedRecords

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


Model = Single | Average | Corrected

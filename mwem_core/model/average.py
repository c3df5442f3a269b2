"""The average of several models: what Theorem 2.3 is about."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain.source import Attrs, Source
from mwem_core.model.loglinear import LogLinear


@dataclass(frozen=True, eq=False)
class Average(Source):
    """(1/T) Σ A_i: answers are averages of the models' answers, and a record comes from a model drawn at random."""

    models: tuple[LogLinear, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each attribute."""
        return self.models[0].sizes

    @property
    def total(self) -> float:
        """Records that the weights sum to."""
        return self.models[0].total

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The average marginal on each of `sets`, in records."""
        columns = zip(*(model.marginals(sets) for model in self.models), strict=True)
        return [np.mean(column, axis=0) for column in columns]

    def tables(self, blocks: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The average marginals, end to end."""
        columns = zip(*(model.tables(blocks) for model in self.models), strict=True)
        return [np.mean(column, axis=0) for column in columns]

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """The average share at each record: one (m,) array of codes an attribute -> (m,)."""
        return np.mean([model.probability(codes) for model in self.models], axis=0)


Model = LogLinear | Average

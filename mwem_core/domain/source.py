"""What a workload can be asked of: records, a database, a model, an average of models."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

Attrs = tuple[int, ...]  # a sorted set of attributes, by index


class Source(Protocol):
    """Anything with marginals over a domain's attributes."""

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """Counts by cell over each of `sets`, in records."""
        ...

    def marginal(self, attrs: Attrs) -> np.ndarray:
        """Counts by cell of `attrs` (a sorted tuple), in records: float64, an axis an attribute; () gives n."""
        return self.marginals([attrs])[0]

    def tables(self, blocks: Sequence[np.ndarray]) -> list[np.ndarray]:
        """For each (m, k) array of attribute sets, the cells of their m marginals end to end, in records.

        A source overrides it where an array says more than a list: all pairs of bits are one matrix product.
        """
        every = self.marginals([S for block in blocks for S in as_sets(block)])
        ends = np.cumsum([len(block) for block in blocks])
        return [end_to_end(every[end - len(block) : end]) for block, end in zip(blocks, ends, strict=True)]

    def answers(self, Q: "Queries") -> np.ndarray:
        """q(source) for every query: (|Q|,), in records."""
        return Q.answers(self)


class Queries(Protocol):
    """What a source answers: a workload."""

    def answers(self, source: Source) -> np.ndarray:
        """q(source) for every query: (|Q|,), in records."""
        ...


def as_sets(block: np.ndarray) -> list[Attrs]:
    """The rows of an (m, k) array as attribute sets."""
    return list(map(tuple, block.tolist()))


def end_to_end(tables: Sequence[np.ndarray]) -> np.ndarray:
    """Some tables as one row of cells."""
    return np.concatenate([table.ravel() for table in tables]) if tables else np.zeros(0)

"""What can answer a workload: records, a database, a model, an average of models."""

from collections.abc import Sequence
from itertools import combinations
from typing import Protocol

import numpy as np

Attrs = tuple[int, ...]  # a sorted set of attributes, by index


class Source(Protocol):
    """Anything that has marginals over a domain's attributes, in records."""

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal over each attribute set, float64, with one axis per attribute."""
        ...

    def marginal(self, attrs: Attrs) -> np.ndarray:
        """The marginal over one attribute set; over () it is n."""
        return self.marginals([attrs])[0]

    def flat_marginals(self, blocks: Sequence[np.ndarray]) -> list[np.ndarray]:
        """For each (m, k) array of m attribute sets, the cells of their marginals in one vector.

        A source overrides this where arrays allow a faster way: one matrix product counts all pairs of bits.
        """
        marginals = self.marginals([S for block in blocks for S in attribute_sets(block)])
        ends = np.cumsum([len(block) for block in blocks])
        return [flatten(marginals[end - len(block) : end]) for block, end in zip(blocks, ends, strict=True)]

    def answers(self, Q: "Queries") -> np.ndarray:
        """The answer q(source) to every query, (|Q|,), in records."""
        return Q.answers(self)


class Queries(Protocol):
    """What a source answers: a workload."""

    def answers(self, source: Source) -> np.ndarray:
        """The answer q(source) to every query, (|Q|,), in records."""
        ...


def attribute_sets(block: np.ndarray) -> list[Attrs]:
    """The rows of an (m, k) array as attribute sets."""
    return list(map(tuple, block.tolist()))


def nonempty_subsets(S: Attrs) -> list[Attrs]:
    """All subsets of S but the empty one, the smallest first."""
    return [A for order in range(1, len(S) + 1) for A in combinations(S, order)]


def flatten(marginals: Sequence[np.ndarray]) -> np.ndarray:
    """The cells of all marginals in one vector, in order."""
    return np.concatenate([marginal.ravel() for marginal in marginals]) if marginals else np.zeros(0)

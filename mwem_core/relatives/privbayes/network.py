"""A Bayesian network with its conditionals: rows by ancestral sampling, answers, probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mwem_core.domain import Attrs, Records, are_possible
from mwem_core.model import JunctionTree, LogLinear, drawn_columns, independent_draws
from mwem_core.relatives.privbayes.recoding import Recoding
from mwem_core.workload import Workload

MAX_EXACT_CELLS = 2**20  # of the junction tree from which answers are summed; for a larger one rows are drawn
TINY_PROBABILITY = 1e-100  # replaces 0 in logarithms
MAX_REDRAWS = 100  # of the rows whose bits spell no code


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A variable X, its parents Π, and Pr[X | Π]: (|X|, one axis per parent), summing to 1 over X."""

    variable: int
    parents: Attrs
    conditional: np.ndarray


@dataclass(frozen=True, eq=False)
class Network:
    """A(x) = total · Π Pr[X | Π], nodes ordered parents before children.

    Bits that spell no code have probability 0, and so do cells that the schema's rules forbid; all others are rescaled.
    Answers are exact where the variables are the attributes and the junction tree is small. Otherwise they are those of
    `total` rows drawn at a public seed, as in the paper.
    """

    recoding: Recoding = field(repr=False)
    total: float
    nodes: tuple[Node, ...] = field(repr=False)

    def draw(self, rows: int, rng: np.random.Generator) -> Records:
        """`rows` independent records. Rows whose bits spell no code are drawn again, at most MAX_REDRAWS times.

        So are rows that break a rule. In rows that are still invalid then, such an attribute takes its first code; with
        rules the whole row is drawn evenly from all possible cells.
        """
        codes, invalid = self._codes(rows, rng)
        for _ in range(MAX_REDRAWS):
            if not invalid.any():
                break
            codes[:, invalid], still_invalid = self._codes(int(invalid.sum()), rng)
            invalid[invalid] = still_invalid
        shape, possible = self.recoding.domain.shape, self.recoding.domain.possible
        if possible and invalid.any():
            A_0 = LogLinear.uniform(shape, 1.0, possible)
            codes[:, invalid] = drawn_columns(A_0, int(invalid.sum()), independent_draws(rng))
        codes[codes < 0] = 0
        return Records(
            self.recoding.domain,
            tuple(column.astype(np.min_scalar_type(size - 1)) for column, size in zip(codes, shape, strict=True)),
        )

    def answers(self, Q: Workload) -> np.ndarray:
        """q(A) for every query: (|Q|,), in records."""
        return Q.answers(self._answering)

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal on each of `sets`, in records."""
        return self._answering.marginals(sets)

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """A/total at each record: one (m,) array of codes for each attribute -> (m,) shares."""
        if self.recoding.domain.possible and self.exact is not None:
            return self.exact.probability(codes)
        values, p = self.recoding.values(codes), np.full(len(codes[0]), 1 / self._valid_share)
        for node in self.nodes:
            p *= node.conditional[tuple(values[v] for v in (node.variable, *node.parents))]
        return p * are_possible(codes, self.recoding.domain.possible)

    @property
    def degree(self) -> int:
        """The largest number of parents of a variable."""
        return max(len(node.parents) for node in self.nodes)

    @cached_property
    def exact(self) -> LogLinear | None:
        """The same distribution on a junction tree; None for bits, and for a tree of more than MAX_EXACT_CELLS."""
        if not self.recoding.plain:
            return None
        shape, possible = self.recoding.domain.shape, self.recoding.domain.possible
        families = [(node.variable, *node.parents) for node in self.nodes]
        sets: list[Attrs] = [tuple(sorted(S)) for S in families]
        tree = JunctionTree.over([*sets, *possible], shape)
        if sum(self.recoding.domain.cells(clique) for clique in tree.cliques) > MAX_EXACT_CELLS:
            return None
        theta: dict[Attrs, np.ndarray] = {}
        for node, attrs, S in zip(self.nodes, families, sets, strict=True):
            logs = np.log(np.maximum(node.conditional, TINY_PROBABILITY)).transpose(np.argsort(attrs))
            theta[S] = theta[S] + logs if S in theta else logs
        return LogLinear.of(shape, self.total, theta, possible=possible)

    @cached_property
    def _answering(self) -> LogLinear | Records:
        """The source of the answers."""
        if self.exact is not None:
            return self.exact
        return self.draw(round(self.total), np.random.default_rng(0))

    @cached_property
    def _valid_share(self) -> float:
        """The share of drawn rows whose bits spell codes, and break no rule, estimated from as many rows as records.

        At least 10,000 rows are drawn, at a public seed. It is 1 without bits and rules.
        """
        if self.recoding.plain and not self.recoding.domain.possible:
            return 1.0
        _, invalid = self._codes(max(round(self.total), 10_000), np.random.default_rng(0))
        return max(1 - invalid.mean(), 1 / len(invalid))

    def _codes(self, rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Sampled rows: codes of the attributes, (d, rows), and which rows spell no code or break a rule, (rows,)."""
        codes, invalid = self.recoding.codes(self._sample(rows, rng))
        if possible := self.recoding.domain.possible:
            invalid = invalid | ~are_possible(list(codes), possible)
        return codes, invalid

    def _sample(self, rows: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Rows by ancestral sampling: one (rows,) array of values for each variable."""
        values: list[np.ndarray] = [np.zeros(0)] * len(self.nodes)
        for node in self.nodes:
            group = np.zeros(rows, np.intp)  # the index of the row's parent values
            for v in node.parents:
                group = group * self.recoding.sizes[v] + values[v]
            cumulative = np.cumsum(node.conditional.reshape(len(node.conditional), -1), axis=0)
            # group g's values end in (g, g + 1]
            ladder = (cumulative / cumulative[-1] + np.arange(cumulative.shape[1])).T.ravel()
            drawn = np.searchsorted(ladder, group + rng.random(rows), side="right") - group * len(cumulative)
            values[node.variable] = np.clip(drawn, 0, len(cumulative) - 1)
        return values

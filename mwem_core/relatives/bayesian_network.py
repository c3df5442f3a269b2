"""A Bayesian network over a domain's attributes: its rows, answers and probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mwem_core.domain import Attrs, Domain, Records, are_possible
from mwem_core.model import JunctionTree, LogLinear, drawn_columns, independent_draws
from mwem_core.workload import Workload

MAX_EXACT_CELLS = 2**20  # of the junction tree from which answers are summed; for a larger one rows are drawn
TINY_PROBABILITY = 1e-100  # replaces 0 in logarithms
MAX_REDRAWS = 100  # of the rows that break a rule


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A variable X, its parents Π, and Pr[X | Π]: (|X|, one axis per parent), summing to 1 over X."""

    variable: int
    parents: Attrs
    conditional: np.ndarray


@dataclass(frozen=True, eq=False)
class Network:
    """A(x) = total · Π Pr[X | Π], nodes ordered parents before children.

    Cells that the schema's rules forbid have probability 0, and all others are rescaled. Answers are exact where the
    junction tree is small. Otherwise they are those of `total` rows drawn at a public seed, as in the paper.
    """

    domain: Domain = field(repr=False)
    total: float
    nodes: tuple[Node, ...] = field(repr=False)

    def draw(self, rows: int, rng: np.random.Generator) -> Records:
        """`rows` independent records. Those that break a rule are drawn again, at most MAX_REDRAWS times.

        Those that break one even then are drawn evenly from all possible cells.
        """
        codes, possible = self._sample(rows, rng), self.domain.possible
        forbidden = ~are_possible(list(codes), possible)
        for _ in range(MAX_REDRAWS):
            if not forbidden.any():
                break
            again = self._sample(int(forbidden.sum()), rng)
            codes[:, forbidden] = again
            forbidden[forbidden] = ~are_possible(list(again), possible)
        if forbidden.any():
            A_0 = LogLinear.uniform(self.domain.shape, 1.0, possible)
            codes[:, forbidden] = drawn_columns(A_0, int(forbidden.sum()), independent_draws(rng))
        columns = zip(codes, self.domain.shape, strict=True)
        return Records(self.domain, tuple(column.astype(np.min_scalar_type(size - 1)) for column, size in columns))

    def answers(self, Q: Workload) -> np.ndarray:
        """q(A) for every query: (|Q|,), in records."""
        return Q.answers(self._source)

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal on each of `sets`, in records."""
        return self._source.marginals(sets)

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """A/total at each record: one (m,) array of codes for each attribute -> (m,) shares."""
        if self.domain.possible and self.exact is not None:
            return self.exact.probability(codes)
        p = np.full(len(codes[0]), 1 / self._possible_share)
        for node in self.nodes:
            p *= node.conditional[tuple(codes[a] for a in (node.variable, *node.parents))]
        return p * are_possible(codes, self.domain.possible)

    @property
    def degree(self) -> int:
        """The largest number of parents of a variable."""
        return max(len(node.parents) for node in self.nodes)

    @cached_property
    def exact(self) -> LogLinear | None:
        """The same distribution on a junction tree; None for a tree of more than MAX_EXACT_CELLS."""
        shape, possible = self.domain.shape, self.domain.possible
        families = [(node.variable, *node.parents) for node in self.nodes]
        sets: list[Attrs] = [tuple(sorted(S)) for S in families]
        tree = JunctionTree.over([*sets, *possible], shape)
        if sum(self.domain.cells(clique) for clique in tree.cliques) > MAX_EXACT_CELLS:
            return None
        theta: dict[Attrs, np.ndarray] = {}
        for node, attrs, S in zip(self.nodes, families, sets, strict=True):
            logs = np.log(np.maximum(node.conditional, TINY_PROBABILITY)).transpose(np.argsort(attrs))
            theta[S] = theta[S] + logs if S in theta else logs
        return LogLinear.of(shape, self.total, theta, possible=possible)

    @cached_property
    def _source(self) -> LogLinear | Records:
        """The source of the answers."""
        if self.exact is not None:
            return self.exact
        return self.draw(round(self.total), np.random.default_rng(0))

    @cached_property
    def _possible_share(self) -> float:
        """The share of drawn rows that break no rule, estimated from as many rows as records.

        At least 10,000 rows are drawn, at a public seed. It is 1 without rules.
        """
        if not self.domain.possible:
            return 1.0
        rows = max(round(self.total), 10_000)
        drawn = self._sample(rows, np.random.default_rng(0))
        return max(float(are_possible(list(drawn), self.domain.possible).mean()), 1 / rows)

    def _sample(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Rows by ancestral sampling, whatever the rules: codes, (d, rows)."""
        codes, sizes = np.zeros((len(self.nodes), rows), np.intp), self.domain.shape
        for node in self.nodes:
            group = np.zeros(rows, np.intp)  # the index of the row's parent values
            for a in node.parents:
                group = group * sizes[a] + codes[a]
            cumulative = np.cumsum(node.conditional.reshape(len(node.conditional), -1), axis=0)
            # group g's values end in (g, g + 1]
            ladder = (cumulative / cumulative[-1] + np.arange(cumulative.shape[1])).T.ravel()
            drawn = np.searchsorted(ladder, group + rng.random(rows), side="right") - group * len(cumulative)
            codes[node.variable] = np.clip(drawn, 0, len(cumulative) - 1)
        return codes

"""A Bayesian network with its conditionals: rows by ancestral sampling, answers, probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mwem_core.data.records import Records
from mwem_core.domain.source import Attrs
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.loglinear import LogLinear
from mwem_core.relatives.privbayes.recoding import Recoding
from mwem_core.workload.workload import Workload

EXACT_CELLS = 2**20  # of a junction tree, up to which answers are summed and not drawn
LEAST = 1e-100  # stands for 0 where logarithms are taken
ROUNDS = 100  # of redrawing rows that are no code's


@dataclass(frozen=True, eq=False)
class Node:
    """A variable, the columns that are its parents, and Pr[X | Π]: (|X|, one axis a parent), summing to 1 over X."""

    variable: int
    parents: Attrs
    conditional: np.ndarray


@dataclass(frozen=True, eq=False)
class Network:
    """A(x) = total · Π Pr[X | Π], parents before children; bits that spell no code are left out, the rest rescaled.

    Answers are exact where the network is over the attributes themselves and its junction tree is small; others are
    those of `total` rows drawn from a public seed, as in the paper.
    """

    recoding: Recoding
    total: float
    nodes: tuple[Node, ...]

    def draw(self, rows: int, rng: np.random.Generator) -> Records:
        """`rows` independent records; bits that spell no code are drawn again, or in the end made into some code."""
        codes, wrong = self.recoding.codes(self._sample(rows, rng))
        for _ in range(ROUNDS):
            if not wrong.any():
                break
            codes[:, wrong], again = self.recoding.codes(self._sample(int(wrong.sum()), rng))
            wrong[wrong] = again
        shape = self.recoding.domain.shape
        codes[codes < 0] = 0
        return Records(
            self.recoding.domain,
            tuple(column.astype(np.min_scalar_type(size - 1)) for column, size in zip(codes, shape, strict=True)),
        )

    def answers(self, Q: Workload) -> np.ndarray:
        """q(A) for every query: (|Q|,), in records."""
        return Q.answers(self._answering)

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """A/total at each record: one (m,) array of codes an attribute -> (m,) shares."""
        values, p = self.recoding.values(codes), np.full(len(codes[0]), 1 / self._spelt)
        for node in self.nodes:
            own = self.recoding.versions[node.variable][0]
            p *= node.conditional[tuple(values[c] for c in (own, *node.parents))]
        return p

    @property
    def degree(self) -> int:
        """The most parents a variable has."""
        return max(len(node.parents) for node in self.nodes)

    @cached_property
    def exact(self) -> LogLinear | None:
        """The same distribution on a junction tree, where there is one of at most EXACT_CELLS cells."""
        recoding = self.recoding
        if not recoding.plain:
            return None
        family = [(node.variable, *(recoding.variable[c] for c in node.parents)) for node in self.nodes]
        shape = recoding.domain.shape
        sets: list[Attrs] = [tuple(sorted(S)) for S in family]
        tree = JunctionTree.over(sets, shape)
        if sum(recoding.domain.cells(clique) for clique in tree.cliques) > EXACT_CELLS:
            return None
        theta: dict[Attrs, np.ndarray] = {}
        for node, attrs, S in zip(self.nodes, family, sets, strict=True):
            fine = np.ix_(np.arange(shape[node.variable]), *(recoding.columns[c].values for c in node.parents))
            logs = np.log(np.maximum(node.conditional[fine], LEAST)).transpose(np.argsort(attrs))
            theta[S] = theta[S] + logs if S in theta else logs
        return LogLinear.of(shape, self.total, theta)

    @cached_property
    def _answering(self) -> LogLinear | Records:
        if self.exact is not None:
            return self.exact
        return self.draw(round(self.total), np.random.default_rng(0))

    @cached_property
    def _spelt(self) -> float:
        """The share of drawn rows whose bits spell codes: 1 without bits, else that of as many draws as records."""
        if self.recoding.plain:
            return 1.0
        _, wrong = self.recoding.codes(self._sample(max(round(self.total), 10_000), np.random.default_rng(0)))
        return max(1 - wrong.mean(), 1 / len(wrong))

    def _sample(self, rows: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Ancestral: a (rows,) array a variable, in its finest version."""
        recoding = self.recoding
        values: dict[int, np.ndarray] = {}  # by column
        for node in self.nodes:
            sizes = [recoding.sizes[c] for c in node.parents]
            group = np.zeros(rows, np.intp)
            for c, size in zip(node.parents, sizes, strict=True):
                group = group * size + values[c]
            heights = np.cumsum(node.conditional.reshape(len(node.conditional), -1), axis=0)
            ladder = (
                heights / heights[-1] + np.arange(heights.shape[1])
            ).T.ravel()  # group g's values end in (g, g + 1]
            drawn = np.searchsorted(ladder, group + rng.random(rows), side="right") - group * len(heights)
            finest, *coarser = recoding.versions[node.variable]
            values[finest] = np.clip(drawn, 0, len(heights) - 1)
            for c in coarser:
                values[c] = recoding.columns[c].values[values[finest]]
        return [values[finest] for finest, *_ in recoding.versions]

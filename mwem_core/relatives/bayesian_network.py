"""A Bayesian network over a domain: its variables, and with its conditionals rows, answers and probabilities.

The variables are the paper's encodings. Vanilla: the attributes. Binary: the bits of an attribute's codes, highest
first. Gray: the bits of their Gray codes, in which neighbouring codes differ in one bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mwem_core.domain import Attribute, Attrs, Domain, OfTotal, Records, Source, Table, are_possible
from mwem_core.model import JunctionTree, LogLinear, drawn_columns, independent_draws
from mwem_core.values import Range
from mwem_core.workload import Workload

MAX_EXACT_CELLS = 2**20  # of the junction tree from which answers are summed; for a larger one rows are drawn
TINY_PROBABILITY = 1e-100  # replaces 0 in logarithms
MAX_REDRAWS = 100  # of the rows whose bits spell no code


@dataclass(frozen=True, eq=False, repr=False)
class Variable:
    """A function of one attribute's code: `values[code]`, whole numbers from 0 up."""

    attribute: int
    values: np.ndarray

    @cached_property
    def size(self) -> int:
        """The number of values."""
        return int(self.values.max()) + 1


@dataclass(frozen=True, eq=False, repr=False)
class Encoding:
    """The variables of a network over a domain. Together they determine every attribute."""

    domain: Domain
    variables: tuple[Variable, ...]

    @classmethod
    def vanilla(cls, domain: Domain) -> "Encoding":
        """The attributes: variable a is attribute a."""
        return cls(domain, tuple(Variable(a, np.arange(size)) for a, size in enumerate(domain.shape)))

    @classmethod
    def bits(cls, domain: Domain, *, gray: bool) -> "Encoding":
        """For each attribute the fewest bits that distinguish its codes."""
        variables = []
        for a, size in enumerate(domain.shape):
            codes = np.arange(size)
            pattern = codes ^ (codes >> 1) if gray else codes
            width = (size - 1).bit_length()
            variables += [Variable(a, pattern >> shift & 1) for shift in reversed(range(width))]
        return cls(domain, tuple(variables))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each variable."""
        return tuple(variable.size for variable in self.variables)

    @property
    def plain(self) -> bool:
        """Whether the variables are the attributes themselves; the bits of two-valued attributes are."""
        return len(self.variables) == len(self.domain)

    def encode(self, B: Table) -> Source:
        """The private records with these variables as attributes.

        Raises ValueError for bits of a table that has no records but only counts.
        """
        if self.plain:
            return B
        if isinstance(B, OfTotal):
            B = B.table  # variables are read of each record, and the number of records is not
        if not isinstance(B, Records):
            raise ValueError("bits are read from records, and this table only has counts: choose encoding='vanilla'")
        domain = Domain(tuple(Attribute(f"variable {v}", Range(0, size - 1)) for v, size in enumerate(self.sizes)))
        return Records(domain, tuple(self.values(B.codes)), B.weights).distinct()

    def values(self, codes: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The variables of records: one (m,) array of codes for each attribute -> one (m,) array for each variable."""
        return [
            variable.values.astype(np.min_scalar_type(variable.size - 1))[codes[variable.attribute]]
            for variable in self.variables
        ]

    def codes(self, values: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """The inverse of `values`: one (m,) array for each variable -> (d, m) codes, and which rows are invalid: (m,).

        A row is invalid if the bits of an attribute spell no code of it; that code is then -1.
        """
        codes = np.zeros((len(self.domain), len(values[0])), np.intp)
        invalid = np.zeros(len(values[0]), bool)
        for a, size in enumerate(self.domain.shape):
            own = [v for v, variable in enumerate(self.variables) if variable.attribute == a]
            code_of = np.full([self.sizes[v] for v in own], -1)
            code_of[tuple(self.variables[v].values for v in own)] = np.arange(size)
            codes[a] = code_of[tuple(values[v] for v in own)]
            invalid |= codes[a] < 0
        return codes, invalid

    def possible(self, S: Attrs) -> np.ndarray:
        """1 for the cells of a table over the variables S that some record can be in, 0 for bits that spell no code."""
        mask = np.ones([self.sizes[v] for v in S])
        for a in {self.variables[v].attribute for v in S}:
            own = [i for i, v in enumerate(S) if self.variables[v].attribute == a]
            spelt = np.zeros([self.sizes[S[i]] for i in own])
            spelt[tuple(self.variables[S[i]].values for i in own)] = 1.0
            mask *= spelt.reshape([size if i in own else 1 for i, size in enumerate(mask.shape)])
        return mask


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

    encoding: Encoding = field(repr=False)
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
        shape, possible = self.encoding.domain.shape, self.encoding.domain.possible
        if possible and invalid.any():
            A_0 = LogLinear.uniform(shape, 1.0, possible)
            codes[:, invalid] = drawn_columns(A_0, int(invalid.sum()), independent_draws(rng))
        codes[codes < 0] = 0
        return Records(
            self.encoding.domain,
            tuple(column.astype(np.min_scalar_type(size - 1)) for column, size in zip(codes, shape, strict=True)),
        )

    def answers(self, Q: Workload) -> np.ndarray:
        """q(A) for every query: (|Q|,), in records."""
        return Q.answers(self._source)

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal on each of `sets`, in records."""
        return self._source.marginals(sets)

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """A/total at each record: one (m,) array of codes for each attribute -> (m,) shares."""
        if self.encoding.domain.possible and self.exact is not None:
            return self.exact.probability(codes)
        values, p = self.encoding.values(codes), np.full(len(codes[0]), 1 / self._valid_share)
        for node in self.nodes:
            p *= node.conditional[tuple(values[v] for v in (node.variable, *node.parents))]
        return p * are_possible(codes, self.encoding.domain.possible)

    @property
    def degree(self) -> int:
        """The largest number of parents of a variable."""
        return max(len(node.parents) for node in self.nodes)

    @cached_property
    def exact(self) -> LogLinear | None:
        """The same distribution on a junction tree; None for bits, and for a tree of more than MAX_EXACT_CELLS."""
        if not self.encoding.plain:
            return None
        shape, possible = self.encoding.domain.shape, self.encoding.domain.possible
        families = [(node.variable, *node.parents) for node in self.nodes]
        sets: list[Attrs] = [tuple(sorted(S)) for S in families]
        tree = JunctionTree.over([*sets, *possible], shape)
        if sum(self.encoding.domain.cells(clique) for clique in tree.cliques) > MAX_EXACT_CELLS:
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
    def _valid_share(self) -> float:
        """The share of drawn rows whose bits spell codes, and break no rule, estimated from as many rows as records.

        At least 10,000 rows are drawn, at a public seed. It is 1 without bits and rules.
        """
        if self.encoding.plain and not self.encoding.domain.possible:
            return 1.0
        _, invalid = self._codes(max(round(self.total), 10_000), np.random.default_rng(0))
        return max(1 - invalid.mean(), 1 / len(invalid))

    def _codes(self, rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Sampled rows: codes of the attributes, (d, rows), and which rows spell no code or break a rule, (rows,)."""
        codes, invalid = self.encoding.codes(self._sample(rows, rng))
        if possible := self.encoding.domain.possible:
            invalid = invalid | ~are_possible(list(codes), possible)
        return codes, invalid

    def _sample(self, rows: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Rows by ancestral sampling: one (rows,) array of values for each variable."""
        values: list[np.ndarray] = [np.zeros(0)] * len(self.nodes)
        for node in self.nodes:
            group = np.zeros(rows, np.intp)  # the index of the row's parent values
            for v in node.parents:
                group = group * self.encoding.sizes[v] + values[v]
            cumulative = np.cumsum(node.conditional.reshape(len(node.conditional), -1), axis=0)
            # group g's values end in (g, g + 1]
            ladder = (cumulative / cumulative[-1] + np.arange(cumulative.shape[1])).T.ravel()
            drawn = np.searchsorted(ladder, group + rng.random(rows), side="right") - group * len(cumulative)
            values[node.variable] = np.clip(drawn, 0, len(cumulative) - 1)
        return values

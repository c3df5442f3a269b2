"""What a Bayesian network is over: the attributes as they are, with coarser versions of them, or their bits.

Either way its columns are functions of one attribute each. Vanilla: the attributes. Hierarchical: the attributes, and
coarser groupings of them that only parents may take. Binary: the bits of an attribute's codes, highest first; Gray: of
their Gray codes, in which neighbouring codes differ in one bit.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mwem_core.checks import hint
from mwem_core.data.records import Records
from mwem_core.data.table import Table
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs, Source
from mwem_core.domain.values import Range

Hierarchies = Mapping[str, Sequence[Sequence[int]]]


@dataclass(frozen=True, eq=False)
class Column:
    """A function of one attribute: `values[code]`, whole numbers from 0 up."""

    attribute: int
    values: np.ndarray

    @cached_property
    def size(self) -> int:
        """How many values."""
        return int(self.values.max()) + 1


@dataclass(frozen=True, eq=False)
class Recoding:
    """Columns of a domain, and the variables of a network: `versions[v]` are v's columns, the finest first.

    A variable is learnt in its finest version; another may have it for a parent in any.
    """

    domain: Domain
    columns: tuple[Column, ...]
    versions: tuple[tuple[int, ...], ...]

    @classmethod
    def vanilla(cls, domain: Domain, hierarchies: Hierarchies | None = None) -> "Recoding":
        """The attributes, column a being attribute a, and after them what `hierarchies` has of coarser versions."""
        columns = [Column(a, np.arange(size)) for a, size in enumerate(domain.shape)]
        versions = [[a] for a in range(len(domain))]
        for name, levels in (hierarchies or {}).items():
            (a,) = domain.attrs(name)
            for level in levels:
                versions[a].append(len(columns))
                columns.append(Column(a, np.array(level)))
        return cls(domain, tuple(columns), tuple(map(tuple, versions)))

    @classmethod
    def bits(cls, domain: Domain, *, gray: bool) -> "Recoding":
        """As many bits of each attribute as tell its codes apart."""
        columns = []
        for a, size in enumerate(domain.shape):
            codes = np.arange(size)
            pattern = codes ^ (codes >> 1) if gray else codes
            width = (size - 1).bit_length()
            columns += [Column(a, pattern >> shift & 1) for shift in reversed(range(width))]
        return cls(domain, tuple(columns), tuple((i,) for i in range(len(columns))))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each column has."""
        return tuple(column.size for column in self.columns)

    @cached_property
    def variable(self) -> tuple[int, ...]:
        """The variable each column is a version of."""
        return tuple(v for _, v in sorted((c, v) for v, columns in enumerate(self.versions) for c in columns))

    @property
    def plain(self) -> bool:
        """Whether the variables are the attributes themselves."""
        return len(self.versions) == len(self.domain)

    def of(self, B: Table) -> Source:
        """The private records under these columns. Raises ValueError for a table that only counts attributes."""
        if len(self.columns) == len(self.domain) and self.plain:
            return B
        if not isinstance(B, Records):
            raise ValueError(
                "bits and hierarchies are read off records, and this table is only counted: choose encoding='vanilla'"
            )
        domain = Domain(tuple(Attribute(f"column {i}", Range(0, size - 1)) for i, size in enumerate(self.sizes)))
        return Records(domain, tuple(self._values(B.codes)), B.weights).distinct()

    def _values(self, codes: Sequence[np.ndarray]) -> list[np.ndarray]:
        smallest = [column.values.astype(np.min_scalar_type(column.size - 1)) for column in self.columns]
        return [values[codes[column.attribute]] for column, values in zip(self.columns, smallest, strict=True)]

    def values(self, codes: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Codes of records, an (m,) array an attribute -> an (m,) array a column."""
        return self._values(codes)

    def codes(self, finest: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """The inverse: an (m,) array a variable -> (d, m) codes, and which rows are no code's."""
        codes = np.zeros((len(self.domain), len(finest[0])), np.intp)
        wrong = np.zeros(len(finest[0]), bool)
        for a, size in enumerate(self.domain.shape):
            own = [v for v, (c, *_) in enumerate(self.versions) if self.columns[c].attribute == a]
            shape = [self.sizes[self.versions[v][0]] for v in own]
            table = np.full(shape, -1)
            table[tuple(self.columns[self.versions[v][0]].values for v in own)] = np.arange(size)
            codes[a] = table[tuple(finest[v] for v in own)]
            wrong |= codes[a] < 0
        return codes, wrong

    def possible(self, S: Attrs) -> np.ndarray:
        """Which cells of a table over columns S some record can be in, as 1 or 0: bits have patterns of no code."""
        mask = np.ones([self.sizes[c] for c in S])
        for a in {self.columns[c].attribute for c in S}:
            own = [i for i, c in enumerate(S) if self.columns[c].attribute == a]
            seen = np.zeros([self.sizes[S[i]] for i in own])
            seen[tuple(self.columns[S[i]].values for i in own)] = 1.0
            mask *= seen.reshape([size if i in own else 1 for i, size in enumerate(mask.shape)])
        return mask

    def onto(self, table: np.ndarray, S: Attrs, R: Attrs) -> np.ndarray:
        """A table over columns S summed to one over R, each of whose columns S has in the same version or a finer."""
        axis = {self.variable[c]: i for i, c in enumerate(S)}
        kept = [axis[self.variable[c]] for c in R]
        table = table.sum(axis=tuple(i for i in range(len(S)) if i not in kept))
        table = table.transpose(np.argsort(np.argsort(kept)))
        for i, (c, r) in enumerate(zip([S[k] for k in kept], R, strict=True)):
            if c != r:
                group = np.zeros((self.sizes[c], self.sizes[r]))
                group[self.columns[c].values, self.columns[r].values] = 1.0
                table = np.moveaxis(np.tensordot(table, group, axes=(i, 0)), -1, i)
        return table

    def within(self, R: Attrs, S: Attrs) -> bool:
        """Whether a table over S tells the one over R."""
        finer = {self.variable[c]: self.versions[self.variable[c]].index(c) for c in S}
        return all(finer.get(v := self.variable[c], math.inf) <= self.versions[v].index(c) for c in R)


def check_hierarchies(domain: Domain, hierarchies: Hierarchies) -> None:
    """Raises ValueError, one sentence, for a hierarchy that is none of this domain."""
    for name, levels in hierarchies.items():
        if name not in domain.names:
            raise ValueError(f"the hierarchies name {name!r}, which is no attribute{hint(name, domain.names)}")
        size = domain.shape[domain.names.index(name)]
        finer = np.arange(size)
        for i, level in enumerate(levels, start=1):
            where = f"level {i} of the hierarchy of {name!r}"
            groups = np.asarray(level)
            if groups.shape != (size,) or groups.dtype.kind not in "iu":
                raise ValueError(f"{where} must give the group of each of its {size:,} codes as a whole number")
            many = len(set(groups.tolist()))
            if many < 2 or set(groups.tolist()) != set(range(many)):
                raise ValueError(f"{where} must number at least two groups 0, 1, 2 and so on without a gap")
            pairs = set(zip(finer.tolist(), groups.tolist(), strict=True))
            before = len(set(finer.tolist()))
            if len(pairs) > before or many == before:
                raise ValueError(
                    f"{where} must put together whole groups of the level before, and at least two of them"
                )
            finer = groups

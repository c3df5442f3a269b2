"""The variables of a Bayesian network: the attributes themselves, or the bits of their codes.

The paper's encodings. Vanilla: the attributes. Binary: the bits of an attribute's codes, highest first. Gray: the bits
of their Gray codes, in which neighbouring codes differ in one bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mwem_core.domain import Attribute, Attrs, Domain, OfTotal, Records, Source, Table
from mwem_core.values import Range


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
class Recoding:
    """The variables of a network over a domain. Together they determine every attribute."""

    domain: Domain
    variables: tuple[Variable, ...]

    @classmethod
    def vanilla(cls, domain: Domain) -> "Recoding":
        """The attributes: variable a is attribute a."""
        return cls(domain, tuple(Variable(a, np.arange(size)) for a, size in enumerate(domain.shape)))

    @classmethod
    def bits(cls, domain: Domain, *, gray: bool) -> "Recoding":
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

    def recode(self, B: Table) -> Source:
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

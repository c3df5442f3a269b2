"""The domain D: the public attributes of a record, whose value sets together define the cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mwem_core.base import check_kind, find_duplicates, hint
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.predicates import Predicate
from mwem_core.domain.rules import parse_rules, possible_cells
from mwem_core.domain.schema import NO_MARKS, Marks, read_schema, write_schema
from mwem_core.domain.source import Attrs
from mwem_core.values import ValueSet

MAX_MARGINAL_CELLS = 2**28  # of one marginal that is counted: an array of 2 GiB


@dataclass(frozen=True)
class Domain:
    """The public attributes of a record, in order. `len` is the number of attributes, `size` the number of cells.

    `never` lists rules: combinations of values that no record has (`domain.rules`). Their cells count in `size`.

    >>> from mwem_core.values.numbers import Edges
    >>> from mwem_core.values.values import Values
    >>> domain = Domain((Attribute("age", Edges((17, 25, 90))), Attribute("sex", Values(("F", "M")))))
    >>> domain.size, domain.label(domain.attrs("sex", "age"))
    (4, 'age × sex')
    """

    attributes: tuple[Attribute, ...]
    never: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.attributes:
            raise ValueError("the schema has no attribute; add an [[attribute]] block with a name and its values")
        if duplicates := find_duplicates(self.names):
            raise ValueError(f"the schema has two attributes named {duplicates[0]!r}; rename or remove one")
        _ = self.rules  # refuses one that makes no sense

    def __len__(self) -> int:
        return len(self.attributes)

    def __repr__(self) -> str:
        return f"Domain({len(self)}: {', '.join(self.names):.60})"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes' names, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of codes of each attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    @cached_property
    def size(self) -> int:
        """|D|, the number of cells, as an exact integer of any size."""
        return math.prod(self.shape)

    @cached_property
    def rules(self) -> tuple[Predicate, ...]:
        """The rules of `never`, parsed."""
        return parse_rules(self.never, self)

    @cached_property
    def possible(self) -> dict[Attrs, np.ndarray]:
        """The attribute sets of the rules, each with the cells of its marginal that they leave possible; {} without."""
        return possible_cells(self.rules)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def attrs(self, *names: str) -> tuple[int, ...]:
        """Sorted indices of the attributes with these names; raises ValueError for an unknown name."""
        for name in names:
            if name not in self._index:
                raise ValueError(f"no attribute {name!r} in the schema{hint(name, self.names)}")
        return tuple(sorted({self._index[name] for name in names}))

    def sizes(self, attrs: Iterable[int]) -> tuple[int, ...]:
        """Shape of the marginal over an attribute set."""
        return tuple(self.shape[index] for index in attrs)

    def cells(self, attrs: Iterable[int]) -> int:
        """Number of cells of the marginal over an attribute set, as an exact integer of any size."""
        return math.prod(self.sizes(attrs))

    def label(self, attrs: Iterable[int]) -> str:
        """The names of an attribute set: "education × sex"."""
        return " × ".join(self.names[index] for index in attrs) or "total"

    def check_marginals(self, sets: Iterable[Attrs]) -> None:
        """Raise ValueError if a marginal has too many cells for one array."""
        for attrs in sets:
            if (cells := self.cells(attrs)) > MAX_MARGINAL_CELLS:
                raise ValueError(
                    f"the marginal {self.label(attrs)} has {cells:,} cells, more than {MAX_MARGINAL_CELLS:,}"
                )

    def multiplies(self, block: np.ndarray) -> bool:
        """Whether a block has enough pairs of two-valued attributes for a matrix product to beat counting."""
        return block.shape[1] == 2 and len(block) > 4 * len(self) and set(self.shape) == {2}

    @cached_property
    def unbinned(self) -> tuple[int, ...]:
        """The attributes whose bins a run measures first; their cells here are bins of equal width."""
        return tuple(a for a, attribute in enumerate(self.attributes) if attribute.fine)

    @cached_property
    def fine(self) -> Domain:
        """The domain with every number by itself where bins are to be measured, and then without rules."""
        return Domain(tuple(a.fine or a for a in self.attributes)) if self.unbinned else self

    def binned(self, bins: Mapping[str, ValueSet]) -> Domain:
        """The domain with these value sets in place of the attributes' own."""
        return replace(
            self, attributes=tuple(replace(a, value_set=bins.get(a.name, a.value_set)) for a in self.attributes)
        )

    def project(self, names: Iterable[str]) -> Domain:
        """The domain of these attributes only, in the order of this domain, with the rules that name no other."""
        kept = self.attrs(*names)
        never = (text for text, rule in zip(self.never, self.rules, strict=True) if set(rule.attrs) <= set(kept))
        return Domain(tuple(self.attributes[index] for index in kept), tuple(never))

    @classmethod
    def from_toml(cls, text: str) -> Domain:
        """Read a schema; raises ValueError if it does not parse or contradicts itself."""
        check_kind(text, str, "a schema is read from its text, such as Path(file).read_text(encoding='utf-8')")
        return cls(*read_schema(text))

    def to_toml(self, marks: Marks = NO_MARKS) -> str:
        """Write the schema, with marks on what was read off the data; `from_toml` returns an equal domain."""
        return write_schema(self.attributes, self.never, marks)

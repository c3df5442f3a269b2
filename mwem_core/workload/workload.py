"""Workloads: linear questions, in families, of the low-dimensional marginals of a table."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs, Source, as_sets
from mwem_core.workload.operators import Operator

MOST_QUERIES = 10**8  # 0.8 GB a vector of answers, and a round holds a few
MOST_CELLS = 5 * 10**7  # of one marginal


@dataclass(frozen=True, eq=False)
class Block:
    """Attribute sets of one order, the rows of an (m, k) array, each a part asked about by the same operator."""

    sets: np.ndarray
    operator: Operator

    @classmethod
    def of(cls, attrs: Attrs, operator: Operator) -> "Block":
        """A block of one part."""
        return cls(np.array([attrs], int).reshape(1, -1), operator)


@dataclass(frozen=True, eq=False)
class Workload:
    """Queries on `domain`, in parts: an attribute set each, with a linear operator on its marginal.

    Parts are held as arrays, block by block; queries are numbered part by part. `family` names what they are; in
    cuboids, a whole table is one thing to ask. `spec` is the short text that `spec.parse_workload` makes it from,
    `name` the same for people.
    Raises ValueError for a workload of nothing, or one whose answers or largest marginal do not fit in memory.
    """

    domain: Domain
    family: Literal["marginals", "cuboids", "ranges", "parities", "predicates"]
    spec: str
    name: str
    blocks: tuple[Block, ...]

    def __post_init__(self):
        nothing = "the workload asks nothing: choose at least one query"
        if not sum(len(block.sets) for block in self.blocks):
            raise ValueError(nothing)
        largest = self.attrs(int(self.part_cells.argmax()))
        if self.domain.cells(largest) > MOST_CELLS:
            raise ValueError(
                f"the marginal {self.domain.label(largest)} has {self.domain.cells(largest):,} cells, "
                f"{MOST_CELLS:,} fit: lower k, leave an attribute out, or declare coarser bins"
            )
        if not self.size:
            raise ValueError(nothing)
        for many, what in ((self.size, "queries"), (self.cells, "cells of marginals to read")):
            if many > MOST_QUERIES:
                raise ValueError(
                    f"the workload has {many:,} {what}, {MOST_QUERIES:,} fit: lower k, or leave an attribute out"
                )

    @cached_property
    def part_cells(self) -> np.ndarray:
        """Cells of each part's marginal: (parts,), as floats, which hold any number of them."""
        sizes = np.array(self.domain.shape, float)
        return np.concatenate([sizes[block.sets].prod(axis=1) for block in self.blocks])

    @cached_property
    def counts(self) -> np.ndarray:
        """How many queries each part has: (parts,)."""
        cells = np.split(self.part_cells, self._starts[1:-1])
        return np.concatenate([block.operator.counts(own) for block, own in zip(self.blocks, cells, strict=True)])

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where each part's queries begin, and their number last: (parts + 1,)."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    @cached_property
    def _starts(self) -> np.ndarray:
        """Where each block's parts begin, and their number last."""
        return np.cumsum([0, *(len(block.sets) for block in self.blocks)])

    @cached_property
    def sets(self) -> tuple[Attrs, ...]:
        """Every part's attributes, as tuples: for the few; a run works on the blocks."""
        return tuple(S for block in self.blocks for S in as_sets(block.sets))

    @property
    def parts(self) -> int:
        """How many attribute sets are asked about."""
        return int(self._starts[-1])

    @property
    def size(self) -> int:
        """|Q|, the number of queries."""
        return int(self.offsets[-1])

    @property
    def tabular(self) -> bool:
        """Whether the parts are whole marginals, cell by cell."""
        return self.family in ("marginals", "cuboids")

    @cached_property
    def sensitivity(self) -> float:
        """What asking everything at once would cost: the most one record adds up to over all answers; one query's is 1.

        Of predicates, no more than that: they are summed as if one record could say yes to all.
        """
        return sum(block.operator.sensitivity * len(block.sets) for block in self.blocks)

    @property
    def cells(self) -> int:
        """Cells of all the marginals it reads: memory and work grow with it."""
        return int(self.part_cells.sum())

    def answers(self, source: Source, parts: np.ndarray | None = None) -> np.ndarray:
        """q(source) for every query: (|Q|,), in records; for those of `parts`, a (parts,) mask, alone where given."""
        asked = self.blocks
        if parts is not None:
            masks = np.split(parts, self._starts[1:-1])
            asked = [Block(block.sets[mask], block.operator) for block, mask in zip(asked, masks, strict=True)]
            asked = [block for block in asked if len(block.sets)]
        tables = source.tables([block.sets for block in asked])
        answers = [block.operator.answers(cells, len(block.sets)) for block, cells in zip(asked, tables, strict=True)]
        return np.concatenate(answers) if answers else np.zeros(0)

    def reading(self, attributes: np.ndarray) -> np.ndarray:
        """Which parts read any of `attributes`, a (d,) mask: (parts,)."""
        return np.concatenate([np.logical_or.reduce([attributes[a] for a in block.sets.T]) for block in self.blocks])

    def attrs(self, part: int) -> Attrs:
        """The attributes that a part reads."""
        b = int(np.searchsorted(self._starts, part, side="right")) - 1
        return tuple(self.blocks[b].sets[part - self._starts[b]].tolist())

    def query(self, j: int) -> tuple[Attrs, np.ndarray, str]:
        """Query j: the attributes it reads, its values on their cells in [-1, 1], and its name."""
        part = int(np.searchsorted(self.offsets, j, side="right")) - 1
        attrs, block = self.attrs(part), self.blocks[int(np.searchsorted(self._starts, part, side="right")) - 1]
        return attrs, *block.operator.query(j - int(self.offsets[part]), self.domain, attrs)

    def per_query(self, per_part: np.ndarray) -> np.ndarray:
        """What is said of parts, said of each of their queries: (parts,) -> (|Q|,)."""
        return per_part if self.size == self.parts else np.repeat(per_part, self.counts)

    def by_part(self, per_query: np.ndarray) -> np.ndarray:
        """Sums of a number per query over each part: (|Q|,) -> (parts,)."""
        return np.add.reduceat(per_query, self.offsets[:-1])

"""A workload: linear queries on low-dimensional marginals, stored as arrays of attribute sets."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from mwem_core.domain import Attrs, Domain, Source, attribute_sets
from mwem_core.workload.operators import Operator

MAX_QUERIES = 10**8  # 0.8 GB per vector of answers, and a round needs a few
MAX_TOTAL_CELLS = 10**8  # of all marginals together
MAX_MARGINAL_CELLS = 5 * 10**7  # of one marginal: 0.4 GB


@dataclass(frozen=True, eq=False)
class Block:
    """m parts of k attributes each with the same operator: `sets` is an (m, k) array, a row per attribute set."""

    sets: np.ndarray = field(repr=False)
    operator: Operator

    @classmethod
    def of(cls, attrs: Attrs, operator: Operator) -> "Block":
        """A block of one part."""
        return cls(np.array([attrs], int).reshape(1, -1), operator)


@dataclass(frozen=True, eq=False)
class Term:
    """A workload of one family within a mixed one, and what its error counts there: a whole number."""

    workload: "Workload"
    weight: int

    @property
    def spec(self) -> str:
        """Its text, with the weight if that is not 1."""
        return f"{self.weight}*{self.workload.spec}" if self.weight > 1 else self.workload.spec

    @property
    def name(self) -> str:
        """The same for people."""
        return f"{self.weight} × {self.workload.name}" if self.weight > 1 else self.workload.name


@dataclass(frozen=True, eq=False)
class Workload:
    """Linear queries on `domain`, in parts; a part is an attribute set with a linear operator on its marginal.

    Queries are numbered part by part. `spec` is the short text that `spec.parse_workload` reads; `name` describes the
    workload to people. In the family "cuboids" an algorithm chooses and measures whole tables, not single cells.
    A "mixed" workload has the blocks of its `terms`, one after another (`mixture`); others have no terms.
    Raises ValueError without queries, or where the answers or the largest marginal do not fit in memory.
    """

    domain: Domain
    family: Literal["marginals", "cuboids", "ranges", "parities", "predicates", "mixed"]
    spec: str
    name: str
    blocks: tuple[Block, ...] = field(repr=False)
    terms: tuple[Term, ...] = field(default=(), repr=False)

    def __post_init__(self):
        no_queries = "the workload has no queries: choose at least one"
        if not sum(len(block.sets) for block in self.blocks):
            raise ValueError(no_queries)
        largest = self.attrs(int(self.part_cells.argmax()))
        if self.domain.cells(largest) > MAX_MARGINAL_CELLS:
            raise ValueError(
                f"the marginal {self.domain.label(largest)} has {self.domain.cells(largest):,} cells, "
                f"but at most {MAX_MARGINAL_CELLS:,} fit in memory: "
                "lower k, leave an attribute out, or declare coarser bins"
            )
        if not self.size:
            raise ValueError(no_queries)
        for count, limit, unit in (
            (self.size, MAX_QUERIES, "queries"),
            (self.cells, MAX_TOTAL_CELLS, "cells of marginals to read"),
        ):
            if count > limit:
                raise ValueError(
                    f"the workload has {count:,} {unit}, but at most {limit:,} fit in memory: "
                    "lower k, or leave an attribute out"
                )

    @cached_property
    def part_cells(self) -> np.ndarray:
        """Number of cells of each part's marginal: (parts,), as floats: products of sizes may overflow integers."""
        sizes = np.array(self.domain.shape, float)
        return np.concatenate([sizes[block.sets].prod(axis=1) for block in self.blocks])

    @cached_property
    def query_counts(self) -> np.ndarray:
        """Number of queries of each part: (parts,)."""
        cells = np.split(self.part_cells, self._block_starts[1:-1])
        return np.concatenate(
            [block.operator.query_counts(block_cells) for block, block_cells in zip(self.blocks, cells, strict=True)]
        )

    @cached_property
    def offsets(self) -> np.ndarray:
        """The number of each part's first query, then |Q|: (parts + 1,)."""
        return np.concatenate([[0], np.cumsum(self.query_counts)])

    @cached_property
    def _block_starts(self) -> np.ndarray:
        """The number of each block's first part, then the number of parts: (blocks + 1,)."""
        return np.cumsum([0, *(len(block.sets) for block in self.blocks)])

    def _block_of(self, part: int) -> int:
        """The index of the block that contains part number `part`."""
        return int(np.searchsorted(self._block_starts, part, side="right")) - 1

    @cached_property
    def sets(self) -> tuple[Attrs, ...]:
        """Every part's attribute set as a tuple: for small workloads; the blocks' arrays serve large ones."""
        return tuple(S for block in self.blocks for S in attribute_sets(block.sets))

    @cached_property
    def reads(self) -> Attrs:
        """The attributes that the workload reads, sorted."""
        return tuple(np.unique(np.concatenate([block.sets.ravel() for block in self.blocks])).tolist())

    @property
    def parts(self) -> int:
        """Number of parts."""
        return int(self._block_starts[-1])

    @property
    def size(self) -> int:
        """|Q|, the number of queries."""
        return int(self.offsets[-1])

    @property
    def tabular(self) -> bool:
        """Whether the parts are whole marginals, cell by cell."""
        return self.family in ("marginals", "cuboids")

    @property
    def has_residuals(self) -> bool:
        """Whether answers are sums of orthogonal residuals: whole marginals, and parities, which are residuals."""
        return self.tabular or self.family == "parities" or any(term.workload.has_residuals for term in self.terms)

    def over(self, domain: Domain) -> "Workload":
        """The same queries on a domain of the same shape, such as one whose bins were measured."""
        terms = (Term(term.workload.over(domain), term.weight) for term in self.terms)
        return replace(self, domain=domain, terms=tuple(terms))

    def only(self, parts: np.ndarray) -> "Workload":
        """The workload of some of its parts, a (parts,) mask; not for a mixed one. ValueError if the mask is empty."""
        return replace(self, blocks=tuple(self._blocks_of(parts)))

    def _blocks_of(self, parts: np.ndarray) -> list[Block]:
        """The blocks of the parts in a (parts,) mask."""
        masks = np.split(parts, self._block_starts[1:-1])
        blocks = [Block(block.sets[mask], block.operator) for block, mask in zip(self.blocks, masks, strict=True)]
        return [block for block in blocks if len(block.sets)]

    @property
    def families(self) -> str:
        """What is asked, in words: the family, or that there are several."""
        return "several families at once" if self.terms else self.family

    @cached_property
    def term_parts(self) -> list[slice]:
        """The parts of each term of a mixed workload."""
        ends = np.cumsum([0, *(term.workload.parts for term in self.terms)]).tolist()
        return [slice(start, end) for start, end in pairwise(ends)]

    @cached_property
    def term_queries(self) -> list[slice]:
        """The queries of each term of a mixed workload."""
        return [slice(int(self.offsets[parts.start]), int(self.offsets[parts.stop])) for parts in self.term_parts]

    @cached_property
    def whole(self) -> np.ndarray:
        """Which parts are whole marginals, cell by cell: (parts,) booleans."""
        if not self.terms:
            return np.full(self.parts, self.tabular)
        return np.concatenate([term.workload.whole for term in self.terms])

    @cached_property
    def weights(self) -> np.ndarray | None:
        """The weight of each part of a mixed workload, (parts,) whole numbers; None where all have the same."""
        if len({term.weight for term in self.terms}) < 2:
            return None
        return np.concatenate([np.full(term.workload.parts, term.weight) for term in self.terms])

    @cached_property
    def sensitivity(self) -> float:
        """L1 sensitivity of all answers together; a single query has 1.

        Exact for all families but predicates. There it is an upper bound: as if one record could satisfy them all.
        """
        return sum(block.operator.sensitivity * len(block.sets) for block in self.blocks)

    @property
    def cells(self) -> int:
        """Number of cells of all parts' marginals together: memory and work grow with it."""
        return int(self.part_cells.sum())

    def answers(self, source: Source, parts: np.ndarray | None = None) -> np.ndarray:
        """q(source) for every query, in records: (|Q|,).

        `parts`, a (parts,) mask, restricts the answers to the queries of those parts.
        """
        blocks = self.blocks if parts is None else self._blocks_of(parts)
        tables = source.flat_marginals([block.sets for block in blocks])
        answers = [block.operator.answers(cells, len(block.sets)) for block, cells in zip(blocks, tables, strict=True)]
        return answers[0] if len(answers) == 1 else np.concatenate([np.zeros(0), *answers])

    def parts_reading(self, attributes: np.ndarray) -> np.ndarray:
        """Which parts read any of `attributes`: (d,) mask -> (parts,) mask."""
        return np.concatenate([np.logical_or.reduce([attributes[a] for a in block.sets.T]) for block in self.blocks])

    def attrs(self, part: int) -> Attrs:
        """The attribute set of part number `part`."""
        b = self._block_of(part)
        return tuple(self.blocks[b].sets[part - self._block_starts[b]].tolist())

    def query(self, j: int) -> tuple[Attrs, np.ndarray, str]:
        """Query j: its attributes, its values in [-1, 1] on the cells of their marginal, and its name."""
        part = int(np.searchsorted(self.offsets, j, side="right")) - 1
        attrs, operator = self.attrs(part), self.blocks[self._block_of(part)].operator
        return attrs, *operator.query(j - int(self.offsets[part]), self.domain, attrs)

    def repeat_per_query(self, per_part: np.ndarray) -> np.ndarray:
        """Give each query the value of its part: (parts,) -> (|Q|,)."""
        return per_part if self.size == self.parts else np.repeat(per_part, self.query_counts)

    @cached_property
    def candidate_counts(self) -> np.ndarray:
        """The number of each part's candidates where marginals are taken as a whole, 1, and of others each query."""
        return np.where(self.whole, 1, self.query_counts)

    def candidate(self, j: int, *, tables: bool) -> tuple[int, int]:
        """The part of candidate j, and which of its queries that is, 0 for a whole marginal.

        Candidates are numbered part by part: all queries, or with `tables` whole marginals and the other queries.
        """
        ends = np.cumsum(self.candidate_counts if tables else self.query_counts)
        part = int(np.searchsorted(ends, j, side="right"))
        return part, j - (int(ends[part - 1]) if part else 0)

    def sum_by_candidate(self, per_query: np.ndarray, parts: np.ndarray | None = None) -> np.ndarray:
        """Sum the values of each candidate's queries, those of the `parts` of a (parts,) mask end to end if given.

        Candidates are whole marginals, and the single queries of other parts.
        """
        parts = np.ones(self.parts, bool) if parts is None else parts
        lengths = np.repeat(np.where(self.whole, self.query_counts, 1)[parts], self.candidate_counts[parts])
        return np.add.reduceat(per_query, np.cumsum(lengths) - lengths)

    def sum_by_part(self, per_query: np.ndarray) -> np.ndarray:
        """Sum the values of each part's queries: (|Q|,) -> (parts,)."""
        return np.add.reduceat(per_query, self.offsets[:-1])


def require_tables(workload: Workload, system: str) -> None:
    """Raises ValueError for a workload that is not of whole marginals."""
    if not workload.tabular:
        raise ValueError(f"{system} measures whole marginals: ask for marginals or cuboids, not {workload.families}")

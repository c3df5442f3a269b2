"""Records: a table as integer codes under a public schema, and the marginals of those private counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs, Source, attribute_sets, flatten

MAX_CELLS = 2**28  # of one marginal held as an array: 2 GiB
CHUNK = 2**13  # rows multiplied at a time
MAX_EXACT_FLOAT32 = 2**24  # float32 represents every integer up to here exactly


@dataclass(frozen=True, eq=False)
class Records(Source):
    """The private data B: what is computed here is the truth, and not for release.

    `codes` holds one (m,) array of unsigned integers an attribute. Row i stands for `weights[i]` records, or for one
    where `weights` is None. `total` is n, the number of records.
    """

    domain: Domain
    codes: tuple[np.ndarray, ...]
    weights: np.ndarray | None = None
    total: int = field(init=False)

    def __post_init__(self) -> None:
        if len(self.codes) != len(self.domain):
            raise ValueError(f"records need one column an attribute, got {len(self.codes)} for {len(self.domain)}")
        rows = {len(column) for column in self.codes} | ({len(self.weights)} if self.weights is not None else set())
        if len(rows) != 1:
            raise ValueError(f"the columns of records must be equally long, got lengths {sorted(rows)}")
        total = rows.pop() if self.weights is None else int(self.weights.sum())
        object.__setattr__(self, "total", total)

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal over each attribute set; many sets are counted on distinct rows."""
        sets = [tuple(attrs) for attrs in sets]
        for attrs in sets:
            if self.domain.cells(attrs) > MAX_CELLS:
                cells = f"{self.domain.cells(attrs):,}"
                raise ValueError(f"the marginal {self.domain.label(attrs)} has {cells} cells, more than {MAX_CELLS:,}")
        if len(sets) <= 8:
            return list(self._count(sets))
        used = sorted({a for S in sets for a in S})
        if len(used) < len(self.domain):  # rows repeat more often on fewer attributes
            place = {a: i for i, a in enumerate(used)}
            narrow = self.project(self.domain.names[a] for a in used)
            return list(narrow.distinct()._count([tuple(place[a] for a in S) for S in sets]))
        return list(self.distinct()._count(sets))

    def flat_marginals(self, blocks: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Marginals end to end: pairs of bits from one matrix product, others counted, row by row."""
        return [
            self._pairs_of_bits(block) if self._bits(block) else flatten(self.marginals(attribute_sets(block)))
            for block in blocks
        ]

    def _bits(self, block: np.ndarray) -> bool:
        """Whether a block is so many pairs of two-valued attributes that multiplying is faster than counting."""
        return block.shape[1] == 2 and len(block) > 4 * len(self.domain) and set(self.domain.shape) == {2}

    def _pairs_of_bits(self, pairs: np.ndarray) -> np.ndarray:
        """Both bits are 1 in XᵀX records; inclusion and exclusion give the other three cells: (m, 2) -> (4m,)."""
        d, weights = len(self.domain), self.weights
        both = np.zeros((d, d))
        exact = np.float32 if weights is None or weights.max(initial=0) * CHUNK <= MAX_EXACT_FLOAT32 else np.float64
        for start in range(0, len(self.codes[0]), CHUNK):
            X = np.array([column[start : start + CHUNK] for column in self.codes], exact)
            both += X @ X.T if weights is None else (X * weights[start : start + CHUNK].astype(exact)) @ X.T
        a, b = pairs.T
        one = both.diagonal()
        cells = np.empty((len(pairs), 4))
        cells[:, 3] = both[a, b]
        cells[:, 2] = one[a] - cells[:, 3]
        cells[:, 1] = one[b] - cells[:, 3]
        cells[:, 0] = self.total - one[a] - cells[:, 1]
        return cells.ravel()

    def _count(self, sets: list[tuple[int, ...]]) -> Iterator[np.ndarray]:
        """Count set after set, keeping the row's cell over the attributes in which a set begins like the one before."""
        weights = None if self.weights is None else self.weights.astype(float)
        before: tuple[int, ...] = ()
        cell = [np.zeros(len(self.codes[0]), dtype=np.intp)]  # cell[k]: of each row, over the first k attributes
        for attrs in sets:
            same = _common_start(before, attrs)
            del cell[same + 1 :]
            for index in attrs[same:]:
                cell.append(cell[-1] * self.domain.shape[index] + self.codes[index])
            counts = np.bincount(cell[-1], weights, minlength=self.domain.cells(attrs))
            yield counts.astype(float, copy=False).reshape(self.domain.sizes(attrs))
            before = attrs

    def project(self, names: Iterable[str]) -> Records:
        """Keep these attributes, in the domain's own order."""
        domain = self.domain.project(names)
        return Records(domain, tuple(self.codes[index] for index in self.domain.attrs(*domain.names)), self.weights)

    def distinct(self) -> Records:
        """The same records with equal rows merged into weights; itself where no two rows are equal."""
        return self._distinct

    @cached_property
    def _distinct(self) -> Records:
        group = _groups(self.codes, self.domain.shape)
        rows = int(group.max(initial=-1)) + 1
        if rows == len(group):
            return self
        row = np.empty(rows, dtype=np.intp)
        row[group] = np.arange(len(group))
        weights = np.bincount(group, None if self.weights is None else self.weights.astype(float))
        return Records(self.domain, tuple(column[row] for column in self.codes), weights.astype(np.int64))


def _common_start(one: tuple[int, ...], two: tuple[int, ...]) -> int:
    """In how many first entries two attribute sets agree."""
    agree = [a == b for a, b in zip(one, two, strict=False)]
    return agree.index(False) if False in agree else len(agree)


def _groups(codes: Sequence[np.ndarray], shape: Sequence[int]) -> np.ndarray:
    """Number the distinct rows: (m,) integers 0..k-1, equal where rows are equal."""
    key, cells = np.zeros(len(codes[0]), dtype=np.int64), 1
    for column, size in zip(codes, shape, strict=True):
        if cells * size > np.iinfo(np.int64).max:  # number the rows so far, to make room
            found, key = np.unique(key, return_inverse=True)
            cells = len(found)
            if cells == len(key):
                return key
        key = key * size + column
        cells *= size
    return np.unique(key, return_inverse=True)[1]

"""One public attribute of a record: a kind of values, and the places for what is missing or lies outside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mwem_core.checks import hint
from mwem_core.domain.values import Edges, Range, Values, numbers

OTHER = "other"  # the text of the catch-all
ORDER = ("<", "<=", ">", ">=")
MAX_SIZE = 10_000_000  # codes of one attribute: labels and one-way marginals must fit in memory


@dataclass(frozen=True)
class Attribute:
    """One public attribute: its own codes first, then `missing` and the catch-all if declared."""

    name: str
    kind: Values | Edges | Range
    missing: str | None = None
    other: bool = False

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip():
            raise ValueError(f"an attribute needs a name without surrounding blanks, got {self.name!r}")
        if problem := self._problem():
            raise ValueError(f"attribute {self.name!r}: {problem}")

    def _problem(self) -> str:
        if self.missing is not None and self.missing != self.missing.strip():
            return f"missing is {self.missing!r}, but values are compared without surrounding blanks; remove them"
        if self.missing is not None and self.kind.encode([self.missing])[0] >= 0:
            return f"missing is {self.missing!r}, which is also one of its values; keep it in one place"
        if self.other and (self.missing == OTHER or self.kind.encode([OTHER])[0] >= 0):
            return f"{OTHER!r} is declared, and other = true uses that name for the catch-all; drop one of the two"
        if self.size < 2:
            return "has fewer than two possible values, so there is nothing to learn about it; leave it out"
        if self.size > MAX_SIZE:
            return f"has {self.size:,} possible values, more than {MAX_SIZE:,}; make its cells wider"
        return ""

    @property
    def ordered(self) -> bool:
        """Whether the first `ordered_size` codes have an order: bins, grids and bits do."""
        return not isinstance(self.kind, Values)

    @cached_property
    def ordered_size(self) -> int:
        """How many leading codes are the attribute's own: all but missing and the catch-all."""
        return self.kind.size

    @cached_property
    def size(self) -> int:
        """How many codes there are, missing and the catch-all included."""
        return self.kind.size + (self.missing is not None) + self.other

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """One text a code, made when first asked for."""
        missing = () if self.missing is None else (self.missing,)
        return (*map(self.kind.label, range(self.kind.size)), *missing, *([OTHER] if self.other else []))

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts without surrounding blanks, (k,) -> (k,) int64; -1 where the schema has no place for one."""
        codes = self.kind.encode(texts)
        if self.missing is not None:
            codes[[text == self.missing for text in texts]] = self.kind.size
        if self.other:
            codes[codes < 0] = self.size - 1
        return codes

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Values to write out, (m,) -> (m,): inside a cell uniformly drawn, whole where its ends are whole.

        Numbers come back as numbers, unless the attribute has a missing or catch-all text: then all is text.
        """
        codes = np.asarray(codes, dtype=np.int64)
        own = codes < self.kind.size
        values = self.kind.decode(np.where(own, codes, 0), rng)
        if self.size == self.kind.size:
            return values
        special = np.array([*self.labels[self.kind.size :]], dtype=object)
        return np.where(own, _as_text(values), special[np.where(own, 0, codes - self.kind.size)])

    def compare(self, op: str, value: float | str) -> np.ndarray:
        """Which codes satisfy `op value`, (size,) bool; missing and the catch-all satisfy no order comparison.

        Raises ValueError where the schema cannot tell: no such value, no order, a threshold inside a cell.
        """
        if op in ("==", "!="):
            hit = np.zeros(self.size, dtype=bool)
            hit[self._code_of(value)] = True
            return hit if op == "==" else ~hit
        if op not in ORDER:
            raise ValueError(f"unknown comparison {op!r}; use one of ==, !=, {', '.join(ORDER)}")
        mask = np.zeros(self.size, dtype=bool)
        mask[: self.kind.size] = self._below(op, value) if op[0] == "<" else ~self._below(op, value)
        return mask

    def _below(self, op: str, value: float | str) -> np.ndarray:
        """Own cells on the lower side of the threshold: that of `<` and `>=`, or that of `<=` and `>`."""
        if isinstance(self.kind, Values):
            raise ValueError(f"{self.name} has no order; compare it with == or !=")
        threshold = numbers([_text(value)])[0]
        if math.isnan(threshold):
            raise ValueError(f"{self.name} {op} needs a number, got {value!r}")
        below, torn = _sides(self.kind, op, threshold)
        if torn is None:
            return below
        flip = {"<": "<=", ">=": ">", "<=": "<", ">": ">="}[op]
        if _sides(self.kind, flip, threshold)[1] is None:
            advice = f"compare with {flip} {_text(value)}"
        else:
            advice = "compare with an edge" if isinstance(self.kind, Edges) else "compare with the start of a cell"
        where = f"{_text(value)} falls inside {self.kind.label(torn)}"
        raise ValueError(f"{self.name} has {self.kind.structure}: {where}; {advice}")

    def _code_of(self, value: float | str) -> int:
        text = _text(value).strip()
        if text in self.labels:
            return self.labels.index(text)
        code = int(self.kind.encode([text])[0])
        if isinstance(self.kind, Values) or code < 0:
            raise ValueError(f"{self.name} has no value {text!r}{hint(text, self.labels)}")
        if isinstance(self.kind, Range) and self.kind.label(code).lstrip("-").isdecimal():
            return code  # the grid's 17 written as 17.0
        label = self.labels[code]
        where = f"{text} falls inside {label}"
        raise ValueError(f"{self.name} has {self.kind.structure}: {where}; compare with '{label}'")


def _sides(kind: Edges | Range, op: str, threshold: float) -> tuple[np.ndarray, int | None]:
    """Cells wholly on the lower side of a threshold, (size,) bool, and the first cell that lies on both sides."""
    low, high, closed = kind.cells()
    if op in ("<", ">="):
        below, above = (high < threshold) | ((high == threshold) & ~closed), low >= threshold
    else:
        below, above = high <= threshold, low > threshold
    torn = np.flatnonzero(~(below | above))
    return below, int(torn[0]) if len(torn) else None


def _text(value: float | str) -> str:
    """A value as it stands in a table: 39.0 is "39"."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _as_text(values: np.ndarray) -> np.ndarray:
    return values if values.dtype == object else np.array([str(value) for value in values.tolist()], dtype=object)

"""One public attribute of a record: its value set, and the codes for special and missing values and the catch-all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mwem_core.base import find_duplicates, hint
from mwem_core.forms import formed_numbers, from_cell, plain_numbers
from mwem_core.values import BinsToMeasure, Codes, Dates, Edges, Range, Steps, Values, ValueSet

CATCH_ALL = "other"  # the label of the catch-all
ORDER_COMPARISONS = ("<", "<=", ">", ">=")
MAX_NAMED = 3  # special texts, in a sentence
MAX_CODES = 10_000_000  # of one attribute: its labels and its one-way marginal must fit in memory


@dataclass(frozen=True)
class Words:
    """How pages say the values of an attribute. By label: a phrase, "have a doctorate", and a short name, "PhD".

    `groups` are values that a picture with many of them draws as one, by the name of the group.
    """

    phrase: Mapping[str, str] = field(default_factory=dict)
    short: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Attribute:
    """One public attribute. Its codes are those of its value set, of `special`, of `missing` and of the catch-all.

    `special` are texts outside the value set with a code each, such as "refused" among numbers. `missing` stands for a
    missing value; the texts `also_missing` are read as it. The catch-all, if `other`, is for the rest. `means` are what
    a release has measured of each bin of numbers: they replace its middle. They are no part of the schema: attributes
    that differ in them, or in their `words`, alone are equal.
    """

    name: str
    value_set: ValueSet
    missing: str | None = None
    other: bool = False
    special: tuple[str, ...] = ()
    also_missing: tuple[str, ...] = ()
    words: Words = field(default=Words(), compare=False)
    means: tuple[float, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip():
            raise ValueError(f"an attribute needs a name without surrounding blanks, got {self.name!r}")
        if problem := self._problem():
            raise ValueError(f"attribute {self.name!r}: {problem}")

    def _problem(self) -> str:
        """The first contradiction in the declaration, as a sentence; empty if there is none."""
        if self.also_missing and self.missing is None:
            return "has further marks of missing values, and no first one; declare them as missing"
        for key, text in (*(("special", t) for t in self.special), *(("missing", t) for t in self.missing_texts)):
            if text != text.strip():
                return f"{key} is {text!r}, but values are compared without surrounding blanks; remove them"
            if self.value_set.encode([text])[0] >= 0:
                return f"{key} is {text!r}, which is also one of its values; keep it in one place"
        if twice := find_duplicates([*self.special, *self.missing_texts]):
            return f"{twice[0]!r} is declared twice as special or missing; keep one"
        if cell := self._cell_of_another():
            return (
                f"{cell!r} and {from_cell(cell)!r} are both declared, and a CSV file has the first for both; rename one"
            )
        if self.other and self._declared([CATCH_ALL])[0] >= 0:
            return f"{CATCH_ALL!r} is declared, and other = true uses that name for the catch-all; drop one of the two"
        if self.size < 2:
            return "has fewer than two possible values, so there is nothing to learn about it; leave it out"
        if self.size > MAX_CODES:
            return f"has {self.size:,} possible values, more than {MAX_CODES:,}; make its cells wider"
        grouped = [label for labels in self.words.groups.values() for label in labels]
        for key, labels in (("phrase", self.words.phrase), ("short", self.words.short), ("groups", grouped)):
            for label in labels:
                if label not in self.labels:
                    return f"{key} names {label!r}, which is none of its values{hint(label, self.labels)}"
        if twice := find_duplicates(grouped):
            return f"{twice[0]!r} is in two groups; keep it in one"
        return ""

    def _cell_of_another(self) -> str:
        """A declared text that `as_cell` also writes for another declared text; empty if there is none."""
        texts = [*getattr(self.value_set, "texts", ()), *self.special, *self.missing_texts]
        declared = set(texts)
        return next((text for text in texts if text != from_cell(text) and from_cell(text) in declared), "")

    def __repr__(self) -> str:
        further = {key: texts for key in ("special", "also_missing") if (texts := getattr(self, key))}
        own = {"name": self.name, "value_set": self.value_set, "missing": self.missing, "other": self.other}
        return f"Attribute({', '.join(f'{key}={value!r}' for key, value in (own | further).items())})"

    @property
    def summary(self) -> str:
        """What a column becomes: "21 bins of numbers, 17 to 90, or 'refused', missing"."""
        special = [*map(repr, self.special[:MAX_NAMED])]
        if more := self.special[MAX_NAMED:]:
            special.append(f"{len(more):,} more texts")
        rest = [*special, *(["missing"] if self.missing is not None else []), *([CATCH_ALL] if self.other else [])]
        return self.value_set.summary + (f", or {', '.join(rest)}" if rest else "")

    @property
    def missing_texts(self) -> tuple[str, ...]:
        """The texts that are read as missing; the first is written."""
        return () if self.missing is None else (self.missing, *self.also_missing)

    @property
    def ordered(self) -> bool:
        """Whether the codes of the value set have an order: numbers and dates do, listed texts and codes do not."""
        return self.number_set is not None

    @property
    def numeric(self) -> bool:
        """Whether the value set is of numbers, not of texts or dates."""
        return not isinstance(self.value_set, Values | Codes | Dates)

    @property
    def number_set(self) -> Edges | Range | Steps | BinsToMeasure | Dates | None:
        """The value set, if its values are numbers or dates, which have a mean; None for others."""
        return None if isinstance(self.value_set, Values | Codes) else self.value_set

    @property
    def form(self) -> str:
        """The form of its numbers, one of `forms.number_forms`; empty if that is the plain one, or if it has none."""
        kind = self.value_set
        return "" if isinstance(kind, Values | Codes | Dates) or kind.inside is None else kind.inside.form

    @property
    def fine(self) -> Attribute | None:
        """The same number by itself, without bins, if a run has to measure them first."""
        return replace(self, value_set=self.value_set.grid) if isinstance(self.value_set, BinsToMeasure) else None

    @cached_property
    def size(self) -> int:
        """Number of codes, including special, missing and the catch-all."""
        return self.value_set.size + len(self.special) + (self.missing is not None) + self.other

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The text of each code, computed on first use."""
        missing = () if self.missing is None else (self.missing,)
        own = map(self.value_set.label, range(self.value_set.size))
        return (*own, *self.special, *missing, *([CATCH_ALL] if self.other else []))

    def as_declared(self, texts: Sequence[str], decimal: str) -> Sequence[str]:
        """Texts of a table with this decimal mark as `encode` reads them: each number by itself in its plain form."""
        if not self.numeric:
            return texts
        plain = formed_numbers(texts, self.form, decimal) if self.form else plain_numbers(texts, decimal)
        marks = {*self.special, *self.missing_texts}
        return [text if text in marks else number for text, number in zip(texts, plain, strict=True)]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts without surrounding blanks, (k,) -> (k,) int64; -1 for a text outside the schema.

        What `as_cell` writes for a declared text gets the code of that text, so that a file of rows that this program
        has written is read as what was written.
        """
        codes = self._declared(texts)
        written = np.array([code < 0 and text[:1] == "'" for code, text in zip(codes, texts, strict=True)], dtype=bool)
        if written.any():
            codes[written] = self._declared([from_cell(text) for text in np.array(texts)[written].tolist()])
        if self.other:
            codes[codes < 0] = self.size - 1
        return codes

    def _declared(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is not in the value set, special or missing."""
        codes = self.value_set.encode(texts)
        beside = {text: self.value_set.size + i for i, text in enumerate(self.special)}
        beside |= dict.fromkeys(self.missing_texts, self.value_set.size + len(self.special))
        if beside:
            codes = np.array(
                [beside.get(text, code) for text, code in zip(texts, codes.tolist(), strict=True)], np.int64
            )
        return codes

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Values to write for codes, (m,) -> (m,): a number, a date or a listed code is drawn from its cell.

        Numbers follow the codes' own histogram, where the value set says how they lie inside a cell. The values are
        texts if the attribute has texts, dates, a missing text or a catch-all. Otherwise they are numbers, integers
        where the ends of all cells are integers.
        """
        codes = np.asarray(codes, dtype=np.int64)
        own = codes < self.value_set.size
        rows = np.bincount(codes, minlength=self.size)[: self.value_set.size]
        means = {"means": np.array(self.means)} if self.means else {}
        values = self.value_set.decode(np.where(own, codes, 0), rng, rows, **means)
        if self.size == self.value_set.size:
            return values
        special = np.array([*self.labels[self.value_set.size :]], dtype=object)
        return np.where(own, _as_text(values), special[np.where(own, 0, codes - self.value_set.size)])

    def compare(self, op: str, value: float | str) -> np.ndarray:
        """Whether each code satisfies `op value`, (size,) bool; only those of the value set satisfy order comparisons.

        Raises ValueError if the schema cannot decide: no such value, no order, a threshold inside a cell, or bins that
        are not measured yet.
        """
        if isinstance(self.value_set, BinsToMeasure):
            raise ValueError(
                f"{self.name} has {self.value_set.structure}, so no question can name a number of it: declare edges"
            )
        if op in ("==", "!="):
            equal = np.zeros(self.size, dtype=bool)
            equal[self._code_of(value)] = True
            return equal if op == "==" else ~equal
        if op not in ORDER_COMPARISONS:
            raise ValueError(f"unknown comparison {op!r}; use one of ==, !=, {', '.join(ORDER_COMPARISONS)}")
        mask = np.zeros(self.size, dtype=bool)
        mask[: self.value_set.size] = self._below(op, value) if op[0] == "<" else ~self._below(op, value)
        return mask

    def _below(self, op: str, value: float | str) -> np.ndarray:
        """Which cells of the value set lie below the threshold, bool; `<=` and `>` count the threshold as below."""
        if isinstance(self.value_set, Values | Codes):
            raise ValueError(f"{self.name} has no order; compare it with = or <>")
        threshold = self.value_set.parse([_text(value)], end=op in ("<=", ">"))[0]
        if math.isnan(threshold):
            needs = "a date in quotes" if isinstance(self.value_set, Dates) else "a number"
            raise ValueError(f"{self.name} {op} needs {needs}, got {value!r}")
        below, split = _sides(self.value_set, op, threshold)
        if split is None:
            return below
        flip = {"<": "<=", ">=": ">", "<=": "<", ">": ">="}[op]
        if not isinstance(self.value_set, Dates) and _sides(self.value_set, flip, threshold)[1] is None:
            advice = f"compare with {flip} {_text(value)}"
        elif isinstance(self.value_set, Edges):
            advice = "compare with an edge"
        else:
            advice = "compare with the start of a cell"
        raise ValueError(self._inside_cell(_text(value), split, advice))

    def _code_of(self, value: float | str) -> int:
        """The code that `== value` selects."""
        text = _text(value).strip()
        if text in self.labels:
            return self.labels.index(text)
        code = int(self.value_set.encode([text])[0])
        if isinstance(self.value_set, Values) or code < 0:
            raise ValueError(f"{self.name} has no value {text!r}{hint(text, self.labels)}")
        if self.value_set.single(code):
            return code  # a cell of one value, written another way: 17.0 for 17
        raise ValueError(self._inside_cell(text, code, f"compare with '{self.labels[code]}'"))

    def _inside_cell(self, text: str, code: int, advice: str) -> str:
        """The error message for a value inside a cell of several numbers."""
        assert not isinstance(self.value_set, Values)
        cells, label = self.value_set.structure, self.value_set.label(code)
        return f"{self.name} has {cells}: {text} falls inside {label}; {advice}"


def _sides(
    value_set: Edges | Range | Dates | Steps | BinsToMeasure, op: str, threshold: float
) -> tuple[np.ndarray, int | None]:
    """Which cells lie wholly below a threshold, (size,) bool, and the first cell that the threshold splits.

    Between 44 and 45 there is no whole number, so where `decimals` says that, `<= 44` splits no bin that ends at 45.
    """
    low, high, closed = value_set.cells()
    if isinstance(value_set, Edges) and value_set.inside:
        low, high = map(value_set.inside.floats, value_set.inside.grid(value_set.edges))
        closed = np.ones_like(closed)
    if op in ("<", ">="):
        below, above = (high < threshold) | ((high == threshold) & ~closed), low >= threshold
    else:
        below, above = high <= threshold, low > threshold
    split = np.flatnonzero(~(below | above))
    return below, int(split[0]) if len(split) else None


def _text(value: float | str) -> str:
    """A value as a table writes it: 39.0 is "39"."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _as_text(values: np.ndarray) -> np.ndarray:
    return values if values.dtype == object else np.array([str(value) for value in values.tolist()], dtype=object)

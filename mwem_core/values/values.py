"""The value set of an attribute: texts, groups of codes, bins of a number, measured or not, whole numbers, or dates.

A value set has `size` cells with codes 0..size-1 and a `label` for each. `encode` maps texts to codes, and `decode`
maps codes to values. Those whose cells have an order give the ends of their `cells`, and `parse` texts as numbers to
compare with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mwem_core.base import find_duplicates, is_whole
from mwem_core.values.bins_to_measure import BinsToMeasure, Steps
from mwem_core.values.dates import Dates
from mwem_core.values.numbers import Edges, Range


@dataclass(frozen=True)
class Values:
    """The texts of a categorical attribute, in the order declared."""

    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        for text in self.texts:
            if not isinstance(text, str):
                raise ValueError(f"values must be text in quotes, got {text!r}")
            if text != text.strip():
                reason = "but tables are read without them; remove the blanks"
                raise ValueError(f"value {text!r} has surrounding blanks, {reason}")
        if duplicates := find_duplicates(self.texts):
            raise ValueError(f"values list {duplicates[0]!r} twice; keep one")

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.texts)

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        shown = ", ".join(repr(text) for text in self.texts[:5])
        return f"one of {shown}" if self.size <= 5 else f"one of {self.size:,} values such as {shown}"

    @property
    def summary(self) -> str:
        """What a column becomes; with the order of words that is not the alphabet's."""
        is_scale = not any(map(str.isdigit, "".join(self.texts))) and list(self.texts) != sorted(self.texts)
        return f"{self.size:,} categories" + (f" in order, {self.texts[0]} to {self.texts[-1]}" if is_scale else "")

    @cached_property
    def _code(self) -> dict[str, int]:
        return {text: code for code, text in enumerate(self.texts)}

    def label(self, code: int) -> str:
        """The text of a code."""
        return self.texts[code]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is not declared."""
        return np.array([self._code.get(text, -1) for text in texts], dtype=np.int64)

    def decode(self, codes: np.ndarray, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:
        """The texts of codes, (m,) -> (m,)."""
        return np.array(self.texts, dtype=object)[codes]

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        return {"values": list(self.texts)}


@dataclass(frozen=True)
class Codes:
    """Groups of listed codes, such as those of diagnoses: the codes with the same first `prefix` characters.

    A row comes back with a code of its group, each with the same chance.
    """

    codes: tuple[str, ...]
    prefix: int

    def __post_init__(self) -> None:
        if not is_whole(self.prefix) or self.prefix < 1:
            raise ValueError(f"prefix must be a whole number of characters from 1 up, got {self.prefix!r}")
        Values(self.codes)

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        """The codes of each group, in the order declared."""
        members: dict[str, list[str]] = {}
        for code in self.codes:
            members.setdefault(code[: self.prefix], []).append(code)
        return members

    @cached_property
    def _group(self) -> dict[str, int]:
        return {code: group for group, codes in enumerate(self._members.values()) for code in codes}

    @cached_property
    def _labels(self) -> list[str]:
        return list(self._members)

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self._members)

    @property
    def texts(self) -> tuple[str, ...]:
        """The codes, as a table holds them."""
        return self.codes

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return Values(self.codes).expects

    @property
    def summary(self) -> str:
        """What a column becomes."""
        return f"{len(self.codes):,} codes in {self.size:,} groups"

    @property
    def structure(self) -> str:
        """The cells, as error messages describe them."""
        return f"groups by the first {self.prefix} characters" if self.prefix > 1 else "groups by the first character"

    def label(self, code: int) -> str:
        """The first characters that the codes of a group share."""
        return self._labels[code]

    def single(self, code: int) -> bool:
        """Whether a group has a single code."""
        return len(self._members[self._labels[code]]) == 1

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is not declared."""
        return np.array([self._group.get(text, -1) for text in texts], dtype=np.int64)

    def decode(self, codes: np.ndarray, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:
        """Draw one of the listed codes of each group, (m,) -> (m,) texts."""
        listed = np.array([code for group in self._members.values() for code in group], dtype=object)
        sizes = np.array([len(group) for group in self._members.values()])
        starts = np.cumsum(sizes) - sizes
        return listed[starts[codes] + rng.integers(sizes[codes])]

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        return {"values": list(self.codes), "prefix": self.prefix}


ValueSet = Values | Codes | Edges | Range | Dates | Steps | BinsToMeasure

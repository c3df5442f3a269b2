"""What is public: the attributes of a record, their values, and the schema file that declares them.

A schema is TOML, one `[[attribute]]` block an attribute, each with a `name` and one of

    values = ["a", "b"]          categorical
    edges = [17, 25, 35, 90]     bins [17, 25), [25, 35) and, closed, [35, 90]
    range = [0, 4356]            whole numbers, both ends included; `width = 10` groups them, the last cell may be short
    bits = true                  short for range = [0, 1]

and optionally `missing = "?"` (that value is a category of its own) and `other = true` (a catch-all for
everything outside). Values compare as text without surrounding blanks; an empty cell is the value "".
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np

OTHER = "other"  # the text of the catch-all
KINDS = ("values", "edges", "range", "bits")
KEYS = ("name", *KINDS, "width", "missing", "other")
ORDER = ("<", "<=", ">", ">=")
MAX_SIZE = 10_000_000  # codes of one attribute: labels and one-way marginals must fit in memory
EXACT = 2**53  # whole numbers up to here survive a float


def _repeated(items: Sequence[str]) -> list[str]:
    seen: set[str] = set()
    return [item for item in items if item in seen or seen.add(item)]


def _check_blanks(text: str) -> None:
    if text != text.strip():
        raise ValueError(f"value {text!r} has surrounding blanks, which never match: tables are read without them")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return (_is_whole(value) and abs(value) <= EXACT) or (isinstance(value, float) and math.isfinite(value))


@dataclass(frozen=True)
class Values:
    """The values of a categorical attribute, in the order declared."""

    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        for text in self.texts:
            if not isinstance(text, str):
                raise ValueError(f"values must be text in quotes, got {text!r}")
            _check_blanks(text)
        if twice := _repeated(self.texts):
            raise ValueError(f"values list {twice[0]!r} twice; keep one")

    @property
    def size(self) -> int:
        """How many values."""
        return len(self.texts)

    @property
    def expects(self) -> str:
        """What an error says the schema expects."""
        shown = ", ".join(repr(text) for text in self.texts[:5])
        return f"one of {shown}" if self.size <= 5 else f"one of {self.size:,} values such as {shown}"

    @cached_property
    def _code(self) -> dict[str, int]:
        return {text: code for code, text in enumerate(self.texts)}

    def label(self, code: int) -> str:
        """The text itself."""
        return self.texts[code]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,); -1 where a text is not declared."""
        return np.array([self._code.get(text, -1) for text in texts], dtype=np.int64)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:  # noqa: ARG002 - the kinds share a shape
        """The texts, (m,) -> (m,)."""
        return np.array(self.texts, dtype=object)[codes]

    def declaration(self) -> dict[str, Any]:
        """The keys that declare it in a schema file."""
        return {"values": list(self.texts)}


@dataclass(frozen=True)
class Edges:
    """Bins of a number: half-open, the last one closed."""

    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.edges) < 2 or not all(_is_number(edge) for edge in self.edges):
            raise ValueError(f"edges must be at least two finite numbers, got {list(self.edges)}")
        for low, high in zip(self.edges, self.edges[1:], strict=False):
            if not low < high:
                raise ValueError(f"edges must increase, got {low} before {high}")

    @property
    def size(self) -> int:
        """How many bins."""
        return len(self.edges) - 1

    @property
    def expects(self) -> str:
        """What an error says the schema expects."""
        return f"a number from {self.edges[0]} to {self.edges[-1]}"

    @property
    def structure(self) -> str:
        """How an error names the cells a threshold has to respect."""
        shown = [str(edge) for edge in self.edges]
        return f"edges at {', '.join(shown if len(shown) <= 8 else [*shown[:3], '…', shown[-1]])}"

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Low end, high end and whether the high end belongs to the cell, each (size,)."""
        edges = np.array(self.edges, dtype=float)
        return edges[:-1], edges[1:], np.arange(self.size) == self.size - 1

    def label(self, code: int) -> str:
        """The bin as mathematics writes it: "[17, 25)"."""
        close = "]" if code == self.size - 1 else ")"
        return f"[{self.edges[code]}, {self.edges[code + 1]}{close}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Bins of texts, (k,) -> (k,); -1 where a text is no number or lies outside."""
        number, edges = numbers(texts), np.array(self.edges, dtype=float)
        codes = np.minimum(np.searchsorted(edges, number, side="right") - 1, self.size - 1)
        return np.where((number >= edges[0]) & (number <= edges[-1]), codes, -1)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A number in each bin, uniform, (m,) -> (m,): whole where all edges are; never an excluded end."""
        if all(isinstance(edge, int) for edge in self.edges):
            whole = np.array(self.edges)
            return rng.integers(whole[codes], whole[codes + 1] + (codes == self.size - 1))
        low, high, share = np.array(self.edges)[codes], np.array(self.edges)[codes + 1], rng.random(len(codes))
        return np.clip((1 - share) * low + share * high, low, np.nextafter(high, low))

    def declaration(self) -> dict[str, Any]:
        """The keys that declare it in a schema file."""
        return {"edges": list(self.edges)}


@dataclass(frozen=True)
class Range:
    """A grid of whole numbers, both ends included, in cells of `width`; the last cell may be short."""

    low: int
    high: int
    width: int = 1

    def __post_init__(self) -> None:
        if not all(_is_whole(end) and abs(end) <= EXACT for end in (self.low, self.high)):
            raise ValueError(f"range must be two whole numbers within ±2^53, got [{self.low}, {self.high}]")
        if self.low > self.high:
            raise ValueError(f"range is reversed: {self.low} is above {self.high}")
        if not _is_whole(self.width) or self.width < 1:
            raise ValueError(f"width must be a whole number from 1 up, got {self.width}")

    @property
    def size(self) -> int:
        """How many cells."""
        return (self.high - self.low) // self.width + 1

    @property
    def expects(self) -> str:
        """What an error says the schema expects."""
        return "0 or 1" if self == BITS else f"a whole number from {self.low} to {self.high}"

    @property
    def structure(self) -> str:
        """How an error names the cells a threshold has to respect."""
        return f"cells of width {self.width} from {self.low}"

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Low end, high end and whether the high end belongs to the cell, each (size,)."""
        low = self.low + self.width * np.arange(self.size)
        return low, np.minimum(low + self.width - 1, self.high), np.ones(self.size, dtype=bool)

    def label(self, code: int) -> str:
        """The number, or "0..9" for a wider cell."""
        low = self.low + code * self.width
        high = min(low + self.width - 1, self.high)
        return str(low) if low == high else f"{low}..{high}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Cells of texts, (k,) -> (k,); -1 where a text is no whole number or lies outside."""
        number = numbers(texts)
        inside = (number >= self.low) & (number <= self.high) & (number == np.floor(number))
        codes = np.full(len(number), -1, dtype=np.int64)
        codes[inside] = (number[inside].astype(np.int64) - self.low) // self.width
        return codes

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A whole number in each cell, uniform, (m,) -> (m,)."""
        low, high, _ = self.cells()
        return low[codes] if self.width == 1 else rng.integers(low[codes], high[codes] + 1)

    def declaration(self) -> dict[str, Any]:
        """The keys that declare it in a schema file."""
        width = {} if self.width == 1 else {"width": self.width}
        return {"bits": True} if self == BITS else {"range": [self.low, self.high], **width}


BITS = Range(0, 1)


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
            raise ValueError(f"{self.name} has no value {text!r}{_hint(text, self.labels)}")
        if isinstance(self.kind, Range) and self.kind.label(code).lstrip("-").isdecimal():
            return code  # the grid's 17 written as 17.0
        label = self.labels[code]
        where = f"{text} falls inside {label}"
        raise ValueError(f"{self.name} has {self.kind.structure}: {where}; compare with '{label}'")


@dataclass(frozen=True)
class Domain:
    """Everything public about a record: its attributes, in order. `len` is their number, `size` the cells.

    >>> domain = Domain((Attribute("age", Edges((17, 25, 90))), Attribute("sex", Values(("F", "M")))))
    >>> domain.size, domain.label(domain.attrs("sex", "age"))
    (4, 'age × sex')
    """

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        if not self.attributes:
            raise ValueError("the schema has no attribute; add an [[attribute]] block with a name and its values")
        if twice := _repeated(self.names):
            raise ValueError(f"the schema has two attributes named {twice[0]!r}; rename or remove one")

    def __len__(self) -> int:
        return len(self.attributes)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes' names, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Codes of each attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    @cached_property
    def size(self) -> int:
        """|D|, the number of cells: exact, however large."""
        return math.prod(self.shape)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def attrs(self, *names: str) -> tuple[int, ...]:
        """The attribute set of these names, as sorted indices."""
        for name in names:
            if name not in self._index:
                raise ValueError(f"no attribute {name!r} in the schema{_hint(name, self.names)}")
        return tuple(sorted({self._index[name] for name in names}))

    def sizes(self, attrs: Iterable[int]) -> tuple[int, ...]:
        """Shape of the marginal over an attribute set."""
        return tuple(self.shape[index] for index in attrs)

    def cells(self, attrs: Iterable[int]) -> int:
        """Number of cells of the marginal over an attribute set: exact, however large."""
        return math.prod(self.sizes(attrs))

    def label(self, attrs: Iterable[int]) -> str:
        """An attribute set in words: "education × sex"."""
        return " × ".join(self.names[index] for index in attrs) or "total"

    def project(self, names: Iterable[str]) -> Domain:
        """Keep these attributes, in the domain's own order."""
        return Domain(tuple(self.attributes[index] for index in self.attrs(*names)))

    @classmethod
    def from_toml(cls, text: str) -> Domain:
        """Read a schema; raises ValueError, one sentence, where it does not parse or contradicts itself."""
        try:
            schema = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"the schema is not valid TOML: {error}") from None
        if unknown := [key for key in schema if key != "attribute"]:
            raise ValueError(f"the schema has an unknown key {unknown[0]!r}; it holds [[attribute]] blocks only")
        blocks = schema.get("attribute", [])
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            raise ValueError("attributes are declared in [[attribute]] blocks, with two brackets on each side")
        return cls(tuple(_read_attribute(block, f"attribute {place}") for place, block in enumerate(blocks, start=1)))

    def to_toml(self) -> str:
        """Write the schema; `from_toml` reads back an equal domain."""
        return "\n".join(map(_write_attribute, self.attributes))


def numbers(texts: Sequence[str]) -> np.ndarray:
    """Texts as numbers, (k,) -> (k,) float64; NaN where a text is not a finite number."""
    parsed = np.array([_number(text) for text in texts], dtype=float)
    return np.where(np.isfinite(parsed), parsed, np.nan)


def _number(text: str) -> float:
    try:
        return float(text) if "_" not in text else math.nan  # Python's float would read 1_000
    except ValueError:
        return math.nan


def _sides(kind: Edges | Range, op: str, threshold: float) -> tuple[np.ndarray, int | None]:
    """Cells wholly on the lower side of a threshold, (size,) bool, and the first cell that lies on both sides."""
    low, high, closed = kind.cells()
    if op in ("<", ">="):
        below, above = (high < threshold) | ((high == threshold) & ~closed), low >= threshold
    else:
        below, above = high <= threshold, low > threshold
    torn = np.flatnonzero(~(below | above))
    return below, int(torn[0]) if len(torn) else None


def _read_attribute(block: dict[str, Any], place: str) -> Attribute:
    """An attribute from its TOML block; `place` names it in errors until it has a name."""
    name = block.get("name")
    if not isinstance(name, str):
        raise ValueError(f'{place} has no name; add name = "...", the column\'s header')
    try:
        for key in block:
            if key not in KEYS:
                raise ValueError(f"unknown key {key!r}{_hint(key, KEYS)}")
        other, missing = block.get("other", False), block.get("missing")
        if not isinstance(other, bool):
            raise ValueError(f"other must be true or false, got {other!r}")
        kind = _read_kind(block)
        missing = missing if missing is None else _read_text(missing, "missing")
    except ValueError as error:
        raise ValueError(f"attribute {name!r}: {error}") from None
    return Attribute(name, kind, missing, other)


def _read_kind(block: dict[str, Any]) -> Values | Edges | Range:
    declared = [key for key in KINDS if key in block]
    if len(declared) != 1:
        found = " and ".join(declared) or "none of them"
        raise ValueError(f"needs exactly one of {', '.join(KINDS)}; it has {found}")
    key, value = declared[0], block[declared[0]]
    if "width" in block and key != "range":
        raise ValueError(f"width belongs to range, not to {key}; remove it")
    if key == "bits":
        if value is not True:
            raise ValueError(f"bits must be true, got {value!r}")
        return BITS
    if not isinstance(value, list):
        raise ValueError(f"{key} must be a list in brackets, got {value!r}")
    if key == "values":
        return Values(tuple(_read_text(text, "values") for text in value))
    if key == "edges":
        return Edges(tuple(value))
    if len(value) != 2:
        raise ValueError(f"range must be two whole numbers, got {value!r}")
    return Range(value[0], value[1], block.get("width", 1))


def _read_text(value: Any, key: str) -> str:
    """A value as text; whole numbers may stand without quotes."""
    if not isinstance(value, str) and not _is_whole(value):
        raise ValueError(f"{key} must be text in quotes, got {value!r}")
    return str(value)


def _write_attribute(attribute: Attribute) -> str:
    lines = {"name": attribute.name, **attribute.kind.declaration()}
    if attribute.missing is not None:
        lines["missing"] = attribute.missing
    if attribute.other:
        lines["other"] = True
    return "[[attribute]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in lines.items())


def _toml(value: Any) -> str:
    if isinstance(value, list):
        items = [_toml(item) for item in value]
        flat = f"[{', '.join(items)}]"
        return flat if len(flat) <= 100 else "[\n" + "".join(f"  {item},\n" for item in items) + "]"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for DEL, which JSON leaves bare.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return str(value).lower()


def _hint(name: str, known: Sequence[str]) -> str:
    """The end of a "not found" sentence: near matches if there are any, else what there is."""
    near = get_close_matches(name, known, n=3) if len(known) <= 1000 else []
    if near:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    return f"; there are {', '.join(map(repr, known[:8]))}{' …' if len(known) > 8 else ''}"


def _text(value: float | str) -> str:
    """A value as it stands in a table: 39.0 is "39"."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _as_text(values: np.ndarray) -> np.ndarray:
    return values if values.dtype == object else np.array([str(value) for value in values.tolist()], dtype=object)

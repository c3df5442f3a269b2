"""Find the numbers of a column, and the form in which most are written. It reads the data."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from mwem_core.tables import COMMA, CURRENCIES, SWAPPED, UNIT
from mwem_core.values import DURATION, MARKS, MAX_DECIMALS, MAX_EXACT_FLOAT64, number_form

NUMBER = re.compile(  # 007 is not a number but a text
    rf"(?P<outer>\()?(?P<sign>[-−+])?(?P<before>(?:{CURRENCIES})\s?)?(?P<inner>\()?(?P<sign_inside>[-−+])?(?=\.?\d)"
    rf"(?P<whole>0|[1-9]\d{{0,2}}(?P<mark>[{MARKS}])\d{{3}}(?:(?P=mark)\d{{3}})*|[1-9]\d*|)(?:\.(?P<part>\d*))?"
    rf"(?P<e>[eE](?P<power>[-+]?)(?P<digits>\d+))?(?(inner)\))(?P<after>{UNIT})?(?(outer)\))",
    re.ASCII,
)
PLAIN = re.compile(r"-?(?:0|[1-9]\d*|(?=\.))(?:\.\d+)?", re.ASCII)
MOST = 0.9  # the share of a column's numbers that decides how all are written
HOURS = 24


@dataclass(frozen=True, repr=False)
class Numbers:
    """The numbers of a column: their texts as they are and plain, (k,), how many rows have each, (k,), and the form."""

    texts: tuple[str, ...]
    plain: tuple[str, ...]
    rows: np.ndarray
    form: str

    @cached_property
    def parsed(self) -> np.ndarray:
        """The numbers as floats, (k,)."""
        return np.array(list(map(float, self.plain)))

    @cached_property
    def low(self) -> Decimal:
        """The lowest number, exactly."""
        return Decimal(self.plain[int(self.parsed.argmin())])

    @cached_property
    def high(self) -> Decimal:
        """The highest number, exactly."""
        return Decimal(self.plain[int(self.parsed.argmax())])

    @cached_property
    def whole(self) -> bool:
        """Whether all are whole."""
        return bool((self.parsed % 1 == 0).all())

    @cached_property
    def decimals(self) -> int:
        """The decimals that the column needs: nine of ten rows have no more, as far as float64 holds them."""
        needed = np.array(list(map(_decimals, self.plain)))
        order = np.argsort(needed, kind="stable")
        enough = np.searchsorted(np.cumsum(self.rows[order]), MOST * self.rows.sum())
        largest = max(1.0, float(np.abs(self.parsed).max()))
        held = math.floor(math.log10(MAX_EXACT_FLOAT64 / 10 / largest))  # also for edges above the largest
        return max(0, min(int(needed[order][min(enough, len(order) - 1)]), held, MAX_DECIMALS))

    def without(self, texts: Sequence[str]) -> Numbers:
        """The numbers but those of some texts."""
        kept = [i for i, text in enumerate(self.texts) if text not in texts]
        own, plain = (tuple(of[i] for i in kept) for of in (self.texts, self.plain))
        return Numbers(own, plain, self.rows[kept], self.form)


def found_numbers(texts: Sequence[str], rows: np.ndarray, decimal: str) -> Numbers | None:
    """The numbers among distinct texts that fill so many rows each, (k,); None if there are none, or several units."""
    swapped = [text.translate(SWAPPED) for text in texts] if decimal == COMMA else texts
    if all(map(PLAIN.fullmatch, swapped)):
        return Numbers(tuple(texts), tuple(swapped), rows, _zeros_of(swapped, rows))
    matches = [NUMBER.fullmatch(text) for text in swapped]
    own = [i for i, match in enumerate(matches) if match]
    if not own:
        return durations(texts, rows)
    found, rows_of = [match for match in matches if match], rows[own]
    around = {side: _share(found, rows_of, side) for side in ("before", "after")}
    if any(len(texts) > 1 for texts in around.values()):
        return None
    plain = tuple(map(_plain, found))
    form = _form_of(found, plain, rows_of, {side: next(iter(texts), "") for side, texts in around.items()})
    return Numbers(tuple(texts[i] for i in own), plain, rows_of, form)


def _share(found: list[re.Match[str]], rows: np.ndarray, side: str) -> set[str]:
    """The different texts that stand on one side of numbers; a column has one unit."""
    return {match[side] for match, times in zip(found, rows, strict=True) if match[side] and times}


def _zeros_of(texts: Sequence[str], rows: np.ndarray) -> str:
    """The form of plain numbers that have the same decimals also where they are zeros, as 7.50; empty without any."""
    parts = [text.partition(".")[2] for text in texts]
    if not any(part.endswith("0") for part in parts):
        return ""
    written = np.bincount(list(map(len, parts)), rows)
    decimals = int(written.argmax())
    return f"0.{'0' * decimals}" if decimals and written[decimals] >= MOST * rows.sum() else ""


def _plain(match: re.Match[str]) -> str:
    minus = match["outer"] or match["inner"] or {match["sign"], match["sign_inside"]} & {"-", "−"}
    whole = (match["whole"] or "0").replace(match["mark"] or ",", "")
    return ("-" if minus else "") + whole + "." + (match["part"] or "0") + (match["e"] or "")


def durations(texts: Sequence[str], rows: np.ndarray) -> Numbers | None:
    """Durations, such as 34:33 and 5:27, or 1:02:46; None for texts of which one is none, and for times of a day."""
    found = [match for text in texts if (match := DURATION.fullmatch(text))]
    if len(found) < len(texts) or len({match[4] is None for match in found}) > 1:
        return None
    with_hours, padded = found[0][4] is not None, min(len(match[2]) for match in found) > 1
    fractions = any(match[5] for match in found)
    if max(int(match[2]) for match in found) < HOURS and not fractions and (padded or not with_hours):
        return None
    form = ("HH" if padded else "H") + ":MM:SS" if with_hours else ("MM" if padded else "M") + ":SS"
    decimals = min(len(match[5] or "") for match in found)
    if any(len(match[5] or "") != decimals for match in found):
        return None
    form += f".{'0' * decimals}" if decimals else ""
    return Numbers(tuple(texts), tuple(map(number_form(form).plain, texts)), rows, form)


def _form_of(found: list[re.Match[str]], plain: Sequence[str], rows: np.ndarray, around: dict[str, str]) -> str:
    """How most of the numbers are written, as a form; empty if that is their plain form."""

    def most(holds: Sequence[bool], among: Sequence[bool] | np.ndarray) -> bool:
        """Whether most of the rows that are among some hold, and there are such rows."""
        total = rows[np.array(among, bool)].sum()
        return bool(total and rows[np.array(holds, bool) & np.array(among, bool)].sum() >= MOST * total)

    values, everyone = np.array(list(map(float, plain))), [True] * len(found)
    before, after = (
        around[side] if most([bool(match[side]) for match in found], everyone) else "" for side in ("before", "after")
    )
    inner, outer = (
        "()" if most([bool(match[side]) for match in found], values < 0) else "" for side in ("inner", "outer")
    )
    plus = "+" if most([match["sign"] == "+" for match in found], values > 0) else ""
    marks = Counter(match["mark"] for match in found if match["mark"])
    mark = marks.most_common(1)[0][0] if marks and most([bool(m["mark"]) for m in found], abs(values) >= 1000) else ""
    zero = f"0{mark}000" if mark else "0"
    written = Counter[int]()
    for match, times in zip(found, rows.tolist(), strict=True):
        written[len(match["part"] or "")] += times
    decimals, times = written.most_common(1)[0]
    with_zeros = [bool(match["part"]) and match["part"].endswith("0") for match in found]
    exponents = [bool(match["e"]) for match in found]
    part = "." + "0" * decimals if decimals and times >= MOST * rows.sum() else ""
    if most(exponents, everyone) and part:
        some = next(match for match in found if match["e"])
        plus_sign = "+" if any(m["power"] == "+" for m in found if m["e"]) or len(some["digits"]) > 1 else "-"
        part += some["e"][0] + plus_sign + "0" * min(len(match["digits"]) for match in found if match["e"])
    elif not any(with_zeros):
        part = ""
    form = f"{outer[:1]}{plus}{before}{inner[:1]}{zero}{part}{inner[1:]}{after}{outer[1:]}"
    return "" if form == "0" else form


def _decimals(text: str) -> int:
    """The decimals that a plain number needs."""
    mantissa, _, exponent = text.lower().partition("e")
    needed = len(mantissa.partition(".")[2].rstrip("0"))
    return max(0, needed - int(exponent)) if exponent else needed

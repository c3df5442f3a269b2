"""Propose a range, categories or bins for a column of numbers, and the form that most have. It reads the data.

The numbers of a column are found first, then the marks among them that stand for no number.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cached_property

import numpy as np

from mwem_core.forms import (
    COMMA,
    CURRENCIES,
    DURATION,
    MARKS,
    MAX_DECIMALS,
    MAX_EXACT_FLOAT64,
    SIGN_SWAP,
    UNIT,
    NumberStyle,
    in_ascii,
    in_script,
    number_form,
)
from mwem_core.values import BINS, BITS, Edges, Range, Values, ValueSet, equal_edges, log_edges

SIGNS = "-−–+"
BLANK = r"[\x20\xa0\u2009\u202f]?"
NUMBER = re.compile(  # 007 is not a number but a text
    rf"(?P<outer>\()?(?P<sign>[{SIGNS}])?(?P<before>(?:{CURRENCIES}){BLANK})?(?P<inner>\()?(?P<sign_inside>[{SIGNS}])?"
    rf"(?=\.?\d)(?P<whole>0|[1-9]\d{{0,2}}(?P<mark>[{MARKS}])\d{{3}}(?:(?P=mark)\d{{3}})*"
    r"|(?P<lakh>[1-9]\d?(?:,\d\d)+,\d{3})|[1-9]\d*|)(?:\.(?P<part>\d*))?"
    rf"(?P<e>[eE](?P<power>[-+]?)(?P<digits>\d+))?(?(inner)\))(?P<after>{UNIT})?(?(outer)\))",
    re.ASCII,
)
PLAIN = re.compile(r"-?(?:0|[1-9]\d*|(?=\.))(?:\.\d+)?", re.ASCII)
TINY = re.compile(r"-?0?\.0(?:000\d*|\d{4,8})")  # a number near others that Python writes with an exponent
FORM_SHARE = 0.9  # the share of a column's numbers that decides how all are written
HOURS = 24
DECADES = 100  # the ratio of the largest number to the smallest, from which bins are logarithmic
MIN_SPIKE, MIN_SPIKE_ROWS = 0.001, 10  # a share of all rows, and rows, of a number with a bin of its own
MAX_MARKS = 10  # different texts of a column of numbers that are no numbers
FAR = 10  # a number so many times further away than the others are from each other is a mark
NEGATIVE_CODE = re.compile(r"-(?:[1-9]|7{2,}|8{2,}|9+[0-9])")
CODE = re.compile(r"9{2,}|8{2,}|7{2,}|9+[0-9]")  # numbers that may say why there is none
MAX_CODES = 4
LOG_RATIO = 1_000  # of the median to the lowest number, from which distances are those of logarithms
SAMPLE, MANY = 100, 1_000  # texts, by which another script is found, and small numbers or significant digits
MIN_STEPS, CHANCE = 10, 1e-6  # different numbers that have a step, and the chance of it below which they have
ROUND = {"1", "2", "25", "5"}  # the first digits of a step
DIGITS_SHARE = 0.85  # of the numbers, that have as many significant digits
MAX_RANGE = 100  # whole numbers of a range


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
        enough = np.searchsorted(np.cumsum(self.rows[order]), FORM_SHARE * self.rows.sum())
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
    swapped = [text.translate(SIGN_SWAP) for text in texts] if decimal == COMMA else texts
    script = next((text for text in texts[:SAMPLE] if text != in_ascii(text)), "")
    swapped = list(map(in_ascii, swapped)) if script else swapped
    if all(map(PLAIN.fullmatch, swapped)):
        form = _zeros_of(swapped, rows) or (
            "0" if any(map(TINY.fullmatch, swapped[:: max(1, len(swapped) // MANY)])) else ""
        )
        return Numbers(tuple(texts), tuple(swapped), rows, in_script(form or "0", script) if script else form)
    matches = [NUMBER.fullmatch(text) for text in swapped]
    if decimal != COMMA and 2 * sum(map(bool, matches)) < len(texts) and any("," in text for text in texts):
        if (own := found_numbers(texts, rows, COMMA)) and len(own.texts) == len(texts):
            raise ValueError("numbers with a decimal comma: read the file with one, or write a point")
        return durations(texts, rows)
    own = [i for i, match in enumerate(matches) if match]
    if not own:
        return durations(texts, rows)
    found, rows_of = [match for match in matches if match], rows[own]
    around = {side: _share(found, rows_of, side) for side in ("before", "after")}
    units = sorted({text.strip() for of_side in around.values() for text in of_side})
    if any(len({text.strip() for text in of_side}) > 1 for of_side in around.values()):
        if 2 * len(own) < len(texts):
            return None
        if all(len(unit) == 1 and unit.isalpha() for unit in units):
            raise ValueError("numbers, some with a letter behind: write the letters in a column of their own")
        shown = " and ".join(map(repr, units[:2]))
        raise ValueError(f"numbers with several units, such as {shown}: write all in one unit")
    plain = tuple(map(_plain, found))
    form = _form_of(found, plain, rows_of, {side: next(iter(texts), "") for side, texts in around.items()})
    form = in_script(form or "0", script) if script else form
    return Numbers(tuple(texts[i] for i in own), plain, rows_of, form)


def _share(found: list[re.Match[str]], rows: np.ndarray, side: str) -> list[str]:
    """The different texts that stand on one side of numbers, the most frequent first; a column has one unit."""
    counted = Counter[str]()
    for match, times in zip(found, rows.tolist(), strict=True):
        if match[side]:
            counted[match[side]] += times
    return [text for text, _ in counted.most_common()]


def _zeros_of(texts: Sequence[str], rows: np.ndarray) -> str:
    """The form of plain numbers that have the same decimals also where they are zeros, as 7.50; empty without any."""
    parts = [text.partition(".")[2] for text in texts]
    if not any(part.endswith("0") for part in parts):
        return ""
    written = np.bincount(list(map(len, parts)), rows)
    decimals = int(written.argmax())
    return f"0.{'0' * decimals}" if decimals and written[decimals] >= FORM_SHARE * rows.sum() else ""


def _plain(match: re.Match[str]) -> str:
    minus = match["outer"] or match["inner"] or {match["sign"], match["sign_inside"]} & {*"-−–"}
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
    step = max(1, len(found) // (20 * MANY))  # a form is told by a part of many numbers
    found, plain, rows = found[::step], plain[::step], rows[::step]

    def most(holds: Sequence[bool], among: Sequence[bool] | np.ndarray) -> bool:
        """Whether most of the rows that are among some hold, and there are such rows."""
        total = rows[np.array(among, bool)].sum()
        return bool(total and rows[np.array(holds, bool) & np.array(among, bool)].sum() >= FORM_SHARE * total)

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
    zero = "0,00,000" if any(m["lakh"] for m in found) else f"0{mark}000" if mark else "0"
    minus = Counter(match["sign"] for match in found if match["sign"] in ("-", "−", "–")).most_common(1)
    sign = plus or (minus[0][0].strip("-") if minus and not inner and not outer else "")
    written = Counter[int]()
    for match, times in zip(found, rows.tolist(), strict=True):
        written[len(match["part"] or "")] += times
    decimals, times = written.most_common(1)[0]
    with_zeros = [bool(match["part"]) and match["part"].endswith("0") for match in found]
    exponents = [bool(match["e"]) for match in found]
    part = "." + "0" * decimals if decimals and times >= FORM_SHARE * rows.sum() else ""
    if most(exponents, everyone) and part:
        some = next(match for match in found if match["e"])
        plus_sign = "+" if any(m["power"] == "+" for m in found if m["e"]) or len(some["digits"]) > 1 else "-"
        part += some["e"][0] + plus_sign + "0" * min(len(match["digits"]) for match in found if match["e"])
    elif not any(with_zeros):
        part = ""
    form = f"{outer[:1]}{sign}{before}{inner[:1]}{zero}{part}{inner[1:]}{after}{outer[1:]}"
    return "" if form == "0" else form


def _decimals(text: str) -> int:
    """The decimals that a plain number needs."""
    mantissa, _, exponent = text.lower().partition("e")
    needed = len(mantissa.partition(".")[2].rstrip("0"))
    return max(0, needed - int(exponent)) if exponent else needed


def marks_among(numbers: Numbers) -> list[str]:
    """The texts of numbers that stand for no number.

    Those are -9 where no other is negative, codes such as 998 and 999 that stand apart from all others, or one number
    that is far from them.
    """
    below = np.flatnonzero(numbers.parsed < 0)
    few = 0 < 3 * len(below) <= len(numbers.texts) > MAX_MARKS >= len(below)
    if few and all(NEGATIVE_CODE.fullmatch(numbers.plain[i]) for i in below):
        return [numbers.texts[i] for i in below]
    if len(numbers.texts) <= MAX_MARKS:
        return []
    x = numbers.parsed
    if x.min() > 0 and np.median(x) > LOG_RATIO * x.min():
        x = np.log10(x)
    code = np.array([CODE.fullmatch(plain) is not None for plain in numbers.plain])
    body = x[~code]
    if 0 < code.sum() and len(body) > MAX_MARKS:
        far = code & (x > body.max() + np.ptp(body) / 4)
        if 0 < far.sum() <= MAX_CODES:
            return [numbers.texts[i] for i in np.flatnonzero(far)]
    order = np.argsort(x, kind="stable")
    for far, near, last in ((-1, -2, 0), (0, 1, -1)):
        span = abs(x[order[near]] - x[order[last]])
        if span and abs(x[order[far]] - x[order[near]]) > FAR * span:
            return [numbers.texts[order[far]]]
    return []


def value_set_of(numbers: Numbers, *, listed: bool = True) -> ValueSet:
    """A range, categories or bins for numbers: bits, a short range, categories in order, or bins with round edges.

    Numbers are only made categories where they may be `listed`. The ends of a range and of bins are the lowest and the
    highest number. Raises ValueError for numbers beyond 10^15.
    """
    parsed, rows = numbers.parsed, numbers.rows
    low, high, whole = numbers.low, numbers.high, numbers.whole
    if max(-low, high) >= 10**15:
        raise ValueError("has numbers beyond 10^15: an identifier, or in need of bins chosen by hand")
    if whole and (low, high) == (0, 1) and not numbers.form:
        return BITS
    inside = NumberStyle(numbers.decimals, form=_precise_form(numbers))
    if whole and high - low < min(MAX_RANGE, 2 * len(parsed)):  # over half of its numbers occur
        return Range(int(low), int(high), inside=inside if numbers.form else None)
    if listed and len(parsed) <= 2 * BINS:
        return Values(tuple(numbers.texts[i] for i in np.argsort(parsed, kind="stable")))
    unit = inside.unit
    scale = _scale(numbers.form, float(high - low))
    round_edges = [edge * scale for edge in _edges(parsed / scale, rows, float(unit) / scale)]
    spikes = _spikes(round_edges, parsed, rows, unit)
    inner = sorted({*round_edges, *spikes})
    for first, last in ((low, high), (low.quantize(unit, ROUND_FLOOR), high.quantize(unit, ROUND_CEILING))):
        end = last + unit / 2 if float(high) in spikes else last  # so that the highest number has a bin of its own
        edges = (first, *(edge for edge in inner if first < Decimal(str(edge)) < end), end)
        with suppress(ValueError):  # a bin at an end of more decimals than most numbers have holds none of these
            return Edges(tuple(int(edge) if edge == int(edge) else float(edge) for edge in edges), inside)
    if "e" in numbers.form.lower():
        raise ValueError("has numbers over more than fifteen powers of ten: take their logarithm")
    return Edges(tuple(map(float, edges)))


def _precise_form(numbers: Numbers) -> str:
    """The form with the step of which all numbers are multiples, or with the significant digits that they have."""
    form = numbers.form
    if form.strip("+−–0.") or len(numbers.texts) < MIN_STEPS:
        return form
    sample = numbers.plain[:: max(1, len(numbers.plain) // MANY)]
    if len({len(plain.partition(".")[2]) for plain in sample}) > 2:
        digits = np.array([len(plain.lstrip("-0.").replace(".", "")) for plain in sample])
        most = int(digits.max())
        if 2 <= most <= 6 and (digits == most).mean() >= DIGITS_SHARE and form in ("", "0"):
            return f"0 to {most} digits"
    whole = np.rint(numbers.parsed * 10**numbers.decimals).astype(np.int64)
    step = int(np.gcd.reduce(whole))
    round_step = str(step).rstrip("0") in ROUND and step == int(np.gcd.reduce(np.diff(np.sort(whole))))
    exact = np.allclose(whole / 10**numbers.decimals, numbers.parsed)
    if step > 1 and round_step and exact and len(numbers.texts) * math.log(step) > -math.log(CHANCE):
        return f"{form or '0'} by {Decimal(step).scaleb(-numbers.decimals):f}"
    return form


def _scale(form: str, span: float) -> int:
    """What round numbers are counted in: hours or minutes of durations that span several of them, 1 of others."""
    if not form or not number_form(form).units:
        return 1
    return next((unit for unit in (3600, 60) if span >= BINS * unit), 1)


def _edges(parsed: np.ndarray, rows: np.ndarray, unit: float) -> tuple[float, ...]:
    """Round edges, at multiples of the unit: equal bins, finer where most rows are, or logarithmic over decades."""
    low, high = float(parsed.min()), float(parsed.max())
    edges = [edge for edge in equal_edges(low, high) if _is_multiple(edge, unit)]
    if _fullest(edges, parsed, rows)[1] <= rows.sum() / 2:
        return tuple(edges)
    sizes = np.abs(parsed[parsed != 0])
    if sizes.max() >= DECADES * sizes.min():
        return log_edges(low, high, smallest=max(unit, float(sizes.min())), unit=unit)
    rows = np.where(rows > rows.sum() / 4, 0, rows)  # such a number gets a bin of its own
    while len(edges) < 3 * BINS:
        i, most = _fullest(edges, parsed, rows)
        finer = equal_edges(edges[i], edges[i + 1])[1:-1]
        finer = [edge for edge in finer if edges[i] < edge < edges[i + 1] and _is_multiple(edge, unit)]
        if most <= rows.sum() / 2 or not finer:
            break
        edges = [*edges[: i + 1], *finer, *edges[i + 1 :]]
    return tuple(edges)


def _fullest(edges: Sequence[float], parsed: np.ndarray, rows: np.ndarray) -> tuple[int, float]:
    """The bin with most rows, and how many it has."""
    counted = np.histogram(parsed, np.array(edges, float), weights=rows)[0]
    return int(counted.argmax()), float(counted.max())


def _is_multiple(number: float, unit: float) -> bool:
    return abs(number / unit - round(number / unit)) < 1e-6


def _spikes(edges: Sequence[float], parsed: np.ndarray, rows: np.ndarray, unit: Decimal) -> set[float]:
    """Edges that give a number with most of a bin's rows a bin of its own, such as that of a top code."""
    bin_of, spikes = np.digitize(parsed, edges[1:-1]), set[float]()
    for code in np.unique(bin_of):
        own = bin_of == code
        number, most = float(parsed[own][rows[own].argmax()]), rows[own].max()
        if most > rows[own].sum() / 2 and most >= max(MIN_SPIKE_ROWS, MIN_SPIKE * rows.sum()):
            place = round(number / float(unit))
            spikes |= {float(end * unit) for end in (place, place + 1)}  # no more edges if it is alone already
    return spikes

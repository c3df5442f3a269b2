"""How a table writes the numbers of a column: as a form such as `$0,000.00`, `0.0%`, `(0.00)` or `H:MM:SS`.

A form is what a zero looks like. Text around it, such as a currency or a percent sign, stands around each number.
`0,000` has that mark between thousands; numbers are read with any mark or none. `.00` has so many decimals, also zeros.
`0,00,000` has the commas of India, and `٠٫٠٠` the digits of its zero. Brackets stand for a minus, `−0` writes this
minus, and `+0` a plus, also of zero. `e+00` is an exponent of at least two digits with its sign, `e-0` one without a
plus. A percentage is a number: 12% is 12. `H:MM:SS`, `H:MM` and `M:SS`, with one or two letters at first, are durations
in seconds; `.000` may follow the seconds. `0.00 by 0.25` are multiples of 0.25, and `0 to 3 digits` have three
significant digits.

A number without its form is read too: `1000.5` under `$0,000.00`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import cache
from typing import Any

import numpy as np

from mwem_core.base import is_whole

MARKS = ",'’\x20\xa0\u2009\u202f"  # between thousands
BLANK = r"[\x20\xa0\u2009\u202f]"
SIGNS = "-−–+"
ZEROS = "٠۰०০๐０"
SCRIPT_MARKS = {"٫": ".", "٬": ",", "．": ".", "，": ","}
SCRIPTS = str.maketrans({chr(ord(zero) + i): str(i) for zero in ZEROS for i in range(10)} | SCRIPT_MARKS)
AFFIX = r"[^\d().,+\-:'’]*?"
FORM = re.compile(
    rf"(?P<outer>\()?(?P<sign>[+−–])?(?P<before>{AFFIX})(?P<inner>\()?0(?:(?P<mark>[{MARKS}])(?P<lakh>00,)?000)?"
    rf"(?:\.(?P<part>0+))?(?:(?P<e>[eE])(?P<power>[-+])(?P<exponent>0+))?(?(inner)\))(?P<after>{AFFIX})(?(outer)\))"
)
SIGN_SWAP = str.maketrans(",.", ".,")
SUFFIX = re.compile(r"(?P<form>.+) (?:by (?P<step>0*[1-9]\d*(?:\.\d+)?|0?\.0*[1-9]\d*)|to (?P<digits>[1-9]) digits)")
REST = r"(?:\.\d+)?(?:[eE][-+]?\d+)?"
CLOCK = re.compile(r"(?P<first>HH?|MM?)(?P<rest>:MM:SS|:MM|:SS)(?:(?<=SS)\.(?P<part>0+))?")
DURATION = re.compile(r"(-?)(\d+):([0-5]\d)(?::([0-5]\d))?(?:\.(\d+))?", re.ASCII)
UNITS = {"H:MM:SS": (3600, 60, 1), "H:MM": (3600, 60), "M:SS": (60, 1)}  # seconds of each part
MAX_EXACT_FLOAT64 = 2**53  # float64 represents every integer up to here exactly
MAX_DECIMALS = 15
LAKH = re.compile(r"(?<=\d)(?=(?:\d\d)*\d{3}(?:\.|$))(?<!\.)")  # where India has commas


@dataclass(frozen=True)
class NumberForm:
    """A form, which reads texts as plain numbers and writes numbers as texts."""

    text: str
    units: tuple[int, ...]  # of a duration, in seconds; none of another form
    match: re.Match[str]
    pattern: re.Pattern[str]  # of the numbers in this form
    zero: str = ""  # of digits that are not 0 to 9
    step: Decimal = Decimal(0)  # of which numbers are multiples, if they are
    digits: int = 0  # significant ones, if all numbers have as many

    @property
    def decimals(self) -> int:
        """The decimals that it writes, zero unless it states them."""
        return len(self.match["part"] or "")

    def plain(self, text: str) -> str:
        """A text in this form as a plain number, "$1,000.50" as "1000.50"; any other text as it is."""
        if self.units:
            return _seconds(text, self.units)
        own = in_ascii(text) if self.zero else text
        found = self.pattern.fullmatch(own)
        if found is None:
            return text
        negative = found["outer"] or found["inner"] or {found["sign"], found["sign_inside"]} & {*"-−–"}
        whole = found["whole"].replace(found["mark"] or ",", "")
        return ("-" if negative else "") + whole + found["rest"]

    def written(self, number: Decimal) -> str:
        """A number in this form. Digits that the form does not write are cut off, towards the lower number."""
        if self.units:
            return self._duration(number)
        if self.zero:
            return in_script(number_form(in_ascii(self.text)).written(number), self.text)
        match, size = self.match, abs(number)
        if match["e"]:
            digits = _in_exponents(number, len(match["part"] or ""), match["e"], match["power"], len(match["exponent"]))
        else:
            if self.digits:
                size = abs(Context(prec=self.digits, rounding=ROUND_FLOOR).plus(number))
            elif match["part"]:
                size = abs(number.quantize(Decimal(1).scaleb(-self.decimals), ROUND_FLOOR))
            elif self.text == "0":  # as short as it can be, without an exponent
                size = size.normalize()
            digits = f"{size:,f}" if match["mark"] else f"{size:f}"
            digits = digits.replace(",", match["mark"] or ",") if not match["lakh"] else LAKH.sub(",", f"{size:f}")
        minus = number < 0 and (bool(match["e"]) or size != 0)
        if minus and match["inner"]:
            return f"{match['before']}({digits}){match['after']}"
        whole = match["before"] + digits + match["after"]
        if minus:
            return f"({whole})" if match["outer"] else f"{(match['sign'] or '').strip('+') or '-'}{whole}"
        return f"+{whole}" if match["sign"] == "+" else whole

    def _duration(self, number: Decimal) -> str:
        size = abs(number.quantize(Decimal(1).scaleb(-self.decimals), ROUND_FLOOR))
        seconds, parts = int(size), list[int]()
        for unit in self.units:
            parts.append(seconds // unit)
            seconds %= unit
        first = f"{parts[0]:0{len(self.match['first'])}}"
        fraction = f"{size % 1:.{self.decimals}f}"[1:] if self.decimals else ""
        return ("-" if number < 0 else "") + ":".join([first, *(f"{part:02}" for part in parts[1:])]) + fraction


@cache
def number_form(text: str) -> NumberForm:
    """The form that a text describes. Raises ValueError for a text that is none."""
    clock = CLOCK.fullmatch(text)
    if clock and (units := UNITS.get(clock["first"][0] + clock["rest"])):
        return NumberForm(text, units, clock, DURATION)
    if more := SUFFIX.fullmatch(text):
        own = number_form(more["form"])
        return replace(own, step=Decimal(more["step"] or 0), digits=int(more["digits"] or 0))
    match = FORM.fullmatch(in_ascii(text))
    if match is None:
        raise ValueError(f"form must show a zero, such as $0,000.00, 0.0% or H:MM:SS, got {text!r}")
    before, after = (
        rf"(?:{BLANK}?{re.escape(match[side].strip())}{BLANK}?)?" if match[side] else "" for side in ("before", "after")
    )
    lakh = r"|\d{1,2}(?:,\d{2})*,\d{3}" if match["lakh"] else ""
    number = rf"(?P<whole>\d{{1,3}}(?P<mark>[{MARKS}])\d{{3}}(?:(?P=mark)\d{{3}})*{lakh}|\d+|(?=\.))(?P<rest>{REST})"
    inner, close_inner = (r"(?P<inner>\()?", r"(?(inner)\))") if match["inner"] else ("(?P<inner>(?!))?", "")
    outer, close_outer = (r"(?P<outer>\()?", r"(?(outer)\))") if match["outer"] else ("(?P<outer>(?!))?", "")
    signs = f"[{SIGNS}])?"
    pattern = rf"{outer}(?P<sign>{signs}{before}{inner}(?P<sign_inside>{signs}{number}{close_inner}{after}{close_outer}"
    return NumberForm(text, (), match, re.compile(pattern, re.ASCII), _zero_of(text))


def in_ascii(text: str) -> str:
    """A text with the digits 0 to 9, a point and commas for those of its script."""
    return text if text.isascii() else text.translate(SCRIPTS)


def in_script(text: str, like: str) -> str:
    """A text with the digits and marks of another, `like`, which has some of another script."""
    marks = {mark: own for own, mark in SCRIPT_MARKS.items() if own in like}
    zero = ord(_zero_of(like) or "0")
    return text.translate(str.maketrans({**marks, **{str(i): chr(zero + i) for i in range(10)}}))


def _zero_of(text: str) -> str:
    """The zero of the digits of a text, if they are not 0 to 9."""
    return next((chr(ord(char) - int(char)) for char in text if ord(char) in SCRIPTS and char.isdecimal()), "")


def _seconds(text: str, units: tuple[int, ...]) -> str:
    """A duration as its number of seconds; any other text as it is."""
    found = DURATION.fullmatch(text)
    if found is None or (found[4] is None) != (len(units) == 2) or (found[5] and units[-1] > 1):
        return text
    parts = (int(part) for part in found.groups()[1:4] if part is not None)
    seconds = sum(part * unit for part, unit in zip(parts, units, strict=True))
    return f"{found[1]}{seconds}{'.' + found[5] if found[5] else ''}"


def _in_exponents(number: Decimal, decimals: int, letter: str, sign: str, digits: int) -> str:
    """The size of a number as a mantissa of so many decimals and an exponent of at least so many digits."""
    cut = Context(prec=decimals + 1, rounding=ROUND_FLOOR).plus(number) if number else number
    size = abs(cut)
    power = size.adjusted() if size else 0
    shown = "-" if power < 0 else sign.strip("-")
    return f"{size.scaleb(-power):.{decimals}f}{letter}{shown}{abs(power):0{digits}}"


@dataclass(frozen=True)
class NumberStyle:
    """How numbers are written: with `decimals`, and in a `form`; without one, they are as short as they can be."""

    decimals: int = 0
    form: str = ""

    def __post_init__(self) -> None:
        if not is_whole(self.decimals) or not 0 <= self.decimals <= MAX_DECIMALS:
            raise ValueError(f"decimals must be a whole number from 0 to {MAX_DECIMALS}, got {self.decimals!r}")
        if self.form:
            number_form(self.form)

    @property
    def unit(self) -> Decimal:
        """What numbers are multiples of: the step of their form, or their last decimal."""
        step = number_form(self.form).step if self.form else 0
        return step or Decimal(1).scaleb(-self.decimals)

    def scaled(self, number: float) -> Decimal:
        """The number in units, exactly as it is written."""
        return Decimal(str(number)) / self.unit

    def floats(self, points: np.ndarray) -> np.ndarray:
        """Numbers in units as floats, (m,) -> (m,)."""
        return points / float(1 / self.unit)

    def grid(self, edges: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
        """First and last grid points of bins, (size,) int64 each, in units; the last bin is closed.

        Raises ValueError for a bin without a number of these decimals.
        """
        if max(abs(edges[0]), abs(edges[-1])) * 10.0**self.decimals > MAX_EXACT_FLOAT64:
            raise ValueError(f"numbers up to {edges[-1]} with {self.decimals} decimals have too many digits")
        starts = [int(self.scaled(edge).to_integral_value(ROUND_CEILING)) for edge in edges]
        last = [*(start - 1 for start in starts[1:-1]), math.floor(self.scaled(edges[-1]))]
        for low, high, a, b in zip(edges, edges[1:], starts, last, strict=False):
            if a > b:
                raise ValueError(f"no number of {self.decimals} decimals lies between the edges {low} and {high}")
        return np.array(starts[:-1], np.int64), np.array(last, np.int64)

    def as_written(self, points: np.ndarray) -> np.ndarray:
        """Numbers in units as the table writes them, (m,) -> (m,)."""
        if not self.form:
            return points if self.decimals == 0 else points / 10**self.decimals
        different, at = np.unique(points, return_inverse=True)
        written = number_form(self.form).written
        return np.array([written(point * self.unit) for point in different.tolist()], object)[at]

    def shown(self, number: float) -> str:
        """A number in a label: a duration in its form, any other as it is."""
        form = number_form(self.form) if self.form else None
        return form.written(Decimal(str(number))) if form and form.units else str(number)

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this in a schema file."""
        return {"decimals": self.decimals, **({"form": self.form} if self.form else {})}

"""How a table writes the numbers of a column: as a form such as `$0,000.00`, `0.0%`, `(0.00)` or `H:MM:SS`.

A form is what a zero looks like. Text around it, such as a currency or a percent sign, stands around each number.
`0,000` has that mark between thousands; numbers are read with any mark or none. `.00` has so many decimals, also zeros.
Brackets stand for a minus, and `+0` writes a plus, also of zero. `e+00` is an exponent of at least two digits with its
sign, `e-0` one without a plus. A percentage is a number: 12% is 12. `H:MM:SS`, `H:MM` and `M:SS`, with one or two
letters at first, are durations in seconds; `.000` may follow the seconds.

A number without its form is read too: `1000.5` under `$0,000.00`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from functools import cache

MARKS = ",'’\x20\xa0\u2009\u202f"  # between thousands
AROUND = r"[^\d().,+\-:'’]*?"
FORM = re.compile(
    rf"(?P<outer>\()?(?P<plus>\+)?(?P<before>{AROUND})(?P<inner>\()?0(?:(?P<mark>[{MARKS}])000)?"
    rf"(?:\.(?P<part>0+))?(?:(?P<e>[eE])(?P<sign>[-+])(?P<exponent>0+))?(?(inner)\))(?P<after>{AROUND})(?(outer)\))"
)
REST = r"(?:\.\d+)?(?:[eE][-+]?\d+)?"
CLOCK = re.compile(r"(?P<first>HH?|MM?)(?P<rest>:MM:SS|:MM|:SS)(?:(?<=SS)\.(?P<part>0+))?")
DURATION = re.compile(r"(-?)(\d+):([0-5]\d)(?::([0-5]\d))?(?:\.(\d+))?", re.ASCII)
UNITS = {"H:MM:SS": (3600, 60, 1), "H:MM": (3600, 60), "M:SS": (60, 1)}  # seconds of each part


@dataclass(frozen=True)
class NumberForm:
    """A form, which reads texts as plain numbers and writes numbers as texts."""

    text: str
    units: tuple[int, ...]  # of a duration, in seconds; none of another form
    match: re.Match[str]
    pattern: re.Pattern[str]  # of the numbers in this form

    @property
    def decimals(self) -> int:
        """The decimals that it writes, zero unless it states them."""
        return len(self.match["part"] or "")

    def plain(self, text: str) -> str:
        """A text in this form as a plain number, "$1,000.50" as "1000.50"; any other text as it is."""
        if self.units:
            return _seconds(text, self.units)
        found = self.pattern.fullmatch(text)
        if found is None:
            return text
        negative = found["outer"] or found["inner"] or {found["sign"], found["sign_inside"]} & {"-", "−"}
        whole = found["whole"].replace(found["mark"] or ",", "")
        return ("-" if negative else "") + whole + found["rest"]

    def written(self, number: Decimal) -> str:
        """A number in this form. Digits that the form does not write are cut off, towards the lower number."""
        if self.units:
            return self._duration(number)
        match, size = self.match, abs(number)
        if match["e"]:
            digits = _in_exponents(number, len(match["part"] or ""), match["e"], match["sign"], len(match["exponent"]))
        else:
            size = (
                size if match["part"] is None else abs(number.quantize(Decimal(1).scaleb(-self.decimals), ROUND_FLOOR))
            )
            digits = f"{size:,f}" if match["mark"] else f"{size:f}"
            digits = digits.replace(",", match["mark"] or ",")
        minus = number < 0 and (bool(match["e"]) or size != 0)
        if minus and match["inner"]:
            return f"{match['before']}({digits}){match['after']}"
        whole = match["before"] + digits + match["after"]
        if minus:
            return f"({whole})" if match["outer"] else f"-{whole}"
        return f"+{whole}" if match["plus"] else whole

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
    match = FORM.fullmatch(text)
    if match is None:
        raise ValueError(f"form must show a zero, such as $0,000.00, 0.0% or H:MM:SS, got {text!r}")
    before, after = (rf"(?:{re.escape(match[side])})?" if match[side] else "" for side in ("before", "after"))
    number = rf"(?P<whole>\d{{1,3}}(?P<mark>[{MARKS}])\d{{3}}(?:(?P=mark)\d{{3}})*|\d+|(?=\.))(?P<rest>{REST})"
    inner, close_inner = (r"(?P<inner>\()?", r"(?(inner)\))") if match["inner"] else ("(?P<inner>(?!))?", "")
    outer, close_outer = (r"(?P<outer>\()?", r"(?(outer)\))") if match["outer"] else ("(?P<outer>(?!))?", "")
    pattern = rf"{outer}(?P<sign>[-−+])?{before}{inner}(?P<sign_inside>[-−+])?{number}{close_inner}{after}{close_outer}"
    return NumberForm(text, (), match, re.compile(pattern, re.ASCII))


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

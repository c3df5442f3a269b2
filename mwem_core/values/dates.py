"""Dates and times: the forms in which a table writes them, and the value set of an attribute that has them.

A form is a day and, after a blank, a T, a comma with a blank, or a colon, a time of day. The day is one of

    YYYY-MM-DD  YYYY/MM/DD  YYYY.MM.DD  YYYYMMDD          the year first, with four digits
    DD.MM.YYYY  DD/MM/YYYY  DD-MM-YYYY  DDMMYYYY          the day first
    MM/DD/YYYY  MM-DD-YYYY                                the month first
    DD-Mon-YYYY  DD Month YYYY  DDMONYYYY  Mon DD, YYYY   with the name of the month; also YYYY-Mon-DD, Ddd, DD Mon YYYY
    DD.MM.YY  MM/DD/YY  YY-MM-DD  DD-Mon-YY               a year of two digits: one of the hundred years from the first
                                                          of the declared dates on
    YYYY-MM  YYYYMM  MM/YYYY  Mon YYYY  Month YYYY        a month alone, without a time; also Mon-YY, YYYY-Mon
    YYYY  YYYY-Www  YYYYDDD                               a year, a week from Monday, the day of a year

D and M are days and months without a leading zero. Month is March and Mon is Mar; MONTH and MON write them in capitals,
month and mon in small letters. Month{de} is März, Month{fr-short.} déc., as `forms/months.txt` lists them, and
Month{fr-short} dec without its point. They are read in any case, short or whole. Ddd and Dddd are names of weekdays.

The time is HH:MM or HH:MM:SS; H is an hour without a leading zero; a part that is always zero is written 00, and a
fraction of zeros may follow. After AM, am, A.M. or a.m. the hours are those of half a day: HH:MM AM, H:MM am, H AM. A
zone may follow, as it stands in the table: Z, UTC, EST, +01:00, +0100 or +01. A form has one zone: a text with another
is the same moment in the form's, so that each row is read by itself; a name takes no other. Comparisons and the
schema's own dates are in the form's zone. What a form does not write is not kept: without a time, a date is a whole
day. A time alone, HH:MM or HH:MM:SS, also with AM, is one of any day; so is HHMM or HMM.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator

from mwem_core.forms import EPOCH, ISO, date_form, has_time, is_clock, is_form, parse_dates
from mwem_core.values.inside import OfCells, drawn_points

SECONDS = {"week": 7 * 86_400, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
SHIFT = {"week": 3 * 86_400}  # 1970 began on a Thursday
TIMES = ("hour", "minute", "second")
PERIODS = ("hour", "day", "week", "month", "year")
NUMPY_UNITS: dict[str, str] = dict(zip(PERIODS, "hDWMY", strict=True))
MONTHS = {"month": 1, "year": 12}
MAX_PERIODS = 1_000_000


@dataclass(frozen=True)
class Dates:
    """Dates or times from the first of `dates` to the last, both included, in periods; or in bins, without `by`.

    `form` is how the table writes them; `dates` are in it or in ISO, and kept in ISO. Weeks start on Monday. The first
    and the last period may be short. Inside a cell, dates follow the density of `values.inside`, at the finest unit
    that the form writes.
    """

    dates: tuple[str, ...]
    by: str | None = None
    form: str = ISO

    def __post_init__(self) -> None:
        if not isinstance(self.form, str) or not is_form(self.form):
            raise ValueError(f"form must be one such as YYYY-MM-DD, DD.MM.YYYY or MM/DD/YYYY HH:MM, got {self.form!r}")
        if self.by is not None and self.by not in PERIODS:
            raise ValueError(f"by must be one of {', '.join(PERIODS)}, got {self.by!r}")
        if self.by and self.unit in PERIODS and PERIODS.index(self.by) < PERIODS.index(self.unit):
            needed = "day" if self.by == "week" else self.by
            raise ValueError(f"by = {self.by!r} needs a form with the {needed}, got {self.form!r}")
        if is_clock(self.form) and self.by not in (None, "hour"):
            raise ValueError(f"times without a date are grouped by hour, or by edges, got by = {self.by!r}")
        for text in self.dates:
            if not isinstance(text, str) or math.isnan(parse_dates([text], self.form)[0]):
                iso = {"year": "YYYY", "month": "YYYY-MM"}.get(self.unit, ISO)
                forms = self.form if is_clock(self.form) else f"{iso} or as {self.form}"
                raise ValueError(f"dates must be written as {forms}, got {text!r}")
        if len(self.dates) < 2 or (self.by and len(self.dates) != 2):
            wanted = "the first and the last date" if self.by else "at least two dates, or by with a first and a last"
            raise ValueError(f"dates must be {wanted}, got {list(self.dates)}")
        seconds = parse_dates(self.dates, self.form).tolist()
        iso = tuple(self._iso(second, has_time(text)) for second, text in zip(seconds, self.dates, strict=True))
        object.__setattr__(self, "dates", iso)
        if self.first_year and int(iso[-1][:4]) > self.first_year + 99:
            years = f"{self.first_year} to {self.first_year + 99}"
            raise ValueError(f"two digits write the years from the first date on, {years}, got {iso[-1]}: declare YYYY")
        for low, high in pairwise(iso):
            if not (low[: len(high)] <= high if self.by else low < high):
                raise ValueError(f"dates must increase, got {low} before {high}")
        if self.by and (seconds[-1] - seconds[0]) / SECONDS.get(self.by, SECONDS["day"]) > MAX_PERIODS:
            raise ValueError(f"there are more than {MAX_PERIODS:,} periods by {self.by}; group by a longer one")
        if (self._last < self._first).any():
            raise ValueError(f"two edges are less than one {self.unit} apart, which is all that {self.form} writes")

    @property
    def unit(self) -> str:
        """The finest unit that the form writes: year, month, week, day, hour, minute or second."""
        return date_form(self.form).unit

    @property
    def first_year(self) -> int:
        """The first of the hundred years that two digits write: that of the first date; 0 for years of four digits."""
        return int(self.dates[0][:4]) if "YY" in self.form and "YYYY" not in self.form else 0

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self._first)

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return f"a date from {self.dates[0]} to {self.dates[-1]}, written as {self.form}"

    @property
    def summary(self) -> str:
        """What a column becomes."""
        if self.by is None:
            return f"{self.size:,} bins of dates, {self.dates[0]} to {self.dates[-1]}"
        noun = "times" if is_clock(self.form) else "dates"
        return f"{noun} by {self.by}, {self.label(0)} to {self.label(self.size - 1)}"

    @property
    def structure(self) -> str:
        """The cells, as error messages describe them."""
        if self.by:
            return f"cells of a {self.by} from {self.dates[0]}"
        shown = self.dates if len(self.dates) <= 8 else (*self.dates[:3], "…", self.dates[-1])
        return f"edges at {', '.join(shown)}"

    @cached_property
    def _first(self) -> np.ndarray:
        """The first unit of each cell since 1970, (size,) int64."""
        firsts = np.floor(self.parse(self.dates)).astype(np.int64)
        if self.by is None:
            return firsts[:-1]
        shift = SHIFT.get(self.by, 0)
        ends = np.array([self._seconds(int(firsts[0])) + shift, self._seconds(self._end) + shift])
        low, high = ends.astype("M8[s]").astype(f"M8[{NUMPY_UNITS[self.by]}]")
        starts = np.arange(low, high + 1).astype("M8[s]").astype(np.int64) - shift
        whole = np.ceil if self.unit == "week" else np.floor  # a week is in the period of its Monday
        units = whole(self._in_units(starts)).astype(np.int64)
        units[0] = firsts[0]
        return units

    @cached_property
    def _end(self) -> int:
        """The last unit of all: of the last day, or the last time."""
        return math.floor(self.parse(self.dates[-1:], end=True)[0])

    @cached_property
    def _last(self) -> np.ndarray:
        """The last unit of each cell since 1970, (size,) int64."""
        return np.append(self._first[1:] - 1, self._end)

    def parse(self, texts: Sequence[str], *, end: bool = False) -> np.ndarray:
        """Texts as numbers that compare with `cells`, (k,) -> (k,); NaN for a text that is no date.

        They are units of the form since 1970. At the `end`, a text without a time is the last unit of its day.
        """
        seconds = parse_dates(texts, self.form, self.first_year)
        if end and self.unit in ("day", *TIMES) and not is_clock(self.form):
            seconds += [0 if has_time(text) else SECONDS["day"] - SECONDS[self.unit] for text in texts]
        return self._in_units(seconds)

    def _in_units(self, seconds: np.ndarray) -> np.ndarray:
        """Seconds since 1970 in units of the form, (k,) -> (k,) float64: whole at the start of a unit; NaN stays.

        The part of a month is a share of 31 days.
        """
        if self.unit not in MONTHS:
            return (seconds + SHIFT.get(self.unit, 0)) / SECONDS[self.unit]
        known = np.isfinite(seconds)
        moments = np.where(known, seconds, 0).astype(np.int64).astype("M8[s]")
        months = moments.astype("M8[M]")
        share = (moments - months.astype("M8[s]")).astype(np.int64) / (31 * SECONDS["day"])
        return np.where(known, months.astype(np.int64) + share, np.nan) / MONTHS[self.unit]

    def _seconds(self, unit: int) -> int:
        """The start of a unit, in seconds since 1970."""
        if self.unit in MONTHS:
            return int(np.datetime64(unit * MONTHS[self.unit], "M").astype("M8[s]").astype(np.int64))
        return unit * SECONDS[self.unit] - SHIFT.get(self.unit, 0)

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First unit of each cell, its last, and that the cell includes it: three arrays (size,)."""
        return self._first, self._last, np.ones(self.size, dtype=bool)

    def written(self, number: float) -> str:
        """A number of `cells` as a text that predicates and ranges take."""
        whole = self.unit in MONTHS or self.unit == "week"
        seconds = self._seconds(math.floor(number)) if whole else number * SECONDS[self.unit]
        return self._iso(seconds, not whole and self.unit != "day")

    def _iso(self, seconds: float, with_time: bool) -> str:
        text = _moment(int(seconds)).isoformat()
        if is_clock(self.form):
            return text[11:]
        return text if with_time else text[: {"year": 4, "month": 7}.get(self.unit, 10)]

    def label(self, code: int) -> str:
        """The period, "2024-03", "2024-W10" or "08:00"; or the bin, "[2020-01-01, 2024-01-01)"."""
        if self.by is None:
            close = "]" if code == self.size - 1 else ")"
            return f"[{self.dates[code]}, {self.dates[code + 1]}{close}"
        start = _moment(self._seconds(int(self._first[code])))
        if is_clock(self.form):
            return f"{start.hour:02}:00"
        if self.by == "week":
            year, week, _ = start.isocalendar()
            return f"{year:04}-W{week:02}"
        return start.isoformat()[: {"hour": 13, "day": 10, "month": 7, "year": 4}[self.by]]

    def single(self, code: int) -> bool:
        """Whether a cell holds a single date."""
        return bool(self._first[code] == self._last[code])

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is no date or lies outside the dates."""
        units = np.floor(self.parse(texts))
        inside = (units >= self._first[0]) & (units <= self._last[-1])
        return np.where(inside, np.searchsorted(self._first, np.where(inside, units, 0), side="right") - 1, -1)

    def decode(self, codes: np.ndarray, rng: Generator, rows: OfCells = None, means: OfCells = None) -> np.ndarray:
        """Draw a date from each code's cell and write it in the form, (m,) -> (m,) texts.

        `rows` is the number of rows of each cell, (size,); by default that of the codes. With the `means` of all cells,
        (size,), dates have the tilted law.
        """
        points = drawn_points(self._first, self._last, codes, rng, rows, means)
        units, at = np.unique(points, return_inverse=True)
        write = date_form(self.form).write
        return np.array([write(_moment(self._seconds(unit))) for unit in units.tolist()], dtype=object)[at]

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        by = {} if self.by is None else {"by": self.by}
        return {"dates": list(self.dates), **by, **({} if self.form == ISO else {"form": self.form})}


def _moment(seconds: int) -> datetime:
    return EPOCH + timedelta(seconds=seconds)

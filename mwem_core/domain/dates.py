"""Dates and times: the forms in which a table writes them, and the value set of an attribute that has them.

A form is a day and, after a blank or a T, a time of day. The day is YYYY-MM-DD, YYYY/MM/DD, YYYYMMDD, DD.MM.YYYY,
DD/MM/YYYY, DD-MM-YYYY, MM/DD/YYYY or MM-DD-YYYY; D and M are days and months without a leading zero. The time is HH:MM
or HH:MM:SS; a part that is always zero is written 00, and a fraction of zeros and a Z may follow. What a form does not
write is not kept: without a time, a date is a whole day. A time alone, HH:MM or HH:MM:SS, is one of any day.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from mwem_core.domain.inside import drawn_points

ISO = "YYYY-MM-DD"
FORM = re.compile(
    r"(?P<day>YYYY-MM-DD|YYYY/MM/DD|YYYYMMDD|(?P<d>DD?)(?P<s>[./-])MM?(?P=s)YYYY|MM?(?P<s2>[/-])DD?(?P=s2)YYYY)"
    r"(?P<time>[ T](?:HH?:MM|HH?:00|00:00|(?:HH?:MM:SS|HH?:MM:00|HH?:00:00|00:00:00)(?:\.0{1,9})?)Z?)?"
)
CLOCK_FORM = re.compile("HH?:MM(?::SS|:00)?")
TOKEN = re.compile("YYYY|MM?|DD?|HH?|SS")
DAY_PARTS = {"YYYY": "{0.year:04}", "MM": "{0.month:02}", "M": "{0.month}", "DD": "{0.day:02}", "D": "{0.day}"}
TIME_PARTS = {"HH": "{0.hour:02}", "H": "{0.hour}", "MM": "{0.minute:02}", "SS": "{0.second:02}"}
CLOCK = r"(?:[ T](\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?Z?)?"
TIME_OF_DAY = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?", re.ASCII)
YEAR_FIRST = re.compile(rf"(\d{{4}})([-/])(\d{{1,2}})\2(\d{{1,2}}){CLOCK}", re.ASCII)
EIGHT_DIGITS = re.compile(rf"(\d{{4}})()(\d\d)(\d\d){CLOCK}", re.ASCII)
YEAR_LAST = re.compile(rf"(\d{{1,2}})([./-])(\d{{1,2}})\2(\d{{4}}){CLOCK}", re.ASCII)
SECONDS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
PERIODS = ("hour", "day", "week", "month", "year")
NUMPY_UNIT = {"hour": "h", "day": "D", "month": "M", "year": "Y"}
MAX_PERIODS = 1_000_000
EPOCH = datetime(1970, 1, 1)


def parse_dates(texts: Sequence[str], form: str) -> np.ndarray:
    """Seconds since 1970 of texts in a form or in ISO, (k,) -> (k,) float64; NaN for any other text.

    A text may have a time where the form has none, or none where the form has one: that is midnight. Times without a
    date are seconds since midnight.
    """
    if is_clock(form):
        return np.array([_seconds_of_day(text) for text in texts], dtype=float)
    day_first = form.startswith("D")
    return np.array([_seconds(text, day_first=day_first) for text in texts], dtype=float)


def is_clock(form: str) -> bool:
    """Whether a form is that of a time without a date."""
    return form.startswith("H")


def _seconds_of_day(text: str) -> float:
    match = TIME_OF_DAY.fullmatch(text)
    hour, minute, second = (int(part or 0) for part in match.groups()) if match else (24, 0, 0)
    return 3600 * hour + 60 * minute + second if max(hour - 23, minute - 59, second - 59) <= 0 else math.nan


def _seconds(text: str, *, day_first: bool) -> float:
    match = YEAR_FIRST.fullmatch(text) or EIGHT_DIGITS.fullmatch(text)
    if match:
        year, _, month, day, *clock = match.groups()
    else:
        match = YEAR_LAST.fullmatch(text)
        if not match:
            return math.nan
        day, separator, month, year, *clock = match.groups()
        if not (day_first or separator == "."):
            day, month = month, day
    try:
        hour, minute, second = (int(part or 0) for part in clock)
        moment = datetime(int(year), int(month), int(day), hour, minute, second)
    except ValueError:  # no such day or time
        return math.nan
    return (moment - EPOCH).total_seconds()


def has_time(text: str) -> bool:
    """Whether a text that is a date has a time of day too."""
    return ":" in text


@dataclass(frozen=True)
class Dates:
    """Dates or times from the first of `dates` to the last, both included, in periods; or in bins, without `by`.

    `form` is how the table writes them; `dates` are in it or in ISO, and kept in ISO. Weeks start on Monday. The first
    and the last period may be short. Inside a cell, dates follow the density of `domain.inside`, at the finest unit
    that the form writes.
    """

    dates: tuple[str, ...]
    by: str | None = None
    form: str = ISO

    def __post_init__(self) -> None:
        if not isinstance(self.form, str) or not (FORM.fullmatch(self.form) or CLOCK_FORM.fullmatch(self.form)):
            raise ValueError(f"form must be one such as YYYY-MM-DD, DD.MM.YYYY or MM/DD/YYYY HH:MM, got {self.form!r}")
        if self.by is not None and self.by not in PERIODS:
            raise ValueError(f"by must be one of {', '.join(PERIODS)}, got {self.by!r}")
        if self.by == "hour" and self.unit == "day":
            raise ValueError(f"by = 'hour' needs a form with the hour, got {self.form!r}")
        if is_clock(self.form) and self.by not in (None, "hour"):
            raise ValueError(f"times without a date are grouped by hour, or by edges, got by = {self.by!r}")
        for text in self.dates:
            if not isinstance(text, str) or math.isnan(parse_dates([text], self.form)[0]):
                forms = self.form if is_clock(self.form) else f"YYYY-MM-DD or as {self.form}"
                raise ValueError(f"dates must be written as {forms}, got {text!r}")
        if len(self.dates) < 2 or (self.by and len(self.dates) != 2):
            wanted = "the first and the last date" if self.by else "at least two dates, or by with a first and a last"
            raise ValueError(f"dates must be {wanted}, got {list(self.dates)}")
        seconds = parse_dates(self.dates, self.form).tolist()
        iso = tuple(self._iso(second, has_time(text)) for second, text in zip(seconds, self.dates, strict=True))
        object.__setattr__(self, "dates", iso)
        for low, high in pairwise(iso):
            if not (low[: len(high)] <= high if self.by else low < high):
                raise ValueError(f"dates must increase, got {low} before {high}")
        if self.by and (seconds[-1] - seconds[0]) / SECONDS.get(self.by, SECONDS["day"]) > MAX_PERIODS:
            raise ValueError(f"there are more than {MAX_PERIODS:,} periods by {self.by}; group by a longer one")
        if (self._last < self._first).any():
            raise ValueError(f"two edges are less than one {self.unit} apart, which is all that {self.form} writes")

    @property
    def unit(self) -> str:
        """The finest unit that the form writes: day, hour, minute or second."""
        form = self.form
        return "second" if "SS" in form else "minute" if "H:MM" in form else "hour" if "H" in form else "day"

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self._first)

    @property
    def ordered(self) -> bool:
        """Dates have an order."""
        return True

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return f"a date from {self.dates[0]} to {self.dates[-1]}, written as {self.form}"

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
        firsts = np.floor(self._units(self.dates)).astype(np.int64)
        if self.by is None:
            return firsts[:-1]
        low, high = (np.datetime64(int(unit) * SECONDS[self.unit], "s") for unit in (firsts[0], self._end))
        if self.by == "week":
            first, last = (moment.astype("datetime64[D]").astype(np.int64) for moment in (low, high))
            starts = np.arange(first - (first + 3) % 7, last + 1, 7).astype("datetime64[D]")
        else:
            unit = f"datetime64[{NUMPY_UNIT[self.by]}]"
            first, last = (moment.astype(unit).astype(np.int64) for moment in (low, high))
            starts = np.arange(first, last + 1).astype(unit)
        units = starts.astype("datetime64[s]").astype(np.int64) // SECONDS[self.unit]
        units[0] = firsts[0]
        return units

    @cached_property
    def _end(self) -> int:
        """The last unit of all: of the last day, or the last time."""
        return math.floor(self._units(self.dates[-1:], end=True)[0])

    @cached_property
    def _last(self) -> np.ndarray:
        """The last unit of each cell since 1970, (size,) int64."""
        return np.append(self._first[1:] - 1, self._end)

    def _units(self, texts: Sequence[str], *, end: bool = False) -> np.ndarray:
        """Texts in units of the form since 1970, (k,) -> (k,); at `end`, a text without a time is its day's last."""
        seconds = parse_dates(texts, self.form)
        if end:
            seconds += [0 if has_time(text) else SECONDS["day"] - SECONDS[self.unit] for text in texts]
        return seconds / SECONDS[self.unit]

    def parse(self, texts: Sequence[str], *, end: bool = False) -> np.ndarray:
        """Texts as numbers that compare with `cells`, (k,) -> (k,); NaN for a text that is no date."""
        return self._units(texts, end=end)

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First unit of each cell, its last, and that the cell includes it: three arrays (size,)."""
        return self._first, self._last, np.ones(self.size, dtype=bool)

    def written(self, number: float) -> str:
        """A number of `cells` as a text that predicates and ranges take."""
        return self._iso(float(number) * SECONDS[self.unit], self.unit != "day")

    def _iso(self, seconds: float, with_time: bool) -> str:
        moment = _moment(int(seconds))
        if is_clock(self.form):
            return moment.time().isoformat()
        return moment.isoformat() if with_time else moment.date().isoformat()

    def label(self, code: int) -> str:
        """The period, "2024-03", "2024-W10" or "08:00"; or the bin, "[2020-01-01, 2024-01-01)"."""
        if self.by is None:
            close = "]" if code == self.size - 1 else ")"
            return f"[{self.dates[code]}, {self.dates[code + 1]}{close}"
        start = _moment(int(self._first[code]) * SECONDS[self.unit])
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
        units = np.floor(self._units(texts))
        inside = (units >= self._first[0]) & (units <= self._last[-1])
        return np.where(inside, np.searchsorted(self._first, np.where(inside, units, 0), side="right") - 1, -1)

    def decode(self, codes: np.ndarray, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:
        """Draw a date from each code's cell and write it in the form, (m,) -> (m,) texts.

        `rows` is the number of rows of each cell, (size,); by default that of the codes.
        """
        rows = np.bincount(codes, minlength=self.size) if rows is None else rows
        units, at = np.unique(drawn_points(self._first, self._last, codes, rows, rng), return_inverse=True)
        return np.array(
            [self._template.format(_moment(second)) for second in (units * SECONDS[self.unit]).tolist()], dtype=object
        )[at]

    @cached_property
    def _template(self) -> str:
        """The form as a format of a datetime."""
        match = FORM.fullmatch(self.form)
        if match is None:
            return TOKEN.sub(lambda t: TIME_PARTS[t[0]], self.form)
        day, time = TOKEN.sub(lambda t: DAY_PARTS[t[0]], match["day"]), match["time"] or ""
        return day + TOKEN.sub(lambda t: TIME_PARTS[t[0]], time)

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        by = {} if self.by is None else {"by": self.by}
        return {"dates": list(self.dates), **by, **({} if self.form == ISO else {"form": self.form})}


def _moment(seconds: int) -> datetime:
    return EPOCH + timedelta(seconds=seconds)

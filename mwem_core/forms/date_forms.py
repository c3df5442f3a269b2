"""The forms of dates that `values.dates` lists: how texts in a form are read, and how a moment is written in it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, cached_property
from pathlib import Path

import numpy as np

ISO = "YYYY-MM-DD"
EPOCH = datetime(1970, 1, 1)
FIRST_YEAR = 1969  # that two digits write, unless a first date is declared: the others are the 99 years after it
UTC = ("Z", "UTC", "GMT")
BUDDHIST, THAI_YEARS = 543, 2400  # years that the calendar of Thailand is ahead, and from which a year is one of its

HALF = r"(?P<half> ?(?:AM|am|A\.M\.|a\.m\.))?"
OFFSET = r"[+-]\d\d(?::?[0-5]\d)?"
ZONE = rf"(?P<zone> ?(?:[A-Z]{{3,4}}|Z|{OFFSET}(?:/{OFFSET})?))?"
CLOCK = (
    r"(?P<clock>HH?(?= ?[Aa])|HH?(?P<colon>:?)(?:MM|00)(?:(?P=colon)(?:SS|00)(?:\.0{1,9})?)?"
    r"|(?!00.*[Aa])00:00(?::00(?:\.0{1,9})?)?)"
)
FORM = re.compile(rf"(?P<day>[YBMDm].*?)(?:(?P<gap>[ T:]|, |(?=HH))(?P<time>{CLOCK}{HALF}){ZONE})?")
CLOCK_FORM = re.compile(rf"(?P<time>{CLOCK}{HALF})")
PART = re.compile(
    r"YYYY|YY|BBBB|(?:Month|MONTH|month)(?:\{[a-z-]+\.?\})?|Mon|MON|mon|Dddd|Ddd|DDD|DD?|MM?|HH?|SS|ww| de |[^A-Za-z]|."
)
KINDS = {"YYYY": "y", "YY": "y", "BBBB": "y", "MM": "m", "M": "m", "DD": "d", "D": "d", "DDD": "j", "ww": "w"}
ORDERS = {"dmy", "mdy", "ymd", "dny", "ndy", "ynd", "ym", "my", "ny", "yn", "yj", "yw", "y"}
SEPARATORS = {*"-/. ,'W年月日", " de "}
WIDTHS = {"YYYY": "4", "BBBB": "4", "YY": "2", "DDD": "3", "ww": "2"}
WRITERS: dict[str, Callable[[datetime], str]] = {
    **{"YYYY": lambda t: f"{t.year:04}", "week year": lambda t: f"{t.isocalendar()[0]:04}"},
    "BBBB": lambda t: f"{t.year + BUDDHIST:04}",
    **{"YY": lambda t: f"{t.year % 100:02}", "MM": lambda t: f"{t.month:02}", "M": lambda t: str(t.month)},
    **{"DD": lambda t: f"{t.day:02}", "D": lambda t: str(t.day), "DDD": lambda t: f"{t.timetuple().tm_yday:03}"},
    **{"ww": lambda t: f"{t.isocalendar()[1]:02}", "Dddd": lambda t: f"{t:%A}", "Ddd": lambda t: f"{t:%a}"},
    **{"HH": lambda t: f"{t.hour:02}", "H": lambda t: str(t.hour), "minute": lambda t: f"{t.minute:02}"},
    **{"half HH": lambda t: f"{t.hour % 12 or 12:02}", "half H": lambda t: str(t.hour % 12 or 12)},
    "SS": lambda t: f"{t.second:02}",
}

TIME_TEXT = (
    r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?P<fraction>\.[0-9]{1,9})?)?|(?= ?[AaPp]))"
    r"(?P<half> ?[AaPp]\.?[Mm]\.?)?"
)
CLOCK_TEXT = re.compile(TIME_TEXT)
MOMENT_TEXT = rf"(?:(?P<gap>[ T:]|, ?)(?P<time>{TIME_TEXT}){ZONE})?"
BARE_CLOCK = re.compile(r"(?P<hour>[0-9]{1,2}?)(?P<minute>[0-9]{2})(?P<second>[0-9]{2})?(?P<half>)")
ISO_DAY = re.compile(r"(?P<y>[0-9]{4})(?:-(?P<m>[0-9]{1,2})(?:-(?P<d>[0-9]{1,2}))?)?")
ISO_TEXT = {  # by how much of a day it must have
    "year": re.compile(rf"(?P<day>{re.sub('[?]P<.>', '', ISO_DAY.pattern)}){MOMENT_TEXT}"),
    "month": re.compile(rf"(?P<day>[0-9]{{4}}-[0-9]{{1,2}}(?:-[0-9]{{1,2}})?){MOMENT_TEXT}"),
    "day": re.compile(rf"(?P<day>[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}){MOMENT_TEXT}"),
}
HAS_TIME = re.compile(r":|\d ?[AaPp]\.?[Mm]\b|^\d{10,}$")


@cache
def _month_names() -> dict[str, list[str]]:
    """The names of the twelve months, by the language and the kind of names."""
    lines = Path(__file__).with_name("months.txt").read_text(encoding="utf-8").splitlines()
    return {key: names for key, *names in map(str.split, lines)}


@cache
def _month_numbers(language: str = "") -> dict[str, int]:
    """The number of a month by each of its names in a language, or in any: in small letters and without a point."""
    named = [names for key, names in _month_names().items() if language in ("", key.partition("-")[0])]
    return {_bare(name): month for names in named for month, name in enumerate(names, 1)}


def _bare(name: str) -> str:
    """The name of a month as names are compared: in small letters, without a point."""
    return name.lower().replace("i̇", "i").rstrip(".")


def is_month(word: str) -> bool:
    """Whether a word is the name of a month in a language that is known."""
    return len(word) > 2 and _bare(word) in _month_numbers()


def month_part(words: Sequence[str], *, point: bool) -> str:
    """How a form writes these names of months, with their points or not; empty if no language has them all.

    >>> month_part(["MAR", "MAY"], point=False), month_part(["déc", "août"], point=True)
    ('MON', 'month{fr-short.}')
    """
    names = {_bare(word) for word in words}
    held = {key: len(names & {*map(_bare, of_key)}) for key, of_key in _month_names().items()}
    key = max(held, key=lambda key: (held[key], key == "en-short", key == "en"))
    if not names <= _month_numbers(key.partition("-")[0]).keys():
        return ""
    head, tail = {"en": ("Month", ""), "en-short": ("Mon", "")}.get(key, ("Month", f"{{{key}{'.' * point}}}"))
    return (head.upper() if words[0].isupper() else head.lower() if words[0].islower() else head) + tail


@dataclass(frozen=True)
class DateForm:
    """A form of dates, of months or of times without a date."""

    text: str
    match: re.Match[str]
    parts: tuple[str, ...]  # of the day; empty for a time without a date

    @property
    def kinds(self) -> str:
        """Which parts a day has, in their order: y, m, n for the name of a month, d, j for the day of a year, w."""
        return "".join(_kind(part) for part in self.parts).strip("a")

    @property
    def unit(self) -> str:
        """The finest unit that the form writes: year, month, week, day, hour, minute or second."""
        if self.match["clock"]:
            clock = self.match["clock"]
            unit = "second" if "SS" in clock else "minute" if "MM" in clock else "hour" if "H" in clock else ""
            if unit:
                return unit
        kinds = self.kinds
        return "day" if {*kinds} & {"d", "j"} else "week" if "w" in kinds else "month" if len(kinds) > 1 else "year"

    @cached_property
    def language(self) -> str:
        """The language of the names of months; English without any."""
        key = next((part for part in self.parts if "{" in part), "{en}")
        return re.findall(r"\{([a-z]+)", key)[0]

    @cached_property
    def _day(self) -> re.Pattern[str]:
        """What matches days in the form; also names of months in other words of the language."""
        pattern, digits = "", [_kind(part) in ("y", "m", "d", "j", "w") for part in (*self.parts, "-")]
        for i, part in enumerate(self.parts):
            kind = _kind(part)
            joined = digits[i + 1] or (i > 0 and digits[i - 1])
            width = WIDTHS.get(part, "2" if joined and len(part) > 1 else "1,2")
            if kind == "a":
                pattern += r"[A-Za-z]+"
            else:
                digit = f"[0-9]{{{width}}}" if digits[i] else r"[^\W\d_]+\.?" if kind == "n" else ""
                pattern += f"(?P<{kind}>{digit})" if kind else re.escape(part)
        return re.compile(pattern)

    @cached_property
    def _texts(self) -> re.Pattern[str]:
        """What matches texts in the form: a day, which may have a time, or a time alone."""
        time = (
            BARE_CLOCK.pattern if self.match["clock"] and not self.match["colon"] and "M" in self.match["clock"] else ""
        )
        time = rf"(?P<time>{re.sub('[?]P<.*?>', '', time or TIME_TEXT)})"
        if not self.parts:
            return re.compile(f"(?P<day>)(?P<zone>){time}")
        gap = "" if self.match["gap"] == "" else "(?:[ T:]|, ?)"
        return re.compile(rf"(?P<day>{re.sub('[?]P<.>', '', self._day.pattern)})(?:{gap}{time}{ZONE})?")

    def seconds(self, texts: Sequence[str], first_year: int) -> np.ndarray:
        """See `parse_dates`."""
        days: dict[str, float] = {"": 0.0}
        clocks: dict[str | None, float] = {None: 0.0}
        own, zone, found = self._texts.fullmatch, (self.match.groupdict().get("zone") or "").strip(), list[float]()
        iso = ISO_TEXT.get(self.unit, ISO_TEXT["day"]).fullmatch if self.parts else CLOCK_TEXT.fullmatch
        for text in texts:
            match = own(text) or iso(text)
            if match is None:
                found.append(math.nan)
                continue
            day, time, of_text = match.group("day", "time", "zone") if "day" in match.re.groupindex else ("", text, "")
            if day not in days:
                days[day] = self._seconds_of_day(day, first_year)
            if time not in clocks:
                clocks[time] = _seconds_of_clock(time or "")
            found.append(days[day] + clocks[time] + (_shift(zone, of_text.strip()) if of_text else 0))
        return np.array(found, float)

    def _seconds_of_day(self, text: str, first_year: int) -> float:
        """The start of a day, of a month, a week or a year, in seconds since 1970; NaN for none."""
        part = (self._day.fullmatch(text) or ISO_DAY.fullmatch(text) or {}).groupdict()  # type: ignore[union-attr]
        year = int(part["y"]) if len(part["y"]) > 2 else first_year + (int(part["y"]) - first_year) % 100
        year -= BUDDHIST if "BBBB" in self.parts and year > THAI_YEARS else 0
        name = part.get("n")
        month = _month_numbers(self.language).get(_bare(name), 0) if name else int(part.get("m") or 1)
        try:
            if week := part.get("w"):
                day = date.fromisocalendar(year, int(week), 1)
            else:
                day = date(year, month, int(part.get("d") or 1))
        except ValueError:  # no such day
            return math.nan
        of_year = int(part.get("j") or 1)
        if not 1 <= of_year <= 365 + (date(year, 12, 31).timetuple().tm_yday == 366):
            return math.nan
        return 86_400.0 * (day.toordinal() - EPOCH.toordinal() + of_year - 1)

    @cached_property
    def write(self) -> Callable[[datetime], str]:
        """What writes a moment in the form."""
        groups = self.match.groupdict()
        half, clock = groups["half"] or "", PART.findall(groups["clock"] or "")
        parts = ["week year" if part == "YYYY" and "w" in self.kinds else part for part in self.parts]
        parts += [
            groups.get("gap") or "",
            *("minute" if part == "MM" else f"half {part}" if half and part[0] == "H" else part for part in clock),
        ]
        pieces = [_writer(part) for part in parts]
        halves = half, half.replace("A", "P").replace("a", "p")
        zones = (groups.get("zone") or "").split("/")
        return lambda t: (
            "".join([piece(t) for piece in pieces])
            + halves[t.hour >= 12]
            + zones[len(zones) > 1 and is_summer(t, zones[0])]
        )


def _kind(part: str) -> str:
    """What a part of a form stands for; empty for a separator."""
    return KINDS.get(part, "a" if part in ("Ddd", "Dddd") else "n" if part.lower()[:3] == "mon" else "")


def _writer(part: str) -> Callable[[datetime], str]:
    """What writes a part of a form."""
    if _kind(part) != "n":
        return WRITERS.get(part, lambda _: part)
    key = re.sub(r"^\w+\{?|\.?\}", "", part) or ("en" if len(part) > 3 else "en-short")
    cased = str.upper if part.startswith("MON") else str.lower if part.startswith("mon") else _capital
    names = [cased(name if part.endswith(".}") else name.rstrip(".")) for name in _month_names()[key]]
    return lambda t: names[t.month - 1]


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


@cache
def _read_form(text: str) -> DateForm | None:
    """The form that a text describes; None for a text that is none."""
    if match := CLOCK_FORM.fullmatch(text):
        return DateForm(text, match, ())
    match = FORM.fullmatch(text)
    if match is None:
        return None
    parts = tuple(PART.findall(match["day"]))
    form = DateForm(text, match, parts)
    kinds, between = form.kinds, {part for part in parts if not _kind(part)}
    whole = text == "YYMM" or {"YYYY", "BBBB"} & {*parts} or kinds not in ("y", "ym", "my", "yw", "yj")
    sure = whole and not ("." in between and kinds == "mdy")
    named = re.findall(r"\{([a-z-]+)", text)
    dated = not match["clock"] or (form.kinds not in ("y", "ym", "my", "ny", "yn", "yw"))
    known = all(key in _month_names() for key in named)
    return form if kinds in ORDERS and between <= SEPARATORS and sure and dated and known else None


def is_form(form: str) -> bool:
    """Whether a text is the form of dates, of months or of times without a date."""
    return _read_form(form) is not None


def is_clock(form: str) -> bool:
    """Whether a form is that of a time without a date."""
    return form.startswith("H")


def date_form(text: str) -> DateForm:
    """The form that a text describes, which must be one."""
    form = _read_form(text)
    assert form is not None
    return form


def has_time(text: str) -> bool:
    """Whether a text that is a date has a time of day too."""
    return HAS_TIME.search(text) is not None


def parse_dates(texts: Sequence[str], form: str, first_year: int = 0) -> np.ndarray:
    """Seconds since 1970 of texts in a form or in ISO, (k,) -> (k,) float64; NaN for any other text.

    A text may have a time where the form has none, or none where the form has one: that is midnight. A month, a week
    and a year are their first day. Times without a date are seconds since midnight. Where the form has a zone, a text
    in another one is the same moment in the form's; one without a zone is in the form's. Years of two digits lie in
    the hundred years from `first_year` on, by default 1969.
    """
    return date_form(form).seconds(texts, first_year or FIRST_YEAR)


def is_summer(moment: datetime, zone: str) -> bool:
    """Whether clocks show summer time: by the rule of Europe, or west of Greenwich by that of North America."""

    def sunday(month: int, first: int) -> datetime:
        """The first Sunday from a day of a month on."""
        day = datetime(moment.year, month, first)
        return day.replace(day=first + 6 - day.weekday())

    starts, ends = (sunday(3, 8), sunday(11, 1)) if "-" in zone else (sunday(3, 25), sunday(10, 25))
    return starts.replace(hour=2) <= moment < ends.replace(hour=2 if "-" in zone else 3)


@cache
def _shift(zone: str, of_text: str) -> float:
    """The seconds that a time in the zone of a text lacks to that of the form; NaN where this is not known."""
    if "/" in zone and of_text in zone.split("/"):
        return 0  # on the clocks of its own season
    if not zone or zone.isalpha() or "/" in zone:
        return 0 if zone == of_text or (zone in UTC and of_text in UTC) else math.nan
    return zone_seconds(zone) - zone_seconds(of_text)


def zone_seconds(zone: str) -> float:
    """The seconds by which a zone is ahead of UTC; NaN for a name that does not say it.

    >>> zone_seconds("+01:00"), zone_seconds("-0330"), zone_seconds("Z")
    (3600, -12600, 0)
    """
    if zone.isalpha():
        return 0 if zone in UTC else math.nan
    digits = re.sub(r"\D", "", zone)
    seconds = 3600 * int(digits[:2]) + 60 * int(digits[2:] or 0)
    return -seconds if "-" in zone else seconds


def _seconds_of_clock(text: str) -> float:
    """The seconds since midnight that a text says; NaN for what no clock shows."""
    match = CLOCK_TEXT.fullmatch(text) or BARE_CLOCK.fullmatch(text)
    if match is None:
        return math.nan
    hour, minute, second = (int(part or 0) for part in match.group("hour", "minute", "second"))
    if half := match["half"]:
        hour = hour % 12 + 12 * (half.strip()[0] in "Pp") if 1 <= hour <= 12 else 24
    return 3600 * hour + 60 * minute + second if max(hour - 23, minute - 59, second - 59) <= 0 else math.nan

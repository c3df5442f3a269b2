"""The forms of dates that `values.dates` lists: how texts in a form are read, and how a moment is written in it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache

import numpy as np

ISO = "YYYY-MM-DD"
EPOCH = datetime(1970, 1, 1)
SHORT_YEARS = range(1969, 2069)  # that two digits write
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
MONTH_NUMBERS = {text: i for i, month in enumerate(map(str.lower, MONTHS), 1) for text in (month, month[:3])}
MONTH_NUMBERS |= {"sept": 9}

NAME = "(?:Month|MONTH|month|Mon|MON|mon)"
DAYS = (
    "YYYYMMDD",
    "YYYY(?P<s1>[-/.])MM?(?P=s1)DD?",
    "YY(?P<s2>[-/.])MM(?P=s2)DD",
    "DD?(?P<s3>[-/.])MM?(?P=s3)(?:YY){1,2}",
    "MM?(?P<s4>[-/])DD?(?P=s4)(?:YY){1,2}",
    f"DD?(?P<s5>[-/. ]?){NAME}(?P=s5)(?:YY){{1,2}}",
    f"DD? {NAME}, YYYY",
    f"{NAME}(?P<s6>[-/ ])DD?(?:(?P=s6)|, ?)YYYY",
    f"YYYY(?P<s7>[-/. ]?){NAME}(?P=s7)DD?",
)
MONTHS_ALONE = ("YYYY[-/]MM?", "MM?[-/]YYYY", f"{NAME}(?:[-/ ]?|, )YYYY", f"{NAME}(?:-| ')YY", f"YYYY[-/ ]?{NAME}")
HALF = r"(?P<half> ?(?:AM|am|A\.M\.|a\.m\.))?"
CLOCK = (
    r"(?P<clock>HH?(?= ?[Aa])|(?!00:.*[Aa])(?:HH?:MM|HH?:00|00:00"
    r"|(?:HH?:MM:SS|HH?:MM:00|HH?:00:00|00:00:00)(?:\.0{1,9})?))"
)
ZONE = r"(?P<zone> ?(?:Z|UTC|GMT|[+-]\d\d(?::?[0-5]\d)?))?"
FORM = re.compile(
    rf"(?P<month>{'|'.join(MONTHS_ALONE)})|(?P<day>{'|'.join(DAYS)})(?P<time>(?P<gap>[ T:]|, ){CLOCK}{HALF}{ZONE})?"
)
CLOCK_FORM = re.compile(rf"(?P<clock>HH?(?= ?[Aa])|HH?:MM(?::SS|:00)?){HALF}")
# The days and times of forms that are read with any separator: their texts may also have, or lack, a time and a Z.
LOOSE_DAY = re.compile("YYYY-MM-DD|YYYY/MM/DD|YYYYMMDD|DD?[-/.]MM?[-/.]YYYY|MM?[-/]DD?[-/]YYYY")
LOOSE_TIME = re.compile("[ T][HMS0:.]+Z?")

TIME_OF_DAY = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?", re.ASCII)
LOOSE_CLOCK = rf"(?:[ T]{TIME_OF_DAY.pattern}Z?)?"
YEAR_FIRST = re.compile(rf"(\d{{4}})([-/])(\d{{1,2}})\2(\d{{1,2}}){LOOSE_CLOCK}", re.ASCII)
EIGHT_DIGITS = re.compile(rf"(\d{{4}})()(\d\d)(\d\d){LOOSE_CLOCK}", re.ASCII)
YEAR_LAST = re.compile(rf"(\d{{1,2}})([./-])(\d{{1,2}})\2(\d{{4}}){LOOSE_CLOCK}", re.ASCII)
TIME_TEXT = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?P<fraction>\.\d{1,9})?)?|(?= ?[AaPp]))"
    r"(?P<half> ?[AaPp]\.?[Mm]\.?)?"
)
CLOCK_TEXT = re.compile(TIME_TEXT, re.ASCII)
MOMENT_TEXT = rf"(?:(?P<gap>[ T:]|, ){TIME_TEXT}{ZONE})?"
HALF_TEXT = re.compile(r"\d ?[AaPp]\.?[Mm]\b")
PARTS = re.compile("YYYY|YY|Month|MONTH|month|Mon|MON|mon|MM?|DD?|HH?|SS|[^A-Za-z]+|.")
PATTERNS = {
    **{"YYYY": r"(?P<year>\d{4})", "YY": r"(?P<year>\d\d)", "MM": r"(?P<month>\d{1,2})", "DD": r"(?P<day>\d{1,2})"},
    **dict.fromkeys(("Month", "MONTH", "month", "Mon", "MON", "mon"), "(?P<month>[A-Za-z]{3,9})"),
}
ISO_TEXT = re.compile(rf"(?P<year>\d{{4}})-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}}){MOMENT_TEXT}", re.ASCII)
ISO_MONTH = re.compile(rf"(?P<year>\d{{4}})-(?P<month>\d{{1,2}})(?:-(?P<day>\d{{1,2}}))?{MOMENT_TEXT}", re.ASCII)

DAY_PARTS = {
    **{
        "YYYY": "{0.year:04}",
        "YY": "{3:02}",
        "MM": "{0.month:02}",
        "M": "{0.month}",
        "DD": "{0.day:02}",
        "D": "{0.day}",
    },
    **{"Month": "{1}", "MONTH": "{1}", "month": "{1}", "Mon": "{1}", "MON": "{1}", "mon": "{1}"},
}
TIME_PARTS = {"HH": "{0.hour:02}", "H": "{0.hour}", "MM": "{0.minute:02}", "SS": "{0.second:02}"}
HALF_DAY_PARTS = TIME_PARTS | {"HH": "{2:02}", "H": "{2}"}


def is_form(form: str) -> bool:
    """Whether a text is the form of dates, of months or of times without a date."""
    return bool(FORM.fullmatch(form) or CLOCK_FORM.fullmatch(form))


def is_clock(form: str) -> bool:
    """Whether a form is that of a time without a date."""
    return form.startswith("H")


def unit_of(form: str) -> str:
    """The finest unit that a form writes: month, day, hour, minute or second."""
    match = FORM.fullmatch(form) or CLOCK_FORM.fullmatch(form)
    assert match is not None
    if match.groupdict().get("month"):
        return "month"
    clock = match["clock"] or ""
    return "second" if "SS" in clock else "minute" if "MM" in clock else "hour" if "H" in clock else "day"


def has_time(text: str) -> bool:
    """Whether a text that is a date has a time of day too."""
    return ":" in text or HALF_TEXT.search(text) is not None


def parse_dates(texts: Sequence[str], form: str) -> np.ndarray:
    """Seconds since 1970 of texts in a form or in ISO, (k,) -> (k,) float64; NaN for any other text.

    A text may have a time where the form has none, or none where the form has one: that is midnight. A month is its
    first day. Times without a date are seconds since midnight. Where the form has a zone, a text in another one is the
    same moment in the form's; one without a zone is in the form's.
    """
    if clock := CLOCK_FORM.fullmatch(form):
        half = bool(clock["half"])
        return np.array([_seconds_of_day(text, half=half) for text in texts], dtype=float)
    match = FORM.fullmatch(form)
    assert match is not None
    if LOOSE_DAY.fullmatch(match["day"] or "") and (not match["time"] or LOOSE_TIME.fullmatch(match["time"])):
        day_first = form.startswith("D")
        return np.array([_loose_seconds(text, day_first=day_first) for text in texts], dtype=float)
    pattern, zone = _pattern(match["day"] or match["month"]), zone_seconds(match["zone"])
    iso = ISO_MONTH if match["month"] else ISO_TEXT
    return np.array([_seconds(pattern.fullmatch(text) or iso.fullmatch(text), zone) for text in texts], dtype=float)


@lru_cache(maxsize=256)
def zone_seconds(zone: str | None) -> int | None:
    """The seconds by which a zone is ahead of UTC; None without a zone.

    >>> zone_seconds("+01:00"), zone_seconds(" -0330"), zone_seconds("Z")
    (3600, -12600, 0)
    """
    if not zone:
        return None
    digits = re.sub(r"\D", "", zone)
    seconds = 3600 * int(digits[:2] or 0) + 60 * int(digits[2:] or 0)
    return -seconds if "-" in zone else seconds


def _seconds_of_day(text: str, *, half: bool) -> float:
    match = CLOCK_TEXT.fullmatch(text) if half else None
    if match is not None and match["half"]:
        hour, minute, second = _clock(match)
    else:
        plain = TIME_OF_DAY.fullmatch(text)
        hour, minute, second = (int(part or 0) for part in plain.groups()) if plain else (24, 0, 0)
    return 3600 * hour + 60 * minute + second if max(hour - 23, minute - 59, second - 59) <= 0 else math.nan


def _loose_seconds(text: str, *, day_first: bool) -> float:
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


def _seconds(match: re.Match[str] | None, zone: int | None) -> float:
    """Seconds since 1970 of a text, in a zone so many seconds ahead of UTC."""
    if match is None:
        return math.nan
    year, month, day, text_zone = match.group("year", "month", "day", "zone")
    number = int(month) if month.isdecimal() else MONTH_NUMBERS.get(month.lower(), 0)
    try:
        moment = datetime(_year(year), number, int(day or 1), *_clock(match))
    except ValueError:  # no such day or time
        return math.nan
    shift = 0
    if text_zone:
        if zone is None:
            return math.nan
        shift = zone - (zone_seconds(text_zone) or 0)
    return (moment - EPOCH).total_seconds() + shift


def _year(text: str) -> int:
    year = int(text)
    return year if len(text) > 2 else year + (2000 if year <= SHORT_YEARS[-1] % 100 else 1900)


def _clock(match: re.Match[str]) -> tuple[int, int, int]:
    """Hour, minute and second of a text; the hour is 24 where no clock shows it."""
    hour, minute, second = (int(part or 0) for part in match.group("hour", "minute", "second"))
    if half := match["half"]:
        hour = hour % 12 + 12 * (half.strip()[0] in "Pp") if 1 <= hour <= 12 else 24
    return hour, minute, second


@lru_cache(maxsize=64)
def _pattern(day: str) -> re.Pattern[str]:
    """What matches the texts in a form of days or of months, with or without a time."""
    parts: list[str] = PARTS.findall(day)
    pattern = "".join(PATTERNS.get(part * 2 if part in ("M", "D") else part, re.escape(part)) for part in parts)
    absent = "" if "D" in parts or "DD" in parts else "(?P<day>)"
    return re.compile(pattern + absent + MOMENT_TEXT, re.ASCII)


@lru_cache(maxsize=64)
def writer(form: str) -> Callable[[datetime], str]:
    """What writes a moment in a form."""
    match = FORM.fullmatch(form) or CLOCK_FORM.fullmatch(form)
    assert match is not None
    groups = match.groupdict()
    day, clock, half = groups.get("day") or groups.get("month") or "", groups["clock"] or "", groups["half"] or ""
    names = [_cased(month, day) for month in MONTHS]
    halves = [half, half.replace("A", "P").replace("a", "p")]
    time = _filled(clock, HALF_DAY_PARTS if half else TIME_PARTS) + "{4}"
    template = _filled(day, DAY_PARTS) + (groups.get("gap") or "") + time + (groups.get("zone") or "")

    def write(moment: datetime) -> str:
        name, hour = names[moment.month - 1], moment.hour % 12 or 12
        return template.format(moment, name, hour, moment.year % 100, halves[moment.hour >= 12])

    return write


def _filled(form: str, parts: dict[str, str]) -> str:
    found: list[str] = PARTS.findall(form)
    return "".join(parts.get(part, part) for part in found)


def _cased(month: str, day: str) -> str:
    """The name of a month as long and in the case as a form of days has it."""
    whole = "month" in day.lower()
    name = month if whole else month[:3]
    return name.upper() if "MON" in day else name.lower() if "mon" in day else name

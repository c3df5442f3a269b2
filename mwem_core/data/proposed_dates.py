"""Propose how to read dates: their form, and the calendar periods that group them. It reads the data."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np

from mwem_core.domain.date_forms import EPOCH, TIME_OF_DAY, parse_dates
from mwem_core.domain.dates import PERIODS, SECONDS, Dates

MAX_PROPOSED_PERIODS = 100
PER_DAY = {"hour": 24, "day": 1, "week": 1 / 7, "month": 1 / 31, "year": 1 / 366}  # at least
LAST_YEAR = 9998  # the week of 9999-12-31 ends in a year without a number
DATE = re.compile(
    r"(?:(\d{4})([-/])(\d{1,2})\2(\d{1,2})|(\d{1,2})([./-])(\d{1,2})\6(\d{4})|((?:19|20)\d{6}))"
    r"(?:([ T])(\d{1,2}):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(Z)?)?",
    re.ASCII,
)


def proposed_dates(own: Sequence[str]) -> Dates | None:
    """The dates or times that all texts of a column are, in the finest periods of which there are at most a hundred.

    The order of day and month is the one that fits every text; where both fit, the day comes first. None if the texts
    are not dates of one form, or all of one period.
    """
    if times := _times(own):
        return times
    matches = [match.groups() for text in own if (match := DATE.fullmatch(text))]
    if len(matches) < len(own) or not (day := _day_form([match[:9] for match in matches])):
        return None
    form = day + _time_form([match[9:] for match in matches if match[9]])
    seconds = parse_dates(own, form)
    if np.isnan(seconds).any():
        return None
    days = [EPOCH.toordinal() + int(end // SECONDS["day"]) for end in (seconds.min(), seconds.max())]
    low, high = map(date.fromordinal, days)
    if high.year > LAST_YEAR:
        return None
    for by in PERIODS[0 if "H" in form else 1 :]:
        if by != PERIODS[-1] and (high - low).days * PER_DAY[by] > MAX_PROPOSED_PERIODS:
            continue
        first, last = _whole_periods(low, high, by)
        found = Dates((first.isoformat(), last.isoformat()), by, form)
        if found.size <= MAX_PROPOSED_PERIODS or by == PERIODS[-1]:
            return found if found.size > 1 else None
    return None


def _times(own: Sequence[str]) -> Dates | None:
    """The times that all texts are, without dates: by the hour."""
    matches = [match.groups() for text in own if (match := TIME_OF_DAY.fullmatch(text))]
    if len(matches) < len(own) or np.isnan(parse_dates(own, "HH:MM")).any():
        return None
    hours, _, seconds = zip(*matches, strict=True)
    form = f"{'H' if min(map(len, hours)) == 1 else 'HH'}:MM"
    if any(seconds):
        form += ":SS" if any(int(part or 0) for part in seconds) else ":00"
    return Dates(("00:00", "23:59:59"), "hour", form)


def _day_form(days: Sequence[tuple[str | None, ...]]) -> str:
    """The form of days; empty if they have several."""
    year_first, eight_digits = {day[1] for day in days}, {bool(day[8]) for day in days}
    separators = {day[5] for day in days}
    if eight_digits == {True}:
        return "YYYYMMDD"
    if eight_digits != {False} or len(year_first) > 1 or len(separators) > 1:
        return ""
    if separator := year_first.pop():
        return separator.join(("YYYY", "MM", "DD"))
    separator = str(separators.pop())
    first, second = ([str(day[i]) for day in days] for i in (4, 6))
    month_first = separator != "." and max(map(int, second)) > 12
    padded = [min(map(len, part)) == 2 for part in (first, second)]
    letters = "MD" if month_first else "DM"
    parts = [letter * (1 + full) for letter, full in zip(letters, padded, strict=True)]
    return separator.join((*parts, "YYYY"))


def _time_form(times: Sequence[tuple[str | None, ...]]) -> str:
    """The form of times of a day, with 00 for a part that is always zero; empty without any."""
    if not times:
        return ""
    blank, hours, minutes, seconds, fractions, zones = zip(*times, strict=True)
    used = [any(int(part or 0) for part in parts) for parts in (hours, minutes, seconds)]
    hour = "H" if min(map(len, hours)) == 1 else "HH"
    clock = [hour if any(used) else "00", "MM" if any(used[1:]) else "00"]
    if any(seconds):
        clock.append("SS" if used[2] else "00")
    fraction = max((len(fraction or "") for fraction in fractions), default=0)
    return blank[0] + ":".join(clock) + ("." + "0" * (fraction - 1) if fraction else "") + (zones[0] or "")


def _whole_periods(low: date, high: date, by: str) -> tuple[date, date]:
    """The first day of the period with `low`, and the last day of the one with `high`."""
    if by == "week":
        return low - timedelta(low.weekday()), high + timedelta(6 - high.weekday())
    if by == "month":
        return low.replace(day=1), high.replace(day=calendar.monthrange(high.year, high.month)[1])
    return (date(low.year, 1, 1), date(high.year, 12, 31)) if by == "year" else (low, high)

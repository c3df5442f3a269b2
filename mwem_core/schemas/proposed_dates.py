"""Propose how to read dates: their form, and the calendar periods that group them. It reads the data.

A column may hold marks that stand for no date, such as 9999-12-31: `date_marks` finds them, and `proposed_dates` is for
the texts that are left. Where both the day and the month may come first, `order_question` asks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

import numpy as np

from mwem_core.forms import (
    CLOCK_TEXT,
    EPOCH,
    FORM,
    MOMENT_TEXT,
    MONTH_NUMBERS,
    MONTHS,
    SHORT_YEARS,
    parse_dates,
    unit_of,
)
from mwem_core.values import PERIODS, SECONDS, Dates

MAX_PROPOSED_PERIODS = 100
PER_DAY = {"hour": 24, "day": 1, "week": 1 / 7, "month": 1 / 31, "year": 1 / 366}  # at least
LAST_YEAR = 9998  # the week of 9999-12-31 ends in a year without a number
NAME = f"(?:{'|'.join(sorted(map(re.escape, MONTH_NUMBERS), key=len, reverse=True))})"
DAY = (
    r"\d{4}(?P<a>[-/.])\d{1,2}(?P=a)\d{1,2}|\d{1,2}(?P<b>[-/.])\d{1,2}(?P=b)\d{4}"
    r"|\d{1,2}(?P<c>[-/])\d{1,2}(?P=c)\d\d|\d\d\.\d\d\.\d\d"
    r"|(?:0000|9999|(?:19|20)\d\d)\d{4}|(?:0000|(?:1[89]|2[01]|99)\d\d)[-/]\d{1,2}|\d{1,2}[-/](?:1[89]|2[01]|99)\d\d"
    rf"|\d{{1,2}}[-/. ]?{NAME},?[-/. ]?\d{{2}}(?:\d\d)?|{NAME}[-/ ]\d{{1,2}}[-/ ,] ?\d{{4}}|{NAME},?[-/ ]?\d{{4}}"
    rf"|{NAME}(?:-| ')\d\d|\d{{4}}[-/. ]?{NAME}(?:[-/. ]?\d{{1,2}})?"
)
DATE_LIKE = re.compile(rf"(?i:(?P<day>{DAY})){MOMENT_TEXT}", re.ASCII)
YEAR = re.compile(r"\d{4}", re.ASCII)
YEARS = {"month": (1800, 2199), "YYYYMMDD": (1900, 2099)}  # of texts that could also be other numbers
DIGITS = str.maketrans("0123456789", "9" * 10)
RUN = re.compile(r"\d+|[A-Za-z]+|[^\dA-Za-z]+")
# The order of year, month and day (N: its name), by which runs are digits (d) or letters (n); the first that fits.
ORDERS = {
    **{"d-d-d": ("DMY", "MDY", "YMD"), "d-d": ("YM", "MY"), "d": ("",)},
    **{"d-n-d": ("DNY", "YND"), "n-d-d": ("NDY",), "n-d": ("NY",), "d-n": ("YN",)},
}
FIRST = {"D": "day", "M": "month", "Y": "year"}
# Days that stand for no date, and those that do where all other dates are far away.
DATE_MARKS = ((0, 0, 0), (1, 1, 1), (2999, 12, 31), (9999, 1, 1), (9999, 9, 9), (9999, 12, 31), (9999, 99, 99))
FAR_MARKS = ((1753, 1, 1), (1899, 12, 30), (1900, 1, 1), (1970, 1, 1))
FAR_YEARS = 20
UNITS_OF_TIME = {"hour", "minute", "second"}
PLACES = ((86_400, 3600), (3600, 60), (60, 1))  # of hours, minutes and seconds


def proposed_dates(own: Sequence[str]) -> Dates | None:
    """The dates or times that all texts of a column are, in the finest periods of which there are at most a hundred.

    The order of day and month is the one that fits every text; where both fit, the day comes first. Of times in several
    zones, the form has the most frequent zone. None if the texts are not dates of one form, or all of one period.
    """
    if times := _times(own):
        return times
    found = _forms(own)
    return _in_periods(*next(iter(found.items()))) if found else None


def order_question(own: Sequence[str], found: Dates) -> str:
    """A sentence that says how `found` reads texts whose order of day and month is not certain; empty if it is."""
    forms = _forms(own)
    other = _other(forms, found)
    if not other:
        return ""
    first, ours, theirs = FIRST[found.form[0]], forms[found.form], forms[other]
    differing = np.flatnonzero(ours != theirs)
    if not len(differing):
        return f"{own[0]} and all other dates have the same number as day and month: read as {first} first"
    text = own[differing[0]]
    readings = [(EPOCH + timedelta(seconds=float(seconds[differing[0]]))).date() for seconds in (ours, theirs)]
    with_year = readings[0].year != readings[1].year
    one, two = (f"{d.day} {MONTHS[d.month - 1]}" + (f" {d.year}" if with_year else "") for d in readings)
    return f"{text} may be {one} or {two}: read as {first} first"


def other_order(own: Sequence[str], found: Dates) -> Dates | None:
    """The same texts with day and month in the other order, in periods that suit it; None if only one order fits."""
    forms = _forms(own)
    other = _other(forms, found)
    return _in_periods(other, forms[other]) if other else None


def _other(forms: Mapping[str, np.ndarray], found: Dates) -> str:
    """The likeliest form that fits as well as the one found; empty if there is none."""
    return next((form for form in forms if form != found.form), "") if found.form in forms else ""


def zones_note(own: Sequence[str], found: Dates) -> str:
    """A sentence that says that times in several zones are all converted to the form's; empty for one zone."""
    match = FORM.fullmatch(found.form)
    if match is None or not match["zone"]:
        return ""
    matches = [DATE_LIKE.fullmatch(text) for text in own]
    zones = sorted({str(text["zone"]).strip() for text in matches if text and text["zone"]})
    if len(zones) < 2:
        return ""
    shown = ", ".join(zones[:3]) + (f" and {len(zones) - 3} more" if len(zones) > 3 else "")
    return f"times have the zones {shown}: each is kept as the same moment, written in {match['zone'].strip()}"


def years_note(found: Dates) -> str:
    """A sentence that says which years those of two digits stand for; empty for years of four digits."""
    short = "YY" in found.form and "YYYY" not in found.form
    return f"years of two digits are read as {SHORT_YEARS[0]} to {SHORT_YEARS[-1]}" if short else ""


def is_date_like(text: str) -> bool:
    """Whether a text looks like a date, a month or a time in some form; the day may not exist."""
    return bool(DATE_LIKE.fullmatch(text)) or bool(CLOCK_TEXT.fullmatch(text))


def is_date_mark(text: str) -> bool:
    """Whether a text is a day that stands for no date, such as 9999-12-31, 31/12/9999 or 0000-00-00, in any form.

    >>> [is_date_mark(text) for text in ("9999-12-31 00:00:00", "12/31/9999", "00.00.0000", "2024-12-31")]
    [True, True, True, False]
    """
    return not _days_of(text, DATE_MARKS).isdisjoint(DATE_MARKS)


def date_marks(own: Sequence[str], rows: Sequence[int]) -> list[str]:
    """The distinct texts of a column that stand for no date, those of most rows first; `rows` are the rows of each.

    Days such as 1900-01-01 and 1970-01-01 are marks if all other dates are decades away. Without any other date, none.
    """
    sure = {text for text in own if is_date_mark(text)}
    maybe = [text for text in own if not _days_of(text, FAR_MARKS).isdisjoint(FAR_MARKS)]
    rest = set(own) - sure - set(maybe) if sure or maybe else ()
    years = {int(year[0]) for text in rest if is_date_like(text) and (year := YEAR.search(text))}
    if maybe and years:
        sure |= {text for text in maybe if all(abs(_year(text) - year) >= FAR_YEARS for year in years)}
    filled = dict(zip(own, rows, strict=True))
    return sorted(sure, key=lambda text: -filled[text])


def _year(text: str) -> int:
    return int(YEAR.findall(text)[0])


def _days_of(text: str, days: Iterable[tuple[int, int, int]]) -> set[tuple[int, int, int]]:
    """The days (year, month, day) that a text with the year of one of `days` may be, whether they exist or not."""
    match = DATE_LIKE.fullmatch(text) if any(f"{year:04}" in text for year, _, _ in days) else None
    if match is None:
        return set()
    runs = RUN.findall(match["day"])
    if len(runs) == 1:
        runs = [runs[0][:4], runs[0][4:6], runs[0][6:]]
    parts = [MONTH_NUMBERS.get(run.lower(), run) for run in runs if run.isalnum()]
    names = [part for part in parts if isinstance(part, int)]
    years = [int(part) for part in parts if isinstance(part, str) and len(part) == 4]
    rest = [int(part) for part in parts if isinstance(part, str) and len(part) < 4]
    if len(years) != 1 or not rest:
        return set()
    if names:
        return {(years[0], names[0], rest[0])}
    return {(years[0], rest[0], rest[-1]), (years[0], rest[-1], rest[0])} if len(rest) == 2 else set()


def _in_periods(form: str, seconds: np.ndarray) -> Dates | None:
    """Dates from the first to the last text of a form, in the finest periods of which there are at most a hundred."""
    days = [EPOCH.toordinal() + int(end // SECONDS["day"]) for end in (seconds.min(), seconds.max())]
    low, high = map(date.fromordinal, days)
    if high.year > LAST_YEAR:
        return None
    unit = unit_of(form)
    moments = [EPOCH + timedelta(seconds=float(end)) for end in (seconds.min(), seconds.max())]
    ends = tuple(str(moment if unit in UNITS_OF_TIME else moment.date()).replace(" ", "T") for moment in moments)
    for by in PERIODS[PERIODS.index(unit) if unit in PERIODS else 0 :]:
        if by != PERIODS[-1] and (high - low).days * PER_DAY[by] > MAX_PROPOSED_PERIODS:
            continue
        found = Dates(ends, by, form)
        if found.size <= MAX_PROPOSED_PERIODS or by == PERIODS[-1]:
            return found if found.size > 1 else None
    return None


def _times(own: Sequence[str]) -> Dates | None:
    """The times that all texts are, without dates: by the hour."""
    matches = _all_match(CLOCK_TEXT, own)
    if not matches:
        return None
    seconds = parse_dates(own, _time_form(matches))
    if np.isnan(seconds).any() or seconds.min() // SECONDS["hour"] == seconds.max() // SECONDS["hour"]:
        return None
    first, last = ((EPOCH + timedelta(seconds=float(end))).time().isoformat() for end in (seconds.min(), seconds.max()))
    return Dates((first, last), "hour", _time_form(matches, seconds))


def _all_match(pattern: re.Pattern[str], own: Sequence[str]) -> list[re.Match[str]]:
    """The match of a text of each shape, by its letters and the places of its digits; empty if one has none."""
    matches = list[re.Match[str]]()
    for text in {text.translate(DIGITS): text for text in own}.values() if pattern.fullmatch(own[0]) else ():
        match = pattern.fullmatch(text)
        if match is None:
            return []
        matches.append(match)
    return matches


def _forms(own: Sequence[str]) -> dict[str, np.ndarray]:
    """The forms of days, months and moments in which all texts are dates, the likeliest first, and their seconds."""
    matches = _all_match(DATE_LIKE, own)
    if not matches:
        return {}
    with_time = [match for match in matches if match["hour"]]
    gap, zone = (with_time[0]["gap"], _zone(own, with_time)) if with_time else ("", "")
    if zone is None:
        return {}
    fits = dict[str, np.ndarray]()
    for day in _day_forms([match["day"] for match in matches]):
        form = day + gap + _time_form(with_time) + zone
        seconds = parse_dates(own, form) if FORM.fullmatch(form) else np.array([np.nan])
        if not np.isnan(seconds).any() and _is_plausible(day, seconds, own):
            fits[day + gap + _time_form(with_time, seconds) + zone] = seconds
    # A year of two digits may stand first too, if the days then lie much closer together.
    last = next((form for form in fits if re.match("YY[^Y]", form)), "")
    spans = {form: float(np.ptp(seconds)) for form, seconds in fits.items()}
    if last and 2 * spans.pop(last) < min(spans.values(), default=0):
        return {last: fits.pop(last), **fits}
    return fits


def _is_plausible(day: str, seconds: np.ndarray, own: Sequence[str]) -> bool:
    """Whether numbers that could be something else are dates: 20210301, 2021-03, but not the school years 2010-11."""
    unit = unit_of(day)
    low, high = YEARS.get(day, YEARS.get(unit, (1, 9999)))
    first, last = (EPOCH.year + int(end // (365.25 * SECONDS["day"])) for end in (seconds.min(), seconds.max()))
    school = day in ("YYYY-MM", "YYYY/MM") and all((int(text[:4]) + 1) % 100 == int(text[5:]) for text in own)
    return low <= first and last <= high and not school


def _day_forms(days: Sequence[str]) -> Iterator[str]:
    """The forms that days may have by their digits, letters and separators, in the order of `ORDERS`."""
    runs = [RUN.findall(day) for day in days]
    if len({len(of_day) for of_day in runs}) > 1:
        return
    columns = [list(column) for column in zip(*runs, strict=True)]
    kinds = [{"d" if run.isdecimal() else "n" if run.isalpha() else run for run in column} for column in columns]
    if any(len(kind) > 1 for kind in kinds):
        return
    used = [i for i, kind in enumerate(kinds) if kind <= {"d", "n"}]
    for order in ORDERS.get("-".join(kinds[i].copy().pop() for i in used), ()):
        form = [column[0] for column in columns]
        for i, part in zip(used, order or "8", strict=True):
            form[i] = _part(part, columns[i])
        if all(form):
            yield "".join(form)


def _part(part: str, texts: Sequence[str]) -> str:
    """How a form writes a year (Y), a month (M), a day (D) or the name of a month (N); empty if texts differ."""
    if part == "N":
        short = all(len(text) == 3 or text.lower() == "sept" for text in texts)
        if not short and not all(text.lower() in map(str.lower, MONTHS) for text in texts):
            return ""
        name = "Mon" if short else "Month"
        return name.upper() if texts[0].isupper() else name.lower() if texts[0].islower() else name
    widths = {len(text) for text in texts}
    if part == "8":
        return "YYYYMMDD" if widths == {8} else ""
    if part == "Y":
        return "Y" * widths.pop() if widths in ({2}, {4}) else ""
    return part * min(widths) if max(widths) <= 2 else ""


def _zone(own: Sequence[str], times: Sequence[re.Match[str]]) -> str | None:
    """The most frequent zone of texts, as a form writes it; empty if none has one, and None if only some have."""
    zones = {match["zone"] or "" for match in times}
    if "" in zones:
        return "" if len(zones) == 1 else None
    widths = {match[0].translate(DIGITS): len(match["zone"]) for match in times}
    texts = ((text, widths.get(text.translate(DIGITS), 0)) for text in own)
    counted = Counter(text[-width:] for text, width in texts if width)
    zone = counted.most_common(1)[0][0]
    return "+00:00" if len(counted) > 1 and zone.strip().isalpha() else zone  # a form with Z takes no other zone


def _time_form(times: Sequence[re.Match[str]], seconds: np.ndarray | None = None) -> str:
    """The form of times, empty without any; with the `seconds` of all texts, 00 stands for a part that is zero."""
    if not times:
        return ""
    hours, minutes, texts, fractions, halves = zip(
        *(time.group("hour", "minute", "second", "fraction", "half") for time in times), strict=True
    )
    dated = "gap" in times[0].re.groupindex
    used = [True] * 3 if seconds is None else [(seconds % whole // part).any() for whole, part in PLACES]
    half = next((half for half in halves if half), "").replace("P", "A").replace("p", "a")
    clock = ["H" if min(map(len, hours)) == 1 else "HH"] if any(used) or half or not dated else ["00"]
    if any(minutes):
        clock.append("MM" if any(used[1:]) or not dated else "00")
    if any(texts):
        clock.append("SS" if used[2] else "00")
    fraction = max(len(fraction or "") for fraction in fractions) if dated else 0
    return ":".join(clock) + ("." + "0" * (fraction - 1) if fraction else "") + half

"""Propose how to read dates: their form, and the calendar periods that group them. It reads the data.

A form is built from how the texts look, and holds if it reads nearly all of them; digits alone are dates only where
chance would hardly make them so. A few texts may be none, such as "unknown", and a few days stand for no date, such as
9999-12-31. Where both the day and the month may come first, `DateColumn.question` asks.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np

from mwem_core.forms import (
    CLOCK_TEXT,
    EPOCH,
    MOMENT_TEXT,
    date_form,
    is_form,
    is_month,
    is_summer,
    month_part,
    parse_dates,
)
from mwem_core.values import PERIODS, SECONDS, Dates

MAX_PROPOSED_PERIODS = 100
PER_DAY = {"hour": 24, "day": 1, "week": 1 / 7, "month": 1 / 31, "year": 1 / 366}  # at least
LAST_YEAR = 9998  # the week of 9999-12-31 ends in a year without a number
SAMPLE = 400  # texts, by which forms are found
SHARE = 0.9  # of the texts, that a form must read
SEASON_SHARE = 0.98  # of the times, that have the zone of their season
CHANCE, CHANCE_OF_TIMES = 1e-6, 2e-3  # below which digits are no longer taken for other numbers
TEXT = re.compile(rf"(?P<day>.+?){MOMENT_TEXT}")
DIGITS = re.compile(r"[0-9]+|[0-9]{8}T[0-9]{6}Z?")
RUN = re.compile(r"[0-9]+|[^\W\d_]+|(?:[^\w]|_)+")
PARTIAL = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?)?)?")
LITERALS = {"W", "年", "月", "日", "de", "de ", "T"}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# The order of year, month and day (N: its name), by which runs are digits (d) or names (n); the likelier first.
ORDERS = {
    **{"ddd": ("DMY", "MDY", "YMD"), "dd": ("YM", "MY"), "dnd": ("DNY", "YND")},
    **{"ndd": ("NDY",), "nd": ("NY",), "dn": ("YN",)},
}
BARE = {  # forms of digits alone, by how many there are
    **{8: ("YYYYMMDD", "DDMMYYYY", "MMDDYYYY"), 6: ("YYYYMM",), 7: ("YYYYDDD",), 14: ("YYYYMMDDHHMMSS",)},
    **{12: ("YYYYMMDDHHMM",), 4: ("HHMM", "YYMM"), 15: ("YYYYMMDDTHHMMSS",), 16: ("YYYYMMDDTHHMMSSZ",)},
}
FIRST = {"D": "day", "M": "month", "Y": "year"}
# Days that stand for no date, and those that do where all other dates are far away.
MARKS = [date(*day).toordinal() for day in ((1, 1, 1), (2999, 12, 31), (9999, 1, 1), (9999, 9, 9), (9999, 12, 31))]
FAR_MARKS = [date(*day).toordinal() for day in ((1753, 1, 1), (1899, 12, 30), (1900, 1, 1), (1970, 1, 1))]
FAR_YEARS = 20
ODD_DAY = re.compile(r"(?:0{4}|9{4}|0{8}|9{8}|00|99)(?:[-/.](?:0{4}|9{4}|00|99)){0,2}(?:[ T][0:]+)?")  # 0000-00-00
MIN_MONTHS = 30  # different texts of four digits that are months
MAX_ODD, MIN_DATES = 10, 3  # different texts of a column that are no date, and are some, where not all are
THAI_YEARS = "2480", "2600"
UNITS_OF_TIME = {"hour", "minute", "second"}
PLACES = ((86_400, 3600), (3600, 60), (60, 1))  # of hours, minutes and seconds


@dataclass(frozen=True, repr=False)
class DateColumn:
    """The dates among the texts of a column.

    `forms` are those that read most texts, the likeliest first, each with the seconds of every text, (k,), NaN for one
    that is no date. `marks` are texts that stand for none; `coarse` says how a column of several precisions is read.
    """

    texts: Sequence[str]
    forms: dict[str, np.ndarray]
    marks: frozenset[str]
    coarse: str = ""

    @property
    def form(self) -> str:
        """The likeliest form."""
        return next(iter(self.forms))

    @property
    def odd(self) -> list[str]:
        """The texts that are no date, or stand for none."""
        dated = ~np.isnan(self.forms[self.form])
        return [text for text, own in zip(self.texts, dated.tolist(), strict=True) if not own]

    def periods(self, form: str) -> Dates | None:
        """The dates of a form, in the finest periods of which there are at most a hundred."""
        seconds = self.forms[form][~np.isnan(self.forms[form])]
        ends = [EPOCH + timedelta(seconds=float(end)) for end in (seconds.min(), seconds.max())]
        return _in_periods(form, ends[0], ends[1])

    @property
    def other(self) -> str:
        """Another form that reads the texts as well; empty if there is none."""
        return next((form for form in self.forms if form != self.form), "")

    @property
    def question(self) -> str:
        """A sentence that says how texts are read whose order of day and month is not certain; empty if it is."""
        if not self.other:
            return ""
        first, ours, theirs = FIRST[self.form[0]], self.forms[self.form], self.forms[self.other]
        dated = ~np.isnan(ours)
        differing = np.flatnonzero(dated & (ours != theirs))
        if not len(differing):
            text = self.texts[int(dated.argmax())]
            return f"{text} and all other dates have the same number as day and month: read as {first} first"
        text = self.texts[differing[0]]
        days = [(EPOCH + timedelta(seconds=float(seconds[differing[0]]))).date() for seconds in (ours, theirs)]
        shown = " or ".join(f"{day.day} {day:%B}" + f" {day.year}" * (days[0].year != days[1].year) for day in days)
        return f"{text} may be {shown}: read as {first} first"

    @property
    def notes(self) -> list[str]:
        """Sentences on what was decided of zones and of years."""
        ends = np.nanmin(self.forms[self.form]), np.nanmax(self.forms[self.form])
        years = "years of two digits are read as {} to {}".format(*_years(np.array(ends)).tolist())
        zones = self.form.rpartition("/")
        clocks = f"clocks have the zone {zones[0][-len(zones[2]) :]} in winter and {zones[2]} in summer"
        thai = "years of the Buddhist calendar are read as 543 less"
        said = (zones[2][:1] in ("+", "-"), clocks), ("BBBB" in self.form, thai), (_has_short_years(self.form), years)
        return [sentence for holds, sentence in said if holds]


def found_dates(texts: Sequence[str], *, bare: bool = True) -> DateColumn | None:
    """The dates or times of a column, by its distinct texts; with `bare`, digits alone may be dates.

    None if the texts are not dates, or no single form reads nine of ten. Raises ValueError for dates in two forms.
    """
    sample = [text for text in _sample(texts) if not ODD_DAY.fullmatch(text)]
    coarse = _coarse_form(sample)
    forms = {coarse: parse_dates(texts, coarse)} if coarse else _forms(texts, sample, bare)
    most = max((_number_read(seconds) for seconds in forms.values()), default=0)
    marks = frozenset(text for text in texts if ODD_DAY.fullmatch(text)) if most else frozenset[str]()
    odd = len(texts) - len(marks) - most
    if not most or (odd and (odd > MAX_ODD or most < max(MIN_DATES, 2 * odd))):
        return None
    forms = {form: seconds for form, seconds in forms.items() if _number_read(seconds) == most}
    if _has_short_years(next(iter(forms))):
        first_year = _first_year(next(iter(forms.values())))
        forms = {form: parse_dates(texts, form, first_year) for form in forms}
    elif not next(iter(forms)).startswith("H"):
        no_date = _stand_for_none(next(iter(forms.values())))
        marks |= {texts[i] for i in np.flatnonzero(no_date).tolist()}
        forms = {form: np.where(no_date, np.nan, seconds) for form, seconds in forms.items()}
    if not any(map(_number_read, forms.values())):
        return None
    shown = " and ".join(_by_length(sample))
    precisions = f"several precisions, such as {shown}: rows have the {date_form(coarse).unit} alone" if coarse else ""
    return DateColumn(texts, forms, marks, precisions)


def _sample(texts: Sequence[str]) -> Sequence[str]:
    return texts[:: max(1, len(texts) // SAMPLE)]


def _number_read(seconds: np.ndarray) -> int:
    return int(np.count_nonzero(~np.isnan(seconds)))


def _has_short_years(form: str) -> bool:
    return "YY" in form and "YYYY" not in form


def _coarse_form(sample: Sequence[str]) -> str:
    """The form of the coarsest dates, where a column has years, months and days at once; empty for another."""
    lengths = {len(text) for text in sample if PARTIAL.fullmatch(text)}
    partial = sum(PARTIAL.fullmatch(text) is not None for text in sample) >= SHARE * len(sample)
    if not partial or len(lengths) < 2 or min(lengths) > 7:
        return ""
    return "YYYY" if 4 in lengths else "YYYY-MM"


def _by_length(sample: Sequence[str]) -> list[str]:
    """A text of each precision."""
    return list({len(text): repr(text) for text in sorted(sample, key=len)}.values())[:3]


def _stand_for_none(seconds: np.ndarray) -> np.ndarray:
    """Which dates stand for none, (k,): some days always, some where all other dates are decades away."""
    days = np.floor(seconds / SECONDS["day"]) + EPOCH.toordinal()
    sure, far = np.isin(days, MARKS), np.isin(days, FAR_MARKS)
    rest = days[~sure & ~far & ~np.isnan(days)]
    if far.any() and len(rest):
        sure |= far & [bool((abs(rest - day) >= FAR_YEARS * 366).all()) for day in days.tolist()]
    return sure


def _first_year(seconds: np.ndarray) -> int:
    """The first of the hundred years that two digits write: after a wide gap, so that the last is near, not to come."""
    years = np.unique(_years(seconds[~np.isnan(seconds)]) % 100)
    gaps = np.diff(years, prepend=years[-1] - 100)
    wide = zip(years[2 * gaps >= gaps.max()].tolist(), gaps[2 * gaps >= gaps.max()].tolist(), strict=True)
    starts = [(century + first, 100 - gap) for first, gap in wide for century in (1800, 1900, 2000)]
    return max((first + span, first) for first, span in starts if first + span <= datetime.now().year + 1)[1]


def _years(seconds: np.ndarray) -> np.ndarray:
    return seconds.astype(np.int64).astype("datetime64[s]").astype("datetime64[Y]").astype(int) + 1970


def _in_periods(form: str, first: datetime, last: datetime) -> Dates | None:
    if last.year > LAST_YEAR:
        return None
    unit = date_form(form).unit
    ends = tuple(_end(moment, form, unit) for moment in (first, last))
    if form.startswith("H"):
        return Dates(ends, "hour", form) if first.hour != last.hour else None
    for by in PERIODS[PERIODS.index(unit) if unit in PERIODS else 0 :]:
        if by != PERIODS[-1] and (last - first).days * PER_DAY[by] > MAX_PROPOSED_PERIODS:
            continue
        found = Dates(ends, by, form)
        if found.size <= MAX_PROPOSED_PERIODS or by == PERIODS[-1]:
            return found if found.size > 1 else None
    return None


def _end(moment: datetime, form: str, unit: str) -> str:
    if form.startswith("H"):
        return moment.time().isoformat()
    if unit in UNITS_OF_TIME:
        return moment.isoformat()
    return moment.date().isoformat()[: {"year": 4, "month": 7}.get(unit, 10)]


def _forms(texts: Sequence[str], sample: Sequence[str], bare: bool) -> dict[str, np.ndarray]:
    """The forms that read texts, the likeliest first, and the seconds of all; dates in two forms raise ValueError."""
    if 2 * sum(CLOCK_TEXT.fullmatch(text) is not None for text in sample) > len(sample):
        times = [match for text in sample if (match := CLOCK_TEXT.fullmatch(text))]
        seconds = parse_dates(texts, _time_form(times, dated=False))
        return {_time_form(times, seconds, dated=False): seconds}
    if bare and sum(DIGITS.fullmatch(text) is not None for text in sample) >= SHARE * len(sample):
        return _bare_forms(texts, sample)
    shapes: dict[tuple[str, ...], list[re.Match[str]]] = {}
    for match in map(TEXT.fullmatch, sample):
        if match and (shape := _shape(match["day"])):
            shapes.setdefault(shape, []).append(match)
    by_share = sorted(shapes, key=lambda shape: -len(shapes[shape]))
    if not by_share or 2 * sum(map(len, shapes.values())) < len(sample):
        return {}
    found = _of_shape(by_share[0], shapes[by_share[0]], texts)
    if len(by_share) > 1 and len(shapes[by_share[1]]) > (1 - SHARE) * len(sample):
        second = _of_shape(by_share[1], shapes[by_share[1]], texts)
        if found and second and max(map(_number_read, found.values())) < SHARE * len(texts):
            shown = " and ".join(repr(shapes[shape][0][0]) for shape in by_share[:2])
            raise ValueError(f"dates in two forms, such as {shown}: write all in one form")
    return found


def _of_shape(shape: tuple[str, ...], matches: list[re.Match[str]], texts: Sequence[str]) -> dict[str, np.ndarray]:
    with_time = [match for match in matches if match["time"]]
    gap, zone = (with_time[0]["gap"], _zone(with_time)) if with_time else ("", "")
    if zone is None:
        return {}
    if "/" in zone and not _follow_summer(with_time, zone):
        shown = ", ".join(sorted({match["zone"].strip() for match in with_time})[:3])
        raise ValueError(f"times in several zones, such as {shown}: write all in one zone")
    fits, own = dict[str, np.ndarray](), [match[0] for match in matches]
    for day in _day_forms(shape, [match["day"] for match in matches]):
        form = day + gap + _time_form(with_time) + zone
        if not is_form(form) or _number_read(parse_dates(own, form)) < SHARE * len(own):
            continue
        seconds = parse_dates(texts, form)
        if _is_plausible(day, seconds, own):
            fits[day + gap + _time_form(with_time, seconds) + zone] = seconds
    # A year of two digits may stand first too, if the days then lie much closer together.
    last = next((form for form in fits if re.match("YY[^Y]", form)), "")
    spans = {form: float(np.nanmax(seconds) - np.nanmin(seconds)) for form, seconds in fits.items()}
    if last and 2 * spans.pop(last) < min(spans.values(), default=0):
        return {last: fits.pop(last), **fits}
    if last and len(fits) > 1:
        fits.pop(last)
    return fits


def _is_plausible(day: str, seconds: np.ndarray, own: Sequence[str]) -> bool:
    """Whether numbers that could be something else are dates: 2021-03, but not the school years 2010-11."""
    years = _years(seconds[~np.isnan(seconds)])
    if date_form(day).unit in ("month", "year") and not (
        (1800 <= years.min() and years.max() <= 2199) or 9999 in years
    ):
        return False
    return day not in ("YYYY-MM", "YYYY/MM") or not all((int(text[:4]) + 1) % 100 == int(text[5:7]) for text in own)


def _bare_forms(texts: Sequence[str], sample: Sequence[str]) -> dict[str, np.ndarray]:
    """The forms of digits alone that texts have, where they would hardly have it by chance."""
    (width, _), *_ = Counter(map(len, sample)).most_common(1)
    forms = (
        ("HMM",)
        if {*map(len, sample)} == {3, 4}
        else ("DMMYYYY",)
        if {*map(len, sample)} == {7, 8}
        else BARE.get(width, ())
    )
    found = dict[str, np.ndarray]()
    for form in forms:
        seconds = parse_dates(sample, form)
        if _number_read(seconds) < 0.98 * len(sample):
            continue
        seconds = parse_dates(texts, form)
        dated = [text for text, read in zip(texts, ~np.isnan(seconds), strict=True) if read]
        if form[0] == "H":
            minutes, hours = {text[-2:] for text in dated}, {text[:-2] for text in dated}
            sure = len(hours) > 8 and (
                _chance(60, 100, len(minutes)) < CHANCE_OF_TIMES or minutes == {"00", "15", "30", "45"}
            )
        else:
            years = _years(seconds[~np.isnan(seconds)])
            sure = len(dated) >= MIN_MONTHS if form == "YYMM" else 1900 <= years.min() and years.max() <= 2099
            sure |= form == "YYYYMMDD" and 9999 in years
            if form != "YYYYMMDD":
                start = 2 if form == "YYMM" else 4 if form[0] == "Y" else 0
                rest = {text[start : max(start + 2, len(text) - 4 + start)] for text in dated}
                of = {"YYYYMM": (12, 100), "YYMM": (12, 100), "YYYYDDD": (366, 1000)}.get(form, (372, 10_000))
                sure = sure and _chance(*of, len(rest)) < CHANCE
        if sure:
            found[form] = seconds
    return found


def _chance(n: int, of: int, different: int) -> float:
    """The chance that this many different values, drawn from `of`, all lie among n of these."""
    return math.exp(sum(math.log((n - i) / (of - i)) for i in range(min(different, n))))


def _shape(day: str) -> tuple[str, ...]:
    """The runs of a day: d for digits, n for a name of a month, a for one of a weekday, others as they are.

    Empty for what can be none. A point after an abbreviated name belongs to it.
    """
    runs, shape = RUN.findall(day), list[str]()
    for i, run in enumerate(runs):
        if run[0].isdigit():
            shape.append("d")
        elif not run[0].isalpha():
            shape.append(run[1:] if run[0] == "." and len(run) > 1 and i and shape[-1] in ("n", "a") else run)
        elif is_month(run):
            shape.append("n")
        elif len(run) >= 3 and any(name.startswith(run.lower()) for name in WEEKDAYS):
            shape.append("a")
        elif run in LITERALS:
            shape.append(run)
        else:
            return ()
    return tuple(shape) if "d" in shape and len(shape) > 1 else ()


def _day_forms(shape: tuple[str, ...], days: Sequence[str]) -> Iterator[str]:
    """The forms that days of a shape may have, in the order of `ORDERS`."""
    columns = [list(column) for column in zip(*map(RUN.findall, days), strict=True)]
    used = [i for i, kind in enumerate(shape) if kind in ("d", "n")]
    orders = ("YW",) if "W" in shape else ORDERS.get("".join(shape[i] for i in used), ())
    for order in orders:
        form = list(shape)
        for i, part in zip(used, order, strict=True):
            after = columns[i + 1] if i + 1 < len(columns) else []
            form[i] = _part(part, columns[i], point=any(text[0] == "." and len(text) > 1 for text in after))
        for i in (i for i, kind in enumerate(shape) if kind == "a"):
            form[i] = "Ddd" if max(map(len, columns[i])) == 3 else "Dddd"
        two_digits = all(len(text) == 2 for i in used for text in columns[i])
        padded = {"YYYY", "BBBB"} & {*form} or "." not in form or two_digits
        if all(form) and padded:
            yield "".join(form)


def _part(part: str, texts: Sequence[str], *, point: bool) -> str:
    """How a form writes a year (Y), a month (M), a day (D), a week (W) or the name of a month (N); "" if it cannot."""
    if part == "N":
        return month_part(texts, point=point)
    least, most = min(map(len, texts)), max(map(len, texts))
    if part in "YW":
        thai = part == "Y" and most == 4 and all(THAI_YEARS[0] <= text <= THAI_YEARS[1] for text in texts)
        return "" if least != most else {4: "BBBB" if thai else "YYYY", 2: "YY" if part == "Y" else "ww"}.get(most, "")
    return part * least if most <= 2 else ""


def _zone(times: Sequence[re.Match[str]]) -> str | None:
    """The zone of texts, or that of winter and that of summer; empty if none has one, and None if only some have."""
    zones = {match["zone"] or "" for match in times}
    if "" in zones:
        return "" if len(zones) == 1 else None
    by_offset = sorted(zones, key=lambda zone: int(re.sub(r"[^-\d]", "", zone) or 0))
    return "/".join([by_offset[0], *(zone.strip() for zone in by_offset[1:])])


def _follow_summer(times: Sequence[re.Match[str]], zone: str) -> bool:
    """Whether there are two zones, and nearly all times have that of their season."""
    zones = zone.split("/")
    if len(zones) > 2 or not is_form(f"YYYY-MM-DD HH:MM{zone}"):
        return False
    clocks = [match[0].removesuffix(match["zone"]) for match in times]
    for day in _day_forms(_shape(times[0]["day"]), [match["day"] for match in times]):
        seconds = parse_dates(clocks, day + times[0]["gap"] + _time_form(times))
        if not np.isnan(seconds).any():
            due = [zones[is_summer(EPOCH + timedelta(seconds=second), zone)].strip() for second in seconds.tolist()]
            right = sum(own == match["zone"].strip() for own, match in zip(due, times, strict=True))
            return right >= SEASON_SHARE * len(times)
    return False


def _time_form(times: Sequence[re.Match[str]], seconds: np.ndarray | None = None, *, dated: bool = True) -> str:
    """The form of times, empty without any; with the `seconds` of all texts, 00 stands for a part that is zero."""
    if not times:
        return ""
    hours, minutes, texts, fractions, halves = zip(
        *(time.group("hour", "minute", "second", "fraction", "half") for time in times), strict=True
    )
    known = None if seconds is None else seconds[~np.isnan(seconds)]
    used = [True] * 3 if known is None else [(known % whole // part).any() for whole, part in PLACES]
    half = next((half for half in halves if half), "").replace("P", "A").replace("p", "a")
    clock = ["H" if min(map(len, hours)) == 1 else "HH"] if any(used) or half or not dated else ["00"]
    if any(minutes):
        clock.append("MM" if any(used[1:]) or not dated else "00")
    if any(texts):
        clock.append("SS" if used[2] else "00")
    fraction = max(len(fraction or "") for fraction in fractions) if dated else 0
    return ":".join(clock) + ("." + "0" * (fraction - 1) if fraction else "") + half

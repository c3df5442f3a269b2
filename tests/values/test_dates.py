"""Dates are read in the form declared and in ISO, grouped by the calendar, and written back in the form declared."""

from datetime import date, datetime, timedelta

import numpy as np
import pytest
from messages import exactly

from mwem_core.domain import Attribute, Domain
from mwem_core.forms import parse_dates
from mwem_core.values import PERIODS, Dates
from mwem_core.workload import parse_workload

MONTHS = Attribute("seen", Dates(("2019-11-15", "2020-03-10"), "month", "DD.MM.YYYY"), missing="?")
BINS = Attribute("born", Dates(("01/01/1900", "12/31/1949", "06/30/2000"), form="MM/DD/YYYY"))
FORMS = {
    "YYYY-MM-DD": "2024-02-05",
    "DD.MM.YYYY": "05.02.2024",
    "D.M.YYYY": "5.2.2024",
    "MM/DD/YYYY": "02/05/2024",
    "M/D/YYYY": "2/5/2024",
    "DD/MM/YYYY": "05/02/2024",
    "D/M/YYYY": "5/2/2024",
    "DD-MM-YYYY": "05-02-2024",
    "YYYY/MM/DD": "2024/02/05",
    "YYYYMMDD": "20240205",
}
TIMES = {
    "": (0, 0, 0),
    " 00:00:00": (0, 0, 0),
    " HH:00": (9, 0, 0),
    " H:MM": (9, 7, 0),
    "THH:MM": (9, 7, 0),
    " HH:MM:00": (9, 7, 0),
    " HH:MM:SS": (9, 7, 3),
    "THH:MM:SS.000Z": (9, 7, 3),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("time", TIMES)
def test_a_date_comes_back_in_the_form_in_which_it_was_read(form, time):
    hour, minute, second = TIMES[time]
    clock = time.replace("HH", f"{hour:02}").replace("H", str(hour))
    text = FORMS[form] + clock.replace("MM", f"{minute:02}").replace("SS", f"{second:02}")
    moment = datetime(2024, 2, 5, hour, minute, second)
    assert parse_dates([text], form + time)[0] == (moment - datetime(1970, 1, 1)).total_seconds()
    days = Dates(("2024-02-04", "2024-02-05"), "day", form + time)
    values = days.decode(np.ones(2000, int), np.random.default_rng(0))
    assert (days.encode(values.tolist()) == 1).all()
    assert {len(value) for value in values} <= {len(text), len(text) + 1}  # an unpadded hour has one or two digits
    if time in ("", " 00:00:00"):
        assert set(values) == {text}


def test_iso_is_read_whatever_the_form_and_no_other_text_is():
    days = Dates(("2024-01-01", "2024-12-31"), "day", "MM/DD/YYYY")
    read = days.encode(["01/31/2024", "2024-01-31", "2024-01-31 23:59:59.9", "1/31/2024"])
    assert read.tolist() == [30] * 4
    for text in (
        "31/01/2024",
        "02/30/2024",
        "2024-13-01",
        "01/31/24",
        "Jan 31, 2024",
        "",
        "nan",
        "01/31/2025",
        "1/1-2024",
    ):
        assert days.encode([text]).tolist() == [-1], text


@pytest.mark.parametrize(
    ("form", "text", "iso"),
    [
        ("YYYY-MM-DDTHH:MM:SS+01:00", "2024-07-01T00:30:00+02:00", "2024-06-30T23:30:00"),
        ("YYYY-MM-DDTHH:MM:SS+01:00", "2024-07-01T00:30:00Z", "2024-07-01T01:30:00"),
        ("YYYY-MM-DDTHH:MM:SS+01:00", "2024-07-01T00:30", "2024-07-01T00:30:00"),
        ("MM/DD/YYYY HH:MM -0330", "07/01/2024 00:30 -03:30", "2024-07-01T00:30:00"),
        ("MM/DD/YYYY HH:MM AM", "07/01/2024 12:30 am", "2024-07-01T00:30:00"),
        ("MM/DD/YYYY HH:MM AM", "7/1/2024 12:30 p.m.", "2024-07-01T12:30:00"),
        ("DD-Mon-YYYY", "1-SEPTEMBER-2024", "2024-09-01T00:00:00"),
        ("Month D, YYYY", "sept 1, 2024", "2024-09-01T00:00:00"),
        ("DD.MM.YY", "31.12.68", "2068-12-31T00:00:00"),
        ("MM/DD/YY", "1/1/69", "1969-01-01T00:00:00"),
        ("Mon-YY", "Mar-00", "2000-03-01T00:00:00"),
    ],
)
def test_a_text_is_the_moment_that_its_form_says(form, text, iso):
    second = (datetime.fromisoformat(iso) - datetime(1970, 1, 1)).total_seconds()
    assert parse_dates([text, iso], form).tolist() == [second, second]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("YYYY-MM-DDTHH:MMZ", "2024-07-01T00:30+01:00"),
        ("YYYY/M/D HH:MM", "2024/7/1 00:30 +01:00"),
        ("MM/DD/YYYY HH:MM AM", "07/01/2024 13:30 PM"),
        ("MM/DD/YYYY HH:MM AM", "07/01/2024 0:30 AM"),
        ("DD-Mon-YYYY", "01-Mai-2024"),
        ("DD-Mon-YYYY", "01/02/2024"),
        ("MM/DD/YY", "13/01/21"),
        ("HH:MM AM", "13:01 AM"),
    ],
)
def test_a_text_of_another_form_is_no_date(form, text):
    assert np.isnan(parse_dates([text], form)).all()


def test_a_month_alone_is_a_cell_or_a_part_of_one():
    months = Attribute("seen", Dates(("2019-11", "2021-02-28"), "month", "Mon YYYY"))
    assert months.labels[:2] == ("2019-11", "2019-12")
    assert months.size == 16
    assert months.encode(["Nov 2019", "2020-02", "FEBRUARY 2021", "Mar 2021", "Oct 2019"]).tolist() == [
        0,
        3,
        15,
        -1,
        -1,
    ]
    assert months.decode(np.array([0, 3]), np.random.default_rng(0)).tolist() == ["Nov 2019", "Feb 2020"]
    assert months.compare("<=", "Dec 2019").tolist() == [True] * 2 + [False] * 14
    assert months.compare(">=", "2021-02").tolist() == [False] * 15 + [True]
    assert months.compare("==", "Nov 2019").tolist() == [True] + [False] * 15
    years = Attribute("seen", Dates(("2019-11", "2021-02"), "year", "YYYY-MM"), missing="?")
    codes = np.repeat(np.arange(years.size), 50)
    rows = years.decode(codes, np.random.default_rng(0)).tolist()
    assert (years.encode(rows) == codes).all()
    assert {*rows[:50]} == {"2019-11", "2019-12"}
    for attribute in (months, years):
        assert Domain.from_toml(Domain((attribute,)).to_toml()).attributes == (attribute,)


def test_a_hundred_thousand_texts_are_read():
    texts = [f"{1 + i % 28:02}-Mar-{1 + i // 28:04} 02:00 PM" for i in range(100_000)]
    assert np.isfinite(parse_dates(texts, "DD-Mon-YYYY HH:MM AM")).all()


@pytest.mark.parametrize("by", PERIODS)
def test_periods_are_those_of_the_calendar(by):
    start = datetime(2019, 12, 28, 22)
    form = "YYYY-MM-DD HH:MM"
    dates = Dates(("2019-12-28 22:00", "2020-02-29"), by, form)
    key = {
        "hour": lambda t: (t.date(), t.hour),
        "day": lambda t: t.date(),
        "week": lambda t: t.isocalendar()[:2],
        "month": lambda t: (t.year, t.month),
        "year": lambda t: t.year,
    }[by]
    moments = [start + timedelta(minutes=7 * i) for i in range(13_300)]
    inside = [moment for moment in moments if moment.date() <= date(2020, 2, 29)]
    codes = dates.encode([moment.isoformat() for moment in moments]).tolist()
    assert codes[len(inside) :] == [-1] * (len(moments) - len(inside))
    periods = list(dict.fromkeys(map(key, inside)))
    assert codes[: len(inside)] == [periods.index(key(moment)) for moment in inside]
    assert dates.size == len(periods)
    first, last, closed = dates.cells()
    assert (first[1:] == last[:-1] + 1).all()
    assert closed.all()


def test_labels_name_the_period():
    def labels(by):
        value_set = Dates(("2020-12-28", "2021-01-04"), by)
        return [value_set.label(code) for code in range(value_set.size)]

    assert labels("day")[:2] == ["2020-12-28", "2020-12-29"]
    assert labels("week") == ["2020-W53", "2021-W01"]
    assert labels("month") == ["2020-12", "2021-01"]
    assert labels("year") == ["2020", "2021"]
    assert Dates(("2020-12-28T05:00", "2020-12-28"), "hour", "YYYY-MM-DD HH:MM").label(1) == "2020-12-28T06"
    assert BINS.labels == ("[1900-01-01, 1949-12-31)", "[1949-12-31, 2000-06-30]")


@pytest.mark.parametrize("attribute", [MONTHS, BINS], ids=lambda attribute: attribute.name)
def test_dates_drawn_lie_in_their_cell_and_the_schema_reads_back(attribute):
    codes = np.repeat(np.arange(attribute.size), 300)
    assert (attribute.encode(attribute.decode(codes, np.random.default_rng(0)).tolist()) == codes).all()
    assert Domain.from_toml(Domain((attribute,)).to_toml()).attributes == (attribute,)


def test_dates_follow_the_periods_beside_them():
    """Rows that grow from year to year also grow within one."""
    years = Dates(("2020-01-01", "2022-12-31"), "year")
    codes = np.repeat([0, 1, 2], [1000, 3000, 5000])
    months = np.bincount([int(text[5:7]) for text in years.decode(codes, np.random.default_rng(0))[1000:4000]])[1:]
    assert (np.diff(months[[0, 2, 4, 6, 7, 9, 11]]) > 0).all()  # the months of 31 days


def test_times_without_a_date_are_grouped_by_the_hour_or_by_edges():
    hours = Attribute("at", Dates(("06:00", "21:59"), "hour", "H:MM"), missing="?")
    assert hours.size == 17
    assert hours.labels[:3] == ("06:00", "07:00", "08:00")
    assert hours.encode(["6:00", "06:59", "21:59", "22:00", "5:59", "24:00", "9:60", "9", "?"]).tolist() == [
        *(0, 0, 15, -1, -1, -1, -1, -1, 16)
    ]
    shifts = Attribute("at", Dates(("00:00", "06:00", "14:00", "23:59:59"), form="HH:MM:SS"))
    assert shifts.compare(">=", "14:00").tolist() == [False, False, True]
    for attribute in (hours, shifts):
        domain = Domain((attribute,))
        assert Domain.from_toml(domain.to_toml()) == domain
        codes = np.repeat(np.arange(attribute.size), 200)
        assert (attribute.encode(attribute.decode(codes, np.random.default_rng(0)).tolist()) == codes).all()
    assert parse_workload("ranges:at:06:00..13:59:59", Domain((shifts,))).size == 1


def test_comparisons_take_dates_in_both_forms_and_a_day_as_a_whole():
    assert MONTHS.compare("<", "2020-01-01").tolist() == [True, True, False, False, False, False]
    assert MONTHS.compare("<=", "31.12.2019").tolist() == MONTHS.compare("<", "2020-01-01").tolist()
    assert MONTHS.compare("==", "2020-02").tolist() == [False, False, False, True, False, False]
    hours = Attribute("at", Dates(("2024-01-01", "2024-01-02"), "day", "YYYY-MM-DD HH:MM"))
    assert hours.compare("<=", "2024-01-01").tolist() == [True, False]
    assert hours.compare(">", "2024-01-01").tolist() == [False, True]


@pytest.mark.parametrize(
    ("op", "value", "message"),
    [
        (
            ">=",
            "2020-01-15",
            "seen has cells of a month from 2019-11-15: 2020-01-15 falls inside 2020-01; "
            "compare with the start of a cell",
        ),
        (
            "==",
            "15.01.2020",
            "seen has cells of a month from 2019-11-15: 15.01.2020 falls inside 2020-01; compare with '2020-01'",
        ),
        (">=", 2020.0, "seen >= needs a date in quotes, got 2020.0"),
        (">=", "spring", "seen >= needs a date in quotes, got 'spring'"),
    ],
)
def test_a_comparison_that_the_schema_cannot_decide_is_refused(op, value, message):
    with pytest.raises(ValueError, match=exactly(message)):
        MONTHS.compare(op, value)


def test_ranges_and_predicates_ask_for_dates():
    domain = Domain((MONTHS,))
    assert parse_workload("ranges:seen:all", domain).size == 15
    listed = parse_workload("ranges:seen:2019-12-01..2020-01-31;2020-02-01..2020-03-10", domain)
    counts = np.array([1.0, 2, 4, 8, 16, 32])
    assert listed.size == 2
    assert parse_workload(listed.spec, domain).spec == listed.spec

    class Source:
        def marginals(self, sets):
            return [counts for _ in sets]

        def flat_marginals(self, blocks):
            return [counts for _ in blocks]

    assert listed.answers(Source()).tolist() == [6, 24]
    where = parse_workload('where:seen >= "2020-01-01" and seen != "?"', domain)
    assert where.answers(Source()).tolist() == [28]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            'dates = ["2024-01-01", "2024-12-31"]\nby = "decade"',
            "by must be one of hour, day, week, month, year, got 'decade'",
        ),
        (
            'dates = ["2024-01-01", "2024-12-31"]\nby = "hour"',
            "by = 'hour' needs a form with the hour, got 'YYYY-MM-DD'",
        ),
        (
            'dates = ["2024-01-01", "2024-12-31"]\nby = "day"\nform = "MM.DD.YYYY"',
            "form must be one such as YYYY-MM-DD, DD.MM.YYYY or MM/DD/YYYY HH:MM, got 'MM.DD.YYYY'",
        ),
        (
            'dates = ["2024-01", "2024-12"]\nby = "day"\nform = "Mon YYYY"',
            "by = 'day' needs a form with the day, got 'Mon YYYY'",
        ),
        (
            'dates = ["1920-01-01", "2024-12-31"]\nby = "year"\nform = "MM/DD/YY"',
            "two digits write the years from the first date on, 1920 to 2019, got 2024-12-31: declare YYYY",
        ),
        (
            'dates = ["2024", "2025"]\nby = "month"\nform = "Mon YYYY"',
            "dates must be written as YYYY-MM or as Mon YYYY, got '2024'",
        ),
        ('dates = ["2024-01-01", "soon"]', "dates must be written as YYYY-MM-DD or as YYYY-MM-DD, got 'soon'"),
        ("dates = [2024-05-01, 2024-01-01]", "dates must increase, got 2024-05-01 before 2024-01-01"),
        (
            "dates = [2024-01-01]",
            "dates must be at least two dates, or by with a first and a last, got ['2024-01-01']",
        ),
        (
            'dates = [2024-01-01, 2024-02-01, 2024-03-01]\nby = "day"',
            "dates must be the first and the last date, got ['2024-01-01', '2024-02-01', '2024-03-01']",
        ),
        (
            'dates = [1500-01-01, 9000-01-01]\nby = "day"',
            "there are more than 1,000,000 periods by day; group by a longer one",
        ),
        (
            'dates = ["06:00", "22:00"]\nform = "HH:MM"\nby = "day"',
            "times without a date are grouped by hour, or by edges, got by = 'day'",
        ),
        ('dates = ["06:00", "24:00"]\nform = "HH:MM"\nby = "hour"', "dates must be written as HH:MM, got '24:00'"),
        (
            'dates = ["2024-01-01T05:00", "2024-01-01T06:00", "2024-01-02"]',
            "two edges are less than one day apart, which is all that YYYY-MM-DD writes",
        ),
        ('values = ["a", "b"]\nby = "day"', "by belongs to dates, not to values; remove it"),
    ],
)
def test_dates_that_contradict_themselves_are_refused(body, message):
    with pytest.raises(ValueError, match=exactly(f"attribute 'x': {message}")):
        Domain.from_toml(f'[[attribute]]\nname = "x"\n{body}\n')

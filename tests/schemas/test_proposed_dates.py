"""Dates are proposed in the form in which a table writes them; what the texts leave open is said."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

from mwem_core.forms import parse_dates
from mwem_core.schemas.proposed_dates import DateColumn, found_dates
from mwem_core.tables import distinct_texts, text_column
from mwem_core.values import Dates

# Texts of two dates, as tables write them, and their form.
WRITTEN = {
    "YYYY-MM-DDTHH:MM:00+01:00": ("2021-03-01T08:30:00+01:00", "2021-05-22T21:00:00+01:00"),
    "YYYY-MM-DD HH:MM:SS-0330": ("2021-03-01 08:00:01-0330", "2021-05-22 21:07:00-0330"),
    "YYYY-MM-DD HH:MM:SS UTC": ("2021-03-01 08:00:01 UTC", "2021-05-22 21:07:00 UTC"),
    "DD/Mon/YYYY:HH:MM:SS +0100": ("01/Mar/2021:08:00:01 +0100", "22/May/2021:21:07:00 +0100"),
    "MM/DD/YYYY HH:MM AM": ("03/01/2021 12:10 AM", "05/22/2021 12:11 PM"),
    "M/D/YYYY, H:MM:SS am": ("3/1/2021, 2:00:07 pm", "5/22/2021, 12:00:00 am"),
    "YYYY-MM-DD H AM": ("2021-03-01 2 PM", "2021-05-22 11 AM"),
    "DD-Mon-YYYY": ("01-Mar-2021", "22-May-2021"),
    "DDMONYYYY": ("01MAR2021", "22MAY2021"),
    "D month YYYY": ("1 march 2021", "22 may 2021"),
    "Mon D, YYYY": ("Mar 1, 2021", "May 22, 2021"),
    "MM/DD/YY": ("03/01/21", "05/22/21"),
    "YY-MM-DD": ("21-03-01", "21-05-22"),
    "DD.MM.YY": ("01.03.21", "22.05.21"),
    "YYYY/M/D": ("2021/3/1", "2021/5/22"),
    "YYYY.MM.DD": ("2021.03.01", "2021.05.22"),
    "YYYY-MM": ("2021-03", "2021-05"),
    "MM/YYYY": ("03/2021", "05/2021"),
    "Mon YYYY": ("Mar 2021", "May 2021"),
    "Month YYYY": ("March 2021", "May 2021"),
    "Mon-YY": ("Mar-21", "May-21"),
    "H:MM am": ("2:00 pm", "12:05 am"),
    "H AM": ("2 PM", "12 AM"),
    "Ddd, DD Mon YYYY HH:MM:00 GMT": ("Sat, 19 Oct 2019 15:53:00 GMT", "Wed, 01 May 2019 20:59:00 GMT"),
    "YYYY-MM-DD HH:MM EST": ("2019-05-09 19:46 EST", "2019-02-09 00:32 EST"),
    "YYYY-Www": ("2021-W46", "2019-W38"),
    "YYYY年M月D日": ("2001年3月4日", "2011年12月14日"),
    "D. Month{de} YYYY": ("21. Dezember 2014", "2. März 2020"),
    "DD month{fr-short.} YYYY": ("18 déc. 2018", "20 août 2012"),
    "D de month{es} de YYYY": ("3 de mayo de 2020", "14 de enero de 2021"),
    "D month{ru} YYYY": ("5 мая 2020", "16 января 2021"),
    "month{pt-short}-YY": ("fev-19", "set-20"),
    "DD.MONTH{tr-short}.YYYY": ("12.AĞU.2020", "11.OCA.2021"),
}


def found_in(texts: Sequence[str]) -> DateColumn:
    found = found_dates(texts)
    assert found is not None
    return found


def periods_of(texts: Sequence[str]) -> Dates:
    found = found_in(texts)
    periods = found.periods(found.form)
    assert periods is not None
    return periods


@pytest.mark.parametrize("form", WRITTEN)
def test_rows_have_the_form_of_the_table(form):
    texts = WRITTEN[form]
    found = periods_of(texts)
    assert found.form == form
    assert Dates(found.dates, found.by, form) == found
    codes = np.repeat(np.arange(found.size), 3)
    rows = found.decode(codes, np.random.default_rng(0)).tolist()
    assert (found.encode(rows) == codes).all()
    assert (found.encode(texts) >= 0).all()
    again = found_in(rows)
    assert again.form in (form, form.replace("HH", "H").replace(":00", ":MM"), form.replace("DD ", "D "))
    if {"Y", "D"} <= {*form} and "H" not in form and "Mon" in form and "{" not in form:
        day = datetime(2021, 3, 1)
        assert parse_dates(texts, form)[0] == (day - datetime(1970, 1, 1)).total_seconds()


BARE = {  # digits alone, which chance would hardly make dates
    "YYYYMM": [f"{2001 + i % 9}{1 + i % 12:02}" for i in range(60)],
    "HHMM": [f"{i % 24:02}{i * 7 % 60:02}" for i in range(90)],
    "HMM": [f"{6 + i % 18}{i % 4 * 15:02}" for i in range(72)],
    "YYYYDDD": [f"{2001 + i % 9}{1 + i * 37 % 365:03}" for i in range(90)],
    "YYYYMMDDHHMMSS": [f"201{i % 9}0{1 + i % 9}{1 + i % 28:02}0738{i % 60:02}" for i in range(90)],
    "DDMMYYYY": [f"{1 + i % 28:02}0{1 + i % 9}19{30 + i % 60}" for i in range(90)],
}


@pytest.mark.parametrize("form", BARE)
def test_digits_alone_are_dates_where_chance_is_negligible(form):
    texts = list(dict.fromkeys(BARE[form]))
    found = periods_of(texts)
    assert found.form == form
    codes = np.arange(300) % found.size
    rows = found.decode(codes, np.random.default_rng(0)).tolist()
    assert (found.encode(rows) == codes).all()
    assert {len(row) for row in rows} <= {len(text) for text in texts}
    assert found_dates(texts, bare=False) is None


@pytest.mark.parametrize(
    "texts",
    [
        ["2010-11", "2011-12", "2009-10"],  # school years
        ["1.2.10", "1.3.12"],  # versions
        ["4 / 10", "6 / 10", "10 / 10"],  # scores
        ["20215501", "20210101"],
        ["2021-02-30", "2021-01-01"],
        ["2021-03-01T08:00", "2021-03-02T08:00+01:00"],  # only some have a zone
        ["13:00 PM", "1:00 AM"],
        [str(100 + 7 * i) for i in range(300)],  # prices
        [str(200_000 + i * 313) for i in range(300)],
        ["200301", "200302", "200303"],  # a few numbers in a row
        ["unknown", "12", "3.14", "2021", "1.2.3", "05-11-x", "March", "5 a"],
    ],
    ids=lambda texts: texts[0],
)
def test_texts_that_are_no_dates_of_one_form_are_none(texts):
    assert found_dates(texts) is None


@pytest.mark.parametrize("texts", [["2021-03-01", "03/01/2021"], ["March 2021", "Apr 1, 2021"]])
def test_dates_in_two_forms_are_named_as_such(texts):
    with pytest.raises(ValueError, match="dates in two forms, such as '"):
        found_dates(texts)


def test_dates_of_several_precisions_are_read_by_the_coarsest():
    for texts, form in (
        (["2019", "2019-03", "2020-03-05"], "YYYY"),
        (["2019-03", "2020-03-05", "2019-05-06T21:59"], "YYYY-MM"),
    ):
        found = found_in(texts)
        assert found.form == form
        assert (periods_of(texts).encode(texts) >= 0).all()
        assert f"several precisions, such as {texts[0]!r}" in found.coarse


@pytest.mark.parametrize(
    ("years", "first", "last"),
    [
        (range(31, 104), 1931, 2003),
        (range(60, 126), 1960, 2025),
        (range(98, 121), 1998, 2020),
        (range(21, 22), 2021, 2021),
    ],
)
def test_years_of_two_digits_begin_after_a_wide_gap_and_that_is_said(years, first, last):
    texts = [f"{1 + i % 28:02}.{1 + i % 12:02}.{year % 100:02}" for i, year in enumerate(years)] + ["28.02.21"] * (
        last == 2021
    )
    texts = list(dict.fromkeys([*texts, "15.12." + texts[-1][-2:]]))
    found = found_in(texts)
    periods = found.periods(found.form)
    assert periods is not None
    assert (int(periods.dates[0][:4]), int(periods.dates[1][:4])) == (first, last)
    assert found.notes == [f"years of two digits are read as {first} to {last}"]
    assert (periods.encode(texts) >= 0).all()


def moments(zone: str) -> list[str]:
    start, own = datetime(2019, 1, 1), ZoneInfo(zone)
    return [(start + timedelta(hours=53 * i)).replace(tzinfo=own).isoformat() for i in range(200)]


@pytest.mark.parametrize(
    ("zone", "winter", "summer"), [("Europe/Berlin", "+01:00", "+02:00"), ("America/New_York", "-05:00", "-04:00")]
)
def test_zones_that_follow_summer_time_are_written_by_the_day(zone, winter, summer):
    texts = moments(zone)
    found = found_in(texts)
    assert found.form == f"YYYY-MM-DDTHH:00:00{winter}/{summer}"
    assert found.notes == [f"clocks have the zone {winter} in winter and {summer} in summer"]
    periods = periods_of(texts)
    rows = periods.decode(np.arange(500) % periods.size, np.random.default_rng(0)).tolist()
    own = [datetime.fromisoformat(row) for row in rows]
    assert [row.replace(tzinfo=ZoneInfo(zone)).isoformat() for row in own] == rows
    assert (periods.encode(rows) == np.arange(500) % periods.size).all()


def test_zones_that_follow_nothing_are_refused():
    for texts in (
        moments("Australia/Sydney"),
        [text[:-6] + ("+01:00", "+05:30")[i % 2] for i, text in enumerate(moments("UTC"))],
    ):
        with pytest.raises(ValueError, match="times in several zones, such as"):
            found_dates(texts)


def test_years_of_the_buddhist_calendar_have_its_leap_days():
    texts = ["29/02/2563", "03/05/2557", "15/02/2548"]
    found = found_in(texts)
    assert (found.form, found.odd) == ("DD/MM/BBBB", [])
    assert periods_of(texts).dates == ("2005-02-15", "2020-02-29")
    assert found.notes == ["years of the Buddhist calendar are read as 543 less"]


def test_an_order_that_the_texts_leave_open_is_asked_for():
    texts = ["01/01/2021", "03/04/2021", "12/04/2021"]
    found = found_in(texts)
    assert found.periods(found.form) == Dates(("2021-01-01", "2021-04-12"), "week", "DD/MM/YYYY")
    assert found.question == "03/04/2021 may be 3 April or 4 March: read as day first"
    other = found.periods(found.other)
    assert other is not None
    assert (other.form, other.by) == ("MM/DD/YYYY", "week")
    assert (other.encode(texts) >= 0).all()


def test_the_other_order_has_periods_of_its_own():
    texts = [f"{day:02}/03/2021" for day in range(1, 13)]
    found = found_in(texts)
    assert found.periods(found.form) == Dates(("2021-03-01", "2021-03-12"), "day", "DD/MM/YYYY")
    other = found.periods(found.other)
    assert other == Dates(("2021-01-03", "2021-12-03"), "week", "MM/DD/YYYY")
    assert len({*other.encode(texts)} - {-1}) == 12


def test_one_order_is_not_asked_for_and_equal_days_and_months_are():
    certain = found_in(["01/02/2021", "13/02/2021"])
    assert (certain.question, certain.other) == ("", "")
    equal = found_in(["05/05/2021", "06/06/2021"])
    message = "05/05/2021 and all other dates have the same number as day and month: read as day first"
    assert equal.question == message
    assert equal.other == "MM/DD/YYYY"


OWN = ["2021-03-01", "2021-04-05", "2022-12-30"]


@pytest.mark.parametrize(
    "mark", ["9999-12-31", "0000-00-00", "9999-99-99", "0001-01-01", "1900-01-01", "1970-01-01", "2999-12-31"]
)
def test_a_day_that_stands_for_none_is_a_mark_in_any_form(mark):
    for form in ("{0}-{1}-{2}", "{2}/{1}/{0}", "{2}.{1}.{0}"):
        texts = [form.format(*day.split("-")) for day in (*OWN, mark)]
        found = found_in(texts)
        assert found.odd == [texts[-1]]
        assert found.marks == {texts[-1]}


def test_first_days_of_calendars_are_dates_where_others_are_near():
    assert found_in(["1900-01-01", "1912-04-03", "1950-05-01"]).odd == []
    assert found_in(["1970-01-01", "1969-05-05", "1980-01-02"]).odd == []


def test_stored_times_of_an_unknown_zone_are_in_utc():
    moments = pa.array([datetime(2021, 3, 1, 7)], pa.timestamp("s")).cast(pa.timestamp("s", tz="Mars/Olympus"))
    assert distinct_texts(text_column(pa.chunked_array([moments])), "at")[0] == ["2021-03-01 07:00:00Z"]


def test_stored_times_with_a_zone_are_local_times_with_their_offset():
    moments = pa.array([datetime(2021, 3, 1, 7), datetime(2021, 7, 1, 7)], pa.timestamp("us"))
    column = text_column(pa.chunked_array([moments.cast(pa.timestamp("us", tz="Europe/Berlin"))]))
    texts, _ = distinct_texts(column, "at")
    assert texts == ["2021-03-01 08:00:00.000000+0100", "2021-07-01 09:00:00.000000+0200"]
    found = found_in(texts)
    assert found.form == "YYYY-MM-DD HH:00:00.000000+0100/+0200"

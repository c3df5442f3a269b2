"""Dates are proposed in the form in which a table writes them; what the texts leave open is said."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest

from mwem_core.forms import parse_dates
from mwem_core.schemas.proposed_dates import (
    date_marks,
    is_date_like,
    is_date_mark,
    order_question,
    other_order,
    proposed_dates,
    zones_note,
)
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
}


def found_in(texts: Sequence[str]) -> Dates:
    found = proposed_dates(texts)
    assert found is not None
    return found


@pytest.mark.parametrize("form", WRITTEN)
def test_rows_have_the_form_of_the_table(form):
    texts = WRITTEN[form]
    found = found_in(texts)
    assert found.form == form
    assert Dates(found.dates, found.by, form) == found
    codes = np.repeat(np.arange(found.size), 3)
    rows = found.decode(codes, np.random.default_rng(0)).tolist()
    assert (found.encode(rows) == codes).all()
    assert (found.encode(texts) >= 0).all()
    again = found_in(rows)
    assert again.form in (form, form.replace("HH", "H").replace(":00", ":MM"))
    if "H" not in form:
        assert all(is_date_like(row) for row in rows)
        day = datetime(2021, 3, 1)
        assert parse_dates(texts, form)[0] == (day - datetime(1970, 1, 1)).total_seconds()


@pytest.mark.parametrize(
    "texts",
    [
        ["2010-11", "2011-12", "2009-10"],  # school years
        ["1.2.10", "1.3.12"],  # versions
        ["20215501", "20210101"],
        ["2021-02-30", "2021-01-01"],
        ["2021-03-01T08:00", "2021-03-02T08:00+01:00"],  # only some have a zone
        ["2021-03-01", "03/01/2021"],
        ["March 2021", "Apr 1, 2021"],
        ["13:00 PM", "1:00 AM"],
        ["0000-00-00", "2021-01-01"],
    ],
)
def test_texts_that_are_no_dates_of_one_form_are_none(texts):
    assert proposed_dates(texts) is None


def test_times_in_several_zones_are_moments_in_the_most_frequent():
    texts = ["2021-01-01 08:00:00+0100", "2021-03-01 08:00:00+0100", "2021-07-01 00:30:00+0200"]
    found = found_in(texts)
    assert found.form == "YYYY-MM-DD HH:MM:00+0100"
    hours = Dates(("2021-06-30", "2021-07-01"), "hour", found.form)
    assert hours.label(int(hours.encode(texts[2:])[0])) == "2021-06-30T23"
    note = "times have the zones +0100, +0200: each is kept as the same moment, written in +0100"
    assert zones_note(texts, found) == note
    assert zones_note(texts[:2], found) == ""


def test_minutes_that_another_zone_brings_are_written():
    texts = ["2021-01-01T08:00+01:00", "2021-02-01T08:00+01:00", "2021-03-01T08:00+05:30"]
    found = found_in(texts)
    assert found.form == "YYYY-MM-DDTHH:MM+01:00"


def test_an_order_that_the_texts_leave_open_is_asked_for():
    texts = ["01/01/2021", "03/04/2021", "12/04/2021"]
    found = found_in(texts)
    assert found == Dates(("2021-01-01", "2021-04-12"), "week", "DD/MM/YYYY")
    assert order_question(texts, found) == "03/04/2021 may be 3 April or 4 March: read as day first"
    other = other_order(texts, found)
    assert other is not None
    assert (other.form, other.by) == ("MM/DD/YYYY", "week")
    assert (other.encode(texts) >= 0).all()
    assert order_question(texts, other) == "03/04/2021 may be 4 March or 3 April: read as month first"
    assert other_order(texts, other) == found


def test_the_other_order_has_periods_of_its_own():
    texts = [f"{day:02}/03/2021" for day in range(1, 13)]
    found = found_in(texts)
    assert found == Dates(("2021-03-01", "2021-03-12"), "day", "DD/MM/YYYY")
    other = other_order(texts, found)
    assert other is not None
    assert other == Dates(("2021-01-03", "2021-12-03"), "week", "MM/DD/YYYY")
    assert len({*other.encode(texts)} - {-1}) == 12


def test_weeks_end_where_two_digits_do():
    found = found_in(["01/01/69", "13/07/69"])
    assert (found.by, found.dates) == ("week", ("1969-01-01", "1969-07-13"))


def test_one_order_is_not_asked_for_and_equal_days_and_months_are():
    certain = ["01/02/2021", "13/02/2021"]
    found = found_in(certain)
    assert (order_question(certain, found), other_order(certain, found)) == ("", None)
    equal = ["05/05/2021", "06/06/2021"]
    found = found_in(equal)
    message = "05/05/2021 and all other dates have the same number as day and month: read as day first"
    assert order_question(equal, found) == message
    other = other_order(equal, found)
    assert other is not None
    assert other.form == "MM/DD/YYYY"


@pytest.mark.parametrize(
    "text",
    [
        *("9999-12-31", "31/12/9999", "12/31/9999", "31.12.9999", "31-Dec-9999", "99991231", "9999-12-31T23:59:59"),
        *("0000-00-00", "00/00/0000", "0000-00-00 00:00:00", "0001-01-01"),
    ],
)
def test_a_mark_for_no_date_is_one_in_any_form(text):
    assert is_date_mark(text)
    assert is_date_like(text)


def test_ordinary_texts_are_no_dates_and_no_marks():
    assert not any(map(is_date_mark, ["2024-12-31", "31.12.1999", "12/31/99", "9999", "unknown", "1900-01-01"]))
    assert not any(map(is_date_like, ["unknown", "12", "3.14", "2021", "1.2.3", "05-11-x", "March", "5 a", ""]))


def test_first_days_of_calendars_are_marks_where_all_other_dates_are_decades_away():
    own = ["2021-03-01", "1900-01-01", "9999-12-31", "1970-01-01"]
    assert date_marks(own, [5, 2, 9, 3]) == ["9999-12-31", "1970-01-01", "1900-01-01"]
    assert date_marks(["01/01/1900", "03/04/1912", "00/00/0000"], [1, 1, 1]) == ["00/00/0000"]
    assert date_marks(["1970-01-01", "1969-05-05"], [1, 1]) == []


def test_stored_times_of_an_unknown_zone_are_in_utc():
    moments = pa.array([datetime(2021, 3, 1, 7)], pa.timestamp("s")).cast(pa.timestamp("s", tz="Mars/Olympus"))
    assert distinct_texts(text_column(pa.chunked_array([moments])), "at")[0] == ["2021-03-01 07:00:00Z"]


def test_stored_times_with_a_zone_are_local_times_with_their_offset():
    moments = pa.array([datetime(2021, 3, 1, 7), datetime(2021, 7, 1, 7)], pa.timestamp("us"))
    column = text_column(pa.chunked_array([moments.cast(pa.timestamp("us", tz="Europe/Berlin"))]))
    texts, _ = distinct_texts(column, "at")
    assert texts == ["2021-03-01 08:00:00.000000+0100", "2021-07-01 09:00:00.000000+0200"]
    found = found_in(texts)
    assert found.form == "YYYY-MM-DD HH:00:00.000000+0100"

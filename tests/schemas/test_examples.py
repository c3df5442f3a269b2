"""Cells of a column beside cells that rows may hold, and what is left out as it would not come back."""

import numpy as np
import pytest

from mwem_core.domain import Attribute
from mwem_core.forms import NumberStyle
from mwem_core.schemas import Suggestion, suggestions
from mwem_core.schemas.proposal import with_proof
from mwem_core.tables import read_table
from mwem_core.values import BinsToMeasure, Codes, Dates, Edges, Range, Values

MONEY = Edges((0, 100, 2000), NumberStyle(2, "$0,000.00"))
SCALE = Values(("Mild", "Moderate", "Grave"))


class OffByOne(Range):
    """Whole numbers whose rows have each number's successor."""

    def decode(self, codes, rng, rows=None):
        return super().decode(codes, rng, rows) + 1


@pytest.mark.parametrize(
    ("value_set", "texts", "fault"),
    [
        (MONEY, ["$1,500.25", "$7.5", "-", "$0.00"], ""),
        (MONEY, ["1500.25", "$7.50"], "would come back in another form"),
        (Edges((0, 5, 9), NumberStyle(1)), ["1.5", "3", "1e-1", ".25"], ""),
        (Edges((0, 5, 9)), ["5 kg", "7 kg"], "would come back in another form"),
        (Edges((-9, 0, 9), NumberStyle(2, "(0.00)")), ["(1.25)", "8.50", "-3.00"], ""),
        (Dates(("2020-01-01", "2021-12-31"), "month", "DD.MM.YYYY"), ["31.01.2020", "01.12.2021"], ""),
        (Dates(("2020-01-01", "2021-12-31"), "month"), ["31.01.2020", "01.12.2021"], "would come back in another form"),
        (Dates(("2020-01-01", "2021-12-31"), "month", "DD Mon YYYY"), ["31 May 2020", "01 March 2021"], ""),
        (SCALE, ["Mild"] * 19 + ["none of them"], ""),
        (SCALE, ["Mild"] * 18 + ["none of them"], "would come back in another form"),
        (Codes(("A00.1", "A00", "B7"), 1), ["A00.1", "B7"], ""),
        (OffByOne(0, 9), ["3"], "would be written in cells that are read back as other values"),
    ],
)
def test_a_column_that_would_not_come_back_is_left_out_says_so_and_can_be_taken(value_set, texts, fault):
    attribute = Attribute("x", value_set, "-")
    different = [*dict.fromkeys(texts)]
    rows = np.array([texts.count(text) for text in different])
    found = with_proof(Suggestion(attribute, "has a unit"), different, rows, ".")
    assert fault in found.says
    assert found.attribute == (None if fault else attribute)
    assert list(found.choices.values()) == ([None, attribute] if fault else [])
    assert found.becomes == ("left out" if fault else attribute.summary)


@pytest.mark.parametrize(
    ("attribute", "summary"),
    [
        (Attribute("x", Range(17, 90)), "74 whole numbers, 17 to 90"),
        (Attribute("x", Range(0, 1)), "0 or 1"),
        (Attribute("x", Range(0, 99, 10), "?"), "10 bins of whole numbers, 0 to 99, or missing"),
        (Attribute("x", MONEY, "", False, ("refused",)), "2 bins of numbers, 0 to 2000, or 'refused', missing"),
        (Attribute("x", MONEY, None, True, tuple("abcde")), "'a', 'b', 'c', 2 more texts, other"),
        (
            Attribute("x", Range(0, 7200, 60, NumberStyle(0, "H:MM:SS"))),
            "121 bins of whole numbers, 0:00:00 to 2:00:00",
        ),
        (Attribute("x", BinsToMeasure(Range(0, 99), 7)), "7 measured bins of numbers, 0 to 99"),
        (Attribute("x", Dates(("2019-03-05", "2021-02-01"), "month")), "dates by month, 2019-03 to 2021-02"),
        (Attribute("x", Dates(("08:15", "17:30"), "hour", "HH:MM")), "times by hour, 08:00 to 17:00"),
        (
            Attribute("x", Dates(("2019-03-05", "2020-01-01", "2021-02-01"))),
            "2 bins of dates, 2019-03-05 to 2021-02-01",
        ),
        (Attribute("x", SCALE), "3 categories in order, Mild to Grave"),
        (Attribute("x", Values(("week 2", "week 10"))), "2 categories"),
        (Attribute("x", Codes(("A00.1", "A00", "B7"), 1)), "3 codes in 2 groups"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_sentence_says_what_a_column_becomes(attribute, summary):
    assert summary in attribute.summary


def test_cells_of_the_file_and_cells_that_rows_may_hold_are_different_ones_and_the_same_each_time():
    lines = "".join(f"{20 + i % 60};{'FM'[i % 2]};{1000 + i},5;{i}\n" for i in range(300))
    table = read_table(("age;sex;pay;nr\n" + lines).encode(), name="t.csv")
    found, again = suggestions(table), suggestions(table)
    for name, seen in found.items():
        assert (seen.of_file, seen.drawn) == (again[name].of_file, again[name].drawn)
        assert {*seen.of_file} <= {*table[name].to_pylist()}
        assert len({*seen.of_file}) == min(3, len({*table[name].to_pylist()}))
    assert len({*found["age"].drawn}) == 3
    assert {*found["sex"].drawn} == {"F", "M"}
    assert all("," in cell for cell in found["pay"].drawn), "as rows of this file are written"
    assert found["nr"].drawn == ()

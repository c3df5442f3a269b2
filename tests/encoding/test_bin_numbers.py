"""What a record adds to the sums of offsets, and which numbers of a file reach them."""

import numpy as np
import pytest

from mwem_core.domain import Attribute, Domain, Records
from mwem_core.encoding import UNITS, attrs_in_bins, encode, encode_unit, offset_sums, spans, squares
from mwem_core.forms import NumberStyle
from mwem_core.privacy import RECORD, Unit
from mwem_core.tables import read_table
from mwem_core.values import BITS, Dates, Edges, Range, Values

DOMAIN = Domain(
    (
        Attribute("age", Edges((17, 25, 45, 65), NumberStyle()), missing="?"),
        Attribute("pay", Edges((0.0, 10.0, 100.0)), other=True),
        Attribute("kids", Range(0, 5)),
        Attribute("tens", Range(0, 29, 10)),
        Attribute("sex", Values(("F", "M"))),
    )
)


def records(age, pay=None, weights=None) -> Records:
    pay = np.full(len(age), 5.0) if pay is None else np.array(pay)
    codes = np.array([DOMAIN.attributes[0].encode([str(x)])[0] for x in age], np.uint8)
    of_pay = np.array([DOMAIN.attributes[1].encode([str(x)])[0] for x in pay], np.uint8)
    nothing = np.zeros(len(age), np.uint8)
    numbers = {"age": np.array([float(x) if x != "?" else np.nan for x in age]), "pay": pay}
    return Records(DOMAIN, (codes, of_pay, nothing, nothing, nothing), weights, numbers=numbers)


def test_only_numbers_and_dates_in_bins_of_several_are_measured():
    assert [DOMAIN.names[a] for a in attrs_in_bins(DOMAIN)] == ["age", "pay", "tens"]
    for value_set, expected in (
        (BITS, ()),
        (Edges((0, 1, 2), NumberStyle()), (0,)),  # the last bin has 1 and 2
        (Edges((0, 1, 1.5), NumberStyle()), ()),
        (Dates(("2020-01-01", "2020-02-10"), by="month"), (0,)),
        (Dates(("2020-01-01", "2020-02-10"), by="day"), ()),
    ):
        assert attrs_in_bins(Domain((Attribute("x", value_set, missing="?"),))) == expected


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        ([17, 24], [0, 0, 0]),  # the ends of 17 to 24 are as far from its middle
        ([17], [-500, 0, 0]),
        ([24, 24], [1000, 0, 0]),
        ([65], [0, 0, 500]),
        ([55], [0, 0, 0]),
        ([25, 44, 26], [0, -447, 0]),  # (26 - 34.5) / 19
        (["?"], [0, 0, 0]),
        ([24.9], [500, 0, 0]),  # of more digits than declared
    ],
)
def test_an_offset_is_how_far_a_number_is_from_the_middle_of_its_bin(age, expected):
    assert offset_sums(records(age), 0).tolist() == expected


def test_a_row_counts_as_often_as_it_stands_for_records_and_without_numbers_as_the_middle():
    assert offset_sums(records([17, 24], weights=np.array([3, 1])), 0).tolist() == [-1000, 0, 0]
    B = records([17, 24])
    assert offset_sums(Records(B.domain, B.codes), 0).tolist() == [0, 0, 0]
    assert offset_sums(B, 3).tolist() == [0, 0, 0]


@pytest.mark.parametrize("number", [-1e300, -1.0, 17.0, 20.5, 24.0, 1e300, np.inf, np.nan])
def test_a_record_moves_one_sum_by_at_most_a_half_whatever_its_number_is(number):
    """Also a number that is not in the bin of its record, as where a rule of the schema has changed the code."""
    B = records([17, 30, 50, 61])
    more = Records(DOMAIN, B.codes, numbers={**B.numbers, "age": np.array([17.0, 30, 50, number])})
    without = B.rows(np.array([True, True, True, False]))
    moved = np.abs(offset_sums(more, 0) - offset_sums(without, 0))
    assert moved.sum() <= UNITS / 2
    assert np.count_nonzero(moved) <= 1


CSV = b"id,age,pay,kids,tens,sex\na,17,1.5,0,3,F\nb,24,2000,1,12,M\na,?,x,2,29,F\n,30,50,2,29,F\n"


def test_the_numbers_of_a_file_reach_the_records_of_a_release_and_of_no_other_attribute():
    table = read_table(CSV, name="people.csv")
    B = encode_unit(table, DOMAIN, RECORD)
    assert set(B.numbers) == {"age", "pay", "tens"}
    assert B.numbers["age"] == pytest.approx([17, 24, np.nan, 30], nan_ok=True)
    assert B.numbers["pay"] == pytest.approx([1.5, np.nan, np.nan, 50], nan_ok=True)  # 2000 is in the catch-all
    assert encode(table, DOMAIN).numbers == {}
    of_persons = encode_unit(table, DOMAIN, Unit("id", 1), key=b"k")
    assert of_persons.total == 2  # one of each person, and none without a name
    assert all(len(x) == 2 for x in of_persons.numbers.values())
    for code, x in zip(of_persons.codes[0], of_persons.numbers["age"], strict=True):
        assert np.isnan(x) if code == 3 else DOMAIN.attributes[0].encode([f"{x:g}"])[0] == code


def test_a_square_is_that_of_the_mean_and_the_variance_within_the_bin():
    plain = Attribute("x", Edges((0, 1, 3, 10), NumberStyle()))
    (square, doubt), (mean, *_) = squares(plain), spans(plain)
    of_numbers = [[0], [1, 2], list(range(3, 11))]
    assert square == pytest.approx([np.mean(np.square(x)) for x in of_numbers], rel=1e-6)
    assert mean == pytest.approx([np.mean(x) for x in of_numbers])
    assert doubt == pytest.approx([0, 0, 0.04 * 49])
    told = Attribute("x", plain.value_set, means=(0.0, 1.25, 4.0))
    assert squares(told)[0][:2] == pytest.approx([0, 0.75 * 1 + 0.25 * 4], rel=1e-6)
    assert told == plain

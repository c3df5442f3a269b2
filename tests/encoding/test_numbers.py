"""The numbers of rows are those of the file, and their summaries are NumPy's."""

import math

import numpy as np
import pytest
from workloads import MIXED

from mwem_core import Attribute, Domain
from mwem_core.domain import Records
from mwem_core.encoding import number_texts, read_rows, rows_of_values, spans
from mwem_core.forms import NumberStyle
from mwem_core.output import decode, rows_csv
from mwem_core.release import QUANTILES, quantiles, summarise
from mwem_core.tables import read_table
from mwem_core.values import Dates, Edges, Range

ONE = Domain((Attribute("a", Range(0, 999)),))
CSV = b"age,hours,colour,smoker,count\n17,3,red,1,2\n?,?,red,0,1\n99,20,blue,1,3\n24.5,1,green,0,0\n"


def test_numbers_leave_out_missing_values_the_catch_all_and_rows_of_no_record():
    rows = read_rows(read_table(CSV, name="t.csv"), MIXED, count="count")
    assert rows.numbers["age"].tolist() == pytest.approx([17, np.nan, np.nan], nan_ok=True)
    assert rows.numbers["hours"].tolist() == pytest.approx([3, np.nan, 20], nan_ok=True)
    assert set(rows.numbers) == {"age", "hours", "smoker"}
    assert rows.weights.tolist() == [2, 1, 3]
    found = summarise(rows, "hours")
    assert found.mean == pytest.approx((2 * 3 + 3 * 20) / 5)
    assert found.deviation == pytest.approx(np.std([3, 3, 20, 20, 20]))


def test_drawn_values_are_those_that_the_file_of_rows_has():
    rng = np.random.default_rng(0)
    records = Records(MIXED, tuple(rng.integers(size, size=200) for size in MIXED.shape))
    written = read_rows(read_table(rows_csv(records, np.random.default_rng(1)), name="rows.csv"), MIXED)
    drawn = rows_of_values(records, decode(records, np.random.default_rng(1)))
    for name, x in written.numbers.items():
        assert np.array_equal(x, drawn.numbers[name], equal_nan=True)
    assert np.isnan(written.numbers["age"]).any()


def test_quantiles_are_numpys_inverted_distribution_also_of_weighted_rows():
    rng = np.random.default_rng(1)
    x, times = rng.normal(size=50).round(1), rng.integers(0, 5, 50)
    expected = np.quantile(np.repeat(x, times), QUANTILES, method="inverted_cdf")
    assert quantiles(x[times > 0], times[times > 0].astype(float), QUANTILES) == pytest.approx(expected)


def test_dates_are_numbers_and_read_as_dates():
    day = Attribute("day", Dates(("2024-01-01", "2024-12-31"), by="month"), missing="")
    days = b"other,day\n1,2024-03-01\n2,2024-03-04\n3,\n"
    found = summarise(read_rows(read_table(days, name="t.csv"), Domain((day,))), "day")
    texts = number_texts(day, found.mean, found.deviation, found.quantiles)
    assert texts[:3] == ["2024-03-02", "1.5 days", "2024-03-01"]
    assert texts[-1] == "2024-03-04"


def test_numbers_for_people_have_four_digits_and_a_dash_for_none():
    assert number_texts(ONE.attributes[0], 12345.6, 0.123456, (math.nan,)) == ["12,346", "0.1235", "–"]


def test_numbers_with_decimal_commas_and_marked_thousands_are_those_that_the_records_have():
    domain = Domain((Attribute("pay", Edges((0.0, 1000.0, 5000.0))),))
    rows = read_rows(read_table(b"pay;x\n1.234,5;a\n29,4;b\n", name="t.csv"), domain)
    assert rows.codes[0].tolist() == [1, 0]
    assert rows.numbers["pay"].tolist() == [1234.5, 29.4]


@pytest.mark.parametrize(
    ("value_set", "expected"),
    [
        (Edges((0, 1, 2, 17, 25), inside=NumberStyle()), [[0, 1, 9, 21], [0, 1, 2, 17], [0, 1, 16, 25]]),
        (Edges((0, 1, 25)), [[0, 13], [0, 1], [1, 25]]),  # whole numbers, perhaps: the ends allow for others
        (Edges((0, 0.5, 2.5)), [[0.25, 1.5], [0, 0.5], [0.5, 2.5]]),
        (Edges((0, 1, 2), inside=NumberStyle(2)), [[0.495, 1.5], [0, 1], [0.99, 2]]),
        (Range(1, 25, width=10), [[5.5, 15.5, 23], [1, 11, 21], [10, 20, 25]]),
        (Range(0, 3), [[0, 1, 2, 3]] * 3),
        (Dates(("2020-01-01", "2020-02-10"), by="month"), None),
    ],
)
def test_a_bin_counts_as_the_mean_of_its_numbers_and_spans_them(value_set, expected):
    attribute = Attribute("a", value_set, missing="?")
    middle, low, high = spans(attribute)
    assert np.isnan([middle[-1], low[-1], high[-1]]).all()
    assert (low[:-1] <= middle[:-1]).all()
    assert (middle[:-1] <= high[:-1]).all()
    if expected:
        assert np.array([middle, low, high])[:, :-1] == pytest.approx(np.array(expected))

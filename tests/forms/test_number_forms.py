from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st
from messages import exactly

from mwem_core.forms import NumberStyle, number_form
from mwem_core.values import Edges, Range

WRITTEN = [  # a form, a number, and how it writes it
    ("$0,000.00", "1000.5", "$1,000.50"),
    ("$0,000.00", "-2", "-$2.00"),
    ("0.0%", "0.5", "0.5%"),
    ("(0.00)", "-1.25", "(1.25)"),
    ("(0.00)", "0.75", "0.75"),
    ("$(0,000)", "-1234", "$(1,234)"),
    ("($0,000)", "-1234", "($1,234)"),
    ("+0", "5", "+5"),
    ("+0", "-3", "-3"),
    ("0 000 €", "12345", "12 345 €"),
    ("0.0", "38", "38.0"),
    ("0.000e+00", "0.00006439", "6.439e-05"),
    ("0.0E+0", "-120", "-1.2E+2"),
    ("0e-0", "200000", "2e5"),
    ("H:MM:SS", "3766", "1:02:46"),
    ("HH:MM", "3720", "01:02"),
    ("−0.0", "-4.5", "−4.5"),
    ("0,00,000", "-1234567.5", "-12,34,567.5"),
    ("٠٫٠٠", "-4690.93", "-٤٦٩٠٫٩٣"),
    ("0", "0.0000074", "0.0000074"),
    ("0.00 by 0.25", "3.5", "3.50"),
    ("0 to 3 digits", "0.0217", "0.0217"),
    ("M:SS", "2073", "34:33"),
    ("M:SS.000", "83.456", "1:23.456"),
    ("H:MM:SS.0", "3766.5", "1:02:46.5"),
]
FORMS = sorted({form for form, _, _ in WRITTEN})


@pytest.mark.parametrize(("form", "number", "text"), WRITTEN)
def test_a_form_writes_a_number_and_reads_it_back(form, number, text):
    assert number_form(form).written(Decimal(number)) == text
    assert Decimal(number_form(form).plain(text)) == Decimal(number)


@pytest.mark.parametrize("form", FORMS)
@given(number=st.integers(-(10**9), 10**9))
def test_a_written_number_is_read_as_the_same_or_the_next_lower_one(form, number):
    exact = Decimal(number).scaleb(-2)
    read = Decimal(number_form(form).plain(number_form(form).written(exact)))
    units = number_form(form).units
    if units:
        assert read * exact >= 0
        assert abs(exact) - abs(read) < units[-1] + 1
    elif "e" in form.lower() or "digits" in form:
        assert read <= exact <= read + abs(read) + 1
    else:
        assert read == exact if "." not in form or form.count("0") > 3 else read <= exact < read + 1


@pytest.mark.parametrize(
    ("form", "texts", "numbers"),
    [
        ("$0,000.00", ["1000.5", "$-5", "$1 000", "1,5", "€5"], [1000.5, -5, 1000, np.nan, np.nan]),
        ("(0)", ["(1.25", "-1.25", "(1.25)"], [np.nan, -1.25, -1.25]),
        ("M:SS", ["1:02:46", "5:61", "90:05", "75"], [np.nan, np.nan, 5405, 75]),
    ],
)
def test_numbers_are_read_with_their_form_or_without_it(form, texts, numbers):
    assert np.array_equal(Edges((-10, 10_000), NumberStyle(2, form=form)).parse(texts), numbers, equal_nan=True)


@pytest.mark.parametrize("form", ["", "7", "$", "0.0.0", "(0", "H:SS", "0,00"])
def test_a_form_must_show_a_zero(form):
    with pytest.raises(
        ValueError, match=exactly(f"form must show a zero, such as $0,000.00, 0.0% or H:MM:SS, got {form!r}")
    ):
        number_form(form)


@pytest.mark.parametrize(
    "value_set",
    [
        Edges((0, 10.5, 400), NumberStyle(2, form="$0,000.00")),
        Edges((1e-9, 1e-6, 0.1), NumberStyle(12, form="0.000e+00")),
        Edges((-60, 0, 5000), NumberStyle(0, form="M:SS")),
        Edges((-5, 0, 5), NumberStyle(1, form="(0.0)")),
        Edges((-5, 0, 5.5), NumberStyle(2, form="0.00 by 0.25")),
        Edges((250, 1000, 9000), NumberStyle(0, form="0 by 250")),
        Edges((0.01, 1, 96.7), NumberStyle(4, form="0 to 3 digits")),
        Range(0, 90, inside=NumberStyle(0, form="٠")),
        Range(-5, 5, inside=NumberStyle(0, form="+0")),
        Range(0, 99, 10, NumberStyle(0, form="0.0")),
    ],
)
def test_what_is_drawn_is_written_in_the_form_and_lies_in_its_cell(value_set):
    codes = np.random.default_rng(0).integers(0, value_set.size, 2000)
    texts = value_set.decode(codes, np.random.default_rng(1))
    assert np.array_equal(value_set.encode(texts.tolist()), codes)

import numpy as np
import pytest
from attributes import AGE, COLOUR, EVERY_VALUE_SET, HOURS, SMOKER
from messages import exactly

from mwem_core.domain import Attribute
from mwem_core.values import Range

NUMERIC = [attribute for attribute in EVERY_VALUE_SET if attribute.ordered]


def test_labels_end_with_missing_and_the_catch_all():
    assert AGE.labels == ("[17, 25)", "[25, 35)", "[35, 90]", "?", "other")
    assert COLOUR.labels == ("red", "green", "blue", "")
    assert HOURS.labels == ("1..10", "11..20", "21..25")


def test_the_order_of_codes_ends_before_missing_and_the_catch_all():
    assert (AGE.ordered, AGE.size, AGE.value_set.size) == (True, 5, 3)
    assert (COLOUR.ordered, COLOUR.size, COLOUR.value_set.size) == (False, 4, 3)


def test_missing_takes_its_own_text_and_the_catch_all_every_text_outside_the_value_set():
    assert AGE.encode(["?", "nan", "elsewhere", "20", ""]).tolist() == [3, 4, 4, 0, 4]
    assert COLOUR.encode(["", "red", "pink"]).tolist() == [3, 0, -1]


@pytest.mark.parametrize("attribute", EVERY_VALUE_SET, ids=lambda attribute: attribute.name)
def test_decoded_values_encode_to_their_own_code(attribute):
    codes = np.repeat(np.arange(attribute.size), 500)
    values = attribute.decode(codes, np.random.default_rng(0))
    assert (attribute.encode([str(value) for value in values.tolist()]) == codes).all()


def test_decoded_numbers_are_texts_only_beside_a_missing_text_or_a_catch_all():
    rng = np.random.default_rng(0)
    assert HOURS.decode(np.arange(3), rng).dtype == np.int64
    assert {type(value) for value in AGE.decode(np.arange(5), rng)} == {str}


def test_order_comparisons_select_whole_cells():
    assert AGE.compare("<", 25).tolist() == [True, False, False, False, False]
    assert AGE.compare(">=", "35").tolist() == [False, False, True, False, False]
    assert AGE.compare("<=", 90).tolist() == [True, True, True, False, False]
    assert AGE.compare(">", 90.0).tolist() == [False] * 5
    assert HOURS.compare("<=", 10).tolist() == HOURS.compare("<", 11).tolist() == [True, False, False]


@pytest.mark.parametrize("attribute", NUMERIC, ids=lambda attribute: attribute.name)
def test_a_comparison_with_an_end_of_a_cell_divides_the_codes_there(attribute):
    codes = np.arange(attribute.size)
    own = codes < attribute.value_set.size
    for code, (low, high, closed) in enumerate(zip(*attribute.value_set.cells(), strict=True)):
        assert (attribute.compare("<", low) == (codes < code)).all()
        assert (attribute.compare(">=", low) == (codes >= code) & own).all()
        if closed:
            assert (attribute.compare("<=", high) == (codes <= code)).all()
            assert (attribute.compare(">", high) == (codes > code) & own).all()


@pytest.mark.parametrize("attribute", NUMERIC, ids=lambda attribute: attribute.name)
@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
def test_a_threshold_outside_the_value_set_selects_all_of_it_or_nothing(attribute, op):
    own = (np.arange(attribute.size) < attribute.value_set.size).tolist()
    none = [False] * attribute.size
    assert attribute.compare(op, -100).tolist() == (none if op[0] == "<" else own)
    assert attribute.compare(op, 100).tolist() == (own if op[0] == "<" else none)


def test_equality_selects_one_code_and_inequality_all_others():
    for attribute in (AGE, HOURS, COLOUR, SMOKER):
        for code, label in enumerate(attribute.labels):
            assert np.flatnonzero(attribute.compare("==", label)).tolist() == [code]
            assert (attribute.compare("!=", label) == ~attribute.compare("==", label)).all()
    assert SMOKER.compare("==", 1.0).tolist() == SMOKER.compare("==", "1.0").tolist() == [False, True]


@pytest.mark.parametrize(
    ("attribute", "op", "value", "message"),
    [
        (AGE, ">", 40, "age has edges at 17, 25, 35, 90: 40 falls inside [35, 90]; compare with an edge"),
        (AGE, "<=", 25, "age has edges at 17, 25, 35, 90: 25 falls inside [25, 35); compare with < 25"),
        (AGE, "<", 90, "age has edges at 17, 25, 35, 90: 90 falls inside [35, 90]; compare with <= 90"),
        (AGE, "==", 30, "age has edges at 17, 25, 35, 90: 30 falls inside [25, 35); compare with '[25, 35)'"),
        (
            HOURS,
            "<",
            15,
            "hours has cells of width 10 from 1: 15 falls inside 11..20; compare with the start of a cell",
        ),
        (HOURS, "==", 15, "hours has cells of width 10 from 1: 15 falls inside 11..20; compare with '11..20'"),
        (AGE, "<", "old", "age < needs a number, got 'old'"),
        (COLOUR, "<", "red", "colour has no order; compare it with = or <>"),
        (COLOUR, "==", "bleu", "colour has no value 'bleu'; did you mean 'blue'?"),
        (COLOUR, "!=", "x", "colour has no value 'x'; there are 'red', 'green', 'blue', ''"),
        (COLOUR, "=", "red", "unknown comparison '='; use one of ==, !=, <, <=, >, >="),
    ],
)
def test_a_comparison_that_the_schema_cannot_decide_is_refused(attribute, op, value, message):
    with pytest.raises(ValueError, match=exactly(message)):
        attribute.compare(op, value)


def test_an_attribute_may_have_hundreds_of_thousands_of_cells():
    wide = Attribute("fnlwgt", Range(0, 500_000))
    assert wide.size == len(wide.labels) == 500_001
    assert wide.encode(["499999"]).tolist() == [499_999]

"""Guarantees: the budgets that they allow, and what they say of a person of several records."""

import math
from fractions import Fraction

import pytest
from messages import exactly

from mwem_core.privacy.amounts import decimal, epsilon_of, rho_of
from mwem_core.privacy.budget import ZCDP, Pure
from mwem_core.privacy.guarantee import RECORD, Guarantee, TrivialGuarantee, Unit


@pytest.mark.parametrize(("epsilon", "delta"), [(1e-6, 1e-300), (1e-6, 0.5), (1e6, 1e-9)])
def test_every_allowed_guarantee_has_a_budget_that_keeps_it(epsilon, delta):
    budget = Guarantee(epsilon, delta).budget
    assert 0 < budget.amount <= epsilon
    assert epsilon_of(budget.amount, delta) <= epsilon


def test_a_guarantee_without_delta_has_a_pure_budget():
    assert Guarantee(0.7).budget == Pure(0.7)
    assert Guarantee(0.7).epsilon_of(0.3) == 0.3


def test_an_amount_of_rho_is_converted_to_epsilon_at_the_guarantees_delta():
    guarantee = Guarantee(1.0, 1e-9)
    assert guarantee.budget == ZCDP(rho_of(1.0, 1e-9))
    assert guarantee.epsilon_of(0.0) == 0
    spent = [guarantee.epsilon_of(share * guarantee.budget.amount) for share in (0.1, 0.5, 1.0)]
    assert 0 < spent[0] < spent[1] < spent[2] <= 1.0
    assert spent[2] == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, math.inf])
def test_a_trivial_guarantee_is_pure_at_zero_or_infinity(epsilon):
    trivial = TrivialGuarantee(epsilon)
    assert (trivial.budget, trivial.delta, trivial.epsilon_of(epsilon)) == (Pure(epsilon), 0.0, epsilon)


@pytest.mark.parametrize("records", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (1.0, 0.0), (1 / 3, 0.0), (1.0, 1e-9)])
def test_a_person_pays_c_times_the_epsilon_of_a_record_or_c_squared_times_its_rho(epsilon, delta, records):
    """Exactly at most the whole, and less by rounding alone."""
    person = Guarantee(epsilon, delta, Unit("id", records))
    cost = person.budget.exact * records ** (1 if delta == 0 else 2)
    whole = Guarantee(epsilon, delta).budget.exact
    assert whole * (1 - Fraction(1, 10**11)) <= cost <= whole
    assert person.epsilon_of(person.budget.amount) <= epsilon
    assert person.epsilon_of(person.budget.amount) == pytest.approx(epsilon, rel=1e-11)
    assert decimal(person.of_a_record.epsilon) * records <= decimal(epsilon)  # 0.01 is 1/100: see `Pure`
    assert person.of_a_record.unit == Unit()
    assert person.of_a_record.budget == person.budget


def test_a_person_of_one_record_costs_what_a_record_costs():
    assert Guarantee(0.7, 0.0, Unit("id")).budget == Guarantee(0.7).budget
    assert Guarantee(1.0, 1e-9, Unit("id")).budget == Guarantee(1.0, 1e-9).budget


@pytest.mark.parametrize(("epsilon", "delta", "records"), [(1e-3, 0.0, 10_000), (0.01, 1e-3, 50)])
def test_too_little_is_left_for_each_of_too_many_records(epsilon, delta, records):
    message = (
        f"epsilon {epsilon:g} for a person of up to {records:,} records leaves next to nothing for each of them: "
        "keep fewer records of a person, or raise epsilon"
    )
    with pytest.raises(ValueError, match=exactly(message)):
        Guarantee(epsilon, delta, Unit("id", records)).budget  # noqa: B018 - computed when it is first asked for


BETWEEN = "epsilon must lie between 1e-06 and 1e+06, got {}: 0.1 to 10 is usual"


@pytest.mark.parametrize(
    ("epsilon", "message"),
    [
        *((bad, f"epsilon must be a positive number, got {bad!r}") for bad in (0, 0.0, -1, math.nan, math.inf)),
        *((bad, f"epsilon must be a positive number, got {bad!r}") for bad in ("1", True, None)),
        (1e-9, BETWEEN.format("1e-09")),
        (1e9, BETWEEN.format("1e+09")),
    ],
)
def test_an_epsilon_outside_its_limits_is_refused(epsilon, message):
    with pytest.raises(ValueError, match=exactly(message)):
        Guarantee(epsilon)


@pytest.mark.parametrize("delta", [-1e-9, 1, 1.5, math.nan, math.inf, "0", False, None], ids=repr)
def test_a_delta_outside_zero_to_one_is_refused(delta):
    message = f"delta must be at least 0 and less than 1, got {delta!r}: 0, or well below 1/n"
    with pytest.raises(ValueError, match=exactly(message)):
        Guarantee(1.0, delta)


@pytest.mark.parametrize("delta", [0.0, 1e-9, 1e-5])
@pytest.mark.parametrize("records", [1, 2, 7, 100])
def test_what_each_record_has_is_for_its_person_what_was_asked(delta, records):
    """Within 10⁻⁸, and rounded up where it is rounded: a promise is never smaller than the guarantee."""
    unit = Unit("who", records)
    for epsilon in (0.1, 1.0, 3.0):
        asked = Guarantee(epsilon, delta, unit)
        promised = asked.of_a_record.for_unit(unit)
        assert (promised.delta, promised.unit) == (delta, unit)
        assert promised.epsilon == pytest.approx(epsilon, rel=1e-4 if delta else 1e-8)
        assert promised.epsilon >= asked.epsilon_of(asked.of_a_record.budget.amount) * (1 - 1e-12)


def test_a_unit_says_what_neighbours_differ_by():
    assert RECORD.neighbours == "add or remove one record"
    person = "add or remove one person, named by column 'patient', of whom at most"
    assert Unit("patient").neighbours == f"{person} 1 record is kept"
    assert Unit("patient", 1000).neighbours == f"{person} 1,000 records are kept"


@pytest.mark.parametrize(
    ("text", "unit"),
    [("patient:10000", Unit("patient", 10_000)), (" the id :1", Unit("the id")), ("a:b:12", Unit("a:b", 12))],
)
def test_a_unit_is_read_from_a_column_and_a_limit(text, unit):
    assert Unit.parse(text) == unit


@pytest.mark.parametrize("text", ["", "patient", ":3", " :3", "patient:", "patient:x", "patient:-1", "patient:²"])
def test_another_text_is_refused(text):
    message = f"the unit must be COLUMN:C, such as patient:3 for at most 3 records each, got {text!r}"
    with pytest.raises(ValueError, match=exactly(message)):
        Unit.parse(text)


@pytest.mark.parametrize("records", [0, -1, 1.0, True, 10_001])
def test_a_limit_that_is_no_whole_number_from_1_to_10_000_is_refused(records):
    message = f"the records of a person must be a whole number from 1 to 10,000, got {records!r}"
    with pytest.raises(ValueError, match=exactly(message)):
        Unit("patient", records)


def test_a_limit_needs_a_column():
    message = "a limit of records needs the column that names the person of each record"
    with pytest.raises(ValueError, match=exactly(message)):
        Unit("", 2)

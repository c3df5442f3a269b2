"""The terms of a release: what runs never costs more than the ledger is charged."""

from fractions import Fraction

import pytest
from command_line import SCHEMA
from messages import exactly
from releases import terms_of

from mwem_core import Domain
from mwem_core.automatic import run_in_words
from mwem_core.privacy import RECORD, Guarantee, Unit
from mwem_core.systems import METHODS, SYSTEMS, system

DOMAIN = Domain.from_toml(SCHEMA)
TASK = "marginals:1", DOMAIN


@pytest.mark.parametrize(
    ("unit", "total"),
    [(RECORD, "measured"), (RECORD, "public"), (Unit("name"), "public"), (Unit("name", 3), "measured")],
)
@pytest.mark.parametrize("delta", [0, 1e-9])
@pytest.mark.parametrize("epsilon", [0.1, 1.1, 1])
def test_what_runs_costs_a_unit_at_most_what_the_ledger_is_charged(epsilon, delta, unit, total):
    """As exact rationals: 0.1 as a float is a little more than 1/10. It may cost less, where a rule needs no δ."""
    terms = terms_of(*TASK, epsilon=epsilon, delta=delta, unit=unit, total=total)
    settings = terms.settings(1000)
    budget, charged = settings.guarantee.budget, terms.amount(settings)
    assert budget.unit == charged.unit
    power = 1 if budget.unit == "ε" else 2
    spent = Fraction(budget.amount) * unit.records**power
    assert 0.9 * charged.value <= spent <= charged.value


@pytest.mark.parametrize("unit", [RECORD, Unit("name", 3)])
def test_the_promise_is_for_the_unit_at_the_delta_that_the_settings_need(unit):
    terms = terms_of(*TASK, epsilon=0.5, delta=1e-9, unit=unit)
    settings = terms.settings(1000)
    assert terms.guarantee == Guarantee(0.5, 1e-9, unit)
    assert terms.promise(settings) == Guarantee(0.5, settings.guarantee.delta, unit)
    assert settings.guarantee.unit == RECORD


@pytest.mark.parametrize("delta", [0, 1e-9])
def test_a_public_number_of_records_of_persons_who_may_have_several_is_refused(delta):
    """A person with one record in the place of a person with three changes the number, so no sentence on 2ε is true."""
    several = exactly(
        "the number of records cannot be public where a person may have 3 of them, as it tells how many a person has:"
        " measure it, or keep 1 record of each person"
    )
    with pytest.raises(ValueError, match=several):
        terms_of(*TASK, unit=Unit("name", 3), total="public", delta=delta)
    assert terms_of(*TASK, unit=Unit("name"), total="public", delta=delta).total == "public"


def test_only_a_system_of_mwems_settings_can_be_released():
    """Another has no intervals, or no rows. Without a choice it is Automatic."""
    refused = exactly("a release runs no 'aim': choose from mwem, automatic, mwem-paper, figure-1, tables")
    with pytest.raises(ValueError, match=refused):
        terms_of(*TASK, system="aim")
    assert terms_of(*TASK).method is SYSTEMS["automatic"]


@pytest.mark.parametrize("name", METHODS)
def test_with_a_public_number_of_records_the_settings_are_those_of_a_run(name):
    """With a measured one they are those of a run with the rest of the budget: the forecast says what they do."""
    more = {"domain": DOMAIN, "system": name, "offsets_share": 0.0}
    public, measured = (terms_of(total=total, **more) for total in ("public", "measured"))
    Q, n = public.workload, 2000
    assert public.settings(n) == system(name).settings(Q, n=n, epsilon=1.0)
    for terms, settings in ((public, public.settings(n)), (measured, measured.settings(n).settings(Q, n))):
        assert terms.forecast_in_words(n) == run_in_words(settings, Q, n)

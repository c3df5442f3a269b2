"""What a release promises, word for word: its files and screens all read these sentences."""

import math

import pytest
from releases import terms_of

from mwem_core import MWEM, Planned, Staged, Tables
from mwem_core.privacy import Cap, Guarantee, Unit, epsilon_of
from mwem_core.release.words import (
    cap_in_words,
    guarantee_in_words,
    mechanism_in_words,
    public_facts,
    replacement_in_words,
    total_in_words,
)

PERSON = Unit("who", 3)


def test_the_promise_is_how_much_likelier_an_outcome_can_get():
    assert guarantee_in_words(Guarantee(0.5)) == (
        "Whether a record is in the table or not makes no outcome of this release more than e^0.5 = 1.65 times as"
        " likely."
    )
    assert guarantee_in_words(Guarantee(2.0, 1e-6, PERSON)) == (
        "Whether a person is in the table or not makes no outcome of this release more than e^2 = 7.39 times as likely,"
        " but for a chance of 1e-06."
    )
    assert f"{math.exp(700):.3g} times" in guarantee_in_words(Guarantee(1e6))


def test_of_the_number_of_records_it_says_whether_it_is_private_or_what_its_being_public_costs():
    assert total_in_words(terms_of("marginals:1", epsilon=0.5)) == (
        "The number of records is private: a share of the budget bought a noisy one. All that depends on the number"
        " reads that one, or its mean with what measured tables add up to."
    )
    public = terms_of("marginals:1", epsilon=0.5, total="public")
    assert total_in_words(public) == (
        "The number of records is taken as public. Two tables that differ by replacing one record: 2ε = 1."
    )
    of_persons = terms_of("marginals:1", epsilon=0.5, total="public", unit=Unit("who"))
    assert "replacing one person: 2ε = 1." in total_in_words(of_persons)
    zcdp = terms_of("marginals:1", epsilon=1.0, delta=1e-6, total="public")
    twice = epsilon_of(4 * Guarantee(1.0, 1e-6).budget.amount, 1e-6)
    assert replacement_in_words(zcdp) == f"4ρ, which is ε = {twice:.4g} at δ = 1e-06"
    assert 2 < twice < 2.5


@pytest.mark.parametrize("total", ["measured", "public"])
def test_every_public_fact_says_where_it_came_from(total):
    facts = [tuple(fact.values()) for fact in public_facts(terms_of(total=total))]
    assert facts == [
        ("attributes and their values", "the schema: declared"),
        ("questions", "the user: marginals:2"),
        ("ε, δ and unit of privacy", "the user"),
        ("method", "the user: Automatic"),
        ("what the rows are for", "the user: nearest"),
        ("name of the data set", "the user"),
        ("how the number of records is treated", f"the user: {total}"),
        *([("number of records", "the table, as the user declares it public")] if total == "public" else []),
        ("settings of the mechanism", "a public rule, from these facts and noisy values"),
    ]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            Planned(epsilon=1.0, plan="residuals"),
            "Planned parts of marginals, measured once with discrete Laplace noise.",
        ),
        (
            Planned(epsilon=1.0, delta=1e-6, plan="cells"),
            "Every cell of the attributes asked for, measured once with discrete Gaussian noise.",
        ),
        (
            Staged(share=0.6, then=MWEM(epsilon=1.0, candidates=Tables())),
            "First the counts of each attribute, measured once with discrete Laplace noise. Then in each round"
            " the exponential mechanism chooses a marginal that the model answers badly, and discrete Laplace noise is"
            " added to its answer.",
        ),
        (
            MWEM(epsilon=1.0, selection="permute-and-flip"),
            "In each round permute-and-flip chooses a question that the model answers badly, and discrete Laplace"
            " noise is added to its answer.",
        ),
        (
            MWEM(epsilon=1.0, delta=1e-6, candidates=Tables()),
            "In each round the exponential mechanism chooses a marginal that the model answers badly, and"
            " discrete Gaussian noise is added to its answer.",
        ),
    ],
)
def test_the_mechanism_is_named_with_its_noise_and_its_choice(settings, words):
    assert mechanism_in_words(settings) == words


def test_of_a_cap_it_says_whether_it_is_on_the_sum_and_what_fits_where_it_is_not():
    """The README's cap, 3 at δ = 1e-9: 2,411 releases of ε = 0.01 fit under it, and not 300."""
    assert cap_in_words(Cap.of(3, 0)) == "The cap is at δ = 0, so it is on the sum of the ε of all releases."
    assert cap_in_words(Cap.of(3)) == (
        "The cap is on what can be proved of all releases together at δ = 1e-09, and for many small ones that is less"
        " than the sum of their ε: 2,411 of ε = 0.01 fit under it, whose ε add up to 24.1. A cap at δ = 0 is on the sum"
        " itself."
    )
    assert ", whose ε add up to" in cap_in_words(Cap.of(0.001))

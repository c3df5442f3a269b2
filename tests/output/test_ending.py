"""A run that ends before its ε is spent says why, and what is left."""

import numpy as np
import pytest
from oracles import domain_of, random_records
from runs import run_on

from mwem_core import MWEM, Newest, Nothing, Staged, Tables
from mwem_core.output.manifest import manifest

RECORDS = random_records(domain_of([4] * 6), 500, np.random.default_rng(0))  # 15 pairs of 16 cells each
BUDGETS = {"pure": {}, "zCDP": {"delta": 1e-6}, "measured total": {"measured": True}}


def ended_early(**settings):
    """Without replay there are no weighted records to go on with where the tree is full."""
    return run_on(RECORDS, T=15, candidates=Tables(), cell_budget=100, update=Newest(), **settings)


def test_a_run_whose_model_is_full_names_the_rounds_the_cells_and_the_rest():
    run = ended_early()
    assert run.early_end == (
        "Ended after 5 of 15 planned rounds: no further marginal fits the model's 100 cells. ε = 0.333 of 1 is spent. "
        "The other 0.667 is not spent, because a round spends only on what it measures: you may use it for another "
        "release of the same table. Fewer planned rounds would spend more of it in this one."
    )
    assert manifest(run)["early_end"] == run.early_end


def staged(epsilon):
    rounds = MWEM(epsilon=epsilon, T=15, candidates=Tables(), cell_budget=100, update=Newest())
    return Staged(share=0.5, then=rounds)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"T": 80, "cell_budget": 60, "update": Newest()}, "80 planned rounds: no further query fits the model's 60"),
        ({"of": staged}, "of 16 planned rounds: no further marginal fits the model's 100 cells."),
    ],
)
def test_queries_and_marginals_after_others_are_called_so_with_the_cells_of_their_model(settings, words):
    assert words in run_on(RECORDS, **settings).early_end


def test_where_the_run_decides_the_number_of_rounds_none_is_promised():
    run = run_on(RECORDS, T="adaptive", stop=2)
    assert run.early_end.startswith("Stopped after 1 round. ε = 0.00781 of 1 is spent. The other 0.992 is not spent")


@pytest.mark.parametrize("T", [1, 5, 6, 14, 15])
@pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
def test_a_run_says_why_it_ended_exactly_if_it_leaves_some_of_its_epsilon(T, budget):
    run = run_on(RECORDS, T=T, candidates=Tables(), cell_budget=100, update=Newest(), **budget)
    unspent = run.epsilon_spent < 1 - 1e-6
    assert bool(run.early_end) == unspent == (run.rounds[-1].index < T)
    assert not unspent or f"ε = {run.epsilon_spent:.3g} of 1 is spent" in run.early_end


def test_a_run_that_measures_nothing_says_so():
    run = run_on(RECORDS, of=Nothing)
    assert run.early_end == (
        "Nothing was measured: at this ε it was not expected to lower the error. ε = 0 of 1 is spent. The other 1 is "
        "left."
    )
    assert manifest(run)["early_end"] == run.early_end


def test_a_stopped_run_does_not_blame_the_model():
    run = run_on(RECORDS, T=15, candidates=Tables(), cell_budget=100, stop=3)
    assert run.early_end == (
        "Stopped after 2 of 15 planned rounds. ε = 0.133 of 1 is spent. The other 0.867 is not spent: you may use it "
        "for another release of the same table."
    )


def test_under_gaussian_noise_the_rest_has_no_number_as_the_epsilons_of_two_releases_do_not_add_up():
    assert "is spent. The rest is not spent, because a round" in ended_early(delta=1e-6).early_end

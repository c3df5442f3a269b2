"""Every broken twin is caught, by the check that it breaks, and its sound original is not."""

import pytest

from mwem_core.audit.attacks import count_and_row, independent_rows
from mwem_core.audit.twins import attack, on_cases, twins

CAUGHT_BY = {
    "half of the noise": "a lower bound: ε is at least ",
    "doubled sensitivity": "one record moves laplace by 2 (L1), more than its Δ = 1",
    "domain read from the data": "on the neighbour",
    "exact n in a rule": "on the neighbour",
    "spent twice, noted once": "round 1: its draws cost 2 ε, the ledger says 1",
    "NaN in the data": "the run on the neighbour fails",
    "one seed for noise and rows": "a lower bound: ε is at least ",
}


def test_the_twins_are_the_errors_that_the_audit_promises_to_catch():
    assert [twin.name for twin in twins()] == list(CAUGHT_BY)


@pytest.mark.parametrize("twin", twins(), ids=lambda twin: twin.name)
def test_a_broken_twin_is_caught_and_the_audit_says_by_what(twin):
    assert CAUGHT_BY[twin.name] in twin.caught()


def test_the_sound_originals_are_not_caught():
    """Half of the noise: `test_bounds`."""
    assert on_cases(lambda case: case, limit=10) == ""
    assert attack(count_and_row(independent_rows), 2_000) == ""

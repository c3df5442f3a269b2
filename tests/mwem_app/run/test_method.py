"""What a method would do, and its expected error."""

from oracles import domain_of

from mwem_app.run.method import Outlook
from mwem_core.mwem import MWEM
from mwem_core.workload import parse_workload


def test_an_error_below_a_thousandth_of_n_is_in_records():
    settings, Q = MWEM(epsilon=1.0), parse_workload("marginals:2", domain_of([2, 2]))
    assert Outlook(settings, "2 rounds", 0.0001, Q, 60_000).caption == "2 rounds · 2.0 to 9.0 of 60,000 records"
    assert Outlook(settings, "2 rounds", 0.02, Q, 60_000).caption == "2 rounds · .0067 to .03"


def test_where_a_run_may_be_exact_the_range_has_no_lower_end():
    settings, Q = MWEM(epsilon=10.0), parse_workload("marginals:2", domain_of([2, 2]))
    said = Outlook(settings, "2 rounds", 0.02, Q, 60_000).caption
    assert said == "2 rounds · at most .03"

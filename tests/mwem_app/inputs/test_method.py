"""What a method would do, and its expected error."""

from mwem_app.inputs.method import Outlook
from mwem_core.mwem.mwem import MWEM


def test_an_error_below_a_thousandth_of_n_is_in_records():
    settings = MWEM(epsilon=1.0)
    assert Outlook(settings, "2 rounds", 0.0001, 50_000).caption == "2 rounds · expected 2.5 to 5.5 records"
    assert Outlook(settings, "2 rounds", 0.02, 50_000).caption == "2 rounds · expected .01 to .022"

"""The expected error that people read."""

import pytest
from measured_errors import sample

from mwem_core import MWEM, Attribute, Domain, Halvings, Newest, Planned, Tables, parse_workload
from mwem_core.automatic import expected
from mwem_core.automatic.default import default
from mwem_core.automatic.expected import expected_tv, idle_tv
from mwem_core.automatic.forecast import forecast
from mwem_core.domain.numbers import Range
from mwem_core.fitted import PURE_GAIN
from mwem_core.matrix.subsets import subsets_of
from mwem_core.mwem.presets import mwem_by_rule, paper


def test_the_expected_error_is_at_most_that_of_a_table_without_data():
    """At ε = 0.02, noise of rounds alone would exceed it."""
    B = sample("czech")
    Q = parse_workload("marginals:2", B.domain)
    settings = mwem_by_rule(Q, n=B.total, epsilon=0.02, T=15)
    assert expected_tv(settings, subsets_of(Q), B.total) > idle_tv(settings, subsets_of(Q), B.total)
    assert forecast(settings, Q, B.total) == idle_tv(settings, subsets_of(Q), B.total)


def test_the_gate_of_the_choice_is_not_in_the_expected_error(monkeypatch):
    """A pure plan whose fit goes beyond one table competes only where it gains enough."""
    monkeypatch.setattr(expected, "goes_beyond", lambda _plan, _Q: True)
    B = sample("czech")
    Q = parse_workload("marginals:2", B.domain)
    settings = Planned(epsilon=1.0, plan="residuals")
    gated = expected_tv(settings, subsets_of(Q), B.total)
    assert forecast(settings, Q, B.total) == pytest.approx(PURE_GAIN * gated)


def test_parities_are_expected_a_mean_error_of_twice_the_total_variation():
    B = sample("czech")
    Q = parse_workload("parities:2", B.domain)
    settings = default(Q, n=B.total, epsilon=1.0)
    assert forecast(settings, Q, B.total) == pytest.approx(2 * expected_tv(settings, subsets_of(Q), B.total))


def test_ranges_have_an_expected_error_where_each_is_measured_or_a_hierarchy_is():
    Q = parse_workload("ranges:a:all", Domain((Attribute("a", Range(0, 15)),)))
    rounds = mwem_by_rule(Q, n=1000, epsilon=1.0, T=4)
    assert forecast(rounds, Q, 1000) is None
    assert 0 < forecast(Halvings(epsilon=1.0), Q, 1000) < 1


@pytest.mark.parametrize(
    ("spec", "preset"),
    [
        ("marginals:2", lambda Q, _: paper(Q, epsilon=1.0)),
        ("marginals:2", lambda *_: MWEM(epsilon=1.0, candidates=Tables(), update=Newest())),
        ("marginals:2", lambda Q, n: mwem_by_rule(Q, n=n, epsilon=1.0, T="adaptive")),
        ("marginals:2 + marginals:3", lambda Q, n: default(Q, n=n, epsilon=1.0)),
    ],
    ids=["single queries", "no replay", "adaptive T", "a mixed workload"],
)
def test_there_is_no_expected_error_where_public_numbers_say_nothing_of_it(spec, preset):
    B = sample("czech")
    Q = parse_workload(spec, B.domain)
    assert forecast(preset(Q, B.total), Q, B.total) is None

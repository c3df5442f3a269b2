"""MWEM+PGM as settings of MWEM's loop."""

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of, random_records

from mwem_core import Seeded, Tables
from mwem_core.relatives.mwem_pgm import mwem_pgm
from mwem_core.workload import families


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_run_measures_one_whole_marginal_per_attribute_and_spends_the_whole_budget(delta):
    B = random_records(domain_of([3, 2, 4, 2]), 600, np.random.default_rng(4))
    Q = families.marginals(B.domain, 2)
    settings = mwem_pgm(Q, epsilon=1.0, delta=delta)
    _, *rounds = settings.rounds(B, Q, noise=Seeded(0))
    assert len(rounds) == settings.planned_rounds(B.total, Q) == 4
    for entry in rounds:
        assert entry.measurement.attrs in Q.sets
        assert entry.measurement.value.shape == B.domain.sizes(entry.measurement.attrs)
        assert entry.ledger.select == pytest.approx(0.1 * entry.ledger.spent)
    assert rounds[-1].ledger.spent == pytest.approx(settings.guarantee.budget.amount)


def test_the_settings_are_the_published_ones():
    Q = families.marginals(domain_of([3, 2, 4, 2]), 2)
    settings = mwem_pgm(Q, epsilon=1.0)
    assert (settings.candidates, settings.repeats) == (Tables(penalty="cells"), True)
    assert (settings.T, settings.split, settings.cell_budget) == (4, 0.1, 25 * 2**20 // 8)
    assert mwem_pgm(Q, epsilon=1.0, T=9).T == 9


def test_a_workload_with_fewer_marginals_than_attributes_takes_one_round_for_each():
    Q = families.marginals(domain_of([3, 2, 4, 2]), 4)
    assert mwem_pgm(Q, epsilon=1.0).T == Q.parts == 1


def test_queries_that_are_no_tables_are_refused():
    message = "MWEM+PGM measures whole marginals: ask for marginals or cuboids, not parities"
    with pytest.raises(ValueError, match=exactly(message)):
        mwem_pgm(families.parities(domain_of([2, 2, 2]), 2), epsilon=1.0)

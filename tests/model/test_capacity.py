"""What a junction tree can take: the cells that an attribute set would add to it."""

import numpy as np
from models import chain_model, random_model, random_sizes
from oracles import domain_of

from mwem_core.model import Capacity, LogLinear, Omissions
from mwem_core.workload import families


def capacity(Q, A_0, cell_budget=10**6):
    return Capacity(Q.domain, [block.sets for block in Q.blocks], A_0, cell_budget)


def test_size_with_a_candidate_is_never_understated():
    rng = np.random.default_rng(4)
    for _ in range(30):
        A = random_model(rng, random_sizes(rng), measurements=3)
        S = tuple(sorted(rng.choice(len(A.sizes), size=2, replace=False).tolist()))
        assert A.covering([S]).cells <= A.cells_with(S, limit=0)


def test_the_declined_are_told_with_the_cheapest_of_them_and_only_the_wanted_are_judged():
    A = chain_model(np.random.default_rng(0), sizes=(3, 4, 5, 2, 6))
    Q = families.marginals(domain_of(A.sizes), 2)
    exact = np.array([A.cells_with(S, 0) for S in Q.sets])
    for limit in sorted(set(exact.tolist()))[:-1]:
        for wanted in (None, np.arange(Q.parts) % 2 == 0):
            fits, declined = capacity(Q, A).takes(A, limit, wanted)
            judged = np.ones(Q.parts, bool) if wanted is None else wanted
            assert fits[judged].tolist() == (exact[judged] <= limit).tolist()
            over = [part for part in np.flatnonzero(judged) if exact[part] > limit]
            cheapest = min(over, key=lambda part: exact[part])
            label, price = Q.domain.label(Q.sets[cheapest]), int(exact[cheapest])
            assert declined == Omissions(len(over), A.cells, limit, label, price)
    fits, declined = capacity(Q, A).takes(A, int(exact.max()))
    assert (fits.all(), declined) == (True, Omissions(0, A.cells, int(exact.max())))
    nothing = np.zeros(Q.parts, bool)
    assert capacity(Q, A).takes(A, A.cells, nothing)[1] == Omissions(0, A.cells, A.cells)


def test_a_part_that_was_too_large_is_priced_again_only_once_its_price_is_allowed(monkeypatch):
    A = chain_model(np.random.default_rng(0), sizes=(3, 4, 5, 2, 6))
    Q, priced, cells_with = families.marginals(domain_of(A.sizes), 2), [], LogLinear.cells_with

    def recorded(A, S, limit):
        priced.append(S)
        return cells_with(A, S, limit)

    prices, exact = capacity(Q, A), {S: A.cells_with(S, 0) for S in Q.sets}
    monkeypatch.setattr(LogLinear, "cells_with", recorded)
    limit = sorted(set(exact.values()))[-2]
    prices.takes(A, A.cells)
    assert {S for S in priced if exact[S] > limit}
    priced.clear()
    prices.takes(A, limit)
    assert priced
    assert not [S for S in priced if exact[S] > limit]


def test_the_cells_allowed_grow_with_the_budget_spent_and_end_at_all_of_them():
    Q = families.marginals(domain_of((10,) * 3), 1)
    for sizes, expected in (((10,) * 6, [60 + 994, 60 + 4_970, 10_000]), ((10,) * 3, [10_000] * 3)):
        of_tree = capacity(Q, LogLinear.uniform(sizes, 10.0), 10_000)
        assert [of_tree.cells_allowed(share) for share in (0.1, 0.5, 1.0)] == expected
    assert capacity(Q, LogLinear.uniform((10,) * 3, 10.0), 1_000).cells_allowed(0.1) == 1_000

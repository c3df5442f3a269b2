"""A stand-in reads the schema and n alone."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import domain_of

from mwem_core.domain import stand_in
from mwem_core.workload import marginals

DOMAIN = domain_of([2, 5, 16, 300])


def test_a_stand_in_has_the_domain_and_the_number_of_records():
    table = stand_in(DOMAIN, 1000)
    assert (table.domain, table.total) == (DOMAIN, 1000)
    assert [column.dtype for column in table.codes] == [np.uint8] * 3 + [np.uint16]
    assert all(column.max() < size for column, size in zip(table.codes, DOMAIN.shape, strict=True))


def test_a_stand_in_is_the_same_every_time():
    first, second = stand_in(DOMAIN, 500), stand_in(DOMAIN, 500)
    assert all((a == b).all() for a, b in zip(first.codes, second.codes, strict=True))


def test_its_values_are_uneven_and_some_of_its_pairs_depend_on_each_other():
    table = stand_in(DOMAIN, 20_000)
    one_way = [table.marginal((a,)) / table.total for a in range(4)]
    assert all(shares.max() > 1.3 / len(shares) for shares in one_way)
    dependence = [
        np.abs(table.marginal((a, b)) / table.total - np.outer(one_way[a], one_way[b])).sum() / 2
        for a, b in marginals(DOMAIN, 2).sets
    ]
    assert max(dependence) > 0.1
    assert min(dependence) < 0.05


def test_a_stand_in_needs_a_record():
    with pytest.raises(ValueError, match=r"^a table needs at least 1 record, got 0$"):
        stand_in(DOMAIN, 0)

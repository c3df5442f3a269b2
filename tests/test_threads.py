"""Threads that read the same cached properties: none waits for another for ever.

Before Python 3.12 a `cached_property` holds one lock for all instances of its class while it computes. If one property
computes by another, and that one by the first of another instance, two threads that start at both ends stand still.
"""

import functools
from graphlib import TopologicalSorter

import numpy as np
import pytest
from oracles import random_records
from workloads import MIXED

from mwem_core import Seeded, default, parse_workload
from mwem_core.automatic import ResidualPlan, measured_in_words
from mwem_core.privacy import Guarantee, Pure, Unit
from mwem_core.workload import Subsets

SPEC = "marginals:2 + 2*ranges:age,hours:40@5 + where:age < 35; smoker == 0"


@pytest.fixture
def waits(monkeypatch):
    """The cached properties that each one computed by while it was computed: name -> names."""
    compute, computing, found = functools.cached_property.__get__, [], {}

    def get(self, instance, owner=None):
        name = f"{self.func.__module__}.{self.func.__qualname__}"
        if name not in computing and instance is not None and self.attrname not in instance.__dict__:
            for outer in computing:
                found.setdefault(outer, set()).add(name)
        computing.append(name)
        try:
            return compute(self, instance, owner)
        finally:
            computing.pop()

    monkeypatch.setattr(functools.cached_property, "__get__", get)
    return found


def test_no_two_cached_properties_wait_for_each_other(waits):
    """A run of a mixed workload, what its page says of it before, and the budget of a person's records."""
    B, Q = random_records(MIXED, 300, np.random.default_rng(0)), parse_workload(SPEC, MIXED)
    settings = default(Q, n=B.total, epsilon=1.0)
    measured_in_words(settings, Q, B.total)
    list(settings.rounds(B, Q, noise=Seeded(0)))
    plan = ResidualPlan(Subsets.of(Q), Pure(1.0), 2)
    assert plan.relative.units
    assert (plan.scales > 0).any()
    person = Guarantee(1.0, 1e-6, Unit("patient", 3))
    assert person.of_a_record.budget == person.budget
    assert len(waits) > 10
    TopologicalSorter(waits).prepare()  # raises CycleError

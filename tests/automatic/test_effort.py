"""What a run takes, told beforehand: closed forms that grow with what they read."""

import subprocess
import sys

import pytest
from oracles import domain_of

from mwem_core import Attribute, Domain, Planned, Workload, parse_workload
from mwem_core.automatic import mwem_by_rule
from mwem_core.automatic.announcement import effort
from mwem_core.mwem import MWEM, Tables
from mwem_core.values import Range


def test_it_grows_with_records_attributes_rounds_and_tables():
    small, large = (parse_workload("marginals:2", domain_of([4] * d)) for d in (12, 24))

    def of(Q, n, T=8):
        return effort(mwem_by_rule(Q, n=n, epsilon=1.0, T=T), Q, n)

    def seconds(Q, n, T=8):
        return of(Q, n, T).seconds

    assert seconds(small, 1000) < seconds(small, 10_000) < seconds(large, 10_000) < seconds(large, 10_000, T=20)
    assert (
        effort(mwem_by_rule(small, n=9, epsilon=1.0), small, 9).bytes
        < effort(mwem_by_rule(large, n=9, epsilon=1), large, 9).bytes
    )


def pairs_of_bits(d: int) -> Workload:
    return parse_workload("marginals:2", Domain(tuple(Attribute(f"bit {i}", Range(0, 1)) for i in range(d))))


def test_pairs_of_many_bits_are_told_within_three_times_of_what_they_take():
    """As measured, until the rows are written."""
    for d, n, seconds in ((300, 100_000, 6.6), (1000, 20_000, 5.0)):
        Q = pairs_of_bits(d)
        told = effort(Planned(epsilon=1.0, plan="one-way"), Q, n).seconds
        assert seconds / 3 < told < 3 * seconds


def test_rounds_that_measure_one_way_marginals_first_price_no_candidates():
    """A hundred such rounds would be told as minutes: each round of selection prices candidates, once connected."""
    Q = pairs_of_bits(100)
    first, alone = (
        effort(MWEM(epsilon=1.0, T=T, candidates=Tables(one_way_first=first)), Q, 100).seconds
        for T, first in ((110, True), (10, False))
    )
    assert first == alone


@pytest.mark.parametrize("plan", ["one-way", "residuals", "cells"])
def test_every_plan_has_an_effort(plan):
    Q = parse_workload("marginals:2", domain_of([4] * 6))
    found = effort(Planned(epsilon=1.0, plan=plan), Q, 1000)
    assert 0 < found.seconds < 10
    assert found.bytes > 0


def test_an_average_of_rounds_takes_time_that_grows_with_the_square_of_their_number():
    """Each round answers by all models so far."""
    Q = parse_workload("marginals:2", domain_of([4, 4, 4]))
    last, average = (
        [effort(MWEM(epsilon=1.0, T=T, output=output), Q, 100).seconds for T in (100, 200, 400)]
        for output in ("last", "average")
    )
    extra = [many - few for many, few in zip(average, last, strict=True)]
    assert extra[1] == pytest.approx(4 * extra[0])
    assert extra[2] == pytest.approx(16 * extra[0])


WRITES = """
import re, sys
import numpy as np
from mwem_core.domain import Records
from mwem_core.domain import Attribute
from mwem_core.domain import Domain
from mwem_core.values import Values
from mwem_core.output.files import rows_csv

def peak():  # of this program alone: getrusage counts the process that it was forked from
    return 1024 * int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])

rng, domain = np.random.default_rng(0), Domain(tuple(
    Attribute(f"a{i}", Values(tuple(f"education {v}" for v in range(9)))) for i in range(8)
))
rows_csv(Records(domain, tuple(rng.integers(9, size=1000) for _ in range(8))), rng)  # what is loaded late, is loaded
rows = Records(domain, tuple(rng.integers(9, size=int(sys.argv[1])) for _ in range(8)))
before = peak()
rows_csv(rows, rng)
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells a process its peak")
def test_the_memory_that_is_told_holds_the_rows_that_are_written():
    """By a process of its own: most of a run's memory is that of a few hundred thousand rows as text."""
    n, Q = 500_000, parse_workload("marginals:2", domain_of([9] * 8))
    told = effort(Planned(epsilon=1.0, plan="residuals"), Q, n).bytes
    taken = int(subprocess.check_output([sys.executable, "-c", WRITES, str(n)], text=True))
    assert told / 3 < taken < 1.2 * told


def test_the_memory_that_is_told_is_said_to_be_beside_the_program_and_is_that_of_the_rows_that_are_written():
    Q = parse_workload("marginals:2", domain_of([4] * 6))
    some, same = (effort(Planned(epsilon=1.0), Q, n) for n in (10**6, 10**8))
    assert same.bytes == some.bytes  # no more rows are written
    assert some.in_words.endswith("up to 0.5 GB of memory beside the program and its table")

"""What is told before a run: its effort, its expected error, and in words what it does."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from measured_errors import sample
from oracles import domain_of
from random_questions import question

from mwem_core import (
    MWEM,
    Attribute,
    Counts,
    Domain,
    Halvings,
    Newest,
    Planned,
    Seeded,
    Tables,
    Workload,
    default,
    encode,
    parse_workload,
    read_table,
)
from mwem_core.automatic import mwem_by_rule
from mwem_core.automatic.announcement import as_range, effort, error_noun, forecast, measured_in_words
from mwem_core.automatic.expected_error import expected_tv, idle_tv
from mwem_core.automatic.plans import make_plan
from mwem_core.domain import Records
from mwem_core.intervals import Estimates
from mwem_core.judge import errors
from mwem_core.mwem import paper
from mwem_core.privacy import Accountant
from mwem_core.systems import SYSTEMS
from mwem_core.values import Range
from mwem_core.workload import subsets_of

SAMPLES = Path(__file__).parents[2] / "sample_data"
CZECH = encode(
    read_table(SAMPLES / "czech.csv"),
    Domain.from_toml((SAMPLES / "czech.toml").read_text(encoding="utf-8")),
    count="count",
)


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
from mwem_core.output import rows_csv

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


def test_the_expected_error_is_at_most_that_of_a_table_without_data():
    """At ε = 0.02, noise of rounds alone would exceed it."""
    B = sample("czech")
    Q = parse_workload("marginals:2", B.domain)
    settings = mwem_by_rule(Q, n=B.total, epsilon=0.02, T=15)
    assert expected_tv(settings, subsets_of(Q), B.total) > idle_tv(settings, subsets_of(Q), B.total)
    assert forecast(settings, Q, B.total) == idle_tv(settings, subsets_of(Q), B.total)


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


def test_no_expected_error_and_no_end_of_its_range_is_above_what_two_tables_of_n_records_can_differ_by():
    """A total variation is at most 1, and so is an error as a share of n; a parity goes from -n to n."""
    found = 0
    for asked in map(question, range(12)):
        Q, most = asked.workload, 2 if asked.workload.family == "parities" else 1
        for name in ("mwem", "automatic"):
            try:
                settings = SYSTEMS[name].settings(Q, n=asked.n, epsilon=asked.epsilon, delta=asked.delta)
            except ValueError:
                continue
            if (error := forecast(settings, Q, asked.n)) is not None:
                low, high = as_range(error, Q, asked.epsilon)
                assert 0 <= low <= error <= most
                assert low <= high <= most
                found += 1
    assert found > 5
    six = parse_workload("marginals:6", domain_of([8] * 7))
    assert forecast(default(six, n=1000, epsilon=1.0), six, 1000) == 1


@pytest.mark.parametrize(
    ("spec", "noun"),
    [
        ("marginals:2", "mean total variation of the pairs"),
        ("marginals:<=2", "mean total variation of the marginals"),
        ("cuboids:3", "mean total variation of the cuboids"),
        ("ranges:bit 0:all", "root mean squared error of the ranges"),
        ("parities:2", "mean error of the parities"),
        ("where:`bit 0` == 1", "mean error of the predicates"),
    ],
)
def test_an_expected_error_has_a_noun(spec, noun):
    domain = Domain(tuple(Attribute(f"bit {i}", Range(0, 1)) for i in range(4)))
    assert error_noun(parse_workload(spec, domain)) == noun


def random_table(rng: np.random.Generator) -> Records:
    """Records whose attributes depend on one hidden class each, which no number of the forecast was fitted to."""
    domain = domain_of(rng.integers(2, 12, rng.integers(3, 8)).tolist())
    n, hidden = round(10 ** rng.uniform(2, 4.3)), rng.integers(2, 8)
    classes, evenness = rng.choice(hidden, n, p=rng.dirichlet(np.ones(hidden))), 10 ** rng.uniform(-0.5, 0.7)
    chances = [rng.dirichlet(np.full(size, evenness), hidden)[classes].cumsum(axis=1) for size in domain.shape]
    draws = [(rng.random((n, 1)) > each[:, :-1]).sum(axis=1) for each in chances]
    return Records(domain, tuple(codes.astype(np.int64) for codes in draws))


@pytest.mark.slow
def test_nine_of_ten_errors_lie_in_their_range_on_tables_that_it_was_not_fitted_to():
    """Of 150 runs less three standard deviations. `benchmarks/forecasts.py` judges it on tables of people."""
    inside = []
    for i in range(150):
        rng = np.random.default_rng([59, i])
        B = random_table(rng)
        Q = parse_workload(str(rng.choice(["marginals:1", "marginals:2", "marginals:3", "cuboids:2"])), B.domain)
        epsilon = float(10 ** rng.uniform(-1.3, 1))
        settings = SYSTEMS[str(rng.choice(["mwem", "automatic"]))].settings(Q, n=B.total, epsilon=epsilon)
        expected = forecast(settings, Q, B.total)
        assert expected is not None
        low, high = as_range(expected, Q, epsilon)
        *_, last = settings.rounds(B, Q, noise=Seeded(i))
        found = errors(Q, last.model.answers(Q), Q.answers(B), B.total, total=last.model.total).mean_tv
        inside.append(found is not None and low <= found <= high)
    assert np.mean(inside) > 0.9 - 3 * (0.9 * 0.1 / len(inside)) ** 0.5


@pytest.mark.parametrize(
    ("spec", "plan", "said"),
    [
        ("marginals:2", "cells", "64 cells"),
        ("marginals:2", "marginals", "All 15 marginals"),
        ("marginals:2", "residuals", "All 15 marginals"),
        ("marginals:2", "one-way", "One-way marginals"),
        ('where:smoking == "yes"', "counts", "1 predicate"),
        ('where:smoking == "yes"; smoking == "no"', "counts", "2 predicates"),
    ],
)
def test_every_plan_says_what_it_measures_once(spec, plan, said):
    Q = parse_workload(spec, CZECH.domain)
    settings = Counts(epsilon=1.0) if plan == "counts" else Planned(epsilon=1.0, plan=plan)
    assert measured_in_words(settings, Q, CZECH.total).startswith(f"**{said} measured once**")


def parity(table: np.ndarray) -> float:
    """Records with an even number of ones, less those with an odd number."""
    return float((table * (-1.0) ** np.indices(table.shape).sum(axis=0)).sum())


@pytest.mark.parametrize("plan", ["cells", "marginals", "residuals"])
@pytest.mark.parametrize("spec", ["marginals:2", "parities:2"])
def test_the_noise_in_an_answer_is_what_comes_out(spec, plan):
    """In the mean over 40 draws; a mean noise of Laplace draws is up to 13% below that of normal ones."""
    Q = parse_workload(spec, CZECH.domain)
    settings = Planned(epsilon=0.5, plan=plan)
    said = float(measured_in_words(settings, Q, CZECH.total).split("about **")[1].split(" records")[0])
    budget, off = settings.guarantee.budget, []
    for seed in range(40):
        measured = make_plan(plan, subsets_of(Q), budget).measure(CZECH, Accountant(budget, Seeded(seed)))
        known = Estimates.by(CZECH.domain, measured, budget.variance_at(1), total=CZECH.total)
        tables = [known.table(S)[0] - CZECH.marginal(S) for S in Q.sets]
        off.append(np.mean([np.abs(t).mean() if Q.tabular else abs(parity(t)) for t in tables]))
    assert 0.84 * said < np.mean(off) < 1.05 * said


def test_the_noise_is_left_out_where_some_answers_are_not_measured():
    Q = parse_workload("marginals:2", CZECH.domain)
    settings = default(Q, n=CZECH.total, epsilon=0.03)
    assert measured_in_words(settings, Q, CZECH.total) == "**One-way marginals measured once**."

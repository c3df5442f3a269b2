"""The rules of the default's settings, against their formulas written out."""

import math

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import Newest, PublicTable, Queries, Tables, parse_workload
from mwem_core.automatic.mwem_rules import cells_by_rule, mwem_by_rule, rounds_by_rule, rounds_in_time, split_by_rule
from mwem_core.base import constants
from mwem_core.mwem import candidate_count, figure_1, paper
from mwem_core.privacy import rho_of

BITS, SIZES = domain_of((2,) * 9), (3, 4, 5, 2, 6, 7)
SPECS = {
    "marginals:2": 0.6 * 6 / (2 * math.sqrt(2 * math.prod(SIZES) ** (1 / 6))),
    "ranges:d:9": 0.6,
    "parities:3": 1.7,
}


def asked(spec):
    sizes = domain_of((40, *SIZES[1:])) if spec.startswith("ranges") else domain_of(SIZES)
    return parse_workload(spec.replace(":d:", ":a:"), BITS if spec.startswith("parities") else sizes)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("spec", SPECS)
def test_the_number_of_rounds_follows_its_formula(spec, delta):
    """rate · (nε)^(1/3) rounds; under zCDP ε is √(2ρT), so that T is on both sides."""
    Q, n, epsilon, rate = asked(spec), 3000, 0.04, SPECS[spec]
    found = rounds_by_rule(Q, n=n, epsilon=epsilon, delta=delta)
    if delta:
        T = 1.0
        for _ in range(200):
            T = rate * (n * math.sqrt(2 * rho_of(epsilon, delta) * T)) ** (1 / 3)
        assert 1 < found < candidate_count(Q, tables=Q.tabular)
        assert found == math.ceil(T)
    else:
        assert found == math.ceil(rate * (n * epsilon) ** (1 / 3)) < candidate_count(Q, tables=Q.tabular)
    assert rounds_by_rule(Q, n=10**12, epsilon=10.0) == candidate_count(Q, tables=Q.tabular)


def test_whole_tables_or_single_queries_are_the_candidates():
    Q = asked("marginals:2")
    assert candidate_count(Q, tables=True) == 15
    assert candidate_count(Q, tables=False) == sum(a * b for i, a in enumerate(SIZES) for b in SIZES[:i])


def test_the_split_follows_its_formula():
    Q = asked("marginals:2")
    cells = [a * b for i, a in enumerate(SIZES) for b in SIZES[:i]]
    selecting, measuring = math.sqrt(math.log(15)), 2 * math.sqrt(np.exp(np.log(cells).mean()))
    assert split_by_rule(Q, 5) == pytest.approx(selecting / (selecting + measuring))
    parities, one_of_four = asked("parities:3"), math.sqrt(math.log((9 + 36 + 84) / 4))
    assert split_by_rule(parities, 4) == pytest.approx(one_of_four / (one_of_four + 2))
    all_asked = math.sqrt(math.log(1.5))
    assert split_by_rule(parities, 129) == pytest.approx(all_asked / (all_asked + 2))
    assert split_by_rule(asked("ranges:d:9"), 4) == 0.3


def test_the_cells_grow_with_the_records_and_the_budget_of_a_round():
    assert cells_by_rule(9, n=30_000, epsilon=2.0) == 300_000
    laplace_epsilon = math.sqrt(2 * rho_of(2.0, 1e-6) * 9)
    assert cells_by_rule(9, n=30_000, epsilon=2.0, delta=1e-6) == round(5 * 30_000 * laplace_epsilon)


def test_time_counts_every_table_that_a_model_may_hold_and_none_that_it_may_not():
    """A pair of exactly the most cells of the smallest budget counts, and a larger one does not."""
    side = math.isqrt(constants.MIN_DEFAULT_CELLS // 10)
    sizes = (10 * side, side, side + 1)
    assert sizes[0] * sizes[1] == constants.MIN_DEFAULT_CELLS < sizes[0] * sizes[2]
    Q = parse_workload("marginals:2", domain_of(sizes))
    scored = constants.MAX_SCORED // (constants.MIN_DEFAULT_CELLS + side * (side + 1))
    assert rounds_in_time(Q) == min(scored, int(3 / 4 + constants.MAX_PRICED / 3)) == scored


def test_a_domain_that_always_fits_into_one_table_prices_no_candidates():
    """Exactly the most cells of the smallest budget, of which 50 are scored, and twice as many."""
    assert rounds_in_time(parse_workload("marginals:1", domain_of((10,) * 5))) == constants.MAX_SCORED // 50
    assert rounds_in_time(parse_workload("marginals:1", domain_of((10,) * 5 + (2,)))) == int(
        6 / 2 + constants.MAX_PRICED / 6
    )


@pytest.mark.parametrize(("spec", "step"), [("marginals:2", 3.0), ("parities:3", 1.0), ("ranges:d:9", 2.0)])
def test_the_step_is_the_largest_that_cannot_overshoot(spec, step):
    """Of a replay: whole marginals have one from a public table."""
    Q = asked(spec)
    public = PublicTable("public.csv", random_records(Q.domain, 10, np.random.default_rng(0))) if Q.tabular else None
    assert mwem_by_rule(Q, n=1000, epsilon=1.0, public=public).update.step == step


def test_the_settings_of_2012_and_of_figure_1_are_the_papers():
    cuboids, ranges = asked("cuboids:2"), asked("ranges:d:9")
    assert paper(cuboids, epsilon=1.0).candidates == Tables(penalty="cells")
    assert paper(ranges, epsilon=1.0).candidates == Queries()
    assert (paper(ranges, epsilon=1.0).T, paper(cuboids, epsilon=1.0).T) == (9, 10)
    assert paper(cuboids, epsilon=1.0, T=3).T == 3
    settings = figure_1(epsilon=1.0)
    assert (settings.T, settings.repeats, settings.output) == ("theorem", True, "average")
    assert settings.update == Newest(step=0.5)

"""A run from a public table: what A_0 is, that it helps, and that a table which is wrong does no harm at a large ε."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from oracles import Script, domain_of, query_vectors, random_records

from mwem_core import MWEM, Halvings, Planned, PublicStart, Replay, Seeded, Tables, encode, paper
from mwem_core.automatic import from_table
from mwem_core.automatic.public_model import fitted_to
from mwem_core.domain import Domain, PublicTable, Records
from mwem_core.mwem import figures
from mwem_core.output import json_text
from mwem_core.systems import MeasuredTotal, system
from mwem_core.workload import families, parse_workload


def drawn(p: np.ndarray, n: int, rng) -> Records:
    """n records of this distribution over the whole domain."""
    domain, cells = domain_of(p.shape), rng.choice(p.size, n, p=p.ravel())
    return Records(domain, tuple(code.astype(np.uint8) for code in np.unravel_index(cells, p.shape)))


def skewed(sizes, seed) -> np.ndarray:
    """A distribution whose cells differ by orders of magnitude."""
    p = np.exp(2 * np.random.default_rng(seed).normal(size=sizes))
    return p / p.sum()


def public(B: Records) -> PublicTable:
    return PublicTable("public.csv", B)


def error_of(settings: MWEM, B: Records, Q, seeds=range(5)) -> float:
    """The mean total variation over seeds."""
    lasts = ([*settings.rounds(B, Q, noise=Seeded(seed))][-1].model for seed in seeds)
    return float(np.mean([np.abs(Q.answers(A) - Q.answers(B)).sum() / (2 * B.total * Q.parts) for A in lasts]))


def test_the_fit_of_many_records_is_the_public_table_and_costs_nothing():
    B, Q = drawn(skewed((3, 4, 2), 0), 10**6, np.random.default_rng(0)), families.marginals(domain_of((3, 4, 2)), 2)
    A = fitted_to(public(B), Q, 1000)
    assert np.abs(Q.answers(A) - Q.answers(B)).sum() / Q.parts < 0.002 * B.total
    private = random_records(Q.domain, 50, np.random.default_rng(1))
    start = next(MWEM(epsilon=1.0, start=PublicStart(public(B))).rounds(private, Q, noise=Seeded(0)))
    assert start.ledger.spent == 0
    assert start.model.total == 50
    assert Q.answers(start.model) == pytest.approx(Q.answers(A) * 50 / B.total)


def test_cells_that_the_public_table_happens_to_lack_keep_some_weight():
    """So the relative entropy of the distribution it was drawn from stays finite, and far below that to uniform."""
    p = skewed((4, 4, 3), 1)
    B, Q = drawn(p, 60, np.random.default_rng(0)), families.marginals(domain_of(p.shape), 2)
    fitted = fitted_to(public(B), Q, 1000).marginal((0, 1, 2)) / 60
    assert (B.marginal((0, 1)) == 0).any()
    assert fitted.min() > 0
    assert (p * np.log(p / fitted)).sum() < 0.5 * (p * np.log(p * p.size)).sum()


@pytest.mark.parametrize("instance", range(4))
def test_a_run_from_a_public_table_is_figure_8_from_its_distribution(instance):
    rng = np.random.default_rng(instance)
    B, P = drawn(skewed((3, 3, 2), instance), 200, rng), drawn(skewed((3, 3, 2), 9), 500, rng)
    Q, T, epsilon = families.ranges(B.domain, B.domain.names[:2], 12), 4, 2.0
    uniforms, laplaces = rng.random(T), rng.laplace(size=T)
    settings = replace(paper(Q, epsilon=epsilon, T=T), start=PublicStart(public(P)))
    start, *_, last = settings.rounds(B, Q, noise=Script(uniforms, laplaces))
    A_0, counts, noise = (
        start.model.marginal((0, 1, 2)).ravel(),
        B.marginal((0, 1, 2)).ravel(),
        Script(uniforms, laplaces),
    )
    A, _ = figures.figure_8(counts, np.array(query_vectors(Q)), epsilon=epsilon, T=T, noise=noise, A_0=A_0)
    assert np.abs(last.model.marginal((0, 1, 2)).ravel() - A).max() <= 1e-9 * B.total


CLOSE = Replay(step=3.0, sweeps=100, tolerance=0.003, in_order=False)
SETTINGS = {
    "residuals": Planned(epsilon=1.0, plan="residuals", tolerance=0.001),
    "cells": Planned(epsilon=1.0, plan="cells", tolerance=0.001),
    "rounds": MWEM(epsilon=1.0, T=5, candidates=Tables(), update=CLOSE),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_a_good_start_helps_at_a_small_epsilon_and_a_wrong_one_does_no_harm_at_a_large_one(name):
    """Wrong: the good one with every attribute's values reversed. Harm: more than 2% of the error from uniform."""
    p, rng = skewed((5, 4, 3, 3), 3), np.random.default_rng(0)
    B, P = drawn(p, 3000, rng), drawn(p, 3000, rng)
    reversed_codes = (size - 1 - code for size, code in zip(P.domain.shape, P.codes, strict=True))
    wrong = Records(P.domain, tuple(reversed_codes))
    Q = families.marginals(B.domain, 2)
    at = {eps: replace(SETTINGS[name], epsilon=eps) for eps in (0.05, 1000.0)}
    assert error_of(replace(at[0.05], start=PublicStart(public(P))), B, Q) < 0.6 * error_of(at[0.05], B, Q)
    even = error_of(at[1000.0], B, Q)
    assert error_of(replace(at[1000.0], start=PublicStart(public(wrong))), B, Q) < 1.02 * even + 1e-4
    assert error_of(replace(at[1000.0], start=PublicStart(public(P))), B, Q) < 1.02 * even + 1e-4


WIDE = (4,) * 10
SPECS = (
    "marginals:2",
    "where:{0} >= 2 and {1} == 1; {2} == 0",
    "ranges:{0}:prefixes",
    "marginals:1 + where:{0} == 1",
)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_default_starts_from_a_table_for_every_family_and_a_large_domain(spec, delta):
    rng = np.random.default_rng(0)
    B, P = random_records(domain_of(WIDE), 2000, rng), random_records(domain_of(WIDE), 2000, rng)
    Q = parse_workload(spec.format(*B.domain.names), B.domain)
    settings = system("mwem").settings(Q, n=B.total, epsilon=1.0, delta=delta, public=public(P))
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert settings.start == PublicStart(public(P))
    assert np.isfinite(Q.answers(last.model)).all()
    assert last.model.total == pytest.approx(2000)
    assert last.ledger.is_spent


def test_a_public_start_keeps_the_rules():
    free = domain_of((4, 4, 3))
    a, b, _ = free.names
    domain, rng = Domain(free.attributes, (f"{a} == 0 and {b} >= 2",)), np.random.default_rng(0)
    B, P = (Records(domain, random_records(free, 500, rng).codes) for _ in range(2))
    Q = families.marginals(domain, 2)
    for entry in Planned(epsilon=1.0, plan="residuals", start=PublicStart(public(P))).rounds(B, Q, noise=Seeded(0)):
        assert (entry.model.marginal((0, 1))[0, 2:] == 0).all()


def test_a_noisy_number_of_records_comes_before_the_start():
    rng = np.random.default_rng(0)
    B, P = random_records(domain_of((3, 4)), 400, rng), random_records(domain_of((3, 4)), 400, rng)
    settings, Q = MeasuredTotal(epsilon=1.0, public=public(P)), families.marginals(B.domain, 2)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert settings.settings(Q, 400).start == PublicStart(public(P))
    assert last.ledger.is_spent


def test_a_manifest_names_the_tables_digest_and_a_script_reads_its_file():
    P = random_records(domain_of((3, 4)), 10, np.random.default_rng(0))
    table, other = public(P), public(P.project([P.domain.names[0]]))
    said = json.loads(json_text({"public": table}))["public"]
    assert said == {"table": "public.csv", "records": 10, "digest": table.records.digest}
    assert repr(table) == "read_public_table('public.csv', domain, count=None)"
    assert table == public(Records(P.domain, P.codes)) != other


def test_halvings_start_from_no_table():
    P = public(random_records(domain_of((3, 4)), 10, np.random.default_rng(0)))
    with pytest.raises(ValueError, match="counts of intervals start from no table"):
        from_table(Halvings(epsilon=1.0), P)


def test_a_start_in_bins_that_are_yet_to_be_measured_is_refused():
    schema = '[[attribute]]\nname = "hours"\nrange = [0, 80]\nmeasured_bins = 4'
    table = pa.table({"hours": pa.array(["7", "30"]).dictionary_encode()})
    with pytest.raises(ValueError, match="the run measures bins itself"):
        public(encode(table, Domain.from_toml(schema)))


def test_a_table_under_another_schema_and_a_system_without_a_start_are_refused():
    B = random_records(domain_of((3, 4)), 50, np.random.default_rng(0))
    P, Q = public(B.project([B.domain.names[0]])), families.marginals(B.domain, 1)
    with pytest.raises(ValueError, match="is under another schema than the private one: read it anew"):
        MWEM(epsilon=1.0, start=PublicStart(P)).rounds(B, Q, noise=Seeded(0))
    with pytest.raises(ValueError, match="Laplace starts from no table: leave the public table out, or choose MWEM"):
        system("laplace").settings(Q, n=50, epsilon=1.0, public=public(B))

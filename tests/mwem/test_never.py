"""Rules in runs: the base measure has no weight in forbidden cells, no step gives them any, and no row is there."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import Script, domain_of, figure8_cuboids, query_vectors

from mwem_core import MWEM, Planned, Replay, Seeded, Tables, nearest_rows, paper, sample
from mwem_core.domain import Domain, Records, are_possible
from mwem_core.model import possible_table
from mwem_core.mwem import figures
from mwem_core.relatives import Weights
from mwem_core.systems import SYSTEMS
from mwem_core.weighted import CorrectedModel, Model, WeightedRecords
from mwem_core.workload import families, parse_workload

ROWS = 10_000
DOMAIN = Domain.from_toml(
    """
    [[attribute]]
    name = "age"
    range = [0, 7]
    [[attribute]]
    name = "status"
    values = ["single", "married", "widowed"]
    [[attribute]]
    name = "job"
    values = ["none", "clerk", "boss", "retired"]
    [[attribute]]
    name = "sex"
    bits = true
    [[attribute]]
    name = "school"
    range = [0, 4]
    [rules]
    never = [
      "age < 2 and status != 'single'",
      "age < 3 and job in ('boss', 'retired')",
      "age < 4 and school == 4 or age < 2 and school >= 2",
      "sex == 1 and status == 'widowed' and school >= 3",
    ]
    """
)


def possible_records(domain: Domain, n: int, rng) -> Records:
    codes = tuple(rng.integers(size, size=3 * n).astype(np.uint8) for size in domain.shape)
    kept = np.flatnonzero(are_possible(codes, domain.possible))[:n]
    return Records(domain, tuple(column[kept] for column in codes))


def chained(sizes, never) -> Domain:
    domain = domain_of(sizes)
    return Domain(domain.attributes, tuple(text.format(*domain.names) for text in never))


@pytest.mark.parametrize("family", ["ranges", "marginals"])
@pytest.mark.parametrize("instance", range(4))
def test_a_run_under_rules_is_figure_8_on_the_allowed_cells(family, instance):
    rng = np.random.default_rng([instance, len(family)])
    domain = chained((3, 4, 2), ["{0} == 0 and {1} >= 2", "{1} == 1 and {2} == 0"])
    B, allowed = possible_records(domain, 200, rng), possible_table(domain).ravel()
    Q = families.marginals(domain, 2) if family == "marginals" else families.ranges(domain, domain.names[:2], 12)
    T, epsilon, uniforms, laplaces = 4, 2.0, rng.random(4), rng.laplace(size=4)
    *_, last = paper(Q, epsilon=epsilon, T=T).rounds(B, Q, noise=Script(uniforms, laplaces))
    A_0, counts, noise = 200 * allowed / allowed.sum(), B.marginal((0, 1, 2)).ravel(), Script(uniforms, laplaces)
    A, _ = figures.figure_8(counts, np.array(query_vectors(Q)), epsilon=epsilon, T=T, noise=noise, A_0=A_0)
    assert np.abs(last.model.marginal((0, 1, 2)).ravel() - A).max() <= 1e-9 * B.total


@pytest.mark.parametrize("instance", range(4))
def test_whole_tables_under_rules_are_figure_8_on_the_allowed_cells(instance):
    rng = np.random.default_rng(instance)
    domain = chained((3, 4, 2), ["{0} == 0 and {1} >= 2", "{1} == 1 and {2} == 0"])
    B, allowed = possible_records(domain, 200, rng), possible_table(domain).ravel()
    Q, T, epsilon = families.cuboids(domain, 2, up_to=True), 3, 2.0
    uniforms, laplaces = rng.random(T), rng.laplace(size=24 * T)
    *_, last = paper(Q, epsilon=epsilon, T=T).rounds(B, Q, noise=Script(uniforms, laplaces))
    counts, A_0 = B.marginal((0, 1, 2)).ravel(), 200 * allowed / allowed.sum()
    A, _ = figure8_cuboids(counts, domain.shape, Q.sets, T, epsilon, uniforms, laplaces, A_0=A_0)
    assert np.abs(last.model.marginal((0, 1, 2)).ravel() - A).max() <= 1e-9 * B.total


def rows_of(system, spec, delta, epsilon):
    """What a system makes of 5,000 possible records: its rounds, and 10,000 rows, rounded; of a model drawn too."""
    rng = np.random.default_rng(1)
    Q, B = parse_workload(spec, DOMAIN), possible_records(DOMAIN, 5000, rng)
    settings = SYSTEMS[system].settings(Q, n=B.total, epsilon=epsilon, delta=delta)
    rounds = list(settings.rounds(B, Q, noise=Seeded(2)))
    model = rounds[-1].model
    rows = [nearest_rows(Q, model, ROWS, rng)]
    if isinstance(model, Model):
        rows.append(sample(DOMAIN, model, ROWS, rng))
    return rounds, rows


def assert_none_broken(rows: Records):
    """No row broke a rule as it was made: `Records` count what they would have to change."""
    assert rows.total == ROWS
    assert rows.broken == (0,) * len(rows.domain.never)


SPECS = ("marginals:2", "ranges:age:all", "where:age > 3; sex == 1 and school < 2", "marginals:1 + where:age > 3")
RUNS = [
    *((name, spec, delta) for name in ("automatic", "mwem") for spec in SPECS for delta in (0.0, 1e-6)),
    ("mwem-paper", SPECS[2], 0.0),
    ("figure-1", SPECS[2], 0.0),
    *(
        (name, "marginals:2", 0.0)
        for name in ("tables", "mwem-pgm", "privbayes", "barak", "barak-lp", "net", "uniform")
    ),
    ("mwem-pgm", "marginals:2", 1e-6),
    ("aim", "marginals:2", 1e-6),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "spec", "delta"),
    [pytest.param(*run, marks=[pytest.mark.sweep] * (run[0] == "figure-1")) for run in RUNS],
)
def test_no_row_of_any_system_breaks_a_rule_and_no_round_gives_it_weight(system, spec, delta):
    for epsilon in (0.05, 20.0):
        rounds, rows = rows_of(system, spec, delta, epsilon)
        for records in rows:
            assert_none_broken(records)
        for model in [model for entry in rounds for model in (entry.A, entry.model) if isinstance(model, Model)]:
            for S, possible in DOMAIN.possible.items():
                assert (model.marginal(S)[~possible] == 0).all()


def test_every_system_that_gives_rows_is_run_under_rules():
    assert {name for name, *_ in RUNS} | {"weights"} == {name for name, s in SYSTEMS.items() if s.gives == "rows"}


def test_a_model_without_noise_keeps_the_rules_too():
    B, Q = possible_records(DOMAIN, 5000, np.random.default_rng(1)), families.marginals(DOMAIN, 1)
    *_, last = Weights(T=20).rounds(B, Q, noise=Seeded(0))
    assert_none_broken(sample(DOMAIN, last.model, ROWS, np.random.default_rng(0)))


WIDE = chained(
    [4] * 10, ["{0} == 0 and {1} >= 2", "{1} == 3 and {2} != 3", "{4} == {5}".replace("{5}", "1") + " and {5} == 2"]
)


REPLAY = Replay(step=3.0, sweeps=20, tolerance=0.03, in_order=False)


@pytest.mark.parametrize(
    "settings",
    [
        Planned(epsilon=5.0, plan="residuals", tolerance=0.03),
        Planned(epsilon=5.0, plan="marginals", tolerance=0.03),
        MWEM(epsilon=5.0, T=12, candidates=Tables(), update=REPLAY, cell_budget=120),
    ],
)
def test_rows_beyond_the_tree_break_no_rule(settings):
    """Of a domain of a million cells: planned runs correct tables, and rounds go on with weighted records."""
    rng = np.random.default_rng(0)
    B, Q = possible_records(WIDE, 3000, rng), families.marginals(WIDE, 2)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert isinstance(last.model, CorrectedModel | WeightedRecords)
    assert isinstance(last.A, WeightedRecords)
    for S, possible in WIDE.possible.items():
        assert (last.model.marginal(S)[~possible] == 0).all()
        assert (last.A.marginal(S)[~possible] == 0).all()
    for rows in (nearest_rows(Q, last.model, ROWS, rng), sample(WIDE, last.model, ROWS, rng)):
        assert_none_broken(rows)


@pytest.mark.parametrize(
    "settings",
    [
        Planned(epsilon=100.0, plan="residuals"),
        Planned(epsilon=100.0, plan="cells"),
        MWEM(epsilon=100.0, candidates=Tables(), update=Replay(sweeps=60)),
    ],
)
def test_mistaken_records_pull_no_fit_apart(settings):
    """200 of 5,200 records break a rule; uncorrected, the model ended as far from the truth as it can be."""
    B = possible_records(DOMAIN, 5000, np.random.default_rng(0))
    mistakes = zip(B.codes, (0, 1, 0, 0, 0), strict=True)
    B = Records(DOMAIN, tuple(np.append(column, np.full(200, value, np.uint8)) for column, value in mistakes))
    Q = families.marginals(DOMAIN, 2)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert (B.broken, last.model.total) == ((200, 0, 0, 0), 5200)
    assert np.abs(Q.answers(last.model) - Q.answers(B)).sum() / Q.parts < 0.02 * 5200


def test_what_is_known_to_be_impossible_lowers_the_error():
    """Ages tell the school here: 36 of 64 cells are impossible. Paired seeds; the mean over 8 of them."""
    sizes, rng = (8, 8, 3), np.random.default_rng(0)
    free = domain_of(sizes)
    a, b, _ = free.names
    ruled = Domain(free.attributes, tuple(f"{a} == {i} and {b} > {i}" for i in range(7)))
    ruled_records = possible_records(ruled, 2000, rng)
    errors = {}
    for domain in (free, ruled):
        B, Q = Records(domain, ruled_records.codes), families.marginals(domain, 2)
        truth = Q.answers(B)
        for plan in ("residuals", "cells"):
            settings = Planned(epsilon=0.5, plan=plan)
            lasts = ([*settings.rounds(B, Q, noise=Seeded(seed))][-1] for seed in range(8))
            errors[domain.never != (), plan] = np.mean([np.abs(Q.answers(x.model) - truth).sum() for x in lasts])
    assert errors[True, "residuals"] < 0.9 * errors[False, "residuals"]
    assert errors[True, "cells"] < 0.9 * errors[False, "cells"]


@pytest.mark.parametrize("name", [name for name, s in SYSTEMS.items() if s.gives == "answers"])
def test_a_system_of_answers_says_that_it_does_not_keep_rules(name):
    title = SYSTEMS[name].title
    expected = f"{title} gives noisy answers and no rows, so it does not keep the schema's rules."
    assert SYSTEMS[name].unkept_rules(DOMAIN) == expected
    assert SYSTEMS[name].unkept_rules(replace(DOMAIN, never=())) == SYSTEMS["mwem"].unkept_rules(DOMAIN) == ""

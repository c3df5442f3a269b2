"""MWEM against the paper: Figures 1 and 8 loop by loop, the potential, privacy by replaying neighbours."""

import itertools

import numpy as np
import pytest
from oracles import (
    Following,
    Recording,
    Script,
    domain_of,
    figure8_cuboids,
    joint,
    neighbours,
    query_vectors,
    random_records,
)

from mwem_core import (
    MWEM,
    Annealing,
    HistogramStart,
    Newest,
    Planned,
    Replay,
    Seeded,
    Staged,
    Tables,
    Witness,
    default,
    mwem_by_rule,
    paper,
)
from mwem_core.domain import Attribute, Domain, OfTotal, Records
from mwem_core.judge import relative_entropy
from mwem_core.model import LogLinear
from mwem_core.mwem import figures
from mwem_core.mwem.mwem import figure_1
from mwem_core.privacy import laws
from mwem_core.values import BITS
from mwem_core.workload import families, parse_workload

FAMILIES = {
    "ranges": lambda domain, rng: families.ranges(domain, domain.names[:2], 12, seed=int(rng.integers(1000))),
    "parities": lambda domain, _: families.parities(domain, 2),
    "marginals": lambda domain, _: families.marginals(domain, 2),
}
ONES_FIRST = Tables(one_way_first=True)
MIXED = "2*marginals:2 + ranges:a:prefixes + 3*where:b == 1 and c >= 1; a == 0"


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("instance", range(20))
def test_paper_preset_is_figure_8(family, instance):
    rng = np.random.default_rng([instance, len(family)])
    sizes = [2] * int(rng.integers(2, 5)) if family == "parities" else rng.integers(2, 5, size=rng.integers(2, 4))
    domain = domain_of(map(int, sizes))
    B = random_records(domain, int(rng.integers(20, 400)), rng)
    Q = FAMILIES[family](domain, rng)
    T = int(rng.integers(1, min(5, Q.size) + 1))
    epsilon = float(rng.choice([0.1, 1.0, 10.0]))
    uniforms, laplaces = rng.random(T), rng.laplace(size=T)

    settings = paper(Q, epsilon=epsilon, T=T)
    rounds = list(settings.rounds(B, Q, noise=Script(uniforms, laplaces)))
    counts, queries = B.marginal(tuple(range(len(domain)))).ravel(), np.array(query_vectors(Q))
    A, measurements = figures.figure_8(counts, queries, epsilon=epsilon, T=T, noise=Script(uniforms, laplaces))

    assert [entry.chosen for entry in rounds[1:]] == [qi for qi, _ in measurements]
    assert [float(entry.measurement.value) for entry in rounds[1:]] == pytest.approx(
        [m for _, m in measurements], rel=1e-9
    )
    ours = rounds[-1].model.marginal(tuple(range(len(domain)))).ravel()
    assert np.abs(ours - A).max() <= 1e-9 * B.total


@pytest.mark.parametrize("instance", range(20))
def test_paper_preset_on_cuboids_is_figure_8_with_whole_tables(instance):
    """Section 3.3. The oracle's every number is met to 1e-9: an update of a table 1% larger would miss by 1e-3."""
    rng = np.random.default_rng([instance, 7])
    domain = domain_of(map(int, rng.integers(2, 5, size=3)))
    B = random_records(domain, int(rng.integers(20, 400)), rng)
    Q = families.cuboids(domain, 2, up_to=bool(instance % 2))
    T, epsilon = int(rng.integers(1, min(4, Q.parts) + 1)), float(rng.choice([0.1, 1.0, 10.0]))
    uniforms, laplaces = rng.random(T), rng.laplace(size=T * 16)

    rounds = list(paper(Q, epsilon=epsilon, T=T).rounds(B, Q, noise=Script(uniforms, laplaces)))
    counts = B.marginal((0, 1, 2)).ravel()
    A, measurements = figure8_cuboids(counts, domain.shape, Q.sets, T, epsilon, uniforms, laplaces)

    assert [entry.chosen for entry in rounds[1:]] == [i for i, _ in measurements]
    for entry, (_, values) in zip(rounds[1:], measurements, strict=True):
        assert entry.measurement.value.ravel() == pytest.approx(values, rel=1e-9)
    assert np.abs(rounds[-1].model.marginal((0, 1, 2)).ravel() - A).max() <= 1e-9 * B.total


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("instance", range(10))
def test_figure_1_preset_is_figure_1(family, instance):
    rng = np.random.default_rng([instance, len(family), 1])
    sizes = [2] * int(rng.integers(2, 5)) if family == "parities" else rng.integers(2, 5, size=rng.integers(2, 4))
    domain = domain_of(map(int, sizes))
    B = random_records(domain, int(rng.integers(20, 400)), rng)
    Q = FAMILIES[family](domain, rng)
    T, epsilon = int(rng.integers(1, 8)), float(rng.choice([0.1, 1.0, 10.0]))
    uniforms, laplaces = rng.random(T), rng.laplace(size=T)

    rounds = list(figure_1(epsilon=epsilon, T=T).rounds(B, Q, noise=Script(uniforms, laplaces)))
    counts, queries = B.marginal(tuple(range(len(domain)))).ravel(), np.array(query_vectors(Q))
    average, measurements = figures.figure_1(counts, queries, epsilon=epsilon, T=T, noise=Script(uniforms, laplaces))

    assert [entry.chosen for entry in rounds[1:]] == [qi for qi, _ in measurements]
    ours = rounds[-1].model.marginal(tuple(range(len(domain)))).ravel()
    assert np.abs(ours - average).max() <= 1e-9 * B.total


@pytest.mark.parametrize("noisy", [False, True])
def test_potential_falls_as_the_paper_says_in_every_round(noisy):
    """Ψ_{i-1} - Ψ_i >= ((q(A) - q(B)) / 2n)² - ((m - q(B)) / 2n)², for a single update with the paper's step."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        domain = domain_of(map(int, rng.integers(2, 5, size=3)))
        B, Q = random_records(domain, 200, rng), families.marginals(domain, 2)
        settings = MWEM(epsilon=1.0 if noisy else 1e6, T=6, update=Newest())
        truth, n = Q.answers(B), B.total
        rounds = list(settings.rounds(B, Q, noise=Seeded(seed)))
        for before, after in itertools.pairwise(rounds):
            gained = relative_entropy(B, before.A) - relative_entropy(B, after.A)
            j, m = after.chosen, float(after.measurement.value)
            error, slip = Q.answers(before.A)[j] - truth[j], m - truth[j]
            assert gained >= (error / (2 * n)) ** 2 - (slip / (2 * n)) ** 2 - 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"T": 4},
        {"T": 3, "candidates": Tables(penalty="noise"), "split": 0.1, "update": Replay(step=3.0)},
        {"T": 3, "candidates": Tables(penalty="cells"), "delta": 1e-6},
        {"T": 3, "start": HistogramStart(0.2), "output": "average"},
        {"T": 3, "candidates": Tables(penalty="noise", within="lower")},
        {"T": 4, "selection": "permute-and-flip"},
        {"T": 3, "candidates": Tables(penalty="noise"), "selection": "permute-and-flip"},
        {"T": 4, "candidates": Tables(), "spec": MIXED},
        {"T": 4, "candidates": Tables(penalty="noise"), "selection": "permute-and-flip", "spec": MIXED},
        {"T": 4, "candidates": Tables(), "delta": 1e-6, "spec": MIXED},
    ],
    ids=[
        "queries",
        "tables",
        "zcdp",
        "histogram",
        "lower",
        "permute-and-flip",
        "permute-and-flip, tables",
        "mixed",
        "permute-and-flip, mixed",
        "zcdp, mixed",
    ],
)
def test_neighbours_cannot_be_told_apart_by_more_than_the_ledger_says(settings):
    """The same outputs on B and B ± 1 record: each selection's log-probability and each measurement's density moves by
    no more than what was paid for it, so all of it by no more than ε (for zCDP: selections by their ε, values by 1)."""
    spec = settings.get("spec", "marginals:2")
    algorithm = MWEM(epsilon=0.7, **{name: value for name, value in settings.items() if name != "spec"})
    selecting = algorithm.guarantee.budget.part(algorithm.split / algorithm.T)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        B = random_records(domain_of([3, 2, 4]), 60, rng)
        Q = parse_workload(spec, B.domain)
        recorded = Recording(Seeded(seed))
        list(algorithm.rounds(B, Q, noise=recorded))
        for table in neighbours(B, rng):
            followed = Recording(Following(recorded.draws))
            list(algorithm.rounds(OfTotal(table, B.total), Q, noise=followed))
            loss = 0.0
            for (kind, x, *_), (_, y, *_) in zip(recorded.draws, followed.draws, strict=True):
                if kind in ("laplace", "gaussian"):
                    assert np.abs(x - y).sum() <= 1 + 1e-9  # L1, hence L2, sensitivity 1
                    continue
                offered = np.isfinite(x)
                assert (np.isfinite(y) == offered).all()
                law = laws.exponential_law if kind == "choose" else laws.permute_and_flip_law
                gap = np.abs(np.log(law(x)[offered]) - np.log(law(y)[offered])).max()
                assert gap <= selecting.selection_epsilon + 1e-9
                loss += gap
            if algorithm.delta == 0:
                assert loss <= algorithm.epsilon * algorithm.split + 1e-9


ALL_SETTINGS = [
    MWEM(epsilon=0.5, T=3),
    MWEM(epsilon=0.5, T=1),
    MWEM(epsilon=0.5, T="theorem"),
    MWEM(epsilon=0.5, T="adaptive"),
    MWEM(epsilon=0.5, T="adaptive", candidates=Tables(penalty="noise")),
    MWEM(epsilon=0.5, T=3, delta=1e-6),
    MWEM(epsilon=0.5, T=3, split=0.1, candidates=Tables()),
    MWEM(epsilon=0.5, T=3, start=HistogramStart(0.3)),
    MWEM(epsilon=0.5, output="average", repeats=True, T=20),
    MWEM(epsilon=0.5, T=3, update=Newest()),
    Staged(share=0.7, then=MWEM(epsilon=0.5, T=3, candidates=Tables())),
    Staged(share=0.3, then=MWEM(epsilon=0.5, T=3, candidates=Tables(), delta=1e-6, output="average")),
]


@pytest.mark.parametrize("algorithm", ALL_SETTINGS, ids=str)
def test_last_round_has_spent_the_budget_and_none_more(algorithm):
    rng = np.random.default_rng(1)
    B = random_records(domain_of([3, 4, 2]), 300, rng)
    Q = families.marginals(B.domain, 2)
    rounds = list(algorithm.rounds(B, Q, noise=Seeded(3)))
    budget = algorithm.guarantee.budget.amount
    spent = [entry.ledger.spent for entry in rounds]
    assert spent == sorted(spent)
    assert max(spent) <= budget
    assert spent[-1] == pytest.approx(budget, rel=1e-9)
    assert [entry.index for entry in rounds] == list(range(len(rounds)))


def test_rounds_hold_nothing_that_later_rounds_change():
    B = random_records(domain_of([3, 4, 2]), 300, np.random.default_rng(1))
    Q = families.marginals(B.domain, 2)
    stream = mwem_by_rule(Q, n=B.total, epsilon=1.0, T=3).rounds(B, Q, noise=Seeded(0))
    first = [next(stream) for _ in range(2)][1]
    before = first.model.marginal((0, 1, 2)).copy()
    list(stream)
    for component in first.model.components:
        component._cache.clear()
    assert (first.model.marginal((0, 1, 2)) == before).all()


def test_same_seed_same_run_and_a_witness_changes_nothing():
    B = random_records(domain_of([3, 4, 2]), 300, np.random.default_rng(1))
    Q = families.marginals(B.domain, 2)
    runs = []
    for noise in (Seeded(5), Seeded(5), Witness(Seeded(5))):
        *_, last = default(Q, n=B.total, epsilon=1.0).rounds(B, Q, noise=noise)
        runs.append(last.model.marginal((0, 1, 2)))
    assert (runs[0] == runs[1]).all()
    assert (runs[0] == runs[2]).all()


def test_no_query_is_measured_twice_unless_repeats_are_allowed():
    B = random_records(domain_of([2, 2]), 50, np.random.default_rng(0))
    Q = families.marginals(B.domain, 2)
    chosen = [entry.chosen for entry in MWEM(epsilon=1.0, T=4).rounds(B, Q, noise=Seeded(0))][1:]
    assert sorted(chosen) == [0, 1, 2, 3]
    assert len(list(MWEM(epsilon=1.0, T=9, repeats=True).rounds(B, Q, noise=Seeded(0)))) == 10


def test_cuboid_score_is_the_gap_less_the_cells():
    """Section 3.3: Σ over cells |A - B|, less the number of cells, at ε / 2T."""
    B = random_records(domain_of([3, 4, 2]), 300, np.random.default_rng(1))
    Q = families.cuboids(B.domain, 2)
    witness = Witness(Seeded(0))
    settings = paper(Q, epsilon=0.8, T=2)
    stream = settings.rounds(B, Q, noise=witness)
    start = next(stream)
    next(stream)
    scores = [np.abs(start.model.marginal(S) - B.marginal(S)).sum() - Q.domain.cells(S) for S in Q.sets]
    p = np.exp(0.8 / (2 * 2) * np.array(scores) / 2)
    assert witness.probabilities() == pytest.approx(p / p.sum())


def test_a_thousand_bits_are_held_one_by_one_but_for_the_pairs_that_were_measured():
    rng = np.random.default_rng(0)
    domain = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(1000)))
    B = Records(domain, tuple((rng.random(2_000) < 1 / 3).astype(np.uint8) for _ in range(1000)))
    Q = families.parities(domain, 2)
    pairs = 0
    for entry in mwem_by_rule(Q, n=B.total, epsilon=20.0, T=8).rounds(B, Q, noise=Seeded(0)):
        pairs += entry.measurement is not None and len(entry.measurement.attrs) == 2
        in_pairs = sum(len(c.attrs) for c in entry.A.components if len(c.attrs) > 1)
        assert entry.A.cells <= 2 * (1000 - in_pairs) + 4 * pairs
        assert in_pairs <= 2 * pairs


def test_candidates_beyond_the_cell_budget_are_declined_and_said():
    B = random_records(domain_of([4] * 6), 500, np.random.default_rng(0))
    Q = families.marginals(B.domain, 2)
    settings = MWEM(epsilon=5.0, T=15, candidates=Tables(), cell_budget=100)
    rounds = [entry for entry in settings.rounds(B, Q, noise=Seeded(0)) if isinstance(entry.A, LogLinear)]
    assert all(entry.model.cells <= 100 for entry in rounds)
    declined = [entry.declined for entry in rounds[1:]]
    assert max(each.count for each in declined) > 0
    for each in declined:
        assert each.held <= each.allowed == 100
        assert not each.count or each.price > 100
        assert (f"{each.example} would make it {each.price:,}" in each.reason) == (each.count > 0)


@pytest.mark.parametrize(
    ("settings", "given", "message"),
    [
        (MWEM, {"epsilon": 0}, "epsilon must be a positive number, got 0"),
        (MWEM, {"epsilon": "1"}, "epsilon must be a positive number, got '1'"),
        (MWEM, {"epsilon": 1e9}, r"epsilon must lie between 1e-06 and 1e\+06"),
        (MWEM, {"delta": 1.0}, "delta must be at least 0 and less than 1, got 1.0"),
        (MWEM, {"T": 0}, "rounds must be a whole number of at least 1, theorem or adaptive, got 0"),
        (MWEM, {"T": 2.5}, "rounds must be a whole number of at least 1, theorem or adaptive, got 2.5"),
        *(
            (Annealing, {"T": T}, f"rounds must be a whole number of at least 1, got {T!r}")
            for T in (0, 2.5, "adaptive")
        ),
        (MWEM, {"split": 1.0}, "split must lie between 0 and 1"),
        (Newest, {"step": 0.0}, "step must be a positive number, got 0.0"),
        (Replay, {"step": 0.0}, "step must be a positive number"),
        (Replay, {"step": float("inf")}, "step must be a positive number, got inf"),
        (Replay, {"tolerance": -1.0}, "tolerance must be at least 0 and less than 1, got -1.0"),
        (MWEM, {"cell_budget": 0}, "cell_budget must be a whole number of at least 1, got 0"),
        (Replay, {"sweeps": 0}, "sweeps must be a whole number"),
        (HistogramStart, {"share": 0.0}, "a histogram's share of the budget is above 0 and below 1, got 0.0"),
        (HistogramStart, {"share": 1.0}, "a histogram's share of the budget is above 0 and below 1, got 1.0"),
        (Replay, {"rows_from": -0.1}, "rows_from is a share of the budget"),
        (Staged, {"share": 0.0}, "share is a share of the budget, above 0 and below 1, got 0.0"),
        (Staged, {"share": 1.0}, "share is a share of the budget, above 0 and below 1, got 1.0"),
        (Staged, {"then": MWEM(epsilon=1.0, T="adaptive")}, "one-way marginals need a number, got 'adaptive'"),
        (Staged, {"then": MWEM(epsilon=1.0, start=HistogramStart(0.1))}, "leave one_way_first and histogram out"),
        (Staged, {"then": MWEM(epsilon=1.0, candidates=ONES_FIRST)}, "leave one_way_first and histogram out"),
        (MWEM, {"T": "theorem", "candidates": ONES_FIRST}, "one-way marginals first need a number of rounds"),
        (MWEM, {"T": "adaptive", "candidates": ONES_FIRST}, "one-way marginals first need a number of rounds"),
        (MWEM, {"T": Annealing(10)}, "annealing measures a query again, with less noise: allow repeats with it"),
        (MWEM, {"selection": "permute-and-flip", "delta": 1e-9}, "permute-and-flip needs delta = 0"),
        (Planned, {"tolerance": -1.0}, "tolerance must be at least 0 and less than 1, got -1.0"),
        (Planned, {"tolerance": 1.0}, "tolerance must be at least 0 and less than 1, got 1.0"),
        (Planned, {"plan": "all"}, "plan must be one of one-way, residuals, marginals, cells, got 'all'"),
    ],
)
def test_settings_out_of_range_are_refused_on_construction(settings, given, message):
    usual = {MWEM: {"epsilon": 1.0}, Planned: {"epsilon": 1.0}, Staged: {"share": 0.5, "then": MWEM(epsilon=1.0)}}
    with pytest.raises(ValueError, match=message):
        settings(**usual.get(settings, {}) | given)


def test_settings_at_the_end_of_their_range_are_taken():
    assert MWEM(epsilon=1.0, T=1, cell_budget=1).cell_budget == 1
    assert (Replay(rows_from=0).rows_from, Replay(rows_from=1).rows_from) == (0, 1)


def test_what_a_workload_cannot_serve_is_refused_before_anything_is_spent():
    domain = domain_of([3, 4])
    B, pairs, lines = None, families.marginals(domain, 2), families.ranges(domain, ["a"], "all")
    with pytest.raises(
        ValueError, match="rounds must be at most 12, the number of queries, as none is asked twice; got 13"
    ):
        MWEM(epsilon=1.0, T=13).rounds(B, pairs, noise=Seeded(0))
    with pytest.raises(ValueError, match="rounds must be at most 1, the number of marginals, as none is asked twice"):
        MWEM(epsilon=1.0, T=2, candidates=Tables()).rounds(B, pairs, noise=Seeded(0))
    with pytest.raises(ValueError, match="whole tables are selected in marginals and cuboids only, not in ranges"):
        MWEM(epsilon=1.0, T=1, candidates=Tables()).rounds(B, lines, noise=Seeded(0))
    with pytest.raises(ValueError, match="cuboids are selected as whole tables: select tables, or ask for marginals"):
        MWEM(epsilon=1.0, T=1).rounds(B, families.cuboids(domain, 1), noise=Seeded(0))
    message = "has 12 cells and the model may hold 11: lower k, or choose attributes with fewer values"
    with pytest.raises(ValueError, match=f"the smallest marginal, a × b, {message}"):
        MWEM(epsilon=1.0, T=1, cell_budget=11).rounds(B, pairs, noise=Seeded(0))
    empty = Records(domain, (np.zeros(0, np.uint8), np.zeros(0, np.uint8)))
    with pytest.raises(ValueError, match="no records"):
        MWEM(epsilon=1.0, T=1).rounds(empty, pairs, noise=Seeded(0))


@pytest.mark.parametrize("epsilon", [0.001, 0.1])
def test_noise_far_above_the_data_leaves_a_distribution(epsilon):
    """Noise of many times n pushes weights to the floor and back: shares stay finite, and sum to one."""
    for seed in range(5):
        B = random_records(domain_of([3, 4, 2, 5]), 20, np.random.default_rng(seed))
        Q = families.marginals(B.domain, 2)
        *_, last = mwem_by_rule(Q, n=B.total, epsilon=epsilon, T=6).rounds(B, Q, noise=Seeded(seed))
        p = last.model.marginal((0, 1, 2, 3)) / B.total
        assert np.isfinite(p).all()
        assert p.sum() == pytest.approx(1)
        assert epsilon < 0.1 or p == pytest.approx(joint(last.model), abs=1e-6)

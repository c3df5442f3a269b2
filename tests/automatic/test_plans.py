"""Plans: what they spend, what they measure and how precisely, and that the fit is the most probable table."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from messages import exactly
from oracles import Recording, assert_private, domain_of, joint, most_probable_table, random_records
from plans import plan_of

from mwem_core import Attribute, Domain, Planned, Records, Seeded, parse_workload, round_rows
from mwem_core.automatic.choice import default
from mwem_core.automatic.plan_fit import measured_tables
from mwem_core.automatic.plans import make_plan, residuals_of
from mwem_core.automatic.sizes import are_rows, can_be_counted, check_plan, fitted_cells
from mwem_core.domain import Source
from mwem_core.judge import errors
from mwem_core.model import LogLinear, Measurement, Prior, centre, most_probable, pool, replay
from mwem_core.prior import MAX_FITTED_CELLS, fitted_by_attribute, fitted_by_order, tree_for
from mwem_core.privacy import Accountant, Guarantee
from mwem_core.values import Range
from mwem_core.weighted import CorrectedModel, WeightedRecords
from mwem_core.workload import Subsets

N, SIZES, BITS = 300, (2, 3, 2, 4), (2, 2, 2, 2)
PLANS = ["one-way", "residuals", "marginals", "cells"]
every_plan = pytest.mark.parametrize("plan", PLANS)
every_delta = pytest.mark.parametrize("delta", [0.0, 1e-9])
PREDICATES = "where:a == 1 and b < 2; b in (0, 2) or c == 1; d >= 2; d >= 1; a == 1 and b == 0 or a == 0 and d == 3"
every_spec = pytest.mark.parametrize("spec", ["marginals:2", "parities:2", PREDICATES])
TIGHT = {"step": 3.0, "sweeps": 5000, "tolerance": 1e-12, "in_order": False}


@cache
def table(sizes=SIZES):
    return random_records(domain_of(sizes), N, np.random.default_rng(1))


def most_probable_near(A, measured, strength, **closeness):
    return most_probable(A, measured, strength=strength, unit_variance=1.0, **closeness)


def workload(spec="marginals:2"):
    return parse_workload(spec, table(BITS if spec.startswith("parities") else SIZES).domain)


@every_plan
@every_spec
@every_delta
def test_a_plan_spends_the_whole_budget_and_tells_neighbours_apart_by_no_more(plan, spec, delta):
    Q = workload(spec)
    assert_private(Planned(epsilon=0.7, delta=delta, plan=plan), table(Q.domain.shape), N, Q)


@pytest.mark.slow
@every_plan
@pytest.mark.parametrize("spec", [pytest.param("marginals:3", marks=pytest.mark.sweep), "parities:3", PREDICATES])
@every_delta
def test_measured_residuals_are_the_exact_ones_plus_noise_of_the_stated_precision(plan, spec, delta):
    """1,000 draws: the mean is within 5 standard errors, the variance within 35% (its standard error is 4 to 7%)."""
    Q = workload(spec)
    B = table(Q.domain.shape)
    budget = Guarantee(0.5, delta).budget
    made = make_plan(plan, Subsets.of(Q), budget)
    subsets, noise = made.subsets, Seeded(2)
    known = [A for A, precision in zip(subsets.sets, made.precisions, strict=True) if precision > 0]
    runs = [residuals_of(made.measure(B, Accountant(made.budget, noise)), subsets) for _ in range(1000)]
    assert [m.attrs for m in runs[0]] == known
    assert len(known) == (4 if plan == "one-way" else len(subsets.sets))
    for i, A in enumerate(known):
        exact, draws = centre(B.marginal(A)), np.array([run[i].value for run in runs])
        direction = centre(np.random.default_rng(i).normal(size=exact.shape))
        direction /= np.linalg.norm(direction)
        along = np.tensordot(draws - exact, direction, exact.ndim)
        variance = budget.variance_at(runs[0][i].scale)
        assert variance == pytest.approx(1 / made.precisions[subsets.sets.index(A)])
        assert abs(along.mean()) < 5 * math.sqrt(variance / 1000)
        assert along.var() == pytest.approx(variance, rel=0.35)
        assert np.abs(draws - centre(draws, first_axis=1)).max() < 1e-9 * N


def test_shares_are_the_best_of_their_kind():
    """No other shares of the residuals have a smaller sum of squared errors: tried by moving a little between two."""
    subsets = Subsets.of(workload("marginals:3"))
    for delta in (0.0, 1e-9):
        made = make_plan("residuals", subsets, Guarantee(1.0, delta).budget)
        weights = subsets.rank * subsets.cells * subsets.cover / made.precisions

        def error(shares, weights=weights, made=made, power=2 if delta == 0 else 1):
            return (weights * (made.shares / shares) ** power).sum()

        least = error(made.shares)
        for i, j in itertools.permutations(range(len(weights)), 2):
            moved = made.shares.copy()
            moved[i] += 1e-4 * moved[j]
            moved[j] -= 1e-4 * moved[j]
            assert error(moved) >= least


@pytest.mark.parametrize(("delta", "powers"), [(0.0, (2 / 5, 1 / 4)), (1e-9, (1 / 2, 1 / 2))])
def test_larger_tables_get_more_of_the_budget_under_ε_less_so_where_most_cells_are_nearly_empty(delta, powers):
    budget = Guarantee(1.0, delta).budget
    for largest, power in zip((40, 400), powers, strict=True):
        Q = parse_workload("marginals:2", domain_of([2, 10, largest]))
        made = make_plan("marginals", Subsets.of(Q), budget)
        small, large = (made.shares[Q.sets.index(S)] for S in ((0, 1), (1, 2)))
        assert large / small == pytest.approx((10 * largest / 20) ** power)


def test_a_residual_plan_of_parities_measures_each_once_with_the_same_noise():
    """Ten parities, so Laplace noise of scale 10/ε each, in one draw: the best plan for answers of equal weight."""
    Q, budget = workload("parities:2"), Guarantee(0.5).budget
    B, noise = table(BITS), Recording(Seeded(0))
    measured = make_plan("residuals", Subsets.of(Q), budget).measure(B, Accountant(budget, noise))
    assert [m.attrs for m in measured] == list(Q.sets)
    ((_, drawn, scale, noisy),) = noise.draws
    assert scale == pytest.approx(20.0)
    parities = [np.vdot(m.value, Q.query(j)[1]) for j, m in enumerate(measured)]
    assert parities == pytest.approx(noisy.tolist())
    assert drawn.tolist() == Q.answers(B).tolist()


@pytest.mark.parametrize("spec", ["marginals:2", pytest.param("marginals:<=3", marks=pytest.mark.sweep), "parities:3"])
def test_the_errors_of_parts_are_those_of_answers_whose_residuals_err(spec):
    """The oracle: errors drawn in every residual, added up over D and answered; 3,000 draws, within 15%."""
    Q = workload(spec)
    sizes = Q.domain.shape
    subsets, rng = Subsets.of(Q), np.random.default_rng(4)
    errors_of_coordinates = rng.uniform(1, 5, size=len(subsets.sets))
    squares = np.zeros(Q.parts)
    for _ in range(3000):
        error = np.zeros(sizes)
        for A, e in zip(subsets.sets, errors_of_coordinates, strict=True):
            residual = centre(rng.normal(scale=math.sqrt(e), size=Q.domain.sizes(A)))
            others = tuple(a for a in range(len(sizes)) if a not in A)
            error += np.expand_dims(residual, others) * residual.size / math.prod(sizes)
        squares += Q.sum_by_part(Q.answers(Marginals(error)) ** 2) / 3000
    assert subsets.part_errors(errors_of_coordinates) == pytest.approx(squares, rel=0.15)


class Marginals(Source):
    """A table over D, of which cells may be negative."""

    def __init__(self, table):
        self.table = table

    def marginals(self, sets):
        """Each by a sum."""
        return [self.table.sum(axis=tuple(a for a in range(self.table.ndim) if a not in S)) for S in sets]


def test_a_table_plan_measures_residuals_as_generalised_least_squares_would():
    """The oracle: least squares over all measured cells, each with weight 1 / variance, on the unknown table over D."""
    Q, B = workload(), table()
    made = make_plan("marginals", Subsets.of(Q), Guarantee(0.5).budget)
    recording = Recording(Seeded(3))
    measured = residuals_of(made.measure(B, Accountant(made.budget, recording)), made.subsets)
    cells = list(itertools.product(*map(range, SIZES)))
    rows, values, weights = [], [], []
    of_a_size = {}  # tables of equal size have equal shares, and are measured in one draw
    for S in Q.sets:
        of_a_size.setdefault(Q.domain.cells(S), []).append(S)
    for sets, (_, _, scale, noisy) in zip(of_a_size.values(), recording.draws, strict=True):
        xs = [(S, x) for S in sets for x in itertools.product(*(range(SIZES[a]) for a in S))]
        rows += [[float(tuple(cell[a] for a in S) == x) for cell in cells] for S, x in xs]
        values += noisy.tolist()
        weights += [math.sinh(1 / (2 * scale))] * len(xs)  # 1 / deviation of discrete noise, up to a factor
    w = np.array(weights)
    best = np.linalg.lstsq(np.array(rows) * w[:, None], np.array(values) * w, rcond=None)[0].reshape(SIZES)
    for m in measured:
        marginal = best.sum(axis=tuple(a for a in range(len(SIZES)) if a not in m.attrs))
        assert m.value == pytest.approx(centre(marginal), abs=1e-6)


@pytest.mark.parametrize("kind", ["residuals", "tables", "parities"])
def test_a_replay_with_a_prior_ends_at_the_most_probable_table(kind):
    """The oracle minimises n² Σ (m - q(p))² / 2σ² + λ KL(p || base) over the cells' logarithms by a general solver."""
    rng, sizes, n = np.random.default_rng(4), (2, 2, 3), 200.0
    p = rng.dirichlet(np.full(12, 0.5)).reshape(sizes)
    base = replay(LogLinear.uniform(sizes, n), [Measurement((0,), n * np.array([0.7, 0.3]), 1.0)], **TIGHT)
    measured = []
    for S in [(0,), (0, 1), (1, 2)]:
        if kind == "parities" and S == (1, 2):
            continue
        exact = n * p.sum(axis=tuple(a for a in range(3) if a not in S))
        noisy, scale = exact + rng.normal(scale=10, size=exact.shape), float(rng.uniform(5, 15))
        if kind == "parities":
            q = np.array([1.0, -1.0]) if len(S) == 1 else np.array([[1.0, -1.0], [-1.0, 1.0]])
            measured.append(Measurement(S, np.array(np.vdot(q, noisy)), scale, q))
        elif kind == "residuals":
            measured.append(Measurement(S, centre(noisy), scale, centred=True))
        else:
            measured.append(Measurement(S, noisy * n / noisy.sum(), scale))
    strength = 30.0
    A = replay(base, measured, prior=Prior(strength, 1.0, base.theta), **TIGHT)
    loss, best = most_probable_table(joint(base), measured, strength, n, start=joint(A))
    assert loss(joint(A)) == pytest.approx(loss(best), rel=1e-7)
    assert joint(A) == pytest.approx(best, abs=1e-4)


def test_a_round_says_how_far_off_the_answers_that_it_fits_were_and_how_far_they_moved():
    B = random_records(domain_of(SIZES), N, np.random.default_rng(7))
    rounds = list(Planned(epsilon=1.0).rounds(B, parse_workload("marginals:2", B.domain), noise=Seeded(0)))
    for before, after in itertools.pairwise(rounds):
        then, now = ([centre(round.A.marginal(m.attrs)) for m in after.planned] for round in (before, after))
        off = sum(np.abs(m.value - each).sum() for m, each in zip(after.planned, then, strict=True))
        assert after.residual == pytest.approx(off)
        assert after.moved == pytest.approx(sum(np.abs(b - a).sum() for a, b in zip(then, now, strict=True)))
        assert after.moved > 0


def test_an_attribute_of_many_values_is_fitted_by_sweeps_to_nearly_the_same(monkeypatch):
    """Its distance from the optimum is a tenth of the noise's, which is 40 records a value."""
    B = random_records(domain_of((60, 3)), 2000, np.random.default_rng(5))
    Q, settings = parse_workload("marginals:1", B.domain), Planned(epsilon=0.1, plan="one-way", tolerance=1e-12)
    found = []
    for limit in (500, 50):
        monkeypatch.setattr("mwem_core.automatic.plan_fit.MAX_FUNCTIONS", limit)
        *_, last = settings.rounds(B, Q, noise=Seeded(0))
        found.append(last.model.answers(Q))
    assert 0 < np.abs(found[0] - found[1]).max() < 4


def test_an_attribute_of_40_000_values_is_served():
    """Its orthonormal functions would be 12.8 GB."""
    B = random_records(domain_of((40_000, 2)), 300, np.random.default_rng(6))
    Q = parse_workload("marginals:2", B.domain)
    settings = default(Q, n=300, epsilon=1.0)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert plan_of(settings) == "one-way"
    assert last.ledger.spent == pytest.approx(1.0)


def test_repeated_measurements_are_pooled_by_their_precision():
    a, b = Measurement((0,), np.array([10.0, 0.0]), 1.0), Measurement((0,), np.array([20.0, 10.0]), 2.0)
    other = Measurement((0,), np.array([1.0, -1.0]), 1.0, centred=True)
    (mean, same) = pool([a, other, b])
    assert mean.value.tolist() == [12.0, 2.0]
    assert mean.scale == pytest.approx(math.sqrt(0.8))
    assert same is other


@pytest.mark.parametrize(
    ("plan", "spec", "message"),
    [
        (
            "cells",
            "ranges:a:all",
            "plan 'cells' measures marginals, parities or predicates, not ranges: choose MWEM",
        ),
        (
            "cells",
            "marginals:2",
            "plan 'cells' measures one table of 16,777,216 cells, of all attributes in the workload, too many to fit "
            "at this ε: leave attributes out, or choose MWEM",
        ),
    ],
)
def test_what_a_plan_cannot_serve_is_refused_before_any_budget_is_spent(plan, spec, message):
    noise = Recording(Seeded(0))
    with pytest.raises(ValueError, match=exactly(message)):
        Planned(epsilon=1.0, plan=plan).rounds(None, parse_workload(spec, domain_of([4] * 12)), noise=noise)
    assert not noise.draws


@pytest.mark.parametrize(
    ("plan", "delta"),
    [
        ("marginals", 1e-9),
        ("residuals", 0.0),
        pytest.param("marginals", 0.0, marks=pytest.mark.sweep),
        pytest.param("residuals", 1e-9, marks=pytest.mark.sweep),
    ],
)
def test_beyond_one_table_the_last_round_fits_all_marginals_on_weighted_rows(plan, delta):
    """Ten attributes of four values, a million cells. The exact marginals are met to within twice the noise."""
    rng = np.random.default_rng(7)
    latent = rng.integers(4, size=5000)
    columns = [np.where(rng.random(5000) < 0.6, latent, rng.integers(4, size=5000)).astype(np.uint8) for _ in range(10)]
    B = Records(domain_of([4] * 10), tuple(columns))
    Q = parse_workload("marginals:2", B.domain)
    settings = Planned(epsilon=20.0, delta=delta, plan=plan, tolerance=0.01)
    rounds = list(settings.rounds(B, Q, noise=Seeded(0)))
    assert not rounds[0].planned
    assert sorted(m.attrs for entry in rounds[1:11] for m in entry.planned) == [(a,) for a in range(10)]
    assert [entry.label for entry in rounds[1:11]] == [B.domain.label(entry.planned[0].attrs) for entry in rounds[1:11]]
    assert sum(len(entry.planned) for entry in rounds) == 10 + 45
    assert settings.planned_rounds(B.total, Q) == rounds[-1].index == 12
    *_, ones, tree, last = rounds
    assert isinstance(tree.model, LogLinear)
    assert isinstance(last.model, CorrectedModel)
    assert isinstance(last.A, WeightedRecords)
    assert last.ledger.spent == pytest.approx(settings.guarantee.budget.amount, rel=1e-12)
    assert tree.model.cells <= MAX_FITTED_CELLS
    tv = [errors(Q, Q.answers(entry.model), Q.answers(B), B.total).mean_tv for entry in (rounds[0], ones, tree, last)]
    noise = make_plan(plan, Subsets.of(Q), settings.guarantee.budget)
    noise_tv = noise.subsets.mean_tv(1 / noise.precisions, B.total)
    assert tv[3] < 2 * noise_tv < tv[2] < tv[1] < tv[0]
    rows = round_rows(B.domain, last.model, B.total, np.random.default_rng(0))
    assert errors(Q, Q.answers(rows), Q.answers(B), B.total).mean_tv < tv[3] + 0.012  # random draws: about .02


@pytest.mark.parametrize("linked", [False, True])
def test_attributes_fitted_one_after_another_end_as_those_fitted_together(linked):
    """Each moves alone, and the others stay; where a rule links two of them, their fit ends within its tolerance."""
    rng, n = np.random.default_rng(3), 1000.0
    A = LogLinear.uniform((3, 4, 5), n, {(0, 2): np.triu(np.ones((3, 5), bool))} if linked else None)
    measured = [
        Measurement((a,), centre(n * rng.dirichlet(np.ones(size))), 5.0, centred=True) for a, size in enumerate(A.sizes)
    ]
    sweeping = {"step": 3.0, "sweeps": 400, "tolerance": 1e-9}
    together = next(fitted_by_order(A, measured, variance=2.0, sweeping=sweeping, by_sweeps=True))
    order, fits = zip(*fitted_by_attribute(A, measured, (0, 1, 2), 2.0, sweeping), strict=True)
    gaps = [np.abs(m.residual(A.marginal(m.attrs))).sum() for m in measured]
    assert list(order) == sorted(range(3), key=lambda a: -gaps[a])
    models = [A, *fits]
    for a, (before, after) in zip(order, itertools.pairwise(models), strict=True):
        moved = [not np.allclose(before.marginal((b,)), after.marginal((b,))) for b in range(3)]
        assert moved[a]
        assert sum(moved) == 1 or linked
    for a in range(3):
        assert models[-1].marginal((a,)) == pytest.approx(together.marginal((a,)), rel=1e-4 if linked else 1e-9)


def test_an_attribute_that_no_measurement_reads_alone_has_a_round_that_moves_nothing():
    A = LogLinear.uniform((2, 2), 100.0)
    m = Measurement((1,), np.array([-10.0, 10.0]), 1.0, centred=True)
    (first, moved), (second, after) = fitted_by_attribute(A, [m], (0, 1), 2.0, {"step": 3.0, "sweeps": 100})
    assert (first, second) == (1, 0)
    assert moved.marginal((1,))[1] > 55
    assert after.marginal((0, 1)) == pytest.approx(moved.marginal((0, 1)))


@pytest.mark.parametrize(
    ("sizes", "spec", "epsilon", "rows"),
    [
        ([2] * 6, "marginals:3", 3.0, True),  # 64 cells, 8 to an answer, of variance .11
        ([2] * 6, "marginals:2", 3.0, False),  # 16 to an answer: 1.8
        ([2] * 6, "marginals:2", 5.0, True),
        ([4] * 9, "marginals:2", 10.0, True),  # 262,144 cells: too many to be fitted
        ([2] * 6, "where:a == 1 and b == 0", 10.0, False),  # four attributes are not read, and stay uniform
    ],
)
def test_cells_that_are_nearly_exact_are_the_rows_of_the_model(sizes, spec, epsilon, rows):
    B = random_records(domain_of(sizes), 2000, np.random.default_rng(0))
    Q = parse_workload(spec, B.domain)
    settings = Planned(epsilon=epsilon, plan="cells", tolerance=0.01)
    assert are_rows("cells", Q, settings.guarantee.budget, B.total) == rows
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert isinstance(last.model, WeightedRecords) == rows
    assert last.index == settings.planned_rounds(B.total, Q)
    assert last.ledger.spent == epsilon
    found = errors(Q, Q.answers(last.model), Q.answers(B), B.total)
    noise = make_plan("cells", Subsets.of(Q), settings.guarantee.budget)
    assert found.mean_error < 2 * noise.subsets.mean_tv(1 / noise.precisions, B.total)


def test_under_rho_cells_are_never_the_rows_and_too_many_are_refused():
    """Half of all cells would have a noisy count above zero."""
    small, large = (parse_workload("marginals:2", domain_of([4] * d)) for d in (3, 9))
    budget = Guarantee(10.0, 1e-9).budget
    assert not are_rows("cells", small, budget, 1000)
    check_plan("cells", small, budget)
    with pytest.raises(ValueError, match=r"262,144 cells, .* too many to fit at this ε"):
        check_plan("cells", large, budget)
    check_plan("cells", large, Guarantee(10.0).budget)


def test_many_cells_are_counted_only_as_long_as_the_rows_take_seconds():
    """4,194,304 cells and 55 pairs: noise makes records in 190 of them at ε = 10, and in a quarter at ε = 1."""
    Q = parse_workload("marginals:2", domain_of([4] * 11))
    assert can_be_counted(Q, Guarantee(10.0).budget, 100_000)
    assert not can_be_counted(Q, Guarantee(10.0).budget, 400_000)
    assert not can_be_counted(Q, Guarantee(1.0).budget, 100)
    assert not can_be_counted(parse_workload("marginals:2", domain_of([4] * 12)), Guarantee(10.0).budget, 100)


def test_more_cells_than_a_float_can_hold_are_not_counted():
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, 99)) for i in range(200)))
    assert not can_be_counted(parse_workload("marginals:1", domain), Guarantee(1.0).budget, 100)


def test_beyond_one_table_parities_are_fitted_on_weighted_rows_too():
    """Eighteen bits, 262,144 cells. The exact parities are met to within twice the noise."""
    rng = np.random.default_rng(7)
    latent = rng.integers(2, size=5000)
    columns = [np.where(rng.random(5000) < 0.6, latent, rng.integers(2, size=5000)).astype(np.uint8) for _ in range(18)]
    B = Records(Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(18))), tuple(columns))
    Q = parse_workload("parities:2", B.domain)
    settings = Planned(epsilon=20.0, plan="residuals", tolerance=0.01)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert isinstance(last.model, CorrectedModel)
    assert isinstance(last.A, WeightedRecords)
    noise = Q.size / 20 / B.total  # E |Laplace noise|, of every parity
    found = errors(Q, Q.answers(last.model), Q.answers(B), B.total)
    assert found.mean_error < 2 * noise
    assert found.max_error < 2 * noise * math.log(Q.size)


def test_tables_of_measured_residuals_are_consistent_and_have_the_stated_noise():
    """400 draws: the mean squared error of each table, within 25%."""
    Q, B = workload(), table()
    made = make_plan("residuals", Subsets.of(Q), Guarantee(1.0).budget)
    noise, squares = Seeded(8), np.zeros(Q.parts)
    for _ in range(400):
        tables = measured_tables(made.subsets, made.measure(B, Accountant(made.budget, noise)), float(N))
        assert [m.attrs for m in tables] == list(Q.sets)
        squares += [((m.value - B.marginal(m.attrs)) ** 2).mean() / 400 for m in tables]
    assert tables[0].value.sum(axis=1) == pytest.approx(tables[1].value.sum(axis=1))  # both contain attribute 0
    assert [2 * m.scale**2 for m in tables] == pytest.approx(squares, rel=0.25)


def test_a_tree_takes_the_tables_that_are_farthest_from_the_model_as_long_as_they_fit():
    A = LogLinear.uniform((4, 4, 4), 64.0)
    off = {(0, 1): 1.0, (0, 2): 2.0, (1, 2): 5.0}
    tables = [Measurement(S, 4.0 + gap * np.sign(np.arange(16) - 7.5).reshape(4, 4), 1.0) for S, gap in off.items()]
    for cells, held in ((19, []), (20, [(1, 2)]), (31, [(1, 2)]), (32, [(0, 2), (1, 2)]), (64, list(off))):
        tree, residuals = tree_for(A, tables, tables, cells=cells)
        assert [m.attrs for m in residuals] == held
        assert tree.cells <= cells
        assert joint(tree) == pytest.approx(joint(A))


def test_attributes_that_no_predicate_reads_take_no_cells():
    domain = domain_of((2, 3, 1000))
    assert fitted_cells(parse_workload("where:a == 1 and b == 2", domain)) == 6
    assert fitted_cells(parse_workload("where:a == 1; b == 2", domain)) == 5
    assert fitted_cells(parse_workload("marginals:1", domain)) == 6000


def test_too_many_marginals_are_refused_only_where_rows_would_have_to_fit_them(monkeypatch):
    monkeypatch.setattr("mwem_core.automatic.sizes.rows_to_fit", lambda Q: 0)
    budget = Guarantee(1.0).budget
    check_plan("residuals", parse_workload("marginals:2", domain_of(SIZES)), budget)
    large = parse_workload("marginals:2", domain_of([10] * 8))
    check_plan("one-way", large, budget)
    with pytest.raises(
        ValueError, match=exactly("plan 'residuals' fits too many marginals, 28: lower k, or choose MWEM")
    ):
        check_plan("residuals", large, budget)

"""Relaxed projection: parities and marginals, the bodies K and L, Frank and Wolfe's gap, the theorem's exponents."""

import itertools
import math

import numpy as np
import pytest
from oracles import domain_of, random_records
from scipy.optimize import nnls

from mwem_core import Seeded, Witness
from mwem_core.data.records import Records
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS
from mwem_core.relatives.projection.convex_bodies import Exact, Relaxed, Vertex
from mwem_core.relatives.projection.frank_wolfe import most_steps, project, steps_of
from mwem_core.relatives.projection.parities import Parities, hadamard
from mwem_core.relatives.projection.relaxed_projection import RelaxedProjection
from mwem_core.workload import families

GROTHENDIECK = math.pi / (2 * math.log(1 + math.sqrt(2)))  # Krivine's bound on the constant, 1.7823


def bits(d):
    return Domain(tuple(Attribute(f"a{i}", BITS) for i in range(d)))


def clusters(d, n, seed):
    """n records of d bits in two clusters, each bit with a chance of its own in either."""
    rng = np.random.default_rng(seed)
    chance = rng.uniform(0.1, 0.9, (2, d))[rng.integers(0, 2, n)]
    return Records(bits(d), tuple((rng.random((n, d)) < chance).astype(np.uint8).T))


def behind(d, k):
    return Parities.behind(families.parities(bits(d), k))


def rows(queries):
    """Every cell's parities, cell by cell: (2^d, M)."""
    cells = itertools.product((0, 1), repeat=queries.d)
    return np.array([[(-1.0) ** sum(cell[a] for a in S) for S in queries.workload.sets] for cell in cells])


# Parities and marginals


@pytest.mark.parametrize("j", [0, 1, 3, 5])
def test_the_transform_is_the_sum_over_all_pairs(j):
    row = np.random.default_rng(j).normal(size=2**j)
    expected = [sum((-1) ** (x & r).bit_count() * row[r] for r in range(2**j)) for x in range(2**j)]
    assert hadamard(row[None])[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("up_to", [False, True])
@pytest.mark.parametrize(("d", "k"), [(5, 1), (5, 2), (5, 3), (4, 4), (70, 2)])  # 70 bits do not fit in a mask
def test_marginals_come_back_from_their_parities(d, k, up_to):
    B = clusters(d, 300, seed=d + k)
    Q = families.marginals(B.domain, k, up_to=up_to)
    queries = Parities.behind(Q)
    assert queries.answers(Q, queries.workload.answers(B), B.total) == pytest.approx(Q.answers(B), abs=1e-9)


@pytest.mark.parametrize("spec", [{"k": 2}, {"k": 3}, {"k": 3, "up_to": True}])
def test_weighted_parity_errors_are_the_workloads_mean_squared_error(spec):
    """Parseval, up to a constant: errors that differ in direction keep the ratio. Small, so that no cell is clipped."""
    B = Records(bits(6), tuple(np.array(list(itertools.product((0, 1), repeat=6)) * 9, np.uint8).T))
    Q = families.marginals(B.domain, **spec)
    queries, rng = Parities.behind(Q), np.random.default_rng(0)
    exact, ratios = queries.workload.answers(B), []
    for j in range(queries.size):
        error = 0.1 * rng.normal(size=queries.size) * (np.arange(queries.size) <= j)
        off = queries.answers(Q, exact + error, B.total) - Q.answers(B)
        ratios.append((queries.weights(Q) * error**2).sum() / (off**2).sum())
    assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-9)


def test_a_parity_of_a_workload_of_parities_counts_as_much_as_any_other():
    queries = behind(5, 2)
    assert queries.weights(queries.workload) == pytest.approx([1 / 15] * 15)


# The bodies


@pytest.mark.parametrize(("d", "k"), [(4, 1), (5, 2), (5, 3), (6, 4)])
def test_exact_bodys_linear_step_is_the_best_of_all_cells_and_their_opposites(d, k):
    queries, rng = behind(d, k), np.random.default_rng(0)
    every = rows(queries)
    for _ in range(20):
        a = rng.normal(size=queries.size)
        vertex = Exact(queries).furthest(a)
        assert a @ vertex.x == pytest.approx(np.abs(every @ a).max())
        assert Exact(queries).bound(a, vertex) == a @ vertex.x
        assert (np.abs(every - vertex.x).sum(axis=1) == 0).any() or (np.abs(every + vertex.x).sum(axis=1) == 0).any()


@pytest.mark.parametrize(("d", "k"), [(4, 1), (5, 2), (5, 3), (6, 4)])
def test_relaxed_body_holds_the_exact_one_and_its_certificate_is_tight(d, k):
    queries, rng = behind(d, k), np.random.default_rng(0)
    every, body = rows(queries), Relaxed(queries)
    for _ in range(20):
        a = rng.normal(size=queries.size)
        vertex = body.furthest(a)
        bound = body.bound(a, vertex)
        assert np.abs(every @ a).max() <= bound
        assert a @ vertex.x <= bound <= 1.02 * (a @ vertex.x)  # sweeps stop at a gain of 10⁻⁴ each
        assert np.abs(vertex.x).max() <= 1 + 1e-12


def test_certificate_holds_whatever_vectors_it_is_made_from():
    queries, rng = behind(6, 3), np.random.default_rng(0)
    body = Relaxed(queries)
    for _ in range(30):
        a = rng.normal(size=queries.size) * (rng.random(queries.size) < 0.3)
        best = a @ body.furthest(a).x
        U, V = (rng.normal(size=(m, 3)) for m in body.places.shape)
        assert best <= body.bound(a, Vertex(np.zeros(queries.size), U, V))
    assert body.bound(np.zeros(queries.size), body.furthest(np.zeros(queries.size))) == 0


def test_linear_step_starts_from_where_it_is_told_and_never_falls():
    queries, rng = behind(8, 2), np.random.default_rng(1)
    body = Relaxed(queries)
    for _ in range(10):
        a, b = rng.normal(size=(2, queries.size))
        near = body.furthest(a)
        assert b @ body.furthest(b, near).x >= b @ near.x


def test_vectors_gain_no_more_than_grothendiecks_constant_over_signs():
    """max Σ A_st ⟨u_s, v_t⟩ against max Σ A_st ε_s δ_t, by trying all ε: the best δ is then the sign of Aᵀε."""
    queries, rng = behind(7, 2), np.random.default_rng(0)
    body, gained = Relaxed(queries), []
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=8)))
    for _ in range(30):
        a = rng.normal(size=queries.size)
        A = (np.append(0, a) / body.pairs)[body.places]
        gained.append(body.bound(a, body.furthest(a)) / np.abs(signs @ A).sum(axis=1).max())
    assert min(gained) >= 1
    assert 1.001 < max(gained) <= GROTHENDIECK  # vectors do gain something


# Frank and Wolfe


def noisy(B, k, sigma, seed):
    """Weighted exact parities, the noise on them, the scale n√p and the body."""
    queries = Parities.behind(families.parities(B.domain, k))
    p = queries.weights(queries.workload)
    z = np.sqrt(p) * queries.workload.answers(B)
    g = sigma * np.random.default_rng(seed).normal(size=queries.size)
    return z, g, B.total * np.sqrt(p), Relaxed(queries)


@pytest.mark.parametrize("kind", [Relaxed, Exact])
def test_gap_falls_as_one_over_the_steps(kind):
    """Jaggi's bound with D <= 2n, and a fitted exponent where the projection lies on the boundary (inside, the gap
    falls faster). 0.25 for the fit, which is of one path."""
    z, g, scale, body = noisy(clusters(12, 2000, 0), 2, 60.0, 0)
    found = project(z + g, scale, kind(body.queries), 300)
    gaps = np.minimum.accumulate(found.gaps)
    t = np.arange(1, len(gaps) + 1)
    assert len(gaps) == 300
    assert (gaps * (t + 2) <= 6.75 * (2 * 2000) ** 2).all()
    assert fitted(t[5:], gaps[5:]) == pytest.approx(-1, abs=0.25)
    assert found.certified > 0


@pytest.mark.parametrize("seed", range(5))
def test_certified_gap_bounds_the_distance_to_the_nearest_point(seed):
    """The nearest point of K by non-negative least squares over its vertices, whose shares a heavy row sums to 1."""
    B = clusters(4, 60, seed)
    z, g, scale, body = noisy(B, 2, 20.0, seed)
    vertices = np.concatenate([rows(body.queries), -rows(body.queries)]) * scale
    heavy = 1e4
    shares, _ = nnls(np.vstack([vertices.T, heavy * np.ones(len(vertices))]), np.append(z + g, heavy))
    nearest = shares @ vertices
    for steps in (1, 10, 300):
        found = project(z + g, scale, Exact(body.queries), steps)
        at = scale * found.x
        more = (((z + g - at) ** 2).sum() - ((z + g - nearest) ** 2).sum()) / 2
        assert ((at - nearest) ** 2).sum() <= found.certified + 1e-3
        assert -1e-3 <= more <= found.certified + 1e-3
    assert np.abs(at - nearest).max() <= 1.0


@pytest.mark.parametrize("k", [2, 3])
def test_certificate_is_no_less_than_what_is_left_to_gain_after_any_step(k):
    """On L: no less than what 2,000 steps gain, nor than the gap to the best vertex found, nor to that of any cell."""
    z, g, scale, body = noisy(clusters(6, 300, k), k, 30.0, k)
    y, every = z + g, rows(body.queries)
    best = ((y - scale * project(y, scale, body, 2000).x) ** 2).sum() / 2
    for steps in range(1, 41):
        found = project(y, scale, body, steps)
        at = scale * found.x
        a = scale * (y - at)
        gap = max(a @ body.furthest(a).x, np.abs(every @ a).max()) - a @ found.x
        assert found.certified >= gap - 1e-6
        assert found.certified >= ((y - at) ** 2).sum() / 2 - best - 1e-6


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sigma", [1.0, 30.0, 1000.0])
def test_error_is_within_what_the_theorem_allows_for_the_noise_drawn(sigma, seed):
    """|z - truth|² <= 2 h(noise) + gap: what the proof says before it takes the mean, with both sides certified."""
    z, g, scale, body = noisy(clusters(15, 300, seed), 2, sigma, seed)
    found = project(z + g, scale, body, 60)
    width = body.bound(scale * g, body.furthest(scale * g))
    assert ((scale * found.x - z) ** 2).sum() <= 2 * width + found.certified


def test_theorems_bound_holds_as_often_as_it_promises_over_200_runs():
    """2 n σ (w + √(2 ln(1/β))) + gap for the squared error, exceeded in a share β of the runs at most. β near 1, where
    the bound is least; it is of the worst table, so chance needs no allowance. w is the mean of the 200 draws' widths.
    """
    errors, widths, gaps, sigma, n = [], [], [], 30.0, 400
    for seed in range(200):
        z, g, scale, body = noisy(clusters(8, n, seed), 2, sigma, seed)
        found = project(z + g, scale, body, steps_of(scale, body, sigma))
        errors.append(((scale * found.x - z) ** 2).sum())
        widths.append(body.bound(scale * g, body.furthest(scale * g)) / (n * sigma))
        gaps.append(found.certified)
    for beta in (0.05, 0.5, 0.9):
        bound = 2 * n * sigma * (np.mean(widths) + math.sqrt(2 * math.log(1 / beta)))
        assert np.mean(np.array(errors) > bound + np.array(gaps)) <= beta
        assert np.mean(np.array(widths) > np.mean(widths) + math.sqrt(2 * math.log(1 / beta))) <= beta


def hardest(d, k, n, sigma=40.0):
    """The mean squared error, of two draws, on the table it is largest on: of 1, 2, 4, .. 32 different records."""
    queries, rng = behind(d, k), np.random.default_rng(0)
    root = np.sqrt(queries.weights(queries.workload))
    body, errors = Relaxed(queries), []
    steps = steps_of(n * root, body, sigma)
    for kinds in 2 ** np.arange(6):
        some = []
        for _ in range(2):
            rows = rng.integers(0, 2, (kinds, d)).astype(np.uint8)[np.arange(n) % kinds]
            z = root * queries.workload.answers(Records(bits(d), tuple(rows.T)))
            found = project(z + sigma * rng.normal(size=queries.size), n * root, body, steps)
            some.append(((n * root * found.x - z) ** 2).sum())
        errors.append(np.mean(some))
    return max(errors) / (sigma**2 * queries.size)  # beside that of the noise: σ² M


def fitted(x, y):
    return np.polyfit(np.log(x), np.log(y), 1)[0]


@pytest.mark.parametrize(("k", "d", "sizes"), [(2, 60, [500, 1000, 2000, 4000]), (3, 20, [400, 800, 1600, 3200])])
def test_error_grows_with_n_as_the_theorem_says_on_the_hardest_tables(k, d, sizes):
    """Squared: as n, while plain Gaussian noise, beside which it is held, does not; so n times less of n² in shares.

    The theorem is of the worst table of n records at each n: a table that is kept is easy where n is small, all being
    noise, and easy where it is large. 0.3, as six kinds of tables are not all, and n = 4000 is near the noise's own.
    """
    errors = [hardest(d, k, n) for n in sizes]
    assert max(errors) < 0.5
    assert fitted(sizes, errors) == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize(("k", "widths"), [(2, [30, 60, 120]), (3, [14, 24, 40])])
def test_error_grows_with_d_as_the_theorem_says_on_the_hardest_tables(k, widths):
    """Squared: as the mean width, d^(⌈k/2⌉/2), and that of noise as the number of parities, d^k, as good as.

    0.3 as before, and for the orders below k, which small d makes felt.
    """
    errors = [hardest(d, k, 1200) for d in widths]
    counts = [behind(d, k).size for d in widths]
    assert max(errors) < 0.5
    assert fitted(widths, np.array(errors) * counts) == pytest.approx(math.ceil(k / 2) / 2, abs=0.3)
    assert fitted(widths, counts) == pytest.approx(k, abs=0.1)


def test_steps_say_that_the_mean_width_grows_as_the_root_of_d():
    """For k = 2; n/(σ steps) is the width. 0.1 for small d, where orders 1 and 2 mix."""
    widths = []
    for d in (20, 40, 80):
        queries = behind(d, 2)
        scale = 1e7 * np.sqrt(queries.weights(queries.workload))
        widths.append(1e7 / steps_of(scale, Relaxed(queries), 1.0))
    assert fitted([20, 40, 80], widths) == pytest.approx(0.5, abs=0.1)


# The system


@pytest.mark.parametrize("body", ["relaxed", "exact"])
@pytest.mark.parametrize("family", [families.parities, families.marginals, families.cuboids])
def test_one_round_spends_exactly_the_budget_and_answers_within_range(family, body):
    B = clusters(6, 200, 0)
    Q = family(B.domain, 2)
    (entry,) = RelaxedProjection(epsilon=0.5, delta=1e-6, body=body).rounds(B, Q, noise=Seeded(0))
    assert entry.index == 1
    assert entry.ledger.spent == entry.ledger.budget.amount == entry.ledger.measure
    answers = entry.model.answers(Q)
    assert answers.shape == (Q.size,)
    assert np.abs(answers).max() <= B.total
    assert entry.model.total == B.total
    assert not hasattr(entry.model, "draw")


def test_one_record_moves_what_is_measured_by_one_in_all():
    B = clusters(6, 50, 0)
    for Q in (families.parities(B.domain, 3), families.marginals(B.domain, 3)):
        fewer = Records(B.domain, tuple(column[1:] for column in B.codes))
        seen = []
        for table in (B, fewer):
            witness = Witness(Seeded(0))
            list(RelaxedProjection(epsilon=1.0, delta=1e-6).rounds(table, Q, noise=witness))
            seen.append(witness.exact)
        assert np.linalg.norm(seen[0] - seen[1]) == pytest.approx(1)


class Fixed:
    """A noise source that returns the same whatever it is given."""

    def gaussian(self, exact, scale):
        return np.random.default_rng(0).normal(scale=scale, size=len(exact))


def test_what_is_released_depends_on_the_data_through_the_noise_alone():
    tables = clusters(6, 100, 0), clusters(6, 100, 1)
    Q = families.marginals(tables[0].domain, 2)
    (one,), (two,) = (RelaxedProjection(epsilon=1.0, delta=1e-6).rounds(B, Q, noise=Fixed()) for B in tables)
    assert (one.model.answers(Q) == two.model.answers(Q)).all()
    assert one.label == two.label


def test_answers_are_unbiased_where_noise_is_too_small_to_project():
    """The mean of 100 runs within 4.5 of its standard errors, for 21 parities."""
    B = clusters(6, 2000, 0)
    Q = families.parities(B.domain, 2)
    algorithm = RelaxedProjection(epsilon=200.0, delta=1e-6)
    runs = [next(iter(algorithm.rounds(B, Q, noise=Seeded(seed)))) for seed in range(100)]
    assert runs[0].label == "21 parities, as measured"
    off = np.mean([entry.model.answers(Q) for entry in runs], axis=0) - Q.answers(B)
    error = algorithm.guarantee.budget.scale * math.sqrt(Q.size) / math.sqrt(100)
    assert np.abs(off).max() <= 4.5 * error
    assert np.abs(off).max() > 0.1 * error  # and noise there was


def test_a_projection_that_is_farther_from_its_goal_than_the_noise_is_not_taken():
    """Eight different records, many times over: the theorem's steps end so far from the nearest point that the noise
    they take away is less than the error they bring."""
    B = Records(
        bits(10), tuple(np.random.default_rng(0).integers(0, 2, (8, 10)).astype(np.uint8)[np.arange(20_000) % 8].T)
    )
    Q = families.parities(B.domain, 2)
    algorithm, queries = RelaxedProjection(epsilon=0.2, delta=1e-9), Parities.behind(Q)
    sigma, scale, body = algorithm.guarantee.budget.scale, B.total * np.sqrt(queries.weights(Q)), Relaxed(queries)
    (entry,) = algorithm.rounds(B, Q, noise=Seeded(0))
    noise = (np.abs(entry.model.answers(Q) - Q.answers(B)) ** 2).sum()
    assert entry.label == "55 parities, as measured"
    steps = steps_of(scale, body, sigma)
    found = project(scale / B.total * Seeded(0).gaussian(Q.answers(B), sigma * math.sqrt(55)), scale, body, steps)
    assert steps <= most_steps(body)
    assert ((B.total * found.x - Q.answers(B)) ** 2).sum() > 2 * noise
    (entry,) = RelaxedProjection(epsilon=0.01, delta=1e-9).rounds(B, Q, noise=Seeded(0))
    assert entry.label.startswith("55 parities, projected in")


def test_projection_beats_the_noise_it_came_from_on_few_records_and_many_attributes():
    B = clusters(40, 1000, 0)
    Q = families.parities(B.domain, 2)
    (entry,) = RelaxedProjection(epsilon=0.5, delta=1e-9).rounds(B, Q, noise=Seeded(0))
    ours = np.abs(entry.model.answers(Q) - Q.answers(B)).mean()
    sigma = RelaxedProjection(epsilon=0.5, delta=1e-9).guarantee.budget.scale * math.sqrt(Q.size)
    assert ours < 0.7 * sigma * math.sqrt(2 / math.pi)


def test_what_cannot_be_served_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="relaxed projection adds Gaussian noise, which needs delta > 0"):
        RelaxedProjection(epsilon=1.0, delta=0.0)
    with pytest.raises(ValueError, match="body must be relaxed or exact, got 'tight'"):
        RelaxedProjection(epsilon=1.0, delta=1e-6, body="tight")
    algorithm = RelaxedProjection(epsilon=1.0, delta=1e-6)
    with pytest.raises(ValueError, match="parities need attributes of two values, 'b' has 3"):
        algorithm.check(families.marginals(domain_of([2, 3]), 1))
    with pytest.raises(ValueError, match="parities answer marginals and parities, not ranges"):
        algorithm.check(families.ranges(domain_of([2, 2]), ["a"], "all"))
    with pytest.raises(ValueError, match="the relaxed body of order 16 has 1,536,875,209 pairs"):
        algorithm.check(families.marginals(domain_of([2] * 16), 16))
    exact = RelaxedProjection(epsilon=1.0, delta=1e-6, body="exact")
    with pytest.raises(ValueError, match="the exact body tries all 2\\^21 cells, 2\\^20 fit"):
        exact.check(families.marginals(bits(21), 2))
    Q = families.marginals(bits(3), 2)
    with pytest.raises(ValueError, match="the table has no records: there is nothing to release"):
        algorithm.rounds(random_records(domain_of([2] * 3), 0, np.random.default_rng(0)), Q, noise=Seeded(0))

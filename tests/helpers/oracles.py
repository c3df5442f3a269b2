"""Slow and plain renderings of the mathematics, as oracles for the fast code; noise sources that record or follow."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from mwem_core.audit import domain_of as domain_of, neighbours as random_neighbours, random_records as random_records
from mwem_core.domain import OfTotal as OfTotal, Records
from mwem_core.privacy import Accountant, Pure, Seeded, laws


def joint(model) -> np.ndarray:
    """p over the whole domain, by enumeration: exp of the sum of θ at every cell, divided by its sum."""
    p = np.zeros(model.sizes)
    for cell in itertools.product(*map(range, model.sizes)):
        p[cell] = sum(theta[tuple(cell[a] for a in S)] for S, theta in model.theta.items())
    p = np.exp(p - p.max())
    return p / p.sum()


def query_vectors(workload) -> list[list[float]]:
    """Every query of a workload as a list of its values on all cells of the domain."""
    cells = list(itertools.product(*map(range, workload.domain.shape)))
    vectors = []
    for j in range(workload.size):
        attrs, q, _ = workload.query(j)
        vectors.append([float(q[tuple(cell[a] for a in attrs)]) for cell in cells])
    return vectors


class Script:
    """A noise source of prepared draws: a uniform number per selection, a Laplace draw per number measured."""

    def __init__(self, uniforms, laplaces):
        self.uniforms, self.laplaces = iter(uniforms), iter(laplaces)

    def choose(self, scores, epsilon, sensitivity):
        """By running down the probabilities, as Figure 8 does."""
        weights = laws.selection_weights(scores, epsilon, sensitivity)
        return run_down([math.exp(w - max(weights)) for w in weights], next(self.uniforms))

    def laplace(self, exact, epsilon, sensitivity):
        """The next standard draws, one for each number, scaled."""
        return self.scaled(exact, laws.laplace_scale(epsilon, sensitivity))

    def scaled(self, exact, scale):
        """The exact values plus the next standard draws times the scale."""
        draws = [next(self.laplaces) for _ in range(np.size(exact))]
        return exact + scale * np.reshape(draws, np.shape(exact))

    def gaussian(self, exact, rho, sensitivity):
        """Not used by the oracle."""
        raise NotImplementedError


def run_down(masses, uniform):
    """The first index at which the running sum of masses reaches uniform · their total."""
    left = uniform * sum(masses)
    for i, mass in enumerate(masses):
        left -= mass
        if left <= 0:
            return i
    return len(masses) - 1


def marginal_rows(sizes, S):
    """The marginal over S as a matrix on the cells of the domain, both in row-major order."""
    cells = np.eye(math.prod(sizes)).reshape(-1, *sizes)
    return cells.sum(axis=tuple(1 + a for a in range(len(sizes)) if a not in S)).reshape(len(cells), -1).T


def figure8_cuboids(B, sizes, sets, T, epsilon, uniforms, laplaces, A_0=None):
    """Figure 8 with whole cuboids (section 3.3), on all cells of the domain: B and A_0 are (cells,).

    A cuboid's score is Σ |A - B| over its cells less their number. Every cell is measured with Lap(2T/ε), and one
    update reads all of them. Returns the approximate data and the (cuboid, values) pairs, each cuboid once.
    """
    uniforms, laplaces, n = iter(uniforms), iter(laplaces), B.sum()
    tables, measured = [marginal_rows(sizes, S) for S in sets], {}
    A = np.full(len(B), n / len(B)) if A_0 is None else A_0
    for _ in range(T):
        scores = np.array([np.abs(Q @ A - Q @ B).sum() - len(Q) for Q in tables])
        scores[list(measured)] = -np.inf
        exponents = epsilon / (2 * T) * scores / 2
        i = run_down(np.exp(exponents - exponents.max()), next(uniforms))
        measured[i] = tables[i] @ B + 2 * T / epsilon * np.array([next(laplaces) for _ in tables[i]])
        for i, m in 100 * list(measured.items()):
            A = A * np.exp((m - tables[i] @ A) @ tables[i] / (2 * n))
            A = A * n / A.sum()
    return A, list(measured.items())


def least_squares(measurements, sizes, total):
    """The least ½ Σ w (m - q(p))² over all distributions p on the domain, in shares, and the answers q(p) there.

    w = (least scale / scale)². Non-negative least squares on p's cells by an active-set solver; a heavy last row makes
    them sum to 1.
    """
    cells = list(itertools.product(*map(range, sizes)))
    rows, values, roots = [], [], []
    finest = min(m.scale for m in measurements)
    for m in measurements:
        for x in itertools.product(*(range(sizes[a]) for a in m.attrs)) if m.q is None else [None]:
            roots.append(finest / m.scale if finest else 1.0)
            here = (tuple(cell[a] for a in m.attrs) for cell in cells)
            rows.append([float(at == x) if m.q is None else float(m.q[at]) for at in here])
            values.append(float(m.value if x is None else m.value[x]) / total)
    heavy, w = 1e4, np.array(roots)
    p, _ = nnls(np.array([*(w[:, None] * rows), [heavy] * len(cells)]), np.array([*(w * values), heavy]))
    answers = np.array(rows) @ (p / p.sum())
    return 0.5 * float((w**2 * (np.array(values) - answers) ** 2).sum()), answers


def most_probable_table(base, measured, strength, n, start):
    """The least Σ (m - n r(p))² / 2σ² + λ KL(p || base) over all tables p > 0, by a general solver of the cells' logs.

    Tables sum to 1. Returns the function, and the table at its minimum, found from near `start`.
    """
    shape, axes = base.shape, range(base.ndim)

    def loss(p):
        misfit = 0.0
        for m in measured:
            marginal = n * p.sum(axis=tuple(a for a in axes if a not in m.attrs))
            misfit += (m.residual(marginal) ** 2).sum() / (2 * m.scale**2)
        return misfit + strength * (p * np.log(p / base)).sum()

    def table(logits):
        return np.exp(logits - np.logaddexp.reduce(logits)).reshape(shape)

    near = np.log(start.ravel()) + np.random.default_rng(0).normal(scale=0.1, size=start.size)
    found = minimize(lambda logits: loss(table(logits)), near, method="BFGS", options={"gtol": 1e-9})
    return loss, table(found.x)


SCALES = {"laplace": laws.laplace_scale, "discrete_laplace": laws.laplace_scale, "gaussian": laws.gaussian_scale}


class Recording:
    """A noise source that lists its draws: (kind, log-weights or exact values, scale, output).

    A kind is the name of a source's method. Choices have no scale.
    """

    def __init__(self, source):
        self.source, self.draws = source, []

    def __getattr__(self, kind):
        def draw(exact, amount, sensitivity):
            output = getattr(self.source, kind)(exact, amount, sensitivity)
            noisy = kind in SCALES
            seen = exact if noisy else laws.selection_weights(exact, amount, sensitivity)
            scale = SCALES[kind](amount, sensitivity) if noisy else None
            self.draws.append((kind, np.array(seen, float), scale, output))
            return output

        return draw


class Following:
    """A noise source that returns the outputs of recorded draws, in order, for any input.

    The kind and the scale of each draw must be those recorded: they are public.
    """

    def __init__(self, draws):
        self.draws = iter(draws)

    def __getattr__(self, kind):
        def draw(exact, amount, sensitivity):
            recorded_kind, _, scale, output = next(self.draws)
            assert (recorded_kind, scale) == (kind, SCALES[kind](amount, sensitivity) if kind in SCALES else None)
            return output

        return draw


def paying(epsilon, noise):
    """The arguments of a mechanism that spends all of this ε."""
    return {"cost": Pure(epsilon), "account": Accountant(Pure(epsilon), noise)}


def neighbours(B: Records, rng: np.random.Generator):
    """B with one record more, and with one fewer."""
    return [neighbour.table for neighbour in random_neighbours(B, rng, n_is_public=False)]


def measured_loss(ours, theirs, unit) -> float:
    """What draws of noise tell apart two tables by: Σ |a - b| / b's scale in ε, Σ (a - b)² / 2σ² in ρ."""
    loss = 0.0
    for (_, a, scale, _), (_, b, _, _) in zip(ours, theirs, strict=True):
        gap = np.abs(a - b)
        loss += gap.sum() / scale if unit == "ε" else (gap**2).sum() / (2 * scale**2)
    return loss


def assert_private(settings, B: Records, n: int, Q):
    """A run on a neighbour that draws the same noisy values releases the same; their log-probabilities differ by <= ε.

    Under zCDP the sum of squared distances over 2σ² is at most ρ. The budget is spent to the last digit, and a record
    moves what is measured by nine tenths of it at least. n is public.
    """
    ours, budget = Recording(Seeded(0)), settings.guarantee.budget
    rounds = list(settings.rounds(OfTotal(B, n), Q, noise=ours))
    assert [entry.index for entry in rounds] == list(range(settings.planned_rounds(n, Q) + 1))
    assert rounds[-1].ledger.spent == pytest.approx(budget.amount, rel=1e-12)
    assert rounds[-1].ledger.spent <= budget.amount * (1 + 1e-12)
    losses = []
    for neighbour in neighbours(B, np.random.default_rng(0)):
        theirs = Recording(Following(ours.draws))
        *_, last = settings.rounds(OfTotal(neighbour, n), Q, noise=theirs)
        assert last.model.answers(Q).tolist() == rounds[-1].model.answers(Q).tolist()
        losses.append(measured_loss(ours.draws, theirs.draws, budget.unit))
    assert max(losses) <= budget.amount * (1 + 1e-9)
    assert max(losses) > 0.9 * budget.amount


def aim_cell_by_cell(B, sizes, W, T, rho, step, sweeps, uniforms, normals):
    """AIM by the steps of McKenna et al. (2022), Algorithms 1 to 3, on all cells, for a model that may have any size.

    B is (cells,), W the workload's attribute sets. The fit is mirror descent on the squared residuals, weighted by
    (least σ / σ)². Returns A and each round's (set, σ, noisy table).
    """
    uniforms, normals, n = iter(uniforms), iter(normals), B.sum()
    C = sorted({R for S in W for k in range(1, len(S) + 1) for R in itertools.combinations(S, k)})
    C.sort(key=len)
    weight = {R: sum(len(set(R) & set(S)) for S in W) for R in C}
    tables = {R: marginal_rows(sizes, R) for R in C}
    A, measured, spent = np.full(len(B), n / len(B)), [], 0.0
    sigma, epsilon = math.sqrt(T / (2 * 0.9 * rho)), math.sqrt(8 * 0.1 * rho / T)

    def measure(S):
        draws = np.array([next(normals) for _ in tables[S]])
        measured.append((S, sigma, tables[S] @ B + sigma * draws))
        return sigma**-2 / 2

    def refit(A):
        least = min(scale for _, scale, _ in measured)
        for S, scale, m in sweeps * measured:
            A = A * np.exp(step * (least / scale) ** 2 * (m - tables[S] @ A) @ tables[S] / n)
            A = A * n / A.sum()
        return A

    for S in [R for R in C if len(R) == 1]:
        spent += measure(S)
        A = refit(A)
    last = False
    while not last:
        if rho - spent < 2 * (sigma**-2 / 2 + epsilon**2 / 8):
            last, left = True, rho - spent
            sigma, epsilon = math.sqrt(1 / (2 * 0.9 * left)), math.sqrt(8 * 0.1 * left)
        noise = {R: math.sqrt(2 / math.pi) * sigma * len(tables[R]) for R in C}
        quality = np.array([weight[R] * (np.abs(tables[R] @ B - tables[R] @ A).sum() - noise[R]) for R in C])
        exponents = epsilon * quality / (2 * max(weight.values()))
        S = C[run_down(np.exp(exponents - exponents.max()), next(uniforms))]
        before = tables[S] @ A
        spent += measure(S) + epsilon**2 / 8
        A = refit(A)
        if np.abs(tables[S] @ A - before).sum() <= noise[S]:
            sigma, epsilon = sigma / 2, 2 * epsilon
    return A, measured

"""Plain, slow renderings of the mathematics, to hold the fast code against."""

import itertools
import math

import numpy as np
from scipy.optimize import nnls

from mwem_core.domain import Attribute, Domain, Range
from mwem_core.records import Records


def domain_of(sizes) -> Domain:
    """Attributes a, b, c, ... holding the whole numbers from 0 up to their size."""
    return Domain(tuple(Attribute("abcdefghijklmnop"[i], Range(0, size - 1)) for i, size in enumerate(sizes)))


def random_records(domain: Domain, n: int, rng: np.random.Generator) -> Records:
    """n records with correlated, uneven columns."""
    cells = math.prod(domain.shape)
    picks = rng.choice(cells, size=n, p=rng.dirichlet(np.full(cells, 0.3)))
    codes = np.unravel_index(picks, domain.shape)
    return Records(domain, tuple(c.astype(np.uint8) for c in codes))


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
    """A noise source that follows prepared draws: a uniform number a selection, a Laplace draw a measurement."""

    def __init__(self, uniforms, laplaces):
        self.uniforms, self.laplaces = iter(uniforms), iter(laplaces)

    def choose(self, weights):
        """By running down the probabilities, as Figure 8 does."""
        return run_down([math.exp(w - max(weights)) for w in weights], next(self.uniforms))

    def laplace(self, exact, scale):
        """The next standard draw, scaled."""
        return exact + scale * next(self.laplaces)

    def gaussian(self, exact, scale):
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


def figure8(B, Q, T, epsilon, uniforms, laplaces):
    """MWEM by the steps of the paper's Figure 8, loop by loop. B and each query are lists over the domain's cells.

    Where Figure 8 draws again until it meets a query not yet measured, measured queries have no mass here: the same law
    with one draw. Returns the approximate data and the (query, measurement) pairs.
    """
    uniforms, laplaces = iter(uniforms), iter(laplaces)

    def evaluate(query, collection):
        return math.fsum(q * x for q, x in zip(query, collection, strict=True))

    n = float(sum(B))
    A = [n / len(B)] * len(B)
    measurements = {}
    for _ in range(T):
        errors = [epsilon / (2 * T) * abs(evaluate(q, B) - evaluate(q, A)) / 2.0 for q in Q]
        open_to_choice = [e for i, e in enumerate(errors) if i not in measurements]
        masses = [0.0 if i in measurements else math.exp(e - max(open_to_choice)) for i, e in enumerate(errors)]
        qi = run_down(masses, next(uniforms))
        measurements[qi] = evaluate(Q[qi], B) + (2 * T) / epsilon * next(laplaces)
        total = sum(A)
        for _ in range(100):
            for i, m in measurements.items():
                error = m - evaluate(Q[i], A)
                A = [a * math.exp(q * error / (2.0 * total)) for a, q in zip(A, Q[i], strict=True)]
                count = sum(A)
                A = [a * total / count for a in A]
    return A, list(measurements.items())


def least_squares(measurements, sizes, total):
    """The least ½ Σ (m - q(p))² over all distributions p on the domain, in shares, and the answers q(p) there.

    Non-negative least squares on p's cells by an active-set solver; a heavy last row makes them sum to 1.
    """
    cells = list(itertools.product(*map(range, sizes)))
    rows, values = [], []
    for m in measurements:
        for x in itertools.product(*(range(sizes[a]) for a in m.attrs)) if m.q is None else [None]:
            here = (tuple(cell[a] for a in m.attrs) for cell in cells)
            rows.append([float(at == x) if m.q is None else float(m.q[at]) for at in here])
            values.append(float(m.value if x is None else m.value[x]) / total)
    heavy = 1e4
    p, _ = nnls(np.array([*rows, [heavy] * len(cells)]), np.array([*values, heavy]))
    answers = np.array(rows) @ (p / p.sum())
    return 0.5 * float(((np.array(values) - answers) ** 2).sum()), answers

"""The parts that MWEM+PGM, AIM and MST share, on mbi 2.0's public interface: data, estimation, selection, zCDP."""

import math
from collections.abc import Sequence

import mbi
import numpy as np
from common import Task

Clique = tuple[str, ...]
ITERATIONS = 1000


def dataset(task: Task) -> mbi.Dataset:
    """The records as an mbi data set."""
    columns = {name: task.codes[:, a] for a, name in enumerate(task.names)}
    return mbi.Dataset(columns, mbi.Domain(task.names, task.sizes))


def seeded(task: Task) -> np.random.Generator:
    """A generator for the mechanism. It also seeds the global state, from which mbi draws its rows."""
    np.random.seed(task.seed)  # noqa: NPY002
    return np.random.default_rng(task.seed)


def marginals(model: mbi.MarkovRandomField, cliques: Sequence[Clique]) -> list[np.ndarray]:
    """Flat marginals of a model, computed one by one: compiling all marginals of a round together takes longer."""
    return [np.asarray(model.project(S).datavector(), float) for S in cliques]


def estimate(
    domain: mbi.Domain, measurements: list, n: int, warm_start=None, iterations: int = ITERATIONS
) -> mbi.MarkovRandomField:
    """Fit a model of n records to the measurements, starting from an earlier model."""
    return mbi.estimation.MirrorDescent().estimate(
        domain, measurements, known_total=float(n), iters=iterations, warm_start=warm_start
    )


def choose(scores: np.ndarray, epsilon: float, rng: np.random.Generator, sensitivity: float = 1.0) -> int:
    """The exponential mechanism, by Gumbel noise."""
    return int(np.argmax(scores * epsilon / (2 * sensitivity) + rng.gumbel(size=len(scores))))


def rho_of(epsilon: float, delta: float) -> float:
    """The largest ρ whose zCDP implies (ε, δ)-DP, by the bound of Canonne, Kamath & Steinke (2020), corollary 13."""
    alphas = 1 + np.geomspace(1e-3, 1e4, 20_000)

    def log_delta(rho: float) -> float:
        return float(
            np.min((alphas - 1) * (alphas * rho - epsilon) + alphas * np.log1p(-1 / alphas) - np.log(alphas - 1))
        )

    low, high = 0.0, epsilon + 1
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if log_delta(middle) <= math.log(delta) else (low, middle)
    return low


def rows(synthetic: mbi.Dataset, names: Sequence[str]) -> np.ndarray:
    """(n, d) codes."""
    columns = synthetic.to_dict()
    return np.column_stack([columns[name] for name in names])

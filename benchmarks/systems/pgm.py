"""What MWEM+PGM, AIM and MST share: mbi's estimator, measurements and zCDP. Written on mbi 2.0's public interface."""

import math
from collections.abc import Sequence

import mbi
import numpy as np
from common import Task

Clique = tuple[str, ...]
ITERS = 1000


def dataset(task: Task) -> mbi.Dataset:
    """The records as mbi holds them."""
    columns = {name: task.codes[:, a] for a, name in enumerate(task.names)}
    return mbi.Dataset(columns, mbi.Domain(task.names, task.sizes))


def seeded(task: Task) -> np.random.Generator:
    """A generator for the mechanism; mbi makes its rows from the global state."""
    np.random.seed(task.seed)  # noqa: NPY002
    return np.random.default_rng(task.seed)


def marginals(model: mbi.MarkovRandomField, cliques: Sequence[Clique]) -> list[np.ndarray]:
    """Flat marginals of a model, one after the other: compiling all of one round together takes longer."""
    return [np.asarray(model.project(S).datavector(), float) for S in cliques]


def estimate(domain: mbi.Domain, measurements: list, n: int, before=None, iters: int = ITERS) -> mbi.MarkovRandomField:
    """The model of n records and greatest entropy near the measurements, starting from the one before."""
    return mbi.estimation.MirrorDescent().estimate(
        domain, measurements, known_total=float(n), iters=iters, warm_start=before
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

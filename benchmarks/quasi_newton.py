"""The fits of most probable tables: our L-BFGS beside SciPy's, on the problems that runs on bundled tables pose.

    python benchmarks/quasi_newton.py

Both start from the same point, in coordinates scaled by the same rough second derivatives, keep ten pairs of steps,
and stop once the same gap is met. Where that takes too many steps, ours goes on by Newton's method, and SciPy by
`trust-exact` with the same second derivatives. The gap is in units of what noise itself adds; CPU seconds are the least
of five repetitions, the sum over a run's fits.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from mwem_core import Domain, Seeded, default, encode, parse_workload, read_table
from mwem_core.experiments.tables import SAMPLES
from mwem_core.model import most_probable
from mwem_core.model.quasi_newton import MEMORY, minimise

SETTINGS = (  # table, column of counts, workload, ε
    ("czech.csv", "count", "marginals:3", 0.1),
    ("rochdale.csv", "count", "marginals:4", 1.0),
    ("class_survey.csv", None, "marginals:3", 0.3),
    ("adult.parquet", None, "marginals:1", 1.0),
    ("adult.parquet", None, "marginals:2", 0.1),
)
REPETITIONS = 5


@dataclass
class Fit:
    """One problem that a run posed."""

    f: Callable[[np.ndarray], tuple[float, np.ndarray]]
    start: np.ndarray
    options: dict[str, Any]

    def gap(self, x: np.ndarray) -> float:
        """Of both problems at x, in units of what noise adds."""
        return float((self.f(x)[1] ** 2 / self.f.__self__.variance).mean())


@contextmanager
def recorded() -> Iterator[list[Fit]]:
    """The fits of runs in the block."""
    fits = []

    def record(f: Any, x: np.ndarray, **options: Any) -> np.ndarray:
        fits.append(Fit(f, x, options))
        return minimise(f, x, **options)

    most_probable.minimise = record
    try:
        yield fits
    finally:
        most_probable.minimise = minimise


def by_scipy(
    f: Any, x: np.ndarray, *, scale: np.ndarray, done: Any, iterations: int, curvature: Any = None
) -> np.ndarray:
    """What `minimise` does, by SciPy."""
    unit = np.sqrt(scale)
    last: dict[str, Any] = {}

    def value(z: np.ndarray) -> tuple[float, np.ndarray]:
        result, gradient = f(unit * z)
        last["z"], last["gradient"] = z.copy(), gradient
        return result, unit * gradient

    def stop(z: np.ndarray) -> None:
        gradient = last["gradient"] if np.array_equal(z, last["z"]) else f(unit * z)[1]
        if done(gradient):
            raise StopIteration

    z = x / unit
    if done(f(x)[1]):
        return x
    common: dict[str, Any] = {"jac": True, "callback": stop}
    limits = {"maxcor": MEMORY, "maxiter": iterations, "maxfun": 21 * iterations, "ftol": 0.0, "gtol": 0.0}
    z = minimize(value, z, method="L-BFGS-B", options=limits, **common).x
    if curvature is not None and not done(f(unit * z)[1]):
        hessian = {"hess": lambda z: unit[:, None] * curvature(unit * z) * unit}
        z = minimize(
            value, z, method="trust-exact", options={"maxiter": iterations, "gtol": 0.0}, **hessian, **common
        ).x
    return unit * z


def measured(solve: Callable[..., np.ndarray], fit: Fit) -> tuple[float, int, float, bool]:
    """The least CPU seconds, the calls of f, the gap, and whether that is the one asked for."""
    calls, seconds, x = 0, np.inf, fit.start

    def counted(x: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal calls
        calls += 1
        return fit.f(x)

    for _ in range(REPETITIONS):
        calls, began = 0, time.process_time()
        x = solve(counted, fit.start, **fit.options)
        seconds = min(seconds, time.process_time() - began)
    return seconds, calls, fit.gap(x), bool(fit.options["done"](fit.f(x)[1]))


def main() -> None:
    """Print a line for each setting and solver."""
    columns = ("setting", "fits (largest k)", "solver", "CPU ms", "calls of f", "largest gap", "met")
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for table, count, spec, epsilon in SETTINGS:
        B, Q = problem(table, count, spec)
        with recorded() as fits:
            deque(default(Q, n=B.total, epsilon=epsilon).rounds(B, Q, noise=Seeded(0)), maxlen=0)
        size = f"{len(fits)} ({max(len(fit.start) for fit in fits)})"
        for name, solve in (("ours", minimise), ("SciPy", by_scipy)):
            seconds, calls, gaps, met = zip(*(measured(solve, fit) for fit in fits), strict=True)
            print(
                f"| {table.partition('.')[0]}, {spec}, ε = {epsilon:g} | {size} | {name} | {1000 * sum(seconds):.1f}"
                f" | {sum(calls)} | {max(gaps):.2g} | {sum(met)} |",
                flush=True,
            )


def problem(table: str, count: str | None, spec: str) -> tuple[Any, Any]:
    """The records of a bundled table, and a workload."""
    path = SAMPLES / table
    domain = Domain.from_toml(path.with_suffix(".toml").read_text(encoding="utf-8"))
    return encode(read_table(path), domain, count=count), parse_workload(spec, domain)


if __name__ == "__main__":
    main()

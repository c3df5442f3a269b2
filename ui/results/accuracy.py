"""Errors of a run's synthetic rows. They are made from the private data: for exploring only."""

from itertools import combinations

import numpy as np

from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import errors
from mwem_core.model.loglinear import LogLinear
from mwem_core.release.run import Run
from ui.words.numbers import share

SOURCES = ("these rows", "the model", "uniform, no data used")
MAX_COMPARED_COLUMNS = 20  # of which all pairs are compared
MAX_PAIR_CELLS = 2**20  # of one pair's marginal


def tv(first: np.ndarray, second: np.ndarray) -> float:
    """Total variation of two marginals: half the L1 distance, each as shares of its own total."""
    return float(np.abs(first / first.sum() - second / second.sum()).sum() / 2)


def accuracy(run: Run, rows: Records, truth: Records) -> dict[str, list[str]]:
    """Errors of the `SOURCES`, by metric, as texts."""
    Q, n = run.workload, truth.total
    exact = Q.answers(truth)
    sources = (rows, run.model, LogLinear.uniform(run.domain.shape, n, run.domain.possible))
    by_source = [errors(Q, Q.answers(source), exact, n, total=source.total) for source in sources]
    table = {
        "mean error, share of n": [share(e.mean_error) for e in by_source],
        "largest error, share of n": [share(e.max_error) for e in by_source],
        "largest error, records": [f"{e.max_error * n:,.0f}" for e in by_source],
    }
    if Q.tabular:
        table = {
            "mean total variation, 0 to 1": [share(e.mean_tv or 0) for e in by_source],
            "largest total variation": [share(e.max_tv or 0) for e in by_source],
        } | table
    return table


def pair_distances(rows: Records, truth: Records) -> np.ndarray:
    """Total variation of rows and truth, (d, d): of columns on the diagonal, of pairs below it, NaN elsewhere."""
    d = len(rows.domain)
    sets = [(a,) for a in range(d)]
    sets += [S for S in combinations(range(d), 2) if rows.domain.cells(S) <= MAX_PAIR_CELLS]
    distances = np.full((d, d), np.nan)
    for S, synthetic, original in zip(sets, rows.marginals(sets), truth.marginals(sets), strict=True):
        distances[S[-1], S[0]] = tv(synthetic, original)
    return distances

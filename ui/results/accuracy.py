"""How far the rows of a run are from the truth: made from the private data, for exploring only."""

from itertools import combinations

import numpy as np

from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import errors
from mwem_core.model.loglinear import LogLinear
from mwem_core.release.run import Run
from ui.words.numbers import share

SOURCES = ("these rows", "the model", "uniform, no data used")
MOST_COMPARED = 20  # columns whose pairs are all compared
MOST_CELLS = 2**20  # of a pair's table


def tv(one: np.ndarray, other: np.ndarray) -> float:
    """Total variation of two tables: half the L1 distance, each as shares of its own total."""
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)


def accuracy(run: Run, rows: Records, truth: Records) -> dict[str, list[str]]:
    """Errors of the rows, of the model they came from and of a uniform table, by metric and in words."""
    Q, n = run.workload, truth.total
    exact = Q.answers(truth)
    sources = (rows, run.model, LogLinear.uniform(run.domain.shape, n))
    found = [errors(Q, Q.answers(source), exact, n, total=source.total) for source in sources]
    shown = {
        "mean error, share of n": [share(e.mean_error) for e in found],
        "largest error, share of n": [share(e.max_error) for e in found],
        "largest error, records": [f"{e.max_error * n:,.0f}" for e in found],
    }
    if Q.tabular:
        shown = {
            "mean total variation, 0 to 1": [share(e.mean_tv or 0) for e in found],
            "largest total variation": [share(e.max_tv or 0) for e in found],
        } | shown
    return shown


def pair_distances(rows: Records, truth: Records) -> np.ndarray:
    """Total variation of rows and truth, (d, d): by column on the diagonal, by pair below it, NaN elsewhere."""
    d = len(rows.domain)
    sets = [(a,) for a in range(d)]
    sets += [S for S in combinations(range(d), 2) if rows.domain.cells(S) <= MOST_CELLS]
    apart = np.full((d, d), np.nan)
    for S, new, old in zip(sets, rows.marginals(sets), truth.marginals(sets), strict=True):
        apart[S[-1], S[0]] = tv(new, old)
    return apart

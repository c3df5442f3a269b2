"""Errors of a run's synthetic rows. They are made from the private data: for exploring only."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from mwem_app.base import share
from mwem_core.domain import Records
from mwem_core.judge import errors, errors_by_term
from mwem_core.model import LogLinear
from mwem_core.output import Run
from mwem_core.workload import Workload

SOURCES = ("these rows", "the model", "uniform, no data used")
Answered = tuple[np.ndarray, float]  # a workload's answers, in records, and their total
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
    answered = {name: (Q.answers(source), source.total) for name, source in zip(SOURCES, sources, strict=True)}
    by_source = [errors(Q, answers, exact, n, total=total) for answers, total in answered.values()]
    table = {
        "mean error, share of n": [share(e.mean_error) for e in by_source],
        "largest error, share of n": [share(e.max_error) for e in by_source],
        "largest error, records": [f"{e.max_error * n:,.0f}" for e in by_source],
    }
    by_part = {row: list(cells.values()) for row, cells in errors_of_parts(Q, answered, exact, n).items()}
    if Q.tabular:
        table = {
            "mean total variation, 0 to 1": [share(e.mean_tv or 0) for e in by_source],
            "largest total variation": [share(e.max_tv or 0) for e in by_source],
        } | table
    return by_part | table


def errors_of_parts(
    Q: Workload, sources: Mapping[str, Answered], exact: np.ndarray, n: float
) -> dict[str, dict[str, str]]:
    """Errors of the parts of a mixed workload by source, as texts: a row for each part."""
    by_source = [errors_by_term(Q, answers, exact, n, total=total) for answers, total in sources.values()]
    rows = {}
    for found in zip(*by_source, strict=True):
        rows[f"{found[0].name}: {found[0].metric}"] = {
            name: share(each.error) for name, each in zip(sources, found, strict=True)
        }
    return rows


def pair_distances(rows: Records, truth: Records) -> np.ndarray:
    """Total variation of rows and truth, (d, d): of columns on the diagonal, of pairs below it, NaN elsewhere."""
    d = len(rows.domain)
    sets = [(a,) for a in range(d)]
    sets += [S for S in combinations(range(d), 2) if rows.domain.cells(S) <= MAX_PAIR_CELLS]
    distances = np.full((d, d), np.nan)
    for S, synthetic, original in zip(sets, rows.marginals(sets), truth.marginals(sets), strict=True):
        distances[S[-1], S[0]] = tv(synthetic, original)
    return distances

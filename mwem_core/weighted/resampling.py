"""New rows for weighted records: Metropolis steps towards the log-linear model they stand for; rows in missed cells."""

from collections.abc import Mapping, Sequence

import numpy as np

from mwem_core.domain import Attrs, are_possible
from mwem_core.model import Measurement, align, grouped_by_union
from mwem_core.weighted.weighted_records import WeightedRecords

SURE = 3.0  # noise scales: a cell measured above them has records
MAX_PLANTED = 0.1  # of as many rows as are drawn: what one marginal may add in cells without a row
MAX_SUM_CELLS = 2**14  # of log-weights summed before the rows look them up, unless one table has more
UNIFORM_PROPOSALS = 0.05  # share of the rows offered any value of the attribute, so that every cell of D can be reached


def redrawn(A: WeightedRecords, rng: np.random.Generator) -> WeightedRecords:
    """As many draws as before: A's rows drawn by weight, then one Metropolis step for each attribute.

    The steps leave the log-linear model exp(Σ θ_S(x_S)) over D as it is (Metropolis et al. 1953; Hastings 1970).
    """
    chosen = rng.permutation(A.rounded(A.draws, rng))
    codes = [column[chosen] for column in A.codes]
    reading: dict[int, list[Attrs]] = {a: [S for S in A.theta if a in S] for a in range(len(A.sizes))}
    for a in rng.permutation(len(A.sizes)):
        possible = {S: table for S, table in A.possible.items() if a in S}
        _step(codes, A.sizes, int(a), {S: A.theta[S] for S in reading[int(a)]}, possible, rng)
    return WeightedRecords.of_draws(A.sizes, A.total, codes, A.theta, A.possible)


def with_planted_rows(
    A: WeightedRecords, measurements: Sequence[Measurement], rng: np.random.Generator
) -> WeightedRecords:
    """A with rows in every cell of a measured marginal that has none, and a value above `SURE` noise scales.

    A's rows are drawn by weight, as many as the value asks for, and added with the cell's values of the marginal's
    attributes in place of their own. No weight could ever reach such a cell otherwise.
    """
    before = A
    for m in (m for m in measurements if m.q is None and not m.centred):
        occupied = np.zeros(m.value.size, bool)
        occupied[A.cell(m.attrs)] = True
        empty = np.flatnonzero(~occupied & (m.value.ravel() > SURE * m.scale))
        if not len(empty):
            continue
        value = m.value.ravel()[empty]
        times = np.maximum(1, np.round(value * A.draws / A.total)).astype(np.intp)
        most = int(MAX_PLANTED * A.draws)
        cell, weight = np.repeat(empty, times)[:most], np.repeat(value / times, times)[:most]
        rows = rng.permutation(before.rounded(len(cell), rng))
        codes = [column[rows] for column in before.codes]
        for a, code in zip(m.attrs, np.unravel_index(cell, m.value.shape), strict=True):
            codes[a] = code.astype(codes[a].dtype)
        A = A.with_rows(codes, weight)
    return A


def _step(
    codes: list[np.ndarray],
    sizes: Sequence[int],
    a: int,
    theta: Mapping[Attrs, np.ndarray],
    possible: Mapping[Attrs, np.ndarray],
    rng: np.random.Generator,
) -> None:
    """Offer each row another value of attribute a, in place: mostly that of a row that agrees with it elsewhere.

    A row that rules would forbid, by the cells that they leave `possible`, is not taken.
    """
    b = int(rng.choice([other for other in range(len(sizes)) if other != a]))
    pair = codes[b] * np.intp(sizes[a]) + codes[a]
    counts = np.bincount(pair, minlength=sizes[b] * sizes[a])
    offered = of_another_row(codes[a], codes[b], counts.reshape(sizes[b], sizes[a]).sum(axis=1), rng)
    anything = rng.random(len(offered)) < UNIFORM_PROPOSALS
    offered[anything] = rng.integers(sizes[a], size=anything.sum())
    moving = np.flatnonzero(offered != codes[a])  # the other rows stay as they are
    columns = [column.take(moving) for column in codes]
    new, old, pair = offered.take(moving), columns[a].astype(np.intp), pair.take(moving)
    g = np.log(np.maximum(counts, 1))  # how often rows that agree have each value, and so how often it is offered
    log_ratio = np.where(anything.take(moving), 0.0, g.take(pair) - g.take(pair - old + new))
    log_ratio += _log_weights_gained(columns, sizes, a, old, new, theta)
    taken = -rng.standard_exponential(len(moving)) < log_ratio
    if possible:
        columns[a] = new
        taken &= are_possible(columns, possible)
    codes[a][moving[taken]] = new[taken]


def _log_weights_gained(
    columns: Sequence[np.ndarray],
    sizes: Sequence[int],
    a: int,
    old: np.ndarray,
    new: np.ndarray,
    theta: Mapping[Attrs, np.ndarray],
) -> np.ndarray:
    """Σ θ_S of each row with its new value of attribute a, less that with its old one: (rows,); every S contains a."""
    gained = np.zeros(len(new))
    for U, sets in grouped_by_union(list(theta), sizes, MAX_SUM_CELLS):
        axes = (*(b for b in U if b != a), a)
        flat = sum((align(theta[S], S, axes) for S in sets), np.zeros([sizes[b] for b in axes])).ravel()
        cell = np.zeros(len(new), np.intp)
        for b in axes[:-1]:
            cell *= sizes[b]
            cell += columns[b]
        cell *= sizes[a]
        gained += flat.take(cell + new) - flat.take(cell + old)
    return gained


def of_another_row(values: np.ndarray, group: np.ndarray, members: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each row the value of another row of its group, each row's once: (rows,). Groups have so many `members`.

    In its group, whose rows are in random order, it is the row a random number of places on; after the last, the first.
    """
    order = np.argsort(group, kind="stable")
    place = np.arange(len(group)) + np.repeat(rng.integers(0, np.maximum(members, 1)), members)
    place -= np.where(place >= np.repeat(np.cumsum(members), members), np.repeat(members, members), 0)
    offered = np.empty_like(values)
    offered[order] = values.take(order.take(place))
    return offered

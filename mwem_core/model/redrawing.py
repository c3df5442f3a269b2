"""New rows for weighted records: Metropolis steps towards the log-linear model they stand for; rows in missed cells."""

from collections.abc import Mapping, Sequence

import numpy as np

from mwem_core.domain.rules import are_possible
from mwem_core.domain.source import Attrs
from mwem_core.model.contraction import grouped_by_union
from mwem_core.model.measurement import Measurement
from mwem_core.model.sums import align
from mwem_core.model.weighted_records import WeightedRecords

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


def planted(A: WeightedRecords, measurements: Sequence[Measurement], rng: np.random.Generator) -> WeightedRecords:
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
    old, rows = codes[a], len(codes[a])
    offered, log_ratio = _of_another_row(codes, sizes, a, rng)
    anything = rng.integers(rows, size=round(UNIFORM_PROPOSALS * rows))
    offered[anything] = rng.integers(sizes[a], size=len(anything))
    log_ratio[anything] = 0.0
    for U, sets in grouped_by_union(list(theta), sizes, MAX_SUM_CELLS):
        flat = sum((align(theta[S], S, U) for S in sets), np.zeros([sizes[b] for b in U])).ravel()
        for column, sign in ((offered, 1.0), (old, -1.0)):
            cell = np.zeros(rows, np.intp)
            for b in U:
                cell *= sizes[b]
                cell += column if b == a else codes[b]
            log_ratio += sign * flat[cell]
    taken = np.log(rng.random(rows)) < log_ratio
    if possible:
        taken &= are_possible([offered if b == a else column for b, column in enumerate(codes)], possible)
    codes[a] = np.where(taken, offered, old)


def _of_another_row(
    codes: Sequence[np.ndarray], sizes: Sequence[int], a: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Each row's value of a in another row with the same value of a random attribute b, and ln g(old) - ln g(offered).

    g is the share of the value among the rows that have that value of b: the probability of the proposal.
    """
    b = int(rng.choice([other for other in range(len(sizes)) if other != a]))
    order = np.argsort(codes[b], kind="stable")
    group, members = codes[b][order], np.bincount(codes[b], minlength=sizes[b])
    first = np.cumsum(members) - members
    shift = rng.integers(0, np.maximum(members, 1))
    place = (np.arange(len(order)) - first[group] + shift[group]) % members[group] + first[group]
    offered = np.empty_like(codes[a])
    offered[order] = codes[a][order[place]]
    within = codes[b].astype(np.intp) * sizes[a]
    g = np.log(np.maximum(np.bincount(within + codes[a], minlength=sizes[a] * sizes[b]), 1))
    return offered, g[within + codes[a]] - g[within + offered]

"""Rows exchanged for other rows of the same model, so that they have the tables that a workload asks for."""

from collections.abc import Sequence

import numpy as np

from mwem_core.data.records import Records
from mwem_core.workload.workload import Workload

STEPS = 300
MAX_VISITED = 2 * 10**7  # cells that all steps look up: about 0.2 s
MAX_OFFERED = 1000  # rows in one step, of either side
MAX_POOL_CELLS = 5 * 10**6  # rows that may be exchanged, times tables: 20 MB
GROWTH, SHRINKAGE = 1.3, 0.3  # of the most exchanges in a step, after one that was taken and one that was not


def exchanged(Q: Workload, wanted: np.ndarray, made: Sequence[Records], rng: np.random.Generator) -> Records:
    """The rows of the first of `made`, some of them exchanged for rows of the others: nearer to the tables `wanted`.

    Q has whole marginals, and `wanted` their cells, (|Q|,), for as many rows. A step looks at random rows of both
    sides. It takes away those from the cells that have most too many, and adds those to the cells that lack most, if
    that lowers Σ (rows - wanted)². Exchanges in one step can meet in a cell. So a step that raises the sum is taken
    back, and the next ones make fewer. Where there are many rows, a random part of them may be exchanged.
    """
    rows, parts = made[0].total, Q.parts
    inside = min(rows, MAX_POOL_CELLS // (len(made) * parts))
    pool = [np.concatenate([each.codes[a][:inside] for each in made]) for a in range(len(Q.domain))]
    cells, excess, place = _cells(Q, pool), Q.answers(made[0]) - wanted, np.arange(inside * len(made))
    offered = min(MAX_OFFERED, MAX_VISITED // (2 * STEPS * parts) + 1)
    most = offered
    for _ in range(STEPS):
        out, new = (np.unique(rng.integers(*ends, size=offered)) for ends in ((0, inside), (inside, len(place))))
        too_many, too_few = (excess[cells[place[rows]]].sum(axis=1) for rows in (out, new))
        number = min(most, len(out), len(new))
        best_out, best_new = np.argsort(-too_many)[:number], np.argsort(too_few)[:number]
        taken, added = cells[place[out[best_out]]], cells[place[new[best_new]]]
        gains = too_many[best_out] - too_few[best_new] > (taken != added).sum(axis=1)
        if not gains.any():
            continue
        out, new = out[best_out[gains]], new[best_new[gains]]
        if _moved(excess, taken[gains].ravel(), added[gains].ravel()):
            place[out], place[new] = place[new], place[out]
            most = min(offered, int(most * GROWTH) + 1)
        else:
            most = max(1, int(most * SHRINKAGE))
    kept = place[:inside]
    codes = (np.concatenate([pool[a][kept], made[0].codes[a][inside:]]) for a in range(len(Q.domain)))
    return Records(Q.domain, tuple(codes))


def _cells(Q: Workload, codes: Sequence[np.ndarray]) -> np.ndarray:
    """The number of the query in which each row is, for each part: (rows, parts)."""
    cells = np.empty((len(codes[0]), Q.parts), np.int32)
    for part, (S, first) in enumerate(zip(Q.sets, Q.offsets[:-1].tolist(), strict=True)):
        cells[:, part] = first + np.ravel_multi_index([codes[a] for a in S], Q.domain.sizes(S))
    return cells


def _moved(excess: np.ndarray, taken: np.ndarray, added: np.ndarray) -> bool:
    """Move one row from each `taken` cell and to each `added` one, in place; or nothing, if Σ excess² would not fall.

    A cell whose excess x changes by c, in |c| of the entries, adds c · (x + (x + c)).
    """
    before = excess[added].sum() - excess[taken].sum()
    np.add.at(excess, added, 1.0)
    np.subtract.at(excess, taken, 1.0)
    if before + excess[added].sum() - excess[taken].sum() < 0:
        return True
    np.subtract.at(excess, added, 1.0)
    np.add.at(excess, taken, 1.0)
    return False

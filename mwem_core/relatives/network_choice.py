"""The private choice of a Bayesian network: the exponential mechanism takes each variable together with its parents."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from mwem_core.domain import Attrs, Source
from mwem_core.privacy import Accountant, Budget
from mwem_core.relatives.network_scores import Score

MAX_NEW_PAIRS = 4_000  # of a variable and parents, scored in one step
MAX_RECORDS_READ = 2 * 10**9  # to score pairs, over all steps
MAX_PARENT_SETS = 2**15  # enumerated to find the maximal ones
MAX_COUNTED_CELLS = 2**22  # of the tables scored together
Parents = Attrs
# variable -> its possible parent sets, their cells and scores
ParentCandidates = dict[int, list[tuple[Parents, int, float]]]


def parents_fit(sizes: Sequence[int], max_cells: int) -> bool:
    """Whether some table of two variables has at most `max_cells` cells; `sizes` are the variables' sizes."""
    return len(sizes) > 1 and math.prod(sorted(sizes)[:2]) <= max_cells


def learn(
    table: Source,
    sizes: Sequence[int],
    *,
    n: float,
    max_cells: int,
    score: Score,
    cost: Budget,
    account: Accountant,
) -> list[tuple[int, Parents]]:
    """(variable, parents) for each of d variables, parents first: ε-DP under adding or removing one record, n public.

    The first variable is drawn uniformly. Each of d - 1 steps chooses a variable and a maximal parent set among the
    variables chosen before, whose table has at most `max_cells` cells, at 1/(d - 1) of the cost, which is ε. Where no
    parent fits, the set is empty (never under F: bits have equal sizes, so either all parents fit or none). A pair is
    scored once, when its set becomes possible. Of more than `_max_new_pairs` new pairs in a step, a public draw of that
    many is offered.
    """
    d, rng = len(sizes), np.random.default_rng(0)
    max_new_pairs = _max_new_pairs(n, d)
    first = account.choose_freely(d)
    network: list[tuple[int, Parents]] = [(first, ())]
    candidates: ParentCandidates = {v: [((), 1, 0.0)] for v in range(d) if v != first}  # no parents: R is 0
    while candidates:
        newest, before = network[-1][0], [v for v, _ in network[:-1]]
        new = _new_pairs(sizes, candidates, newest, before, max_cells, max_new_pairs, rng)
        if len(new) > max_new_pairs:
            new = [new[i] for i in np.sort(rng.choice(len(new), max_new_pairs, replace=False))]
        for (v, parents, cells), value in zip(new, _scores(table, sizes, n, score, new), strict=True):
            candidates[v].append((parents, cells, value))
        pairs = [(v, parents, value) for v, open_sets in candidates.items() for parents, _, value in open_sets]
        scores = np.array([value for *_, value in pairs])
        j = account.choose(scores, cost=cost.part(Fraction(1, d - 1)), sensitivity=score.sensitivity)
        network.append(pairs[j][:2])
        del candidates[pairs[j][0]]
    return network


def _max_new_pairs(n: float, d: int) -> int:
    """MAX_NEW_PAIRS, or fewer if steps and records are many; never fewer than d, so that each may get a parent."""
    return max(d, min(MAX_NEW_PAIRS, int(MAX_RECORDS_READ / (n * max(1, d - 1)))))


def _new_pairs(
    sizes: Sequence[int],
    candidates: ParentCandidates,
    newest: int,
    before: list[int],
    max_cells: int,
    max_new_pairs: int,
    rng: np.random.Generator,
) -> list[tuple[int, Parents, int]]:
    """The (variable, parents, cells of the parents) that the newest variable makes possible.

    Drops from `candidates` the parent sets that are no longer maximal: those with which the newest variable fits.
    """
    maximal_sets: dict[int, list[tuple[Parents, int]]] = {}  # by the cells that the variable leaves for its parents
    new = []
    for v in candidates:
        room = max_cells // sizes[v]
        candidates[v] = [candidate for candidate in candidates[v] if candidate[1] * sizes[newest] > room]
        if room not in maximal_sets:
            max_drawn = math.ceil(max_new_pairs / len(candidates))
            maximal_sets[room] = maximal_with(sizes, newest, before, room, max_drawn, rng)
        new += [(v, parents, cells) for parents, cells in maximal_sets[room]]
    return new


def maximal_with(
    sizes: Sequence[int], newest: int, before: Sequence[int], room: int, max_drawn: int, rng: np.random.Generator
) -> list[tuple[Parents, int]]:
    """The maximal sets of `newest` and variables of `before` with at most `room` cells, each with its cells.

    Maximal: no other variable of `before` fits in addition. Where more than MAX_PARENT_SETS sets would have to be
    enumerated, at most `max_drawn` maximal ones are drawn at random.
    """
    sets = [((newest,), sizes[newest])] if sizes[newest] <= room else []
    for v in before:
        sets += [((*S, v), cells * sizes[v]) for S, cells in sets if cells * sizes[v] <= room]
        if len(sets) > MAX_PARENT_SETS:
            return _random_sets(sizes, newest, before, room, max_drawn, rng)
    by_size = sorted((sizes[v], v) for v in before)

    def maximal(S: Parents, cells: int) -> bool:
        for size, v in by_size:
            if cells * size > room:
                break
            if v not in S:
                return False
        return True

    return [(S, cells) for S, cells in sets if maximal(S, cells)]


def _random_sets(
    sizes: Sequence[int], newest: int, before: Sequence[int], room: int, max_drawn: int, rng: np.random.Generator
) -> list[tuple[Parents, int]]:
    """At most `max_drawn` distinct sets: `newest`, then each variable that still fits, in a random order."""
    drawn: dict[Parents, int] = {}
    smallest = min(sizes[v] for v in before)
    for _ in range(max_drawn):
        S, cells = [], 1
        for v in (newest, *rng.permutation(before).tolist()):
            if cells * sizes[v] <= room:
                S.append(v)
                cells *= sizes[v]
            if cells * smallest > room:
                break
        drawn[(S[0], *sorted(S[1:]))] = cells
    return list(drawn.items())


def _scores(
    table: Source, sizes: Sequence[int], n: float, score: Score, pairs: Sequence[tuple[int, Parents, int]]
) -> np.ndarray:
    """The score of each (variable, parents, cells of the parents), in records; tables of one shape together."""
    by_shape: dict[tuple[int, int], list[int]] = {}
    for i, (v, _, cells) in enumerate(pairs):
        by_shape.setdefault((sizes[v], cells), []).append(i)
    scores = np.empty(len(pairs))
    for shape, members in by_shape.items():
        batch = max(1, MAX_COUNTED_CELLS // (shape[0] * shape[1]))
        for indices in (members[at : at + batch] for at in range(0, len(members), batch)):
            sets = [tuple(sorted((pairs[i][0], *pairs[i][1]))) for i in indices]
            counts = [
                np.moveaxis(marginal, S.index(pairs[i][0]), 0).reshape(shape)
                for i, S, marginal in zip(indices, sets, table.marginals(sets), strict=True)
            ]
            scores[indices] = score.of(np.array(counts), n)
    return scores

"""Learning a network's parents: greedy, each attribute and its parents chosen by the exponential mechanism."""

import math
from collections.abc import Sequence

import numpy as np

from mwem_core.domain.source import Attrs, Source
from mwem_core.privacy.mechanisms import exponential
from mwem_core.privacy.noise import NoiseSource
from mwem_core.relatives.privbayes.recoding import Recoding
from mwem_core.relatives.privbayes.scores import Score

MOST_PAIRS = 4_000  # new pairs of a variable and parents to score in a step
MOST_READ = 2 * 10**9  # records to read for them over all steps, however many attributes there are
MOST_SETS = 2**15  # sets of parents to look through for those that are maximal
CHUNK = 2**22  # cells counted at a time
Parents = Attrs
Pools = dict[int, list[tuple[Parents, int, float]]]  # the parent sets open to each variable, their cells and scores


def parents_fit(recoding: Recoding, most_cells: int) -> bool:
    """Whether any variable may have any parent."""
    finest, coarsest = ([recoding.sizes[columns[end]] for columns in recoding.versions] for end in (0, -1))
    return any(
        size * least <= most_cells for v, size in enumerate(finest) for u, least in enumerate(coarsest) if u != v
    )


def learn(
    table: Source, recoding: Recoding, *, n: float, most_cells: int, score: Score, epsilon: float, noise: NoiseSource
) -> list[tuple[int, Parents]]:
    """(variable, parents) in an order in which parents come first: ε-DP under adding or removing one record, n public.

    The first variable is drawn evenly. Then d - 1 times a variable and a maximal parent set among those before, whose
    table has at most `most_cells` cells, are chosen together at ε/(d - 1) each; where no parent fits, the set is empty
    (never under F: bits are alike, so parents fit all of them or none). A pair is scored once, when its set becomes
    possible. Where a step makes more pairs possible than `_most_pairs`, a public draw of that many is offered.
    """
    d, rng = len(recoding.versions), np.random.default_rng(0)
    most_pairs = _most_pairs(n, d)
    first = noise.choose(np.zeros(d))
    network: list[tuple[int, Parents]] = [(first, ())]
    pools: Pools = {v: [((), 1, 0.0)] for v in range(d) if v != first}  # I and R are 0
    while pools:
        newest, before = network[-1][0], [v for v, _ in network[:-1]]
        fresh = _fresh(recoding, pools, newest, before, most_cells, most_pairs, rng)
        if len(fresh) > most_pairs:
            fresh = [fresh[i] for i in np.sort(rng.choice(len(fresh), most_pairs, replace=False))]
        for (v, parents, cells), value in zip(fresh, _scores(table, recoding, n, score, fresh), strict=True):
            pools[v].append((parents, cells, value))
        pairs = [(v, parents, value) for v, pool in pools.items() for parents, _, value in pool]
        scores = np.array([value for *_, value in pairs])
        j = exponential(scores, epsilon=epsilon / (d - 1), sensitivity=score.sensitivity(n), noise=noise)
        network.append(pairs[j][:2])
        del pools[pairs[j][0]]
    return network


def _most_pairs(n: float, d: int) -> int:
    """MOST_PAIRS, or fewer where steps are many and records too; never fewer than d, so that each may get a parent."""
    return max(d, min(MOST_PAIRS, int(MOST_READ / (n * max(1, d - 1)))))


def _fresh(
    recoding: Recoding,
    pools: Pools,
    newest: int,
    before: list[int],
    most_cells: int,
    most_pairs: int,
    rng: np.random.Generator,
) -> list[tuple[int, Parents, int]]:
    """(variable, parents, their cells) that the newest variable makes possible; sets that it could join are dropped."""
    found: dict[int, list[tuple[Parents, int]]] = {}
    least = recoding.sizes[recoding.versions[newest][-1]]
    fresh = []
    for v in pools:
        room = most_cells // recoding.sizes[recoding.versions[v][0]]
        pools[v] = [open_ for open_ in pools[v] if open_[1] * least > room]
        if room not in found:
            found[room] = maximal_with(recoding, newest, before, room, math.ceil(most_pairs / len(pools)), rng)
        fresh += [(v, parents, cells) for parents, cells in found[room]]
    return fresh


def maximal_with(
    recoding: Recoding, newest: int, before: Sequence[int], room: int, most: int, rng: np.random.Generator
) -> list[tuple[Parents, int]]:
    """The maximal parent sets of the variable `newest` and some `before` it, and their cells, at most `room`.

    Maximal: no other variable fits in addition, in its coarsest version, and none of them fits in its next finer one.
    Where too many sets would have to be looked through, at most `most` of the maximal ones, drawn at random.
    """
    sizes, versions = recoding.sizes, recoding.versions
    sets = [((c,), sizes[c]) for c in versions[newest] if sizes[c] <= room]
    for v in before:
        sets += [((*S, c), cells * sizes[c]) for S, cells in sets for c in versions[v] if cells * sizes[c] <= room]
        if len(sets) > MOST_SETS:
            return _drawn(recoding, newest, before, room, most, rng)
    by_size = sorted((sizes[versions[v][-1]], v) for v in before)

    def maximal(S: Parents, cells: int) -> bool:
        inside = {recoding.variable[c] for c in S}
        for size, v in by_size:
            if cells * size > room:
                break
            if v not in inside:
                return False
        for c in S:
            levels = versions[recoding.variable[c]]
            if (i := levels.index(c)) and cells // sizes[c] * sizes[levels[i - 1]] <= room:
                return False
        return True

    return [(S, cells) for S, cells in sets if maximal(S, cells)]


def _drawn(
    recoding: Recoding, newest: int, before: Sequence[int], room: int, most: int, rng: np.random.Generator
) -> list[tuple[Parents, int]]:
    """As often as `most`, less repetitions: `newest`, then in a random order all that fit, as fine as they fit."""
    found: dict[Parents, int] = {}
    least = min(recoding.sizes[recoding.versions[v][-1]] for v in before)
    for _ in range(most):
        S, cells = [], 1
        for v in (newest, *rng.permutation(before).tolist()):
            fits = [c for c in recoding.versions[v] if cells * recoding.sizes[c] <= room]
            if fits:
                S.append(fits[0])
                cells *= recoding.sizes[fits[0]]
            if cells * least > room:
                break
        found[(S[0], *sorted(S[1:]))] = cells
    return list(found.items())


def _scores(
    table: Source, recoding: Recoding, n: float, score: Score, pairs: Sequence[tuple[int, Parents, int]]
) -> np.ndarray:
    """The scores of (variable, parents, cells) pairs, those of one shape together."""
    by_shape: dict[tuple[int, int], list[int]] = {}
    own = [recoding.versions[v][0] for v, _, _ in pairs]
    for i, (c, (_, _, cells)) in enumerate(zip(own, pairs, strict=True)):
        by_shape.setdefault((recoding.sizes[c], cells), []).append(i)
    found = np.empty(len(pairs))
    for shape, members in by_shape.items():
        many = max(1, CHUNK // (shape[0] * shape[1]))
        for some in (members[at : at + many] for at in range(0, len(members), many)):
            sets = [tuple(sorted((own[i], *pairs[i][1]))) for i in some]
            counts = [
                np.moveaxis(marginal, S.index(own[i]), 0).reshape(shape)
                for i, S, marginal in zip(some, sets, table.marginals(sets), strict=True)
            ]
            found[some] = score.of(np.array(counts), n)
    return found

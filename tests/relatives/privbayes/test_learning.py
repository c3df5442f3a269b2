"""Choosing the network: maximal parent sets by enumeration, choices by the exponential mechanism's law."""

import itertools
import math

import numpy as np
import pytest
from oracles import paying, random_records
from privbayes_oracles import closeness_by_hand
from scipy import stats
from workloads import bits

from mwem_core import Records, Seeded
from mwem_core.relatives.privbayes.learning import learn, maximal_with, parents_fit
from mwem_core.relatives.privbayes.scores import SCORES


def parent_sets_by_hand(sizes, newest, before, room):
    """All sets with `newest` that fit and to which no variable of `before` can be added."""

    def cells(S):
        return math.prod(sizes[v] for v in S)

    subsets = [{newest, *S} for k in range(len(before) + 1) for S in itertools.combinations(before, k)]
    return {
        (frozenset(S), cells(S))
        for S in subsets
        if cells(S) <= room and all(cells(S | {v}) > room for v in set(before) - S)
    }


@pytest.mark.parametrize("room", [1, 2, 5, 8, 12, 30, 100, 1000])
def test_parent_sets_are_all_the_maximal_ones(room):
    sizes = (2, 3, 6, 4, 2)
    for newest in range(5):
        before = [v for v in range(5) if v not in (newest, 4)]
        maximal = maximal_with(sizes, newest, before, room, 10, np.random.default_rng(0))
        assert len({frozenset(S) for S, _ in maximal}) == len(maximal)
        assert {(frozenset(S), cells) for S, cells in maximal} == parent_sets_by_hand(sizes, newest, before, room)


def test_of_very_many_parent_sets_a_public_few_are_drawn_and_they_are_maximal():
    drawn = maximal_with((2,) * 60, 0, range(1, 60), 64, 500, np.random.default_rng(0))
    assert 400 < len(drawn) <= 500
    assert len({S for S, _ in drawn}) == len(drawn)
    assert all(len(set(S)) == 6 and S[0] == 0 and cells == 64 for S, cells in drawn)


@pytest.mark.parametrize(
    ("sizes", "max_cells", "fit"), [((2, 5, 3), 6, True), ((2, 5, 3), 5, False), ((9,), 100, False)]
)
def test_parents_fit_where_the_two_smallest_variables_share_a_table(sizes, max_cells, fit):
    assert parents_fit(sizes, max_cells) == fit


def test_learning_finds_the_pairs_that_depend_on_each_other():
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(0, 2, 4_000, dtype=np.uint8) for _ in range(3))
    noisy = [x ^ (rng.random(4_000) < 0.1) for x in (a, b, c)]
    B = Records(bits(6), (a, b, c, *noisy))
    for name in "IFR":
        network = learn(B, (2,) * 6, n=4_000, max_cells=4, score=SCORES[name], **paying(20.0, Seeded(0)))
        edges = {frozenset((v, *parents)) for v, parents in network}
        assert {frozenset((i, i + 3)) for i in range(3)} <= edges


def score_by_hand(name: str, c: np.ndarray, n: float) -> float:
    """The score of whole counts (2, |Π|) that sum to n."""
    p = c / n
    independent = np.outer(p.sum(axis=1), p.sum(axis=0))
    positive = p > 0
    return {
        "I": lambda: n * float((p[positive] * np.log(p[positive] / independent[positive])).sum()),
        "F": lambda: closeness_by_hand(c, n),
        "R": lambda: n * float(np.abs(p - independent).sum()) / 2,
    }[name]()


def networks_by_hand(name: str, table: np.ndarray, k: int, epsilon: float) -> dict[tuple, float]:
    """The probability of every network of degree k over the axes of a whole table: GreedyBayes, outcome by outcome."""
    d, n = table.ndim, float(table.sum())
    sensitivity, probabilities = SCORES[name].sensitivity(n), {}

    def grow(chosen: tuple[int, ...], network: tuple, probability: float) -> None:
        if len(chosen) == d:
            probabilities[network] = probability
            return
        parents = list(itertools.combinations(sorted(chosen), min(k, len(chosen))))
        pairs = [(v, S) for v in range(d) if v not in chosen for S in parents]
        weights = []
        for v, S in pairs:
            margin = table.sum(axis=tuple(a for a in range(d) if a != v and a not in S))
            counts = np.moveaxis(margin, sorted((v, *S)).index(v), 0).reshape(2, -1)
            weights.append(math.exp(epsilon / (d - 1) * score_by_hand(name, counts, n) / (2 * sensitivity)))
        for pair, weight in zip(pairs, weights, strict=True):
            grow((*chosen, pair[0]), (*network, pair), probability * weight / sum(weights))

    for first in range(d):
        grow((first,), ((first, ()),), 1 / d)
    return probabilities


@pytest.mark.slow
@pytest.mark.parametrize("name", "IFR")
def test_networks_are_learnt_as_often_as_the_exponential_mechanism_says(name):
    """Pearson's statistic of 2,000 networks of degree 2 over four bits, 72 in all; those expected less than 5 times
    count as one.

    The right law gives a p-value below 0.001 for one seed in a thousand. Half or twice ε would add 370 to a statistic
    of at most 71 degrees of freedom, and a p-value far below a millionth.
    """
    B, runs = random_records(bits(4), 60, np.random.default_rng(5)), 2_000
    epsilon = 2 * SCORES[name].sensitivity(60)
    probabilities = networks_by_hand(name, B.marginal(range(4)), 2, epsilon)
    assert len(probabilities) == 72
    assert sum(probabilities.values()) == pytest.approx(1)
    noise, times = Seeded(0), dict.fromkeys(probabilities, 0)
    for _ in range(runs):
        network = learn(B, (2,) * 4, n=60, max_cells=8, score=SCORES[name], **paying(epsilon, noise))
        times[tuple((v, tuple(sorted(parents))) for v, parents in network)] += 1
    expected, counts = runs * np.array(list(probabilities.values())), np.array(list(times.values()))
    rare = expected < 5
    expected = np.append(expected[~rare], expected[rare].sum())
    counts = np.append(counts[~rare], counts[rare].sum())
    assert stats.chisquare(counts, expected).pvalue > 1e-3

"""The choice of a network: scores by their definitions, sensitivities on all small tables, and greedy learning."""

import itertools
import math

import numpy as np
import pytest
from oracles import paying, random_records
from privbayes_oracles import closeness_by_hand, score
from scipy import stats
from workloads import bits

from mwem_core import Records, Seeded
from mwem_core.relatives.network_choice import learn, maximal_with, parents_fit
from mwem_core.relatives.network_scores import SCORES, SCORES_OF_NOISY_N


def test_scores_of_the_authors_slides():
    """Ten people: equal pairs, and a pair of shares 0.5, 0.2 and 0.3 with F = -0.2."""
    same, pair = np.array([[5, 0], [0, 5]]), np.array([[5, 0], [2, 3]])
    assert score("F", same, 10) == 0
    assert score("F", pair, 10) / 10 == pytest.approx(-0.2)
    assert score("F", pair.T, 10) / 10 == pytest.approx(-0.2)


def test_dynamic_program_of_F_is_its_definition():
    """Tables of few and of many records, sparse and lopsided, of even and odd n, and of one record more or less."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        c = rng.integers(0, rng.choice([2, 5, 30, 1000]), size=(2, rng.integers(1, 9))).astype(float)
        c *= rng.random(c.shape) < rng.choice([0.5, 1.0])
        c[0] = np.floor(c[0] * rng.choice([0.3, 1.0]) * rng.choice([1.0, rng.random()]))
        n = max(1.0, c.sum() + rng.integers(-1, 2))
        assert score("F", c, n) == closeness_by_hand(c, n)


def test_R_is_its_definition():
    rng = np.random.default_rng(0)
    for _ in range(50):
        c = rng.integers(0, 9, size=(3, 4)).astype(float)
        c[0, 0] += 1
        p = c / c.sum()
        independent = np.outer(p.sum(axis=1), p.sum(axis=0))
        assert score("R", c, c.sum()) == pytest.approx(c.sum() * np.abs(p - independent).sum() / 2)


@pytest.mark.parametrize("name", "FR")
def test_one_record_moves_no_score_further_than_its_sensitivity_allows(name):
    """All tables of 2 by 2, 2 by 3 and 3 by 3 of up to six records, all neighbours: n is the public one for both.

    F's moves reach twice its sensitivity, but all lie in a range of that width, as the exponential mechanism needs.
    The moves of R stay within its sensitivity. Neither sensitivity is a tenth too large.
    """
    worst = 0.0
    for shape in ((2, 2), (2, 3)) if name == "F" else ((2, 2), (2, 3), (3, 3)):
        for n in range(1, 7):
            for cells in itertools.combinations_with_replacement(range(math.prod(shape)), n):
                table = np.bincount(cells, minlength=math.prod(shape)).reshape(shape).astype(float)
                record = np.eye(table.size).reshape(-1, *shape)
                tables = [*(table + e for e in record), *(table - e for e in record if (table - e).min() >= 0)]
                moves = SCORES[name].of(np.array(tables), n) - score(name, table, n)
                limit = SCORES[name].sensitivity
                worst = max(worst, np.abs(moves).max() / limit)
                if name == "F":
                    more, less = moves[: table.size], moves[table.size :]
                    assert 0 <= more.min() <= more.max() <= 2 * limit
                    assert -2 * limit <= less.min() <= less.max() <= 0
                else:
                    assert np.abs(moves).max() <= limit + 1e-9
    assert worst == pytest.approx({"F": 2.0, "R": 1.0}[name], abs=0.1)


@pytest.mark.parametrize("name", SCORES_OF_NOISY_N)
def test_under_a_noisy_n_the_sensitivities_hold_for_far_more_and_far_fewer_records(name):
    """All tables of 2 by 2 of up to six records, and 300 sparse ones of up to 60, at an n from a tenth to ten times.

    With a public n the sensitivity of R would not hold: n may be less than the number of records.
    """
    rng, of_noisy_n, worst, as_public = np.random.default_rng(0), SCORES_OF_NOISY_N[name], 0.0, 0.0
    small = (np.bincount(cells, minlength=4) for n in range(7) for cells in _all_of(4, n))
    sparse = (rng.integers(0, 20, size=4) * (rng.random(4) < 0.4) for _ in range(300))
    for table in (counts.reshape(2, 2).astype(float) for counts in (*small, *sparse)):
        for n in (max(1, round(table.sum() / 10)), round(10 * table.sum()) + 1):
            more = table + np.eye(4).reshape(-1, 2, 2)
            moves = of_noisy_n.of(more, n) - of_noisy_n.of(table[None], n)
            worst = max(worst, float(np.ptp(moves) / 2 if name == "F" else np.abs(moves).max()))
            moves = SCORES[name].of(more, n) - SCORES[name].of(table[None], n)
            as_public = max(as_public, float(np.abs(moves).max()) / SCORES[name].sensitivity)
    assert worst <= of_noisy_n.sensitivity + 1e-9
    assert worst > 0.9 * of_noisy_n.sensitivity
    assert (as_public > 2) == (name == "R")  # a range of twice its sensitivity is what F may move by


def _all_of(cells, n):
    return itertools.combinations_with_replacement(range(cells), n)


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
    for name in "FR":
        network = learn(B, (2,) * 6, n=4_000, max_cells=4, score=SCORES[name], **paying(20.0, Seeded(0)))
        edges = {frozenset((v, *parents)) for v, parents in network}
        assert {frozenset((i, i + 3)) for i in range(3)} <= edges


def score_by_hand(name: str, c: np.ndarray, n: float) -> float:
    """The score of whole counts (2, |Π|) that sum to n."""
    if name == "F":
        return closeness_by_hand(c, n)
    p = c / n
    return n * float(np.abs(p - np.outer(p.sum(axis=1), p.sum(axis=0))).sum()) / 2


def networks_by_hand(name: str, table: np.ndarray, k: int, epsilon: float) -> dict[tuple, float]:
    """The probability of every network of degree k over the axes of a whole table: GreedyBayes, outcome by outcome."""
    d, n = table.ndim, float(table.sum())
    sensitivity, probabilities = SCORES[name].sensitivity, {}

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
@pytest.mark.parametrize("name", "FR")
def test_networks_are_learnt_as_often_as_the_exponential_mechanism_says(name):
    """Pearson's statistic of 2,000 networks of degree 2 over four bits, 72 in all; those expected less than 5 times
    count as one.

    The right law gives a p-value below 0.001 for one seed in a thousand. Half or twice ε would add 370 to a statistic
    of at most 71 degrees of freedom, and a p-value far below a millionth.
    """
    B, runs = random_records(bits(4), 60, np.random.default_rng(5)), 2_000
    epsilon = 2 * SCORES[name].sensitivity
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

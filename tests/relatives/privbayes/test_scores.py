"""The scores I, F and R against their definitions, and their sensitivities against all small tables."""

import itertools
import math

import numpy as np
import pytest
from privbayes_oracles import closeness_by_hand, score

from mwem_core.privacy import exponential, selection_weights
from mwem_core.relatives.privbayes.scores import SCORES, SCORES_OF_NOISY_N


def test_scores_of_the_authors_slides():
    """Ten people: I(A, B) = 1 bit, and a pair of shares 0.5, 0.2 and 0.3 with I = 0.4 (0.396) and F = -0.2."""
    same, pair = np.array([[5, 0], [0, 5]]), np.array([[5, 0], [2, 3]])
    assert score("I", same, 10) / 10 / math.log(2) == pytest.approx(1)
    assert score("I", pair, 10) / 10 / math.log(2) == pytest.approx(0.4, abs=0.005)
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


def test_R_and_I_are_their_definitions():
    rng = np.random.default_rng(0)
    for _ in range(50):
        c = rng.integers(0, 9, size=(3, 4)).astype(float)
        c[0, 0] += 1
        p = c / c.sum()
        independent = np.outer(p.sum(axis=1), p.sum(axis=0))
        assert score("R", c, c.sum()) == pytest.approx(c.sum() * np.abs(p - independent).sum() / 2)
        positive = p > 0
        information = (p[positive] * np.log(p[positive] / independent[positive])).sum()
        assert score("I", c, c.sum()) == pytest.approx(c.sum() * information, abs=1e-9)


@pytest.mark.parametrize("name", "IFR")
def test_one_record_moves_no_score_further_than_its_sensitivity_allows(name):
    """All tables of 2 by 2, 2 by 3 and 3 by 3 of up to six records, all neighbours: n is the public one for both.

    F's moves reach twice its sensitivity, but all lie in a range of that width, as the exponential mechanism needs.
    The moves of I and R stay within their sensitivities. None of the three sensitivities is a tenth too large.
    """
    worst = 0.0
    for shape in ((2, 2), (2, 3)) if name == "F" else ((2, 2), (2, 3), (3, 3)):
        for n in range(1, 7):
            for cells in itertools.combinations_with_replacement(range(math.prod(shape)), n):
                table = np.bincount(cells, minlength=math.prod(shape)).reshape(shape).astype(float)
                record = np.eye(table.size).reshape(-1, *shape)
                tables = [*(table + e for e in record), *(table - e for e in record if (table - e).min() >= 0)]
                moves = SCORES[name].of(np.array(tables), n) - score(name, table, n)
                limit = SCORES[name].sensitivity(n)
                worst = max(worst, np.abs(moves).max() / limit)
                if name == "F":
                    more, less = moves[: table.size], moves[table.size :]
                    assert 0 <= more.min() <= more.max() <= 2 * limit
                    assert -2 * limit <= less.min() <= less.max() <= 0
                else:
                    assert np.abs(moves).max() <= limit + 1e-9
    assert worst == pytest.approx({"I": 1.0, "F": 2.0, "R": 1.0}[name], abs=0.1)


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
            as_public = max(as_public, float(np.abs(moves).max()) / SCORES[name].sensitivity(n))
    assert worst <= of_noisy_n.sensitivity(1) + 1e-9
    assert worst > 0.9 * of_noisy_n.sensitivity(1)
    assert (as_public > 2) == (name == "R")  # a range of twice its sensitivity is what F may move by


def _all_of(cells, n):
    return itertools.combinations_with_replacement(range(cells), n)


def test_choice_by_F_is_private_at_its_sensitivity():
    """The log-probabilities of four candidates differ by at most ε on each of a hundred pairs of neighbours."""
    rng, epsilon = np.random.default_rng(0), 0.8

    class Probabilities:
        def choose(self, scores, epsilon, sensitivity):
            weights = selection_weights(scores, epsilon, sensitivity)
            self.logs = weights - np.log(np.exp(weights).sum())
            return 0

    worst = 0.0
    for _ in range(100):
        c = rng.integers(0, 4, size=(2, 2, 2, 2)).astype(float)
        if not (n := c.sum()):
            continue
        cell = tuple(rng.integers(0, 2, size=4))
        logs = []
        for step in (0, 1):
            more = c.copy()
            more[cell] += step
            tables = [more.sum(axis=axes).reshape(2, -1) for axes in ((), (3,), (2, 3), (1, 2))]
            scores, noise = np.array([score("F", table, n) for table in tables]), Probabilities()
            exponential(scores, epsilon=epsilon, sensitivity=SCORES["F"].sensitivity(n), noise=noise)
            logs.append(noise.logs)
        worst = max(worst, np.abs(logs[0] - logs[1]).max())
    assert 0.5 * epsilon < worst <= epsilon + 1e-9

"""The net mechanism against plain loops: its candidates, their chances, its privacy, its bound."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records

from mwem_core import Seeded, Witness
from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import relative_entropy
from mwem_core.relatives.net import COUNTED, MOST, Net, candidates, preset
from mwem_core.release.synthesis import rounded
from mwem_core.workload import families


def records_of(domain, cells) -> Records:
    codes = np.unravel_index(np.array(cells, int), domain.shape)
    return Records(domain, tuple(column.astype(np.uint8) for column in codes))


def law(B, Q, m, n, epsilon):
    """Each multiset's chance: exp(-ε/2 max_q |q(B) - (n/m) q(multiset)|), normalised, by loops over lists."""
    vectors = query_vectors(Q)
    counts = B.marginal(tuple(range(len(B.domain)))).ravel().tolist()
    truth = [math.fsum(q * x for q, x in zip(vector, counts, strict=True)) for vector in vectors]
    masses = {}
    for some in itertools.combinations_with_replacement(range(B.domain.size), m):
        off = [abs(t - n / m * sum(vector[x] for x in some)) for t, vector in zip(truth, vectors, strict=True)]
        masses[some] = math.exp(-epsilon / 2 * max(off))
    total = math.fsum(masses.values())
    return {some: mass / total for some, mass in masses.items()}


FAMILIES = {
    "marginals": ([2, 3], lambda domain: families.marginals(domain, 2, up_to=True)),
    "parities": ([2, 2, 2], lambda domain: families.parities(domain, 2)),
    "ranges": ([3, 2], lambda domain: families.ranges(domain, ["a"], "all")),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("m", [1, 3])
def test_every_candidates_chance_is_that_of_a_plain_loop(family, m):
    sizes, make = FAMILIES[family]
    B = random_records(domain_of(sizes), 12, np.random.default_rng(m))
    Q, net = make(B.domain), Net(epsilon=0.8, m=m)
    expected = law(B, Q, m, B.total, 0.8)
    mechanism = net.mechanism(Q)
    assert list(map(tuple, mechanism.candidates.tolist())) == list(expected)
    assert mechanism.probabilities(B) == pytest.approx(list(expected.values()), rel=1e-9)
    witness = Witness(Seeded(0))
    list(net.rounds(B, Q, noise=witness))
    assert witness.probabilities() == pytest.approx(list(expected.values()), rel=1e-9)


def test_scoring_in_pieces_is_scoring_at_once(monkeypatch):
    B = random_records(domain_of([2, 3]), 30, np.random.default_rng(0))
    Q, net = families.marginals(B.domain, 1), Net(epsilon=1.0, m=4)
    whole = net.mechanism(Q).probabilities(B)
    monkeypatch.setattr("mwem_core.relatives.net.CHUNK", 50)
    assert net.mechanism(Q).probabilities(B) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_neighbour_changes_any_candidates_chance_by_more_than_e_to_the_epsilon(family):
    """All tables with one record more or fewer, the public total the same."""
    sizes, make = FAMILIES[family]
    domain, epsilon, largest = domain_of(sizes), 0.6, 0.0
    Q = make(domain)
    mechanism = Net(epsilon=epsilon, m=3).mechanism(Q)
    cells = np.random.default_rng(3).integers(domain.size, size=9).tolist()
    ours = mechanism.probabilities(records_of(domain, cells))
    near = [[*cells, x] for x in range(domain.size)] + [[*cells[:i], *cells[i + 1 :]] for i in range(9)]
    for other in near:
        shown = records_of(domain, other)
        object.__setattr__(shown, "total", 9)
        largest = max(largest, np.abs(np.log(ours / mechanism.probabilities(shown))).max())
    assert 0.3 * epsilon < largest <= epsilon + 1e-9


def test_max_error_keeps_the_bound_more_often_than_promised():
    """200 seeded runs, each on its own table. The bound is a worst case, so chance needs no allowance."""
    domain, beta, passed = domain_of([2, 2, 2]), 0.1, 0
    Q = families.parities(domain, 2)
    for seed in range(200):
        B = random_records(domain, 400, np.random.default_rng(seed))
        net = Net(epsilon=1.0, m=7)
        (only,) = net.rounds(B, Q, noise=Seeded(seed))
        passed += np.abs(Q.answers(only.model) - Q.answers(B)).max() > net.bound(Q, n=400, beta=beta)
    assert net.bound(Q, n=400, beta=beta) < 400
    assert passed <= beta * 200


@pytest.mark.parametrize("family", FAMILIES)
def test_some_candidate_is_as_good_as_records_drawn_from_the_table_may_be(family):
    """The half of the bound that is Hoeffding's, n √(2 ln(2|Q|) / m), for every m: what must always hold."""
    sizes, make = FAMILIES[family]
    for seed, m in itertools.product(range(5), (1, 2, 4, 7)):
        B = random_records(domain_of(sizes), 100, np.random.default_rng(seed))
        Q = make(B.domain)
        best = -Net(epsilon=1.0, m=m).mechanism(Q).score(B).max()
        assert best <= 100 * math.sqrt(2 * math.log(2 * Q.size) / m)


def test_chosen_score_is_seldom_below_the_best_by_more_than_the_noise_term():
    """The half of the bound that is the mechanism's: (2/ε) ln(C/β) below the best, with probability at most β."""
    B = random_records(domain_of([2, 3]), 200, np.random.default_rng(1))
    Q, net, beta = families.marginals(B.domain, 2), Net(epsilon=0.5, m=5), 0.2
    mechanism = net.mechanism(Q)
    scores = dict(zip(map(bytes, mechanism.candidates), mechanism.score(B), strict=True))
    least = max(scores.values()) - 2 / 0.5 * math.log(len(scores) / beta)
    assert least > min(scores.values())
    drawn = [scores[bytes(mechanism.choose(B, noise=Seeded(seed)))] for seed in range(200)]
    assert np.mean(np.array(drawn) < least) <= beta


def test_the_model_is_the_chosen_table_scaled_to_n():
    B = random_records(domain_of([2, 3]), 60, np.random.default_rng(0))
    Q, net = families.marginals(B.domain, 2), Net(epsilon=1.0, m=4)
    chosen = net.mechanism(Q).choose(B, noise=Seeded(5))
    (only,) = net.rounds(B, Q, noise=Seeded(5))
    held = Counter(chosen.tolist())
    expected = [60 / 4 * held[x] for x in range(6)]
    assert only.model.marginal((0, 1)).ravel() == pytest.approx(expected, abs=1e-9)
    every = np.unravel_index(np.arange(6), (2, 3))
    assert only.model.probability(every) * 60 == pytest.approx(expected, abs=1e-9)
    drawn = rounded(B.domain, only.model, 60, np.random.default_rng(0))
    assert drawn.marginal((0, 1)).ravel() == pytest.approx(expected)
    assert min(expected) == 0
    assert relative_entropy(random_records(B.domain, 500, np.random.default_rng(0)), only.model) == math.inf


def test_one_round_spends_exactly_epsilon_on_its_choice():
    B = random_records(domain_of([2, 2]), 60, np.random.default_rng(0))
    Q = families.marginals(B.domain, 1)
    (only,) = Net(epsilon=0.3, m=3).rounds(B, Q, noise=Seeded(0))
    assert (only.index, only.ledger.spent, only.ledger.select) == (1, 0.3, 0.3)
    assert only.label == "a table of 3, of 20"


def test_preset_takes_the_m_of_the_least_bound_among_those_that_fit():
    domain = domain_of([2, 2])
    Q = families.marginals(domain, 1)
    chosen = preset(Q, n=200, epsilon=0.1)
    bounds = {m: Net(epsilon=0.1, m=m).bound(Q, n=200, beta=0.05) for m in range(1, 40)}
    assert bounds[chosen.m] == min(bounds.values())
    assert preset(Q, n=10_000, epsilon=1.0).m > chosen.m > 1
    larger = families.marginals(domain_of([4, 4]), 2)
    most = preset(larger, n=10**6, epsilon=1.0).m
    fits = [math.comb(16 + m - 1, m) * (m + larger.size) <= MOST for m in (most, most + 1)]
    assert fits == [True, False]


def test_all_multisets_are_candidates_once():
    every = candidates(4, 3)
    assert len(every) == len({tuple(row) for row in every.tolist()}) == math.comb(6, 3)
    assert (np.diff(every, axis=1) >= 0).all()


def test_too_many_candidates_are_refused_by_number():
    twelve = families.marginals(domain_of([2] * 12), 1)
    with pytest.raises(ValueError, match="every table of m = 2 on this domain, 8,390,656 candidates, and 769,230 fit"):
        Net(epsilon=1.0, m=2).rounds(None, twelve, noise=Seeded(0))
    vast = families.marginals(domain_of([1000] * 16), 1)
    assert vast.domain.size > COUNTED
    settings = preset(vast, n=100, epsilon=1.0)
    with pytest.raises(ValueError, match=r"more than 10\^9 candidates, and 1,249 fit: leave attributes out"):
        settings.check(vast)


@pytest.mark.parametrize("m", [0, 2.5, True, 10**5])
def test_settings_out_of_range_are_refused_on_construction(m):
    with pytest.raises(ValueError, match="m must be a whole number of records from 1 to 10,000, got"):
        Net(epsilon=1.0, m=m)


def test_an_empty_table_is_refused():
    domain = domain_of([2, 2])
    with pytest.raises(ValueError, match="the table has no records: there is nothing to release"):
        Net(epsilon=1.0, m=2).rounds(records_of(domain, []), families.marginals(domain, 1), noise=Seeded(0))

"""The net mechanism against plain loops: its candidates, their probabilities, its privacy, its bound."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of, query_vectors, random_records

from mwem_core import Seeded, Witness
from mwem_core.domain import OfTotal, Records
from mwem_core.judge import relative_entropy
from mwem_core.output import round_rows
from mwem_core.privacy import exponential
from mwem_core.relatives.net import MAX_EXACT_COUNT, MAX_NET_NUMBERS, Net, candidates, max_errors, net_preset
from mwem_core.workload import families


def records_in(domain, cells) -> Records:
    """One record in each of these cells, given as row-major indices."""
    codes = np.unravel_index(np.array(cells, int), domain.shape)
    return Records(domain, tuple(column.astype(np.uint8) for column in codes))


def exponential_law(B, Q, m, n, epsilon):
    """Each multiset's probability, ∝ exp(-ε/2 max_q |q(B) - (n/m) q(multiset)|), by loops over lists."""
    vectors = query_vectors(Q)
    counts = B.marginal(tuple(range(len(B.domain)))).ravel().tolist()
    truth = [math.fsum(q * x for q, x in zip(vector, counts, strict=True)) for vector in vectors]
    masses = {}
    for multiset in itertools.combinations_with_replacement(range(B.domain.size), m):
        errors = [abs(t - n / m * sum(q[x] for x in multiset)) for t, q in zip(truth, vectors, strict=True)]
        masses[multiset] = math.exp(-epsilon / 2 * max(errors))
    total = math.fsum(masses.values())
    return {multiset: mass / total for multiset, mass in masses.items()}


def probabilities(net, B, Q):
    """The probability of each candidate, by the scores that a run hands to its noise source."""
    witness = Witness(Seeded(0))
    list(net.rounds(B, Q, noise=witness))
    return witness.probabilities()


FAMILIES = {
    "marginals": ([2, 3], lambda domain: families.marginals(domain, 2, up_to=True)),
    "parities": ([2, 2, 2], lambda domain: families.parities(domain, 2)),
    "ranges": ([3, 2], lambda domain: families.ranges(domain, ["a"], "all")),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("m", [1, 3])
def test_the_probability_of_every_candidate_is_that_of_a_plain_loop(family, m):
    sizes, make = FAMILIES[family]
    B = random_records(domain_of(sizes), 12, np.random.default_rng(m))
    Q, net = make(B.domain), Net(epsilon=0.8, m=m)
    expected = exponential_law(B, Q, m, B.total, 0.8)
    assert list(map(tuple, net.tables(Q).tolist())) == list(expected)
    assert probabilities(net, B, Q) == pytest.approx(list(expected.values()), rel=1e-9)


def test_scoring_in_chunks_gives_the_probabilities_of_scoring_at_once(monkeypatch):
    B = random_records(domain_of([2, 3]), 30, np.random.default_rng(0))
    Q, net = families.marginals(B.domain, 1), Net(epsilon=1.0, m=4)
    whole = probabilities(net, B, Q)
    monkeypatch.setattr("mwem_core.relatives.net.MAX_CHUNK_NUMBERS", 50)
    assert probabilities(net, B, Q) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_neighbour_changes_a_probability_by_a_factor_of_more_than_e_to_the_epsilon(family):
    """All tables with one record more or fewer, the public total the same."""
    sizes, make = FAMILIES[family]
    domain, epsilon, largest = domain_of(sizes), 0.6, 0.0
    Q = make(domain)
    net = Net(epsilon=epsilon, m=3)
    cells = np.random.default_rng(3).integers(domain.size, size=9).tolist()
    ours = probabilities(net, records_in(domain, cells), Q)
    neighbours = [[*cells, x] for x in range(domain.size)] + [[*cells[:i], *cells[i + 1 :]] for i in range(9)]
    for neighbour in neighbours:
        theirs = probabilities(net, OfTotal(records_in(domain, neighbour), 9), Q)
        largest = max(largest, np.abs(np.log(ours / theirs)).max())
    assert 0.3 * epsilon < largest <= epsilon + 1e-9


def test_the_max_error_exceeds_the_bound_in_at_most_the_promised_share_of_runs():
    """200 seeded runs, each on its own table. The bound is of the worst table, so chance needs no allowance."""
    domain, beta, exceeded = domain_of([2, 2, 2]), 0.1, 0
    Q = families.parities(domain, 2)
    for seed in range(200):
        B = random_records(domain, 400, np.random.default_rng(seed))
        net = Net(epsilon=1.0, m=7)
        (entry,) = net.rounds(B, Q, noise=Seeded(seed))
        exceeded += np.abs(Q.answers(entry.model) - Q.answers(B)).max() > net.bound(Q, n=400, beta=beta)
    assert net.bound(Q, n=400, beta=beta) < 400
    assert exceeded <= beta * 200


@pytest.mark.parametrize("family", FAMILIES)
def test_some_candidate_errs_by_at_most_hoeffdings_term_at_every_m(family):
    """The first term of the bound, n √(2 ln(2|Q|) / m): it must hold for every table."""
    sizes, make = FAMILIES[family]
    for seed, m in itertools.product(range(5), (1, 2, 4, 7)):
        B = random_records(domain_of(sizes), 100, np.random.default_rng(seed))
        Q = make(B.domain)
        best = max_errors(B, Q, Net(epsilon=1.0, m=m).tables(Q)).min()
        assert best <= 100 * math.sqrt(2 * math.log(2 * Q.size) / m)


def test_the_chosen_score_is_seldom_below_the_best_by_more_than_the_noise_term():
    """The second term of the bound: the score is (2/ε) ln(C/β) below the best with probability at most β."""
    B = random_records(domain_of([2, 3]), 200, np.random.default_rng(1))
    Q, net, beta = families.marginals(B.domain, 2), Net(epsilon=0.5, m=5), 0.2
    scores = -max_errors(B, Q, net.tables(Q))
    least = scores.max() - 2 / 0.5 * math.log(len(scores) / beta)
    assert least > scores.min()
    drawn = scores[[exponential(scores, epsilon=0.5, sensitivity=1, noise=Seeded(seed)) for seed in range(200)]]
    assert np.mean(drawn < least) <= beta


def test_the_model_is_the_chosen_table_scaled_to_n():
    B = random_records(domain_of([2, 3]), 60, np.random.default_rng(0))
    Q, net = families.marginals(B.domain, 2), Net(epsilon=1.0, m=4)
    tables = net.tables(Q)
    chosen = exponential(-max_errors(B, Q, tables), epsilon=1.0, sensitivity=1, noise=Seeded(5))
    (entry,) = net.rounds(B, Q, noise=Seeded(5))
    counts = Counter(tables[chosen].tolist())
    expected = [60 / 4 * counts[x] for x in range(6)]
    assert entry.model.marginal((0, 1)).ravel() == pytest.approx(expected, abs=1e-9)
    cells = np.unravel_index(np.arange(6), (2, 3))
    assert entry.model.probability(cells) * 60 == pytest.approx(expected, abs=1e-9)
    drawn = round_rows(B.domain, entry.model, 60, np.random.default_rng(0))
    assert drawn.marginal((0, 1)).ravel() == pytest.approx(expected)
    assert min(expected) == 0
    assert relative_entropy(random_records(B.domain, 500, np.random.default_rng(0)), entry.model) == math.inf


def test_the_preset_takes_the_m_of_the_smallest_bound_whose_candidates_fit():
    domain = domain_of([2, 2])
    Q = families.marginals(domain, 1)
    chosen = net_preset(Q, n=200, epsilon=0.1)
    bounds = {m: Net(epsilon=0.1, m=m).bound(Q, n=200, beta=0.05) for m in range(1, 40)}
    assert bounds[chosen.m] == min(bounds.values())
    assert net_preset(Q, n=10_000, epsilon=1.0).m > chosen.m > 1
    larger = families.marginals(domain_of([4, 4]), 2)
    largest = net_preset(larger, n=10**6, epsilon=1.0).m
    fits = [math.comb(16 + m - 1, m) * (m + larger.size) <= MAX_NET_NUMBERS for m in (largest, largest + 1)]
    assert fits == [True, False]


def test_the_candidates_are_all_multisets_once():
    multisets = candidates(4, 3)
    assert len(multisets) == len({tuple(row) for row in multisets.tolist()}) == math.comb(6, 3)
    assert (np.diff(multisets, axis=1) >= 0).all()


TOO_MANY = (
    "the net mechanism would score every table of m = {} on this domain, {} candidates, and {} fit: leave attributes "
    "out, or lower m"
)


def test_too_many_candidates_are_refused_with_their_number():
    twelve_bits = families.marginals(domain_of([2] * 12), 1)
    with pytest.raises(ValueError, match=exactly(TOO_MANY.format(2, "8,390,656", "769,230"))):
        Net(epsilon=1.0, m=2).rounds(None, twelve_bits, noise=Seeded(0))
    vast = families.marginals(domain_of([1000] * 16), 1)
    assert vast.domain.size > MAX_EXACT_COUNT
    settings = net_preset(vast, n=100, epsilon=1.0)
    with pytest.raises(ValueError, match=exactly(TOO_MANY.format(1, "more than 10^9", "1,249"))):
        settings.check(vast)


@pytest.mark.parametrize("m", [0, 2.5, True, 10**5])
def test_settings_out_of_range_are_refused_on_construction(m):
    with pytest.raises(ValueError, match=exactly(f"m must be a whole number of records from 1 to 10,000, got {m!r}")):
        Net(epsilon=1.0, m=m)

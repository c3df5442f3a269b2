"""PrivBayes: scores, encodings, rule for the degree, noise, network and rows, each against its law or brute force."""

import itertools
import math

import numpy as np
import pytest
from oracles import Following, Recording, domain_of, joint, neighbours, random_records
from scipy import stats

from mwem_core import Records, Seeded
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS
from mwem_core.privacy.mechanisms import exponential
from mwem_core.relatives.privbayes.learning import learn, maximal_with
from mwem_core.relatives.privbayes.measuring import measured
from mwem_core.relatives.privbayes.network import Network
from mwem_core.relatives.privbayes.privbayes import PrivBayes, preset
from mwem_core.relatives.privbayes.recoding import Recoding
from mwem_core.relatives.privbayes.scores import SCORES
from mwem_core.workload import families


def bits(d: int) -> Domain:
    return Domain(tuple(Attribute(f"b{i}", BITS) for i in range(d)))


def records_of(domain: Domain, counts: np.ndarray) -> Records:
    """One record for each unit of a whole table of counts over all attributes."""
    cells = np.repeat(np.arange(counts.size), counts.ravel().astype(int))
    return Records(domain, tuple(c.astype(np.uint8) for c in np.unravel_index(cells, domain.shape)))


def released(settings: PrivBayes, B: Records, noise) -> Network:
    (entry,) = settings.rounds(B, families.marginals(B.domain, 1), noise=noise)
    return entry.model


def score(name: str, counts: np.ndarray, n: float) -> float:
    return float(SCORES[name].of(np.array([counts], float), n)[0])


def closeness_by_hand(c: np.ndarray, n: float) -> float:
    """The definition of F: every way of giving the columns to X = 0 or X = 1."""
    best = -math.inf
    for to in itertools.product([0, 1], repeat=c.shape[1]):
        K = [sum(c[x, j] for j, side in enumerate(to) if side == x) for x in (0, 1)]
        best = max(best, -sum(max(n / 2 - k, 0) for k in K))
    return best


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
        seen = p > 0
        information = (p[seen] * np.log(p[seen] / independent[seen])).sum()
        assert score("I", c, c.sum()) == pytest.approx(c.sum() * information, abs=1e-9)


@pytest.mark.parametrize("name", "IFR")
def test_no_record_more_or_less_moves_scores_further_than_their_sensitivity(name):
    """All tables of 2 by 2, 2 by 3 and 3 by 3 of up to six records, all neighbours: n is the public one for both.

    F's moves lie in a range of twice its sensitivity, as the exponential mechanism needs; others stay within theirs.
    """
    worst = 0.0
    for shape in ((2, 2), (2, 3)) if name == "F" else ((2, 2), (2, 3), (3, 3)):
        for n in range(1, 7):
            for cells in itertools.combinations_with_replacement(range(math.prod(shape)), n):
                table = np.bincount(cells, minlength=math.prod(shape)).reshape(shape).astype(float)
                near = [table + e for e in np.eye(table.size).reshape(-1, *shape)]
                near += [table - e for e in np.eye(table.size).reshape(-1, *shape) if (table - e).min() >= 0]
                moves = SCORES[name].of(np.array(near), n) - score(name, table, n)
                limit = SCORES[name].sensitivity(n)
                worst = max(worst, np.abs(moves).max() / limit)
                if name == "F":
                    more, less = moves[: table.size], moves[table.size :]
                    assert 0 <= more.min() <= more.max() <= 2 * limit
                    assert -2 * limit <= less.min() <= less.max() <= 0
                else:
                    assert np.abs(moves).max() <= limit + 1e-9
    assert worst == pytest.approx({"I": 1.0, "F": 2.0, "R": 1.0}[name], abs=0.1)  # and none is charged too much


def test_choice_by_F_is_private_at_its_sensitivity():
    """Chances of four candidates on a hundred pairs of neighbours: their logarithms differ by at most ε."""
    rng, epsilon = np.random.default_rng(0), 0.8

    class Chances:
        def choose(self, weights):
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
            scores = np.array([score("F", table, n) for table in tables])
            exponential(scores, epsilon=epsilon, sensitivity=SCORES["F"].sensitivity(n), noise=(noise := Chances()))
            logs.append(noise.logs)
        worst = max(worst, np.abs(logs[0] - logs[1]).max())
    assert 0.5 * epsilon < worst <= epsilon + 1e-9


@pytest.mark.parametrize("n", [50, 1_000, 21_574, 10**6])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 10.0])
def test_measured_tables_are_theta_useful_and_the_degree_is_the_largest(n, epsilon):
    """By the paper's rule, made for twice our noise: the mean count of a cell is at least 2θ times the mean |noise|."""
    settings = PrivBayes(epsilon=epsilon, cell_budget=2**40)
    second = 0.7 * epsilon
    for d in (1, 6, 16):
        cells = settings.most_cells(n, Recoding.vanilla(bits(d)))
        k = int(math.log2(cells)) - 1
        fits = [j for j in range(1, d) if n * second / ((d - j) * 2 ** (j + 2)) >= settings.theta]
        assert k == max(fits, default=0)
        if k:
            noise = (d - k) / second  # the mean of |Laplace| is its scale, and there are d - k tables
            assert n / cells / noise >= 2 * settings.theta
    general = Recoding.vanilla(domain_of([3, 4, 5, 6]))
    cells = settings.most_cells(n, general)
    assert cells <= n * second / (2 * 4 * settings.theta) < cells + 1


def test_over_200_runs_noise_and_choices_follow_their_laws():
    """Six bits, degree 3: d - k = 3 tables of 16 cells at a third of ε₂ each, sensitivity 1 record.

    The classic slip is a scale for shares on counts, n times too little. All 9,600 draws are told from Laplace's law by
    Kolmogorov and Smirnov, whose p-value falls below 0.001 for one seed in a thousand; the mean of |draw| has a
    standard error of 1%. A chosen score falls short of the best by (2Δ/ε)(ln m + t) with probability at most e^-t.
    """
    B = random_records(bits(6), 1_200, np.random.default_rng(0))
    settings = PrivBayes(epsilon=0.5, score="F")
    scale, drawn, short = 3 / (0.7 * 0.5), [], []
    for seed in range(200):
        noise = Recording(Seeded(seed))
        assert released(settings, B, noise).degree == 3
        choices, tables = noise.draws[:6], noise.draws[6:]
        assert [kind for kind, *_ in noise.draws] == ["choose"] * 6 + ["laplace"] * 3
        assert not choices[0][1].any()  # the first variable is drawn evenly, whatever the records
        for _, exact, its_scale, noisy in tables:
            assert its_scale == pytest.approx(scale)
            assert (exact.size, exact.sum()) == (16, 1_200)
            drawn.append(noisy - exact)
        short += [weights.max() - weights[chosen] - math.log(len(weights)) for _, weights, _, chosen in choices]
    z = np.concatenate([each.ravel() for each in drawn]) / scale
    assert stats.kstest(z, stats.laplace.cdf).pvalue > 1e-3
    assert np.abs(z).mean() == pytest.approx(1, abs=0.04)
    assert 1_200 / 16 >= 2 * settings.theta * scale * np.abs(z).mean()  # θ-useful: a cell's mean count against noise
    for t in (0.0, 0.5, 1.0, 2.0):
        assert (np.array(short) >= t).mean() <= math.exp(-t)


def test_a_table_within_another_is_not_measured():
    vanilla = Recoding.vanilla(domain_of([2, 3, 4]), {"a": []})
    assert measured(vanilla, [(0, ()), (1, (0,)), (2, (0, 1))]) == [(0, 1, 2)]
    assert measured(vanilla, [(0, ()), (1, (0,)), (2, (1,))]) == [(0, 1), (1, 2)]
    coarse = Recoding.vanilla(domain_of([2, 3, 4]), {"c": [[0, 0, 1, 1]]})
    assert measured(coarse, [(2, ()), (0, (3,)), (1, (0, 2))]) == [(0, 1, 2)]
    assert measured(coarse, [(0, ()), (2, (0,)), (1, (0, 3))]) == [(0, 2), (0, 1, 3)]


@pytest.mark.parametrize("gray", [False, True])
def test_bits_spell_every_code_and_no_other(gray):
    domain = domain_of([2, 3, 6, 8])
    recoding = Recoding.bits(domain, gray=gray)
    assert recoding.sizes == (2,) * (1 + 2 + 3 + 3)
    every = tuple(x.ravel().astype(np.uint8) for x in np.indices(domain.shape))
    codes, wrong = recoding.codes(recoding.values(every))
    assert not wrong.any()
    assert (codes == every).all()
    patterns = [x.ravel() for x in np.indices((2,) * 9)]
    assert (~recoding.codes(patterns)[1]).sum() == domain.size
    assert recoding.possible(tuple(range(9))).sum() == domain.size
    assert recoding.possible((1, 2)).tolist() == ([[1, 1], [0, 1]] if gray else [[1, 1], [1, 0]])


def test_gray_codes_of_neighbours_differ_in_one_bit():
    recoding = Recoding.bits(domain_of([13]), gray=True)
    values = np.array(recoding.values((np.arange(13),)))
    assert (np.abs(np.diff(values.astype(int), axis=1)).sum(axis=0) == 1).all()


def parent_sets_by_hand(recoding, newest, before, room):
    """All sets of columns, one a variable, that fit and to which no variable can be added and none refined."""
    options = [[None, *recoding.versions[v]] for v in (newest, *before)]

    def cells(S):
        return math.prod(recoding.sizes[c] for c in S if c is not None)

    found = set()
    for S in itertools.product(*options):
        if S[0] is None or cells(S) > room:
            continue
        finer = []
        for i, (c, choices) in enumerate(zip(S, options, strict=True)):
            at = choices.index(c)
            nexts = choices[-1:] if c is None else choices[at - 1 : at] if at > 1 else []
            finer += [(*S[:i], other, *S[i + 1 :]) for other in nexts]
        if all(cells(T) > room for T in finer):
            found.add((frozenset(c for c in S if c is not None), cells(S)))
    return found


@pytest.mark.parametrize("room", [1, 2, 5, 8, 12, 30, 100])
def test_parent_sets_are_all_the_maximal_ones(room):
    hierarchies = {"c": [[0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]], "d": [[0, 0, 1, 1]]}
    recoding = Recoding.vanilla(domain_of([2, 3, 6, 4, 2]), hierarchies)
    for newest in range(5):
        before = [v for v in range(5) if v not in (newest, 4)]
        found = maximal_with(recoding, newest, before, room, 10, np.random.default_rng(0))
        assert len({frozenset(S) for S, _ in found}) == len(found)
        assert {(frozenset(S), cells) for S, cells in found} == parent_sets_by_hand(recoding, newest, before, room)


def test_of_very_many_parent_sets_a_public_few_are_drawn_and_they_are_maximal():
    recoding = Recoding.vanilla(bits(60))
    found = maximal_with(recoding, 0, range(1, 60), 64, 500, np.random.default_rng(0))
    assert 400 < len(found) <= 500
    assert all(len(set(S)) == 6 and S[0] == 0 and cells == 64 for S, cells in found)


@pytest.mark.parametrize(
    ("sizes", "settings"),
    [
        ([2] * 6, {"score": "F"}),
        ([2] * 6, {"score": "I"}),
        ([3, 4, 2, 5], {}),
        ([3, 4, 2, 5], {"encoding": "gray", "score": "F"}),
        ([3, 4, 2, 6], {"hierarchies": {"d": [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]]}}),
    ],
    ids=["F", "I", "R", "gray", "hierarchy"],
)
def test_network_is_acyclic_within_its_tables_and_its_conditionals_sum_to_one(sizes, settings):
    B = random_records(domain_of(sizes), 4_000, np.random.default_rng(1))
    settings = PrivBayes(epsilon=0.5, **settings)
    for seed in range(5):
        network = released(settings, B, Seeded(seed))
        recoding, known = network.recoding, set()
        most = settings.most_cells(B.total, recoding)
        for node in network.nodes:
            assert {recoding.variable[c] for c in node.parents} <= known
            known.add(node.variable)
            assert node.conditional.size <= max(most, len(node.conditional))
            assert node.conditional.min() >= 0
            assert node.conditional.sum(axis=0) == pytest.approx(1)
        assert known == set(range(len(recoding.versions)))
        assert network.degree > 0


def test_the_whole_budget_is_spent_three_tenths_on_the_network_or_none_where_no_parents_fit():
    B = random_records(bits(4), 3_000, np.random.default_rng(0))
    Q = families.marginals(B.domain, 2)
    for epsilon, select in ((1.0, 0.3), (0.001, 0.0)):
        (entry,) = preset(Q, n=B.total, epsilon=epsilon).rounds(B, Q, noise=Seeded(0))
        assert entry.index == 1
        assert entry.ledger.spent == pytest.approx(epsilon, rel=1e-12)
        assert entry.ledger.select == pytest.approx(select * epsilon)
        assert (entry.model.degree > 0) == (select > 0)


HIERARCHY = {"hierarchies": {"b": [[0, 0, 1, 1, 1]]}}


@pytest.mark.parametrize("settings", [{}, {"encoding": "binary"}, {"encoding": "gray"}, HIERARCHY], ids=str)
def test_without_noise_and_with_every_parent_it_is_the_data(settings):
    B = random_records(domain_of([3, 5, 2]), 2_000, np.random.default_rng(0))
    network = released(PrivBayes(epsilon=1e6, **settings), B, Seeded(0))
    every = tuple(x.ravel() for x in np.indices(B.domain.shape))
    p = network.probability(every).reshape(B.domain.shape)
    assert p == pytest.approx(B.marginal((0, 1, 2)) / B.total, abs=1e-5)
    Q = families.marginals(B.domain, 2)
    close = 1e-2 if network.recoding.plain else 0.1 * B.total  # answers of drawn rows err as rows do
    assert Q.answers(B) == pytest.approx(network.answers(Q), abs=close)


def test_rows_follow_the_networks_probabilities():
    """Pearson's statistic of 20,000 rows, 59 degrees of freedom: it passes 110 once in 16,000 samples of the law."""
    B = random_records(domain_of([3, 4, 5]), 500, np.random.default_rng(2))
    for settings in ({}, {"encoding": "binary"}, {"hierarchies": {"c": [[0, 1, 1, 0, 1]]}}):
        network = released(PrivBayes(epsilon=2.0, **settings), B, Seeded(0))
        rows = network.draw(20_000, np.random.default_rng(0))
        every = tuple(x.ravel() for x in np.indices(B.domain.shape))
        p = network.probability(every)
        assert p.sum() == pytest.approx(1, abs=1e-9 if network.recoding.plain else 0.02)
        expected, seen = 20_000 * p / p.sum(), rows.marginal((0, 1, 2)).ravel()
        assert (seen[expected == 0] == 0).all()
        sure = expected > 0
        assert ((seen - expected)[sure] ** 2 / expected[sure]).sum() < 110


def test_answers_are_the_networks_own_sums():
    B = random_records(domain_of([3, 4, 2, 3]), 3_000, np.random.default_rng(0))
    network = released(PrivBayes(epsilon=0.3, hierarchies={"b": [[0, 0, 1, 1]]}), B, Seeded(1))
    every = tuple(x.ravel() for x in np.indices(B.domain.shape))
    p = network.probability(every).reshape(B.domain.shape)
    Q = families.marginals(B.domain, 2)
    whole = records_of_shares(p, Q)
    assert network.answers(Q) == pytest.approx(B.total * whole, abs=1e-6 * B.total)
    assert network.exact is not None
    assert joint(network.exact) == pytest.approx(p, abs=1e-9)


def records_of_shares(p: np.ndarray, Q) -> np.ndarray:
    """The 2-way marginals of a whole table, end to end."""
    axes = range(p.ndim)
    return np.concatenate([p.sum(axis=tuple(a for a in axes if a not in S)).ravel() for S in Q.sets])


def test_a_cell_with_nothing_left_is_uniform_and_bits_of_no_code_get_nothing():
    domain = domain_of([3, 2])
    B = Records(domain, (np.zeros(50, np.uint8), np.zeros(50, np.uint8)))

    class Exact(Seeded):
        def laplace(self, exact, scale):
            return exact - 1.0  # leaves 49 records in one cell, and less than none elsewhere

    network = released(PrivBayes(epsilon=1e6), B, Exact(0))
    last = network.nodes[-1]
    assert sorted(last.conditional.max(axis=0).round(3))[0] == pytest.approx(1 / len(last.conditional), abs=1e-3)
    spelt = released(PrivBayes(epsilon=1e6, encoding="binary"), B, Exact(0))
    assert spelt.draw(2_000, np.random.default_rng(0)).marginal((0,)).shape == (3,)


@pytest.mark.parametrize(
    ("sizes", "settings"),
    [
        ([2] * 5, {"score": "F"}),
        ([3, 4, 2, 3], {}),
        ([3, 4, 2, 3], {"score": "I", "hierarchies": {"b": [[0, 0, 1, 1]]}}),
        ([3, 4, 2], {"score": "F", "encoding": "binary"}),
        ([3, 4, 2], {"score": "I", "encoding": "gray"}),
    ],
    ids=["F", "R", "hierarchy", "binary", "gray"],
)
def test_neighbours_told_the_same_release_the_same_and_are_told_apart_by_at_most_epsilon(sizes, settings):
    """The sum over all draws: the most a choice's log-probability moves, or a table's L1 distance over its scale."""
    rng = np.random.default_rng(0)
    B = random_records(domain_of(sizes), 400, rng)
    algorithm = PrivBayes(epsilon=0.9, **settings)
    model = released(algorithm, B, ours := Recording(Seeded(3)))
    for other in neighbours(B, rng):
        object.__setattr__(other, "total", B.total)  # the stated policy: n is public, the same for both
        again = released(algorithm, other, theirs := Recording(Following(ours.draws)))
        loss = 0.0
        for (kind, one, scale, _), (_, two, *_) in zip(ours.draws, theirs.draws, strict=True):
            if kind == "choose":
                loss += np.abs((one - np.logaddexp.reduce(one)) - (two - np.logaddexp.reduce(two))).max()
            else:
                loss += np.abs(one - two).sum() / scale
        assert 0 < loss <= algorithm.epsilon + 1e-9
        for one, two in zip(model.nodes, again.nodes, strict=True):
            assert (one.variable, one.parents) == (two.variable, two.parents)
            assert (one.conditional == two.conditional).all()


def test_learning_finds_the_pairs_that_depend_on_each_other():
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(0, 2, 4_000, dtype=np.uint8) for _ in range(3))
    B = Records(
        bits(6), (a, b, c, a ^ (rng.random(4_000) < 0.1), b ^ (rng.random(4_000) < 0.1), c ^ (rng.random(4_000) < 0.1))
    )
    for name in "IFR":
        network = learn(
            B, Recoding.vanilla(B.domain), n=4_000, most_cells=4, score=SCORES[name], epsilon=20.0, noise=Seeded(0)
        )
        edges = {frozenset((v, *parents)) for v, parents in network}
        assert {frozenset((i, i + 3)) for i in range(3)} <= edges


def score_by_hand(name: str, c: np.ndarray, n: float) -> float:
    """Of whole counts (2, |Π|) summing to n."""
    p = c / n
    independent = np.outer(p.sum(axis=1), p.sum(axis=0))
    seen = p > 0
    return {
        "I": lambda: n * float((p[seen] * np.log(p[seen] / independent[seen])).sum()),
        "F": lambda: closeness_by_hand(c, n),
        "R": lambda: n * float(np.abs(p - independent).sum()) / 2,
    }[name]()


def networks_by_hand(name: str, table: np.ndarray, k: int, epsilon: float) -> dict[tuple, float]:
    """The chance of every network of degree k over the axes of a whole table: GreedyBayes, outcome by outcome."""
    d, n = table.ndim, float(table.sum())
    sensitivity, chances = SCORES[name].sensitivity(n), {}

    def grow(known: tuple[int, ...], network: tuple, chance: float) -> None:
        if len(known) == d:
            chances[network] = chance
            return
        parents = list(itertools.combinations(sorted(known), min(k, len(known))))
        pairs = [(v, S) for v in range(d) if v not in known for S in parents]
        weights = []
        for v, S in pairs:
            margin = table.sum(axis=tuple(a for a in range(d) if a != v and a not in S))
            counts = np.moveaxis(margin, sorted((v, *S)).index(v), 0).reshape(2, -1)
            weights.append(math.exp(epsilon / (d - 1) * score_by_hand(name, counts, n) / (2 * sensitivity)))
        for pair, weight in zip(pairs, weights, strict=True):
            grow((*known, pair[0]), (*network, pair), chance * weight / sum(weights))

    for first in range(d):
        grow((first,), ((first, ()),), 1 / d)
    return chances


@pytest.mark.parametrize("name", "IFR")
def test_networks_are_learnt_as_often_as_the_exponential_mechanism_says(name):
    """Pearson's statistic of 2,000 networks of degree 2 over four bits, 72 in all; those met less than 5 times as one.

    The right law gives a p-value below 0.001 for one seed in a thousand. Half or twice ε would add 370 to a statistic
    of at most 71 degrees of freedom, and a p-value far below a millionth.
    """
    B, runs = random_records(bits(4), 60, np.random.default_rng(5)), 2_000
    epsilon = 2 * SCORES[name].sensitivity(60)
    chances = networks_by_hand(name, B.marginal(range(4)), 2, epsilon)
    assert len(chances) == 72
    assert sum(chances.values()) == pytest.approx(1)
    noise, seen = Seeded(0), dict.fromkeys(chances, 0)
    for _ in range(runs):
        network = learn(
            B, Recoding.vanilla(B.domain), n=60, most_cells=8, score=SCORES[name], epsilon=epsilon, noise=noise
        )
        seen[tuple((v, tuple(sorted(parents))) for v, parents in network)] += 1
    expected, counts = runs * np.array(list(chances.values())), np.array(list(seen.values()))
    rare = expected < 5
    expected = np.append(expected[~rare], expected[rare].sum())
    counts = np.append(counts[~rare], counts[rare].sum())
    assert stats.chisquare(counts, expected).pvalue > 1e-3


def test_preset_scores_bits_by_F_where_pairs_are_few():
    assert preset(families.marginals(bits(16), 2), n=21_574, epsilon=0.1).score == "F"
    assert preset(families.marginals(bits(16), 2), n=21_574, epsilon=1.0).score == "R"
    assert preset(families.marginals(domain_of([2, 3]), 2), n=21_574, epsilon=0.1).score == "R"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0}, "epsilon must be a positive number, got 0"),
        ({"score": "Q"}, "score must be one of I, F, R, got 'Q'"),
        ({"encoding": "grey"}, "encoding must be one of vanilla, binary, gray, got 'grey'"),
        ({"encoding": "gray", "hierarchies": {"a": []}}, "bits have no hierarchies"),
        ({"network_share": 1.0}, "network_share must lie between 0 and 1, both excluded, got 1.0"),
        ({"theta": 0.0}, "theta must be a positive number, got 0.0"),
        ({"cell_budget": 1}, "cell_budget must be a whole number of at least 2, got 1"),
    ],
)
def test_settings_out_of_range_are_refused_on_construction(settings, message):
    with pytest.raises(ValueError, match=message):
        PrivBayes(**{"epsilon": 1.0, **settings})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"score": "F"}, "score F needs attributes of two values, 'b' has 4: choose score='R', or encoding='binary'"),
        ({"cell_budget": 3}, "'b' has 4 values and a table may hold 3 cells: declare coarser bins"),
        ({"hierarchies": {"bb": [[0, 1]]}}, "the hierarchies name 'bb', which is no attribute"),
        (
            {"hierarchies": {"b": [[0, 1]]}},
            "level 1 of the hierarchy of 'b' must give the group of each of its 4 codes",
        ),
        ({"hierarchies": {"b": [[0, 0, 2, 2]]}}, "must number at least two groups 0, 1, 2 and so on without a gap"),
        ({"hierarchies": {"b": [[0, 0, 1, 2], [0, 1, 1, 1]]}}, "level 2 .* must put together whole groups"),
        ({"hierarchies": {"b": [[0, 1, 2, 3]]}}, "level 1 .* must put together whole groups"),
    ],
)
def test_what_a_domain_does_not_fit_is_refused_on_the_call(settings, message):
    Q = families.marginals(domain_of([2, 4]), 1)
    with pytest.raises(ValueError, match=message):
        PrivBayes(epsilon=1.0, **settings).rounds(None, Q, noise=Seeded(0))


def test_an_empty_table_and_one_that_only_counts_are_refused():
    domain = domain_of([2, 4])
    Q = families.marginals(domain, 1)
    empty = Records(domain, (np.zeros(0, np.uint8), np.zeros(0, np.uint8)))
    with pytest.raises(ValueError, match="the table has no records: there is nothing to release"):
        PrivBayes(epsilon=1.0).rounds(empty, Q, noise=Seeded(0))

    class Counted:
        total = 5

        def __init__(self):
            self.domain = domain

    with pytest.raises(ValueError, match="this table is only counted: choose encoding='vanilla'"):
        PrivBayes(epsilon=1.0, encoding="gray").rounds(Counted(), Q, noise=Seeded(0))

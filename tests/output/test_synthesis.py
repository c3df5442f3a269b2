"""Rows drawn from a model: independent draws follow its law, rounded rows its marginals."""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from models import chain_model, random_model
from oracles import domain_of, joint, random_records
from scipy import stats

from mwem_core import Attribute, Domain, PrivBayes, Records, Seeded, parse_workload
from mwem_core.algorithm import Answers
from mwem_core.model import LogLinear, Measurement, replay
from mwem_core.output import synthesis
from mwem_core.output.exchange import RowOffers, exchange_rows
from mwem_core.output.synthesis import decode, gives_rows, nearest_rows, round_rows, sample
from mwem_core.values import Edges, Range, Values
from mwem_core.weighted import Average, CorrectedModel, WeightedRecords
from mwem_core.workload import rows_hold


def test_a_million_independent_rows_follow_the_model():
    """Chi-square over all cells with at least five expected rows, at one seed.

    A correct sampler has a p-value below 0.001 at one seed in a thousand.
    """
    rng = np.random.default_rng(11)
    A = random_model(rng, (3, 2, 4, 3, 2))
    rows = sample(domain_of(A.sizes), A, 10**6, rng)
    counts, expected = rows.marginal((0, 1, 2, 3, 4)).ravel(), joint(A).ravel() * 10**6
    seen = expected >= 5
    observed = np.append(counts[seen], counts[~seen].sum())
    wanted = np.append(expected[seen], expected[~seen].sum())
    statistic = ((observed - wanted) ** 2 / np.maximum(wanted, 1e-9))[wanted > 0].sum()
    assert stats.chi2.sf(statistic, df=int(seen.sum()) - 1) > 0.001


@pytest.mark.parametrize("model", ["last", "average"])
def test_rounded_rows_keep_marginals_far_better_than_chance(model):
    """Pairs within a clique are rounded to about one row per cell; pairs across the tree stay near the model too."""
    rng = np.random.default_rng(0)
    A = chain_model(rng) if model == "last" else Average((chain_model(rng), chain_model(rng)))
    n = 5000
    pairs = list(itertools.combinations(range(5), 2))

    def distance(draw):
        rows = draw(domain_of(A.sizes), A, n, np.random.default_rng(1))
        assert rows.total == n
        return np.mean([np.abs(rows.marginal(S) / n - A.marginal(S)).sum() / 2 for S in pairs])

    assert distance(round_rows) <= 0.25 * distance(sample)


def distance(Q, rows, model):
    """Mean TV between the answers of rows and model to the workload's tables."""
    return np.abs(Q.answers(rows) / rows.total - model.answers(Q) / model.total).sum() / 2 / Q.parts


def twenty_roundings(spec, model):
    """A model, a workload, and 20 roundings of the model to 150 rows."""
    A = chain_model(np.random.default_rng(0))
    A = A if model == "last" else Average((A, chain_model(np.random.default_rng(1))))
    domain, rng = domain_of(A.sizes), np.random.default_rng(2)
    return A, parse_workload(spec, domain), [round_rows(domain, A, 150, rng) for _ in range(20)]


@pytest.mark.parametrize("model", ["last", "average"])
def test_nearest_rows_for_ranges_are_the_nearest_of_20_roundings(model):
    A, Q, all_20 = twenty_roundings("ranges:a,c:all", model)
    distances = [distance(Q, rows, A) for rows in all_20]
    nearest = nearest_rows(Q, A, 150, np.random.default_rng(2))
    assert nearest.total == 150
    assert distance(Q, nearest, A) == min(distances) < 0.9 * np.mean(distances)
    assert [column.tolist() for column in nearest.codes] == [
        column.tolist() for column in all_20[int(np.argmin(distances))].codes
    ]


@pytest.mark.parametrize("model", ["last", "average"])
def test_nearest_rows_for_marginals_are_nearer_than_the_nearest_of_20_roundings(model):
    A, Q, all_20 = twenty_roundings("marginals:2", model)
    nearest = nearest_rows(Q, A, 150, np.random.default_rng(2))
    assert nearest.total == 150
    assert distance(Q, nearest, A) < 0.8 * min(distance(Q, rows, A) for rows in all_20)


def test_nearest_rows_of_a_result_that_draws_its_own_are_far_nearer_than_its_draws():
    B = random_records(domain_of((2, 3, 2)), 80, np.random.default_rng(0))
    Q = parse_workload("marginals:2", B.domain)
    network = next(PrivBayes(epsilon=1.0).rounds(B, Q, noise=Seeded(0))).model
    rng = np.random.default_rng(1)
    nearest = min(distance(Q, network.draw(80, rng), network) for _ in range(20))
    assert distance(Q, nearest_rows(Q, network, 80, np.random.default_rng(1)), network) < 0.5 * nearest


def test_rows_are_exchanged_for_rows_of_the_other_roundings():
    """The records that rows and roundings share are counted: none is made up, and none is used more often than made."""
    A = chain_model(np.random.default_rng(0))
    domain, rng = domain_of(A.sizes), np.random.default_rng(2)
    Q, made = parse_workload("marginals:2", domain), [round_rows(domain, A, 150, rng) for _ in range(3)]
    rows = exchange_rows(Q, A.answers(Q) * (150 / A.total), made, rng)
    used, there = (Counter(zip(*codes, strict=True)) for codes in (rows.codes, _together(made)))
    assert used <= there
    assert used != Counter(zip(*made[0].codes, strict=True))


def _together(made):
    return [np.concatenate(columns) for columns in zip(*(rows.codes for rows in made), strict=True)]


def test_rows_that_have_the_wanted_tables_are_kept():
    domain, rng = domain_of((3, 4, 2)), np.random.default_rng(0)
    Q, made = parse_workload("marginals:2", domain), [random_records(domain, 60, rng) for _ in range(2)]
    same = exchange_rows(Q, Q.answers(made[0]), made, rng)
    assert (Q.answers(same) == Q.answers(made[0])).all()


def test_an_exchange_never_raises_the_weighted_sum_of_squares():
    """Whatever the tables wanted: here those of other records, which the roundings are far from."""
    A = chain_model(np.random.default_rng(0))
    domain, rng = domain_of(A.sizes), np.random.default_rng(2)
    Q, made = parse_workload("marginals:3", domain), [round_rows(domain, A, 150, rng) for _ in range(2)]
    wanted = Q.answers(random_records(domain, 150, rng))
    rows = exchange_rows(Q, wanted, made, rng)
    first, last = ((Q.answers(r) - wanted) ** 2 @ (wanted + 1) ** -0.5 for r in (made[0], rows))
    assert last < 0.8 * first


def test_rows_of_equal_cost_keep_their_order():
    """Otherwise the instructions that sort would decide, and these depend on the processor."""
    places = np.arange(200)
    cells = weights = np.zeros((200, 1))
    offered = RowOffers(places, cells, weights, (places % 3).astype(float)).cheapest_first()
    assert offered.places.tolist() == sorted(range(200), key=lambda i: i % 3)


def test_last_bits_of_a_model_do_not_change_its_rows():
    """They depend on the processor. A cell that expects four of nine rows expects no more, and no fewer."""
    sizes, wanted = (3, 3, 3, 5, 5), np.array([4, 1.25, 1.25, 1.25, 1.25])
    theta = {S: np.broadcast_to(np.log(wanted), (3, 3, 3, 5)) for S in ((0, 1, 2, 3), (0, 1, 2, 4))}
    A, n, rng = LogLinear.of(sizes, 243.0, theta), 243, np.random.default_rng(0)
    rows = round_rows(domain_of(sizes), A, n, np.random.default_rng(1))
    for _ in range(20):
        beliefs = [table * (1 + rng.integers(-1, 2, size=table.shape) * 2.0**-52) for table in A.components[0].beliefs]
        near = replace(A, components=(replace(A.components[0], beliefs=tuple(beliefs)),))
        again = round_rows(domain_of(sizes), near, n, np.random.default_rng(1))
        assert [column.tolist() for column in again.codes] == [column.tolist() for column in rows.codes]


def test_weighted_rows_too_few_for_the_tables_are_exchanged_for_redrawn_ones(monkeypatch):
    """Without the redraw, both roundings have the same 2,000 rows, though 30,000 cells are wanted."""
    sizes, n = (30, 40, 25), 20_000
    A, domain = random_model(np.random.default_rng(0), sizes), domain_of(sizes)
    A = replace(A, total=float(n))
    Q, drawn = parse_workload("marginals:3", domain), WeightedRecords.drawn_from(A, 2_000, np.random.default_rng(1))
    model = CorrectedModel(drawn, {(0, 1, 2): joint(A) * n})

    def nearest():
        return distance(Q, nearest_rows(Q, model, n, np.random.default_rng(2)), model)

    redrawn = nearest()
    monkeypatch.setattr(synthesis, "rows_hold", lambda tables: True)
    assert redrawn < 0.95 * nearest()


def test_rows_that_were_measured_are_not_redrawn():
    """No log-linear model stands behind them: a redraw would make other rows of them."""
    sizes = (30, 40, 25)
    counts = np.random.default_rng(0).multinomial(20_000, np.full(30_000, 1 / 30_000)).reshape(sizes)
    measured = WeightedRecords.of_counts(LogLinear.uniform(sizes, 20_000.0), counts)
    Q = parse_workload("marginals:3", domain_of(sizes))
    assert not rows_hold(Q)
    rows = nearest_rows(Q, measured, 20_000, np.random.default_rng(2))
    assert Q.answers(rows).tolist() == counts.ravel().tolist()


def test_where_not_all_tables_can_be_counted_rows_are_exchanged_for_the_smallest(monkeypatch):
    A = chain_model(np.random.default_rng(0))
    Q = parse_workload("marginals:2", domain_of(A.sizes))
    small = Q.part_cells <= np.median(Q.part_cells)
    monkeypatch.setattr(synthesis, "MAX_VALUES", int(Q.part_cells[small].sum()))
    made = []
    for seed in range(10):
        one = round_rows(Q.domain, A, 200, np.random.default_rng(seed))
        rows = nearest_rows(Q, A, 200, np.random.default_rng(seed))
        made.append([distance(Q.only(small), each, A) for each in (rows, one)])
    exchange_rows, rounded_once = np.mean(made, axis=0)
    assert exchange_rows < 0.5 * rounded_once


@pytest.mark.parametrize(("spec", "rows"), [("marginals:2", 200_000), ("marginals:5", 1_000)], ids=["rows", "cells"])
def test_many_rows_and_many_cells_are_rounded_once(spec, rows, monkeypatch):
    monkeypatch.setattr(synthesis, "MAX_COUNTED", 10**6)
    A = LogLinear.uniform((20, 20, 20, 20, 20), 10.0)
    domain = domain_of(A.sizes)
    nearest = nearest_rows(parse_workload(spec, domain), A, rows, np.random.default_rng(3))
    once = round_rows(domain, A, rows, np.random.default_rng(3))
    assert all((a == b).all() for a, b in zip(nearest.codes, once.codes, strict=True))


def test_rows_are_sorted_as_by_each_key_in_turn():
    """Keys of many values and of one, and neighbours that have as many values together as one key may have."""
    rng, rows = np.random.default_rng(0), synthesis.MIN_PACKED_ROWS
    for sizes in ([1], [2] * 20, [256, 256, 2], [1, 65_536, 1, 3], [70_000, 2, 2], [300, 7, 1, 200]):
        keys = [rng.integers(size, size=rows).astype(np.min_scalar_type(size - 1)) for size in sizes]
        for key, size in zip(keys, sizes, strict=True):
            key[:2] = 0, size - 1
        values = rng.random(rows)
        assert (synthesis._sorted_by(keys, np.argsort(values)) == np.lexsort([values, *keys])).all()


def test_rows_of_many_attributes_are_sorted_by_some_and_are_as_near(monkeypatch):
    """A hundred independent bits, and as many that are mostly 0: by 32 of them, their pairs err as by all of them."""
    rng, bits, n = np.random.default_rng(0), 100, 2000
    domain = Domain(tuple(Attribute(f"bit {a}", Range(0, 1)) for a in range(bits)))
    Q = parse_workload("marginals:2", domain)
    for ones in (rng.normal(size=bits), rng.uniform(-6, 0, bits)):
        A = LogLinear.of((2,) * bits, float(n), {(a,): np.array([0.0, x]) for a, x in enumerate(ones)})
        monkeypatch.setattr(synthesis, "MAX_SORTED", n * bits**2)
        by_all = distance(Q, round_rows(domain, A, n, np.random.default_rng(1)), A)
        monkeypatch.setattr(synthesis, "MAX_SORTED", 0)
        by_some = distance(Q, round_rows(domain, A, n, np.random.default_rng(1)), A)
        assert 0 < abs(by_some - by_all) < 0.1 * by_all
        assert by_some < 0.5 * distance(Q, sample(domain, A, n, np.random.default_rng(1)), A)


@pytest.mark.parametrize(
    ("spec", "sizes", "rows", "sentence"),
    [
        ("marginals:2", (2,) * 5, 2_000_000, ""),
        ("marginals:2", (2,) * 5, 2_000_001, "The rows were not exchanged towards the answers: that would take long."),
        ("parities:2", (2,) * 5, 2_000_001, ""),
        (
            "marginals:4",
            (10, 40, 40, 40, 40),
            1000,
            "The rows were not exchanged towards the 2 largest tables: that would take long.",
        ),
    ],
)
def test_what_rows_are_not_exchanged_for_is_said(spec, sizes, rows, sentence):
    assert synthesis.exchange_limit(parse_workload(spec, domain_of(sizes)), rows) == sentence


def test_rounded_rows_do_not_couple_the_children_of_one_parent():
    """The children are independent given the parent in the model, and so they are in the rows."""
    p = np.full((2, 2), 0.25)
    past = [Measurement((0, 1), p, 1.0), Measurement((0, 2), p, 1.0)]
    A = replay(LogLinear.uniform((2, 2, 2), 1.0), past, step=1.0, sweeps=1)
    rows = round_rows(domain_of((2, 2, 2)), A, 4000, np.random.default_rng(0))
    assert rows.marginal((1, 2)) == pytest.approx(np.full((2, 2), 1000), abs=10)


def test_rounded_rows_of_one_ordered_attribute_keep_every_range_to_one_row():
    """The error of a range is the difference of two errors of the cumulative sums."""
    p = np.random.default_rng(0).dirichlet(np.full(500, 0.2))
    A = LogLinear.of((500,), 1.0, {(0,): np.log(p + 1e-12)})
    rows = round_rows(domain_of((500,)), A, 1000, np.random.default_rng(0))
    errors = np.cumsum(rows.marginal((0,))) - 1000 * np.cumsum(A.marginal((0,)))
    assert np.ptp([0, *errors]) <= 1 + 1e-9


def test_values_inside_a_bin_are_spread_evenly_and_never_reach_the_next_bin():
    domain = Domain((Attribute("x", Edges((0.0, 1.0, 4.0))), Attribute("sex", Values(("F", "M")), missing="?")))
    codes = np.repeat([0, 1], 5000).astype(np.uint8), np.tile([0, 2], 5000).astype(np.uint8)
    columns = decode(Records(domain, codes), np.random.default_rng(0))
    assert columns["sex"].tolist() == ["F", "?"] * 5000
    low, high = columns["x"][:5000], columns["x"][5000:]
    assert (0 <= low.min(), low.max() < 1, 1 <= high.min(), high.max() <= 4) == (True,) * 4
    assert stats.kstest(low, "uniform").pvalue > 0.001
    assert stats.kstest((high - 1) / 3, "uniform").pvalue > 0.001


def test_models_and_results_that_draw_give_rows_and_a_list_of_answers_does_not():
    A = LogLinear.uniform((2, 2), 10.0)
    workload = parse_workload("marginals:1", domain_of((2, 2)))
    assert gives_rows(A)
    assert gives_rows(Average((A, A)))
    assert not gives_rows(Answers(workload, np.zeros(workload.size), 10.0))


@pytest.mark.parametrize("draw", [sample, round_rows])
def test_no_row_has_a_value_without_weight_and_the_others_follow_the_model(draw):
    """The value of the attribute that two cliques share, whose weight is too small for a number."""
    rng = np.random.default_rng(0)
    theta = {(0, 1): rng.normal(size=(2, 3)), (1, 2): rng.normal(size=(3, 2))}
    theta[0, 1][:, 1] = -800.0
    A = LogLinear.of((2, 3, 2), 1.0, theta)
    rows = draw(domain_of(A.sizes), A, 10_000, rng)
    assert rows.marginal((1,))[1] == 0
    for S in ((0, 1), (1, 2)):
        assert rows.marginal(S) / 10_000 == pytest.approx(A.marginal(S), abs=0.025)

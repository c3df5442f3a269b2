"""The expected tables, given a model's and measured ones: limits, accuracy, and the run that answers by them."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import Following, Recording, domain_of, neighbours, random_records

from mwem_core import Planned, Seeded, parse_workload
from mwem_core.automatic import correction
from mwem_core.automatic.correction import (
    FACTORS,
    NODE_WEIGHTS,
    NODES,
    STRENGTHS,
    TwofoldCells,
    corrected_tables,
    expected_tables,
)
from mwem_core.base import constants
from mwem_core.domain import OfTotal
from mwem_core.model import LogLinear, Measurement
from mwem_core.output import gives_rows, round_rows
from mwem_core.prior import MIN_STRENGTH
from mwem_core.weighted import CorrectedModel, WeightedRecords

N = 10_000.0
Q = parse_workload("marginals:2", domain_of([8] * 6))


@pytest.fixture
def model():
    rng = np.random.default_rng(0)
    return LogLinear.of((8,) * 6, N, {(a,): rng.normal(0, 0.5, 8) for a in range(6)})


def truth_near(A, strength, rng):
    """Tables whose cells vary around A's by n a / λ, with log-normal λ."""
    tables = A.marginals(Q.sets)
    spread = [np.sqrt(N * a / (strength * np.exp(constants.UNCERTAINTY * rng.normal(size=a.shape)))) for a in tables]
    return [a + s * rng.normal(size=a.shape) for a, s in zip(tables, spread, strict=True)]


def measured(tables, scale, rng):
    return [Measurement(S, t + scale * rng.normal(size=t.shape), scale) for S, t in zip(Q.sets, tables, strict=True)]


def test_the_nodes_integrate_the_moments_of_a_normal_variable():
    moments = [float(NODE_WEIGHTS @ NODES**power) for power in range(9)]
    assert moments == pytest.approx([1, 0, 1, 0, 3, 0, 15, 0, 105], abs=2e-4)


@pytest.mark.parametrize(("scale", "nearest"), [(1e-6, "measured"), (1e9, "model")])
def test_exact_measurements_are_the_answer_and_drowned_ones_leave_the_model_s(model, scale, nearest):
    tables = LogLinear.of((8,) * 6, N, {S: np.full((8, 8), 0.0) for S in Q.sets}).marginals(Q.sets)
    wanted = tables if nearest == "measured" else model.marginals(Q.sets)
    made = corrected_tables(model, Q, measured(tables, scale, np.random.default_rng(1)), 1.0)
    for m, table in zip(made, wanted, strict=True):
        assert np.abs(m.value - table).sum() < 0.01 * N


@pytest.mark.parametrize("scale", [3.0, 30.0, 300.0])
def test_answers_have_the_total_and_no_negative_cell(model, scale):
    rng = np.random.default_rng(2)
    for m in corrected_tables(model, Q, measured(truth_near(model, 50.0, rng), scale, rng), 1.0):
        assert m.value.sum() == pytest.approx(N)
        assert m.value.min() >= 0


@pytest.mark.parametrize("scale", [20.0, 100.0])
def test_expected_tables_err_less_than_measured_ones_and_the_model_s_and_say_by_how_much(model, scale):
    """960 cells with λ around 2,000: the mean squared error is what the scale says, within 20%."""
    rng = np.random.default_rng(3)
    truth = truth_near(model, 2000.0, rng)
    noisy = measured(truth, scale, rng)
    made = expected_tables(model, noisy, 1.0)

    def error(tables):
        return sum(((a - b) ** 2).sum() for a, b in zip(tables, truth, strict=True))

    found = error([m.value for m in made])
    assert found < 0.9 * min(error([m.value for m in noisy]), error(model.marginals(Q.sets)))
    assert found == pytest.approx(sum(m.scale**2 * m.value.size for m in made), rel=0.2)


def test_a_cell_is_expected_as_by_bayes_over_all_strengths_even_where_no_other_cell_is_as_likely():
    """The mean and the variance over the five λ of the rule, cell by cell; one gap is 10⁴ standard deviations off."""
    gap, noise, spread = np.array([0.0, 3.0, -2.0, 1e4]), np.array([1.0, 4.0, 0.5, 1.0]), np.full(4, 50.0)
    mean, variance = TwofoldCells(gap, noise, spread, np.zeros(4, int)).posterior(np.array([10.0]))
    prior = spread / (10.0 * np.exp(constants.UNCERTAINTY * NODES[:, None]))
    for i in range(4):
        logs = np.log(NODE_WEIGHTS) - 0.5 * (np.log(prior[:, i] + noise[i]) + gap[i] ** 2 / (prior[:, i] + noise[i]))
        chances = np.exp(logs - np.logaddexp.reduce(logs))
        kept = prior[:, i] / (prior[:, i] + noise[i])
        assert mean[i] == pytest.approx(chances @ kept * gap[i])
        between = chances @ (kept * gap[i]) ** 2 - mean[i] ** 2
        assert variance[i] == pytest.approx(chances @ kept * noise[i] + between, rel=1e-6)


def test_the_strengths_are_the_most_probable_of_those_tried_given_what_is_typical():
    """Evidence of each λ by the rule, times the densities of log-normal λ around f times the typical ones, and of f."""
    rng = np.random.default_rng(3)
    table = np.repeat([0, 1, 2], [12, 5, 9])
    gap = rng.normal(scale=np.array([6.0, 20.0, 1.0])[table])
    cells = TwofoldCells(gap, np.full(26, 25.0), np.full(26, 100.0), table)
    tried = np.geomspace(MIN_STRENGTH, N, STRENGTHS)

    def density(t, strength, typical):
        prior = cells.spread / (strength * np.exp(constants.UNCERTAINTY * NODES[:, None])) + cells.noise
        densities = NODE_WEIGHTS @ (np.exp(-(cells.gap**2) / (2 * prior)) / np.sqrt(prior))
        return np.prod(densities[table == t]) * np.exp(-((np.log(strength / typical) / constants.UNCERTAINTY) ** 2) / 2)

    for typical in np.geomspace(0.1, 1000, 5)[:, None] * [1.0, 2.0, 0.5]:
        most = 0.0
        for deviation in np.linspace(-3, 3, FACTORS):
            around = typical * np.exp(constants.UNCERTAINTY * deviation)
            each = [[density(t, strength, around[t]) for strength in tried] for t in range(3)]
            chance = np.prod([sum(of_table) for of_table in each]) * np.exp(-(deviation**2) / 2)
            if chance > most:
                most, best = chance, [tried[np.argmax(of_table)] for of_table in each]
        assert cells.strengths(typical, N) == pytest.approx(best)


def test_the_strengths_are_found_within_a_factor_of_two_in_the_mean(model):
    rng = np.random.default_rng(4)
    noisy = measured(truth_near(model, 50.0, rng), 20.0, rng)
    cells = TwofoldCells.of(model.marginals(Q.sets), noisy, 1.0, N)
    assert 25 < np.exp(np.log(cells.strengths(np.full(len(noisy), 200.0), N)).mean()) < 100


def test_tables_that_the_model_has_and_others_that_it_lacks_get_strengths_of_their_own(model):
    """λ of 5,000 in the first eight pairs, of 5 in the others."""
    rng = np.random.default_rng(5)
    near, far = (measured(truth_near(model, strength, rng), 3.0, rng) for strength in (5000.0, 5.0))
    cells = TwofoldCells.of(model.marginals(Q.sets), [*near[:8], *far[8:]], 1.0, N)
    found = cells.strengths(np.full(len(near), 160.0), N)
    assert found[:8].min() > 1000
    assert found[8:].max() < 25


def test_strengths_from_some_of_the_cells_are_near_those_from_all(model, monkeypatch):
    """640 of 960 cells are the most that are read, so every second one of a table."""
    rng = np.random.default_rng(6)
    cells = TwofoldCells.of(model.marginals(Q.sets), measured(truth_near(model, 50.0, rng), 20.0, rng), 1.0, N)
    of_all = cells.strengths(np.full(15, 160.0), N)
    monkeypatch.setattr(correction, "MAX_EVIDENCE", 640)
    of_some = cells.strengths(np.full(15, 160.0), N)
    assert (of_some != of_all).any()
    assert np.abs(np.log(of_some / of_all)).mean() < 0.5


def test_a_cell_far_beyond_its_noise_is_believed_where_its_neighbours_are_not(model):
    """All cells but one are measured as the model has them, to within noise of 20; that one has 400 more."""
    rng = np.random.default_rng(5)
    noisy = measured(model.marginals(Q.sets), 20.0, rng)
    far = noisy[0].value.copy()
    far[0, 0] += 400
    made = expected_tables(model, [replace(noisy[0], value=far), *noisy[1:]], 1.0)
    assert abs(made[0].value[0, 0] - far[0, 0]) < 60
    assert (
        np.abs(made[1].value - model.marginal(Q.sets[1])).mean()
        < 0.5 * np.abs(noisy[1].value - model.marginal(Q.sets[1])).mean()
    )


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_beyond_one_table_a_plan_answers_corrected_and_a_neighbour_s_data_shows_in_the_noise_alone(delta):
    """Ten attributes of four values. With the noise that makes up for a record, the neighbour's answers are ours."""
    B = random_records(domain_of([4] * 10), 2000, np.random.default_rng(0))
    pairs = parse_workload("marginals:2", B.domain)
    settings = Planned(epsilon=3.0, delta=delta, plan="marginals", tolerance=0.01)
    ours = Recording(Seeded(0))
    *_, last = settings.rounds(B, pairs, noise=ours)
    assert last.ledger.spent == pytest.approx(settings.guarantee.budget.amount, rel=1e-12)
    assert isinstance(last.model, CorrectedModel)
    assert isinstance(last.A, WeightedRecords)
    assert last.model.A is last.A
    assert gives_rows(last.model)
    assert round_rows(B.domain, last.model, 500, np.random.default_rng(0)).total == 500
    neighbour = next(iter(neighbours(B, np.random.default_rng(0))))
    *_, other = settings.rounds(OfTotal(neighbour, 2000), pairs, noise=Following(ours.draws))
    assert other.model.answers(pairs) == pytest.approx(last.model.answers(pairs), abs=1e-6)

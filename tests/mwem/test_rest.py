"""The rest of the workload, measured once at the end: what it spends, what it measures, and what it gains."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from messages import exactly
from oracles import Following, OfTotal, Recording, domain_of, measured_loss, neighbours, random_records

from mwem_core import MWEM, Domain, Records, Seeded, encode, parse_workload, read_table
from mwem_core.evaluation.metrics import errors
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.weighted_records import WeightedRecords
from mwem_core.mwem.expected import expected_tv, subsets_of
from mwem_core.mwem.expected_rest import keeping_rest
from mwem_core.mwem.presets import selected
from mwem_core.mwem.rest import mixed
from mwem_core.release.manifest import transcript
from mwem_core.release.run import Run

EIGHT = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
SAMPLES = Path(__file__).parents[2] / "sample_data"
N, SIZES = 400, (3, 2, 4, 2)
every_delta = pytest.mark.parametrize("delta", [0.0, 1e-9])


@cache
def latent(n=20_000, attributes=8, values=4):
    """Every two attributes depend on each other, through a class of four values."""
    rng = np.random.default_rng(7)
    classes = rng.integers(values, size=n)
    columns = [np.where(rng.random(n) < 0.5, classes, rng.integers(values, size=n)) for _ in range(attributes)]
    return Records(domain_of([values] * attributes), tuple(column.astype(np.uint8) for column in columns))


def settings(**changed):
    return MWEM(**{"epsilon": 2.0, "T": 3, "select": "tables", "rest": 1 / 3, "step": 3.0, "sweeps": 60} | changed)


@every_delta
@pytest.mark.parametrize("changed", [{}, {"T": 5, "first": "one-way"}, {"measured_total": 0.1}])
def test_every_marginal_is_measured_once_and_exactly_epsilon_is_spent(delta, changed):
    B = random_records(domain_of(SIZES), N, np.random.default_rng(0))
    Q, chosen = parse_workload("marginals:2", B.domain), settings(delta=delta, **changed)
    rounds = list(chosen.rounds(B, Q, noise=Seeded(0)))
    budget, spent = chosen.guarantee.budget, [entry.ledger.spent for entry in rounds]
    assert sorted(m.attrs for entry in rounds for m in entry.measurements if len(m.attrs) == 2) == sorted(Q.sets)
    assert [entry.index for entry in rounds] == list(range(chosen.planned_rounds(N, Q) + 1))
    assert spent[-1] == pytest.approx(budget.amount, rel=1e-12)
    share = (budget.amount - spent[-2]) / (budget.amount - spent[0])
    assert share == pytest.approx(1 / 3, rel=1e-9)
    assert isinstance(rounds[-1].model, WeightedRecords)
    assert rounds[-1].model.total == pytest.approx(rounds[0].model.total)


@every_delta
def test_neighbours_are_told_apart_by_no_more_than_the_last_round_pays_for(delta):
    B = random_records(domain_of(SIZES), N, np.random.default_rng(0))
    Q, chosen, ours = parse_workload("marginals:2", B.domain), settings(delta=delta), Recording(Seeded(0))
    rounds = list(chosen.rounds(B, Q, noise=ours))
    paid, losses = rounds[-1].ledger.spent - rounds[-2].ledger.spent, []
    for neighbour in neighbours(B, np.random.default_rng(0)):
        theirs = Recording(Following(ours.draws))
        *_, last = chosen.rounds(OfTotal(neighbour, N), Q, noise=theirs)
        assert last.model.answers(Q).tolist() == rounds[-1].model.answers(Q).tolist()
        rest = len(rounds[-1].planned)
        losses.append(measured_loss(ours.draws[-rest:], theirs.draws[-rest:], chosen.guarantee.budget.unit))
    assert losses == pytest.approx([paid, paid], rel=1e-9)


def test_the_rest_brings_a_model_nearer_to_the_truth_where_rounds_leave_marginals_out():
    """Eight attributes of one class, at δ = 1e-9. Two of 28 pairs selected leave most of them as if independent."""
    B = latent()
    Q = parse_workload("marginals:2", B.domain)
    truth = Q.answers(B)
    for seed in range(3):
        *_, before, last = settings(T=2, delta=1e-9).rounds(B, Q, noise=Seeded(seed))
        model, rest = (errors(Q, Q.answers(entry.model), truth, B.total) for entry in (before, last))
        noise = [np.abs(m.value - B.marginal(m.attrs)).sum() / (2 * B.total) for m in last.planned]
        assert rest.mean_tv < 0.5 * model.mean_tv
        assert rest.mean_tv < np.mean(noise)
        assert rest.max_error < 0.5 * model.max_error


def test_where_noise_drowns_the_rest_the_model_stays_as_it_was():
    B = latent()
    Q = parse_workload("marginals:2", B.domain)
    A, rng = LogLinear.uniform(B.domain.shape, float(B.total)), np.random.default_rng(0)
    loud = [Measurement(S, A.marginal(S) + rng.normal(0, 1e5, (4, 4)), 1e5) for S in Q.sets]
    for S, table in mixed(A, loud, 1.0).items():
        assert np.abs(table - A.marginal(S)).sum() < 0.02 * B.total
        assert (table >= 0).all()
        assert table.sum() == pytest.approx(B.total)


def test_the_transcript_lists_the_marginals_of_the_rest_with_their_noise():
    B = random_records(domain_of(SIZES), N, np.random.default_rng(0))
    Q = parse_workload("marginals:2", B.domain)
    rounds = tuple(settings().rounds(B, Q, noise=Seeded(0)))
    last = transcript(Run(Q, settings(), "default", rounds))[-1]
    assert last["chosen"] == "the rest, once"
    assert [line["whole_marginal"] for line in last["marginals"]] == [True] * 3
    assert all(line["noise_scale"] > 0 for line in last["marginals"])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rest": 1.0}, "rest must be at least 0 and less than 1, got 1.0"),
        ({"rest": -0.1}, "rest must be at least 0 and less than 1, got -0.1"),
        ({"plan": "residuals"}, "plan 'residuals' leaves no rest to measure: choose plan 'select' with it"),
        ({"select": "queries"}, "rest measures whole tables: choose select='tables' with it"),
        ({"T": "adaptive"}, "rest comes after a number of rounds: give T one, without annealing"),
        ({"output": "average"}, "rest is fitted by the last model: choose output='last' with it"),
    ],
)
def test_settings_that_contradict_the_rest_are_refused(changed, message):
    with pytest.raises(ValueError, match=exactly(message)):
        settings(**changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"T": 6}, "6 rounds leave nothing of 6 marginals to measure: lower T, or set rest to 0"),
        ({"cell_budget": 11}, "rest measures a marginal of 12 cells, above the cell budget of 11: raise it"),
    ],
)
def test_a_workload_without_a_rest_that_can_be_measured_is_refused_before_any_noise(changed, message):
    B, noise = random_records(domain_of(SIZES), N, np.random.default_rng(0)), Recording(Seeded(0))
    with pytest.raises(ValueError, match=exactly(message)):
        settings(**changed).rounds(B, parse_workload("marginals:2", B.domain), noise=noise)
    assert not noise.draws


@pytest.fixture(scope="module")
def adult():
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text(encoding="utf-8")).project(EIGHT)
    return encode(read_table(SAMPLES / "adult.parquet"), domain)


@pytest.mark.parametrize(
    ("spec", "epsilon", "delta", "keeps"),
    [
        ("marginals:2", 0.3, 1e-9, True),
        ("marginals:2", 0.3, 0.0, False),  # a third kept would raise the noise of rounds by half
        ("marginals:3", 10.0, 1e-9, True),
        ("marginals:3", 0.3, 1e-9, False),  # a few rounds for 56 triples: the rest would be too noisy
    ],
)
def test_selection_keeps_a_rest_where_noise_is_gaussian_and_small(adult, spec, epsilon, delta, keeps):
    Q = parse_workload(spec, adult.domain)
    assert bool(keeping_rest(selected(Q, n=adult.total, epsilon=epsilon, delta=delta), Q)) == keeps


def test_no_rest_is_kept_where_rows_cannot_hold_the_marginals():
    """Triples of 15,625 cells in the mean, where the same rounds on small ones keep a rest."""
    for values, kept in ((6, True), (25, False)):
        Q = parse_workload("marginals:3", domain_of([values] * 7))
        rounds = replace(selected(Q, n=300_000, epsilon=10.0, delta=1e-9), T=20)
        assert bool(keeping_rest(rounds, Q)) == kept


def test_parities_are_selected_one_by_one_and_keep_no_rest():
    Q = parse_workload("parities:2", domain_of([2] * 16))
    assert keeping_rest(selected(Q, n=20_000, epsilon=1.0, delta=1e-9), Q) is None


def test_on_adult_the_largest_error_of_pairs_is_nearly_halved(adult):
    """At ε = 0.3 and δ = 1e-9, three seeds: to .48 of selection's alone. The expected total variation is met."""
    Q, n = parse_workload("marginals:2", adult.domain), adult.total
    truth, found = Q.answers(adult), {}
    kept = keeping_rest(selected(Q, n=n, epsilon=0.3, delta=1e-9), Q)
    for chosen in (kept, selected(Q, n=n, epsilon=0.3)):
        runs = [list(chosen.rounds(adult, Q, noise=Seeded(seed)))[-1] for seed in range(3)]
        each = [errors(Q, Q.answers(last.model), truth, n) for last in runs]
        found[chosen.rest] = [np.mean([e.mean_tv for e in each]), np.mean([e.max_error for e in each])]
    (tv, largest), (tv_before, largest_before) = found[kept.rest], found[0.0]
    assert largest < 0.65 * largest_before
    assert tv < 1.02 * tv_before
    assert tv / 2 < expected_tv(kept, subsets_of(Q), n) < 2 * tv

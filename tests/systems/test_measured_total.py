"""Where n is measured, neighbours that differ in n release the same from the same noisy values."""

from functools import cache

import numpy as np
import pytest
from contract import PRIVATE, RUNS, privacy_loss, recorded, released, table_for, workload_for
from messages import exactly
from oracles import Following, Recording, domain_of, neighbours, random_records
from plans import plan_of

from mwem_core import MeasuredTotal, Records, Seeded, parse_workload
from mwem_core.output import gives_rows, nearest_rows
from mwem_core.systems.system import SYSTEMS

every_run = pytest.mark.parametrize(("name", "delta"), RUNS)
EPSILON = 0.8


@cache
def settings_of(name, delta):
    return MeasuredTotal(epsilon=EPSILON, delta=delta, system=name, share=0.2)


@cache
def run(name, delta):
    return recorded(settings_of(name, delta), table_for(name), workload_for(name), Seeded(3))


@pytest.mark.slow
@every_run
def test_neighbours_release_the_same_and_are_told_apart_by_no_more_than_the_ledger_charges(name, delta):
    """All of it, n too, and with it every choice that a rule makes: what is offered, at which noise, in which rounds.

    The replay also finds the kind and the scale of each draw equal.
    """
    Q, (rounds, draws), budget = workload_for(name), run(name, delta), settings_of(name, delta).guarantee.budget
    assert rounds[0].model.total != table_for(name).total
    for neighbour in neighbours(table_for(name), np.random.default_rng(0)):
        theirs, their_draws = recorded(settings_of(name, delta), neighbour, Q, Following(draws[-1]))
        assert released(theirs, Q) == released(rounds, Q)
        losses = [
            privacy_loss("costs" if (name, i) == ("dawa", 1) else kind, a, b, scale, budget.unit)
            for i, ((kind, a, scale, _), (_, b, _, _)) in enumerate(zip(draws[-1], their_draws[-1], strict=True))
        ]
        assert losses[0] == pytest.approx(rounds[0].ledger.spent)  # of n itself: a record moves it by 1
        for entry, until_here in zip(rounds, draws, strict=True):
            assert sum(losses[: len(until_here)]) <= entry.ledger.spent * (1 + 1e-9)


@every_run
def test_n_and_the_rest_spend_the_whole_budget_in_one_ledger(name, delta):
    settings, (rounds, _) = settings_of(name, delta), run(name, delta)
    assert [entry.index for entry in rounds] == list(range(len(rounds)))
    assert rounds[0].ledger.start == pytest.approx(0.2 * settings.guarantee.budget.amount)
    assert {entry.ledger.budget for entry in rounds} == {settings.guarantee.budget}
    assert rounds[-1].ledger.spent <= settings.guarantee.budget.amount
    assert settings.guarantee.epsilon_of(rounds[-1].ledger.spent) == pytest.approx(EPSILON, rel=1e-6)
    assert settings.guarantee.delta == SYSTEMS[name].delta_of(delta)


@every_run
def test_everything_is_of_the_noisy_total(name, delta):
    """Where whole tables were measured, their sum says n too: then the rounds have the mean, weighted by precision."""
    rounds, _ = run(name, delta)
    first, *rest = rounds
    (n,) = first.measurements
    assert float(n.value) == first.model.total
    sums = [m for m in rest[0].planned if m.attrs == ()] if rest else []
    if sums:
        (tables,) = sums
        weights = np.array([n.scale, tables.scale]) ** -2.0
        mean = weights @ np.array([float(n.value), float(tables.value)]) / weights.sum()
        assert {entry.model.total for entry in rest} == {round(mean)}
    else:
        assert {float(entry.model.total) for entry in rest} <= {first.model.total}


def test_the_sum_of_measured_cells_is_nearer_to_n_than_its_own_share():
    """64 cells with noise of scale 1/.92: their sum is off by 9 in the mean, and a share of 8% by 12.5; both by 7.5."""
    B = random_records(domain_of([2] * 6), 2000, np.random.default_rng(0))
    Q, settings = parse_workload("marginals:2", B.domain), MeasuredTotal(epsilon=1.0)
    off = []
    for seed in range(60):
        first, *_, last = settings.rounds(B, Q, noise=Seeded(seed))
        off.append((abs(first.model.total - B.total), abs(last.model.total - B.total)))
    alone, together = np.mean(off, axis=0)
    assert together < 0.8 * alone


@pytest.mark.parametrize("name", PRIVATE)
def test_whether_a_run_spends_epsilon_or_rho_does_not_depend_on_n(name):
    for delta in (0.0, 1e-9):
        settings = settings_of(name, delta)
        for n in (1, 30, 1000, 10**5):
            chosen = settings.settings(workload_for(name), n).guarantee
            assert chosen.budget == settings.rest.budget
            assert chosen.budget.unit == settings.guarantee.budget.unit


def test_the_noisy_n_decides_and_not_the_true_one():
    """A noise source that says 10⁵ of a table of 300 records: the plan and the rounds are those of 10⁵."""
    B = random_records(domain_of([4] * 6), 300, np.random.default_rng(0))
    Q, settings = parse_workload("marginals:2", B.domain), MeasuredTotal(epsilon=1.0)
    few, many = settings.settings(Q, 300), settings.settings(Q, 10**5)
    assert (plan_of(few), plan_of(many)) == ("staged", "marginals")
    by_rule = MeasuredTotal(epsilon=1.0, system="mwem")
    assert by_rule.settings(Q, 300).cell_budget < by_rule.settings(Q, 10**5).cell_budget
    rounds = list(settings.rounds(B, Q, noise=Saying(10**5)))
    assert [entry.label for entry in rounds[1:]] == ["one attribute at a time", "2 attributes at a time"]
    assert rounds[-1].index == many.planned_rounds(10**5, Q)
    assert rounds[0].model.total == 10**5
    assert settings.planned_rounds(300, Q) is None


def test_rows_are_as_many_as_the_model_has():
    B = random_records(domain_of([4] * 6), 300, np.random.default_rng(0))
    Q = parse_workload("marginals:2", B.domain)
    *_, last = MeasuredTotal(epsilon=1.0).rounds(B, Q, noise=Saying(400))
    assert last.model.total == 400
    assert gives_rows(last.model)
    assert nearest_rows(Q, last.model, 400, np.random.default_rng(0)).total == 400


class Saying(Seeded):
    """A noise source whose first draw is this number."""

    def __init__(self, first):
        super().__init__(0)
        self.first = first

    def laplace(self, exact, *arguments):
        """The first draw is n's."""
        first, self.first = self.first, None
        return super().laplace(exact, *arguments) if first is None else np.array(first)


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_a_noisy_n_is_n_with_the_noise_of_its_share(delta):
    """A share of .1 of ε = 1 is Laplace noise of scale 10, and of ρ the noise of a tenth of it."""
    settings = MeasuredTotal(epsilon=1.0, delta=delta, share=0.1)
    B, Q = random_records(domain_of([4, 4]), 1000, np.random.default_rng(0)), parse_workload("marginals:1", DOMAIN)
    noise = Recording(Seeded(0))
    first = next(settings.rounds(B, Q, noise=noise))
    (kind, exact, scale, noisy), budget = noise.draws[0], settings.guarantee.budget
    assert (kind, float(exact)) == ("gaussian" if delta else "laplace", 1000.0)
    assert scale == pytest.approx(budget.part(0.1).scale, rel=1e-6)
    assert first.model.total == round(float(noisy)) != 1000


DOMAIN = domain_of([4, 4])


def test_an_empty_table_is_not_told_from_a_single_record():
    Q, settings = parse_workload("marginals:1", DOMAIN), MeasuredTotal(epsilon=1.0)
    empty, one = (Records(DOMAIN, (np.zeros(n, np.uint8),) * 2) for n in (0, 1))
    rounds, draws = recorded(settings, empty, Q, Seeded(0))
    theirs, _ = recorded(settings, one, Q, Following(draws[-1]))
    assert released(theirs, Q) == released(rounds, Q)


def test_a_workload_that_no_n_serves_is_refused_before_n_is_measured():
    domain, noise = domain_of([70, 70, 2]), Recording(Seeded(0))
    B = Records(domain, tuple(np.zeros(60, np.uint16) for _ in range(3)))
    with pytest.raises(ValueError, match="leave attributes out"):
        MeasuredTotal(epsilon=1.0, system="net").rounds(B, parse_workload("marginals:2", domain), noise=noise)
    assert not noise.draws


@pytest.mark.parametrize("name", ["uniform", "weights"])
def test_a_system_without_a_budget_is_refused(name):
    message = f"{SYSTEMS[name].title} has no budget to measure n with: choose a private system"
    with pytest.raises(ValueError, match=exactly(message)):
        MeasuredTotal(epsilon=1.0, system=name)


@pytest.mark.parametrize("share", [0, -0.1, 1, 1.5, float("nan")])
def test_a_share_outside_of_0_to_1_is_refused(share):
    with pytest.raises(ValueError, match=r"^share must be "):
        MeasuredTotal(epsilon=1.0, share=share)

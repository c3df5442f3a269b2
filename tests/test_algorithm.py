"""What every algorithm shares: rounds, algorithms of one round, answers without a model, and arguments of presets."""

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from messages import exactly
from models import random_model, random_set, random_sizes
from oracles import domain_of, joint, random_records

from mwem_core import Domain, Records, Seeded, mwem_by_rule, parse_workload
from mwem_core.algorithm import Answers, OneShot, Round
from mwem_core.base import settings_from
from mwem_core.model import Measurement, Omissions, update
from mwem_core.privacy import ZCDP, Ledger, Pure
from mwem_core.workload import families


def answers_by_loop(A, m):
    """The answers of A to what m measured, as a list: one for a query, one per cell for a whole marginal."""
    p = joint(A) * A.total
    cells = list(itertools.product(*map(range, A.sizes)))
    if m.q is not None:
        return [sum(m.q[tuple(x[a] for a in m.attrs)] * p[x] for x in cells)]
    on_attrs = itertools.product(*(range(A.sizes[a]) for a in m.attrs))
    return [sum(p[x] for x in cells if tuple(x[a] for a in m.attrs) == y) for y in on_attrs]


@pytest.mark.parametrize("whole_marginal", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_an_updated_round_holds_the_l1_norms_of_the_residual_and_of_the_change(whole_marginal, seed):
    rng = np.random.default_rng(seed)
    A_before = random_model(rng, random_sizes(rng))
    S = random_set(rng, len(A_before.sizes))
    shape = [A_before.sizes[a] for a in S]
    q = None if whole_marginal else rng.uniform(-1, 1, size=shape)
    m = Measurement(S, rng.normal(300, 200, size=shape if whole_marginal else ()), 1.0, q)
    A, ledger, declined = update(A_before, m, step=0.5), Ledger(Pure(1.0)), Omissions(0, 5, 9)

    entry = Round.updated(3, ledger, A_before, A_before, A, m, label="a name", chosen=7, declined=declined)

    before, after = answers_by_loop(A_before, m), answers_by_loop(A, m)
    residual = sum(abs(value - answer) for value, answer in zip(m.value.ravel(), before, strict=True))
    assert entry.residual == pytest.approx(residual, rel=1e-9)
    assert entry.moved == pytest.approx(sum(abs(y - x) for x, y in zip(before, after, strict=True)), rel=1e-9)
    assert entry.moved > 1
    assert (entry.index, entry.ledger, entry.label, entry.chosen) == (3, ledger, "a name", 7)
    assert entry.model is A_before
    assert entry.A is A
    assert entry.measurement is m
    assert entry.declined is declined


@pytest.mark.parametrize(
    ("kind", "unit"),
    [({"q": np.ones(3)}, "predicate"), ({}, "marginal"), ({"centred": True}, "residual"), ({"levels": (2,)}, "level")],
)
def test_planned_measurements_have_the_name_of_their_kind(kind, unit):
    m = Measurement((0,), np.zeros(3), 1.0, **kind)
    assert Round(1, Ledger(Pure(1.0)), None, planned=(m, m)).planned_unit == unit


@pytest.mark.parametrize(("budget", "mean"), [(Pure(1.0), 2.5), (ZCDP(1.0), 2.5 * math.sqrt(2 / math.pi))])
def test_the_expected_noise_is_the_mean_of_a_draw_times_the_numbers_measured(budget, mean):
    marginal = Measurement((0, 1), np.zeros((3, 4)), 2.5)
    query = Measurement((0, 1), np.array(0.0), 2.5, np.ones((3, 4)))
    for measurement, expected in ((marginal, 12 * mean), (query, mean), (None, 0.0)):
        entry = Round(1, Ledger(budget), None, measurement=measurement)
        assert entry.expected_noise == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_expected_noise_is_the_l1_norm_of_the_noise_drawn_on_average(delta):
    domain = Domain.from_toml("[[attribute]]\nname = 'a'\nrange = [0, 4999]")
    records = Records(domain, (np.arange(5000, dtype=np.uint16),))
    workload = parse_workload("cuboids:1", domain)
    settings = mwem_by_rule(workload, n=records.total, epsilon=1.0, delta=delta, T=1)
    start, last = settings.rounds(records, workload, noise=Seeded(1))
    drawn = np.abs(last.measurement.value - records.marginal((0,))).sum()
    assert last.expected_noise == pytest.approx(drawn, rel=0.06)  # 5,000 draws: four standard errors
    assert start.expected_noise == 0


@dataclass(frozen=True, kw_only=True)
class OneMarginal(OneShot):
    """Serves workloads of one marginal; lists its calls."""

    epsilon: float = 1.0
    calls: list[str] = field(default_factory=list)

    def check(self, workload):
        self.calls.append("check")
        if workload.parts > 1:
            raise ValueError("one marginal only")

    def release(self, B, Q, noise):
        self.calls.append("release")
        return Round(1, Ledger(Pure(1.0)), Answers(Q, Q.answers(B), B.total))


def test_an_algorithm_of_one_round_checks_on_the_call_and_spends_its_budget_on_demand():
    B = random_records(domain_of([2, 3]), 20, np.random.default_rng(0))
    Q, settings = families.marginals(B.domain, 2), OneMarginal()
    rounds = settings.rounds(B, Q, noise=Seeded(0))
    assert settings.calls == ["check"]
    assert next(rounds).index == settings.planned_rounds(20, Q) == 1
    assert settings.calls == ["check", "release"]
    assert list(rounds) == []


def test_an_algorithm_of_one_round_refuses_a_workload_and_an_empty_table_on_the_call():
    B = random_records(domain_of([2, 3]), 20, np.random.default_rng(0))
    empty = random_records(B.domain, 0, np.random.default_rng(0))
    settings = OneMarginal()
    with pytest.raises(ValueError, match=exactly("one marginal only")):
        settings.rounds(B, families.marginals(B.domain, 1), noise=Seeded(0))
    with pytest.raises(ValueError, match=exactly("the table has no records: there is nothing to release")):
        settings.rounds(empty, families.marginals(B.domain, 2), noise=Seeded(0))
    assert settings.calls == ["check", "check"]


def test_answers_are_for_their_own_workload_only():
    domain = domain_of([2, 3])
    Q, values = families.marginals(domain, 2), np.arange(6.0)
    answers = Answers(Q, values, 15.0)
    assert answers.answers(families.marginals(domain, 2)) is values
    other, elsewhere = families.marginals(domain, 1), families.marginals(domain_of([3, 2]), 2)
    for workload in (other, elsewhere):
        message = f"only {Q.name} were answered, not {workload.name}: run it again for those"
        with pytest.raises(ValueError, match=exactly(message)):
            answers.answers(workload)


def test_declined_candidates_have_a_reason_in_one_sentence():
    assert Omissions(0, 100, 2000).reason == ""
    assert Omissions(1200, 1000, 2000, "a × b", 3000).reason == (
        "1,200 not offered: the model holds 1,000 cells of the 2,000 it may hold by now, and a × b would make it 3,000"
    )


def test_a_preset_gets_the_arguments_that_it_names_and_no_others():
    all_arguments = {"workload": "w", "n": 10, "epsilon": 1.0, "delta": 0.0, "T": 3}

    def preset(workload, *, n, delta=1e-9, T=5):
        return {"workload": workload, "n": n, "delta": delta, "T": T}

    assert settings_from(preset, **all_arguments) == {"workload": "w", "n": 10, "delta": 0.0, "T": 3}


def test_a_T_of_none_leaves_the_default_of_the_preset_and_only_T_may_be_none():
    assert settings_from(lambda *, T=5: T, T=None) == settings_from(lambda *, T=5: T) == 5
    assert settings_from(lambda *, T=5: T, T="adaptive") == "adaptive"
    assert settings_from(lambda *, epsilon=1.0: epsilon, epsilon=None, T=None) is None


def test_a_class_of_settings_is_a_preset():
    @dataclass(frozen=True, kw_only=True)
    class Settings:
        epsilon: float
        on: str = "cells"

    assert settings_from(Settings, workload="w", n=10, epsilon=0.5, delta=0.0, T=3) == Settings(epsilon=0.5)

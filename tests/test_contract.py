"""One contract for every system: what it spends, what it may read, what it refuses, what it gives."""

import dataclasses
import math
from collections import deque
from functools import cache, partial
from typing import get_args, get_type_hints

import numpy as np
import pytest
from oracles import Following, OfTotal, Recording, domain_of, neighbours, random_records

from mwem_core import Seeded
from mwem_core.data.records import Records
from mwem_core.release.synthesis import gives_rows, rounded
from mwem_core.systems import DEFAULT_DELTA, SYSTEMS
from mwem_core.workload import families
from mwem_core.workload.spec import parse_workload

N, EPSILON = 200, 0.8
PRIVATE = [name for name, system in SYSTEMS.items() if system.privacy not in ("none", "no data")]
# each private system at the δ it takes for none, and under zCDP too where it can do without
RUNS = [
    (name, delta) for name in PRIVATE for delta in ((0.0, DEFAULT_DELTA) if SYSTEMS[name].privacy == "ε or zCDP" else (0.0,))
]


def table_of(name):
    """A small binary table: the net mechanism, which lists all small tables, gets a smaller domain."""
    return random_records(domain_of([2] * (3 if name == "net" else 5)), N, np.random.default_rng(0))


def settings_of(name, delta=0.0):
    return SYSTEMS[name].settings(questions(name), n=N, epsilon=EPSILON, delta=delta)


@cache
def questions(name):
    return families.marginals(table_of(name).domain, 2)


def recorded(settings, B, Q, noise):
    """The rounds, and after each the draws so far."""
    noise = Recording(noise)
    rounds = [(entry, len(noise.draws)) for entry in settings.rounds(B, Q, noise=noise)]
    return [entry for entry, _ in rounds], [noise.draws[:count] for _, count in rounds]


@cache
def run(name, delta=0.0, seed=0):
    """A whole run on the table, and its draws."""
    return recorded(settings_of(name, delta), OfTotal(table_of(name), N), questions(name), Seeded(seed))


@cache
def followed(name, delta, seed):
    """Runs on neighbours that are told the same: n is public, so they agree on it."""
    _, draws = run(name, delta, seed)
    return [
        recorded(settings_of(name, delta), OfTotal(each, N), questions(name), Following(draws[-1]))
        for each in neighbours(table_of(name), np.random.default_rng(seed))
    ]


@pytest.mark.parametrize(("name", "delta"), RUNS)
def test_budget_is_spent_to_the_last_and_never_beyond(name, delta):
    promise, (rounds, draws) = settings_of(name, delta).guarantee, run(name, delta)
    budget, spent = promise.budget, [entry.ledger.spent for entry in rounds]
    assert (promise.epsilon, promise.delta) == (EPSILON, SYSTEMS[name].delta_of(delta))
    assert budget.unit == ("ρ" if promise.delta else "ε")
    assert spent == sorted(spent)
    assert spent[-1] <= budget.amount
    assert spent[-1] == pytest.approx(budget.amount, rel=1e-9)
    assert promise.epsilon_of(spent[-1]) == pytest.approx(EPSILON, rel=1e-6)
    assert all(entry.ledger.budget == budget for entry in rounds)
    assert draws[-1]


@pytest.mark.parametrize("name", SYSTEMS)
def test_rounds_are_numbered_and_no_more_than_planned(name):
    rounds, planned = run(name)[0], settings_of(name).planned_rounds(N, questions(name))
    first = rounds[0].index
    assert first in (0, 1)
    assert [entry.index for entry in rounds] == list(range(first, first + len(rounds)))
    assert planned is None or rounds[-1].index <= planned


def loss(kind, ours, theirs, scale, unit):
    """What one draw tells two tables apart by, at worst over its outcomes, in the unit of the budget.

    A choice: the most that a candidate's log-probability moves; its zCDP is an eighth of the square of the range that
    log-ratios span (Dong et al. 2020; at most the ε of the mechanism). Noise: the L1 distance over the scale, or half
    the squared L2 distance over the variance.
    """
    if kind == "choose":
        open_ = np.isfinite(ours)
        assert (np.isfinite(theirs) == open_).all()  # what may be chosen is public
        moved = ours[open_] - theirs[open_]
        if unit == "ρ":
            return (moved.max() - moved.min()) ** 2 / 8
        return np.abs(moved - np.logaddexp.reduce(ours[open_]) + np.logaddexp.reduce(theirs[open_])).max()
    gap = np.abs(ours - theirs)
    if kind == "laplace":
        assert unit == "ε"  # Laplace noise is not charged in zCDP here
        return gap.sum() / scale
    assert unit == "ρ"
    return (gap**2).sum() / (2 * scale**2)


@pytest.mark.parametrize(("name", "delta"), RUNS)
def test_neighbours_are_told_apart_by_no_more_than_the_ledger_says_at_any_round(name, delta):
    unit, worst = settings_of(name, delta).guarantee.budget.unit, 0.0
    for seed in range(2 if len(run(name, delta)[0]) > 1 else 1):  # one shot is told apart alike at every outcome
        rounds, draws = run(name, delta, seed)
        for _, theirs in followed(name, delta, seed):
            assert [len(each) for each in theirs] == [len(each) for each in draws]
            losses = [
                loss(kind, exact, other, scale, unit)
                for (kind, exact, scale, _), (_, other, _, _) in zip(draws[-1], theirs[-1], strict=True)
            ]
            for entry, so_far in zip(rounds, draws, strict=True):
                assert sum(losses[: len(so_far)]) <= entry.ledger.spent * (1 + 1e-9)
            worst = max(worst, sum(losses))
    assert worst > 0


def public(rounds, Q):
    """All that rounds say, as plain values: of models, what they answer, and of the last also what it draws."""
    last = rounds[-1].model
    rows = rounded(Q.domain, last, 50, np.random.default_rng(0)).codes if gives_rows(last) else ()
    return [*map(partial(_public, Q=Q), rounds), [column.tolist() for column in rows]]


def _public(entry, Q):
    said = {field.name: getattr(entry, field.name) for field in dataclasses.fields(entry)}
    model, A, m = said.pop("model"), said.pop("A"), said.pop("measurement")
    said["answers"] = model.answers(Q).tolist(), float(model.total)
    said["A"] = None if A is None else A.answers(Q).tolist()
    if m is not None:
        said["measured"] = m.attrs, np.asarray(m.value).tolist(), m.scale, None if m.q is None else m.q.tolist()
    return said


@pytest.mark.parametrize(("name", "delta"), [*RUNS, ("uniform", 0.0)])
def test_a_round_is_a_function_of_what_the_noise_said(name, delta):
    """With the same choices and values, rounds on a table and on its neighbours say the same, to the last digit."""
    Q, (rounds, _) = questions(name), run(name, delta)
    for others, _ in followed(name, delta, 0):
        assert public(others, Q) == public(rounds, Q)


@pytest.mark.parametrize("name", SYSTEMS)
def test_there_is_no_randomness_but_the_noise_s(name):
    Q = questions(name)
    again, _ = recorded(settings_of(name), OfTotal(table_of(name), N), Q, Seeded(0))
    assert public(again[-1:], Q) == public(run(name)[0][-1:], Q)


@pytest.mark.parametrize(("name", "epsilon"), [("uniform", 0.0), ("weights", math.inf)])
def test_what_keeps_no_budget_draws_no_noise_and_says_so(name, epsilon):
    rounds, draws = run(name)
    assert name not in PRIVATE
    assert draws[-1] == []
    assert settings_of(name).guarantee.epsilon == rounds[-1].ledger.spent == epsilon


def refused(make, *given, **named):
    """The one sentence of the ValueError it must raise."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (of all systems: the words are theirs)
        make(*given, **named)
    said = str(caught.value)
    assert said
    assert "\n" not in said
    assert not said.endswith(".")
    return said


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("epsilon", [0, -1, 0.0, math.nan, math.inf, 1e9, "1", None, True], ids=repr)
def test_an_epsilon_that_is_none_is_refused_in_the_same_words(name, epsilon):
    assert "epsilon must" in refused(dataclasses.replace, settings_of(name), epsilon=epsilon)
    assert "epsilon must" in refused(SYSTEMS[name].settings, questions(name), n=N, epsilon=epsilon)


@pytest.mark.parametrize("name", [name for name in PRIVATE if "zCDP" in SYSTEMS[name].privacy])
@pytest.mark.parametrize("delta", [-0.1, 1, math.nan, "0", None], ids=repr)
def test_a_delta_that_is_none_is_refused_in_the_same_words(name, delta):
    assert "delta must" in refused(dataclasses.replace, settings_of(name), delta=delta)


@pytest.mark.parametrize("name", [name for name in PRIVATE if SYSTEMS[name].privacy == "zCDP"])
def test_where_delta_is_zero_nothing_gaussian_is_drawn(name):
    """Refused by what has no pure form; settings that another system shares have one, with Laplace noise and pure ε."""
    try:
        pure = dataclasses.replace(settings_of(name), delta=0.0)
    except ValueError as problem:
        told = str(problem)
    else:
        rounds, draws = recorded(pure, table_of(name), questions(name), Seeded(0))
        assert {kind for kind, *_ in draws[-1]} <= {"choose", "laplace"}
        assert rounds[-1].ledger.budget.unit == "ε"
        return
    assert "delta" in told


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_setting_that_is_a_number_refuses_nonsense(name):
    settings = settings_of(name)
    for field, hint in get_type_hints(type(settings)).items():
        kinds = {hint, *get_args(hint)}
        if field in {f.name for f in dataclasses.fields(settings)} and kinds & {int, float}:
            for nonsense in (-1, math.nan, math.inf):
                refused(dataclasses.replace, settings, **{field: nonsense})


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_empty_table_is_refused_on_the_call_in_the_same_words(name):
    B, noise = table_of(name), Recording(Seeded(0))
    empty = Records(B.domain, tuple(column[:0] for column in B.codes))
    told = refused(settings_of(name).rounds, empty, questions(name), noise=noise)
    assert told == "the table has no records: there is nothing to release"


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_it_says_it_gives_it_gives(name):
    Q, model = questions(name), run(name)[0][-1].model
    answers = model.answers(Q)
    assert answers.shape == (Q.size,)
    assert np.isfinite(answers).all()
    assert model.total == N
    assert gives_rows(model) == (SYSTEMS[name].gives == "rows")
    if gives_rows(model):
        for count in (1, 57):
            rows = rounded(Q.domain, model, count, np.random.default_rng(0))
            assert (rows.total, rows.domain) == (count, Q.domain)
            assert all(column.max() < 2 for column in rows.codes)


AWKWARD = {
    "ranges": ([3, 2], "ranges:a,b:7"),
    "predicates": ([3, 2], "where:a >= 1 and b < 1; b == 1"),
    "parities": ([2] * 6, "parities:3"),
    "one marginal": ([3, 2], "marginals:2"),
    "all orders": ([3, 2, 4], "marginals:<=3"),
    "cuboids": ([3, 4, 2], "cuboids:2"),
    "two cells": ([2], "marginals:1"),
    "a large domain": ([10] * 12, "marginals:1"),
    "a large marginal": ([70, 70, 2], "marginals:2"),
}


@pytest.mark.parametrize("case", AWKWARD)
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_workload_is_served_to_the_end_or_refused_before_anything_is_drawn(name, case):
    sizes, spec = AWKWARD[case]
    rng, domain = np.random.default_rng(0), domain_of(sizes)
    table = Records(domain, tuple(rng.integers(size, size=60).astype(np.uint16) for size in sizes))
    Q, noise = parse_workload(spec, domain), Recording(Seeded(0))
    try:
        settings = SYSTEMS[name].settings(Q, n=60, epsilon=1.0)
        rounds = settings.rounds(table, Q, noise=noise)
    except ValueError as problem:
        told = str(problem)
    else:
        settings.check(Q)
        answers = deque(rounds, maxlen=1).pop().model.answers(Q)
        assert answers.shape == (Q.size,)
        assert np.isfinite(answers).all()
        return
    assert not noise.draws
    assert "\n" not in told

"""One contract for every system: what its preset takes, what it spends, reads, refuses and returns."""

import dataclasses
import inspect
import math
from collections import deque
from functools import cache
from importlib import import_module
from typing import get_args, get_type_hints

import numpy as np
import pytest
from contract import LAWS, PRIVATE, RUNS, N, privacy_loss, recorded, released, table_for, workload_for
from oracles import Following, Recording, domain_of, neighbours
from runs import RANGES_ONLY

from mwem_core import Seeded
from mwem_core.domain import OfTotal, Records
from mwem_core.output import gives_rows, round_rows
from mwem_core.systems import SYSTEMS
from mwem_core.workload import parse_workload

EPSILON = 0.8
ARGUMENTS = {"workload", "n", "epsilon", "delta", "T", "noisy_n", "public"}  # of presets
GAUSSIAN_ONLY = [name for name in PRIVATE if SYSTEMS[name].privacy == "zCDP"]
every_system = pytest.mark.parametrize("name", SYSTEMS)
every_run = pytest.mark.parametrize(("name", "delta"), RUNS)


def settings_of(name, delta=0.0):
    return SYSTEMS[name].settings(workload_for(name), n=N, epsilon=EPSILON, delta=delta)


def run(name, delta=0.0, seed=0):
    """The rounds and the draws of a whole run on the table, which is made once."""
    return _run(name, delta, seed)


@cache
def _run(name, delta, seed):
    return recorded(settings_of(name, delta), OfTotal(table_for(name), N), workload_for(name), Seeded(seed))


@cache
def runs_of_neighbours(name, delta, seed):
    """Runs on the neighbours of the table, with the noisy outputs of its own run. n is public, so it is the same."""
    _, draws = run(name, delta, seed)
    return [
        recorded(settings_of(name, delta), OfTotal(neighbour, N), workload_for(name), Following(draws[-1]))
        for neighbour in neighbours(table_for(name), np.random.default_rng(seed))
    ]


@every_system
def test_a_preset_requires_no_argument_beyond_those_that_every_system_gets(name):
    """A class of settings may have more settings, with defaults; a preset function has no further arguments."""
    system = SYSTEMS[name]
    module, attribute = system.preset.split(":")
    preset = getattr(import_module(f"mwem_core.{module}"), attribute)
    parameters = inspect.signature(preset).parameters
    required = {parameter.name for parameter in parameters.values() if parameter.default is parameter.empty}
    assert (required if inspect.isclass(preset) else set(parameters)) <= ARGUMENTS
    assert ("epsilon" in parameters) == (name in PRIVATE)
    assert "delta" in parameters or "zCDP" not in system.privacy
    assert "T" in parameters or not system.takes_T


@every_run
def test_the_whole_budget_is_spent_and_never_more(name, delta):
    guarantee, (rounds, draws) = settings_of(name, delta).guarantee, run(name, delta)
    budget, spent = guarantee.budget, [entry.ledger.spent for entry in rounds]
    assert guarantee.epsilon == EPSILON
    stronger = name == "automatic" and guarantee.delta == 0  # it may take Laplace noise: (ε, 0) implies (ε, δ)
    assert stronger or guarantee.delta == SYSTEMS[name].delta_of(delta)
    assert budget.unit == ("ρ" if guarantee.delta else "ε")
    assert spent == sorted(spent)
    assert spent[-1] <= budget.amount
    assert spent[-1] == pytest.approx(budget.amount, rel=1e-9)
    assert guarantee.epsilon_of(spent[-1]) == pytest.approx(EPSILON, rel=1e-6)
    assert all(entry.ledger.budget == budget for entry in rounds)
    assert draws[-1]


@every_system
def test_rounds_are_numbered_and_no_more_than_planned(name):
    rounds, planned = run(name)[0], settings_of(name).planned_rounds(N, workload_for(name))
    first = rounds[0].index
    assert first in (0, 1)
    assert [entry.index for entry in rounds] == list(range(first, first + len(rounds)))
    assert planned is None or rounds[-1].index <= planned


@every_run
def test_neighbours_are_told_apart_by_no_more_than_the_ledger_charges_at_any_round(name, delta):
    unit, largest = settings_of(name, delta).guarantee.budget.unit, 0.0
    seeds = range(2 if len(run(name, delta)[0]) > 1 else 1)  # a single round has the same loss at every outcome
    for seed in seeds:
        rounds, draws = run(name, delta, seed)
        for _, their_draws in runs_of_neighbours(name, delta, seed):
            assert list(map(len, their_draws)) == list(map(len, draws))
            losses = [
                privacy_loss("costs" if (name, i) == ("dawa", 0) else kind, ours, theirs, scale, unit)
                for i, ((kind, ours, scale, _), (_, theirs, _, _)) in enumerate(
                    zip(draws[-1], their_draws[-1], strict=True)
                )
            ]
            for entry, until_here in zip(rounds, draws, strict=True):
                assert sum(losses[: len(until_here)]) <= entry.ledger.spent * (1 + 1e-9)
            largest = max(largest, sum(losses))
    assert largest > 0


@pytest.mark.parametrize(("name", "delta"), [*RUNS, ("uniform", 0.0)])
def test_a_round_is_a_function_of_the_noisy_outputs(name, delta):
    """With the same noisy outputs, rounds on a table and on its neighbours release the same, to the last digit."""
    Q, (rounds, _) = workload_for(name), run(name, delta)
    for theirs, _ in runs_of_neighbours(name, delta, 0):
        assert released(theirs, Q) == released(rounds, Q)


@every_system
def test_the_noise_source_is_the_only_randomness(name):
    Q = workload_for(name)
    again, _ = recorded(settings_of(name), OfTotal(table_for(name), N), Q, Seeded(0))
    assert released(again[-1:], Q) == released(run(name)[0][-1:], Q)


@pytest.mark.parametrize(("name", "epsilon"), [("uniform", 0.0), ("weights", math.inf)])
def test_a_system_without_a_budget_draws_no_noise_and_states_its_epsilon(name, epsilon):
    rounds, draws = run(name)
    assert name not in PRIVATE
    assert draws[-1] == []
    assert settings_of(name).guarantee.epsilon == rounds[-1].ledger.spent == epsilon


def refusal(call, *args, **kwargs):
    """The message of the ValueError that the call must raise: one sentence without a full stop."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the wording differs between systems)
        call(*args, **kwargs)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    assert not message.endswith(".")
    return message


@pytest.mark.parametrize("name", PRIVATE)
def test_an_invalid_epsilon_or_delta_is_refused_by_all_systems_in_the_same_words(name):
    settings, preset, Q = settings_of(name), SYSTEMS[name].settings, workload_for(name)
    for epsilon in (0, -1, 0.0, math.nan, math.inf, 1e9, "1", None, True):
        expected = refusal(dataclasses.replace, settings_of("mwem"), epsilon=epsilon)
        assert expected.startswith("epsilon must ")
        assert refusal(dataclasses.replace, settings, epsilon=epsilon) == expected
        assert refusal(preset, Q, n=N, epsilon=epsilon).startswith("epsilon must ")
    for delta in (-0.1, 1, math.nan, "0", None) if "zCDP" in SYSTEMS[name].privacy else ():
        expected = refusal(dataclasses.replace, settings_of("mwem"), delta=delta)
        assert expected.startswith("delta must ")
        assert refusal(dataclasses.replace, settings, delta=delta) == expected


@pytest.mark.parametrize("name", GAUSSIAN_ONLY)
def test_a_system_that_needs_delta_draws_no_gaussian_noise_without_it(name):
    """It refuses δ = 0, unless its settings are those of another system too: then it draws Laplace noise at pure ε."""
    settings = settings_of(name)
    shared = any(type(settings_of(other)) is type(settings) for other in PRIVATE if other not in GAUSSIAN_ONLY)
    if not shared:
        assert "delta" in refusal(dataclasses.replace, settings, delta=0.0)
        return
    rounds, draws = recorded(dataclasses.replace(settings, delta=0.0), table_for(name), workload_for(name), Seeded(0))
    assert {kind for kind, *_ in draws[-1]} <= {*LAWS, "laplace"}
    assert rounds[-1].ledger.budget.unit == "ε"


@every_system
def test_every_numeric_setting_refuses_negative_and_infinite_numbers(name):
    def check(settings):
        for field, hint in get_type_hints(type(settings)).items():
            if field not in {f.name for f in dataclasses.fields(settings)}:
                continue
            if {hint, *get_args(hint)} & {int, float}:
                for invalid in (-1, math.nan, math.inf):
                    refusal(dataclasses.replace, settings, **{field: invalid})
            if dataclasses.is_dataclass(own := getattr(settings, field)):  # it has settings of its own
                check(own)

    check(settings_of(name))


@every_system
def test_an_empty_table_is_refused_on_the_call_in_the_same_words(name):
    B, noise = table_for(name), Recording(Seeded(0))
    empty = Records(B.domain, tuple(column[:0] for column in B.codes))
    message = refusal(settings_of(name).rounds, empty, workload_for(name), noise=noise)
    assert message == "the table has no records: there is nothing to release"
    assert not noise.draws


@every_system
def test_the_model_gives_finite_answers_and_rows_if_the_system_says_so(name):
    Q, model = workload_for(name), run(name)[0][-1].model
    answers = model.answers(Q)
    assert answers.shape == (Q.size,)
    assert np.isfinite(answers).all()
    assert model.total == N
    assert gives_rows(model) == (SYSTEMS[name].gives == "rows")
    if gives_rows(model):
        for count in (1, 57):
            rows = round_rows(Q.domain, model, count, np.random.default_rng(0))
            assert (rows.total, rows.domain) == (count, Q.domain)
            assert all(column.max() < 2 for column in rows.codes)


MARGINALS_ONLY = {"tables", "mwem-pgm", "aim", "planner", "planner-clean"}
BITS_ONLY = {"relaxed-projection", "boosting"}  # and no ranges or predicates
AWKWARD = {  # sizes of attributes, a workload on them, and the systems that refuse it
    "ranges": ([3, 2], "ranges:a,b:7", MARGINALS_ONLY | BITS_ONLY),
    "predicates": ([3, 2], "where:a >= 1 and b < 1; b == 1", MARGINALS_ONLY | BITS_ONLY | RANGES_ONLY),
    "parities": ([2] * 6, "parities:3", MARGINALS_ONLY | RANGES_ONLY),
    "one marginal": ([3, 2], "marginals:2", BITS_ONLY | RANGES_ONLY),
    "all orders": ([3, 2, 4], "marginals:<=3", BITS_ONLY | RANGES_ONLY),
    "cuboids": ([3, 4, 2], "cuboids:2", BITS_ONLY | RANGES_ONLY | {"figure-1"}),
    "two cells": ([2], "marginals:1", RANGES_ONLY),
    "a large domain": ([10] * 12, "marginals:1", BITS_ONLY | RANGES_ONLY | {"barak-lp", "laplace-cells", "net"}),
    "a large marginal": ([70, 70, 2], "marginals:2", BITS_ONLY | RANGES_ONLY | {"barak", "barak-lp", "net"}),
}


@pytest.mark.parametrize("case", AWKWARD)
@every_system
def test_a_workload_is_served_to_the_end_or_refused_before_any_draw(name, case):
    sizes, spec, refused_by = AWKWARD[case]
    rng, domain = np.random.default_rng(0), domain_of(sizes)
    table = Records(domain, tuple(rng.integers(size, size=60).astype(np.uint16) for size in sizes))
    Q, noise = parse_workload(spec, domain), Recording(Seeded(0))

    def start():
        return SYSTEMS[name].settings(Q, n=60, epsilon=1.0).rounds(table, Q, noise=noise)

    if name in refused_by:
        refusal(start)
        assert not noise.draws
    else:
        answers = deque(start(), maxlen=1).pop().model.answers(Q)
        assert answers.shape == (Q.size,)
        assert np.isfinite(answers).all()

"""A run on a thread of its own: its steps, pausing, stopping, failing."""

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from mwem_app.run.frames import frames
from mwem_app.session import runner
from mwem_app.session.runner import Plan, Runner, start_step
from mwem_core import MWEM, Domain, MeasuredBins, Tables, encode, parse_workload, read_table
from mwem_core.mwem.mwem import Rounds

SCHEMA = '[[attribute]]\nname = "age"\nrange = [0, 9]\n[[attribute]]\nname = "sex"\nvalues = ["F", "M"]'
TABLE = b"age,sex\n" + b"".join(b"%d,%s\n" % (i % 10, b"FM"[i % 2 : i % 2 + 1]) for i in range(200))


def plan(T: Rounds = 8, seed: int | None = 1, **settings) -> Plan:
    records = encode(read_table(TABLE), Domain.from_toml(SCHEMA))
    workload = parse_workload("marginals:1", records.domain)
    mwem = MWEM(epsilon=1.0, T=T, **settings)
    return Plan(
        records=records, workload=workload, settings=mwem, system="mwem-paper", seed=seed, source="test", table="t.csv"
    )


@pytest.fixture
def slow(monkeypatch):
    """Let each round take a while, so that something can happen between rounds."""
    steps = runner.steps_of

    def delayed(plan):
        for step in steps(plan):
            yield step
            time.sleep(0.03)

    monkeypatch.setattr(runner, "steps_of", delayed)


def wait_until(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.005)


def test_a_run_yields_the_start_and_every_round():
    run = Runner(plan(T=5))
    run.wait(5)
    assert run.status == "done"
    assert [step.round.index for step in run.steps] == [0, 1, 2, 3, 4, 5]
    assert run.as_run().model is run.steps[-1].round.model


def test_a_run_that_measures_bins_goes_on_in_them_and_counts_the_whole_budget():
    """Its plan is then in these bins, with the truth in them beside it, and still the plan that was asked for."""
    domain = Domain.from_toml(SCHEMA.replace("[0, 9]", "[0, 9]\nmeasured_bins = 3"))
    workload = parse_workload("marginals:2", domain)
    bins = MeasuredBins.of(lambda epsilon, _: MWEM(epsilon=epsilon, T=4), epsilon=1.0, share=0.25)
    asked = replace(
        plan(), records=encode(read_table(TABLE), domain), workload=workload, settings=bins.inner, bins=bins
    )
    run = Runner(asked)
    assert start_step(asked).errors.mean_error > 0
    run.wait(5)
    assert run.status == "done"
    measured = run.steps[0].round.domain
    assert run.plan.workload.domain == run.plan.records.domain == run.as_run().domain == measured
    assert run.as_run().declared == domain
    assert run.plan.same_as(asked)
    assert run.plan.guarantee.epsilon == run.as_run().epsilon_spent == 1.0
    truth, answers = run.plan.workload.answers(run.plan.records), run.plan.workload.answers(run.steps[-1].round.model)
    assert run.steps[-1].errors.max_error == pytest.approx(np.abs(truth - answers).max() / 200)
    begun = frames(run.plan, run.steps[:2], None, show_truth=False)
    edges = " · ".join(map(str, measured.attributes[0].value_set.edges))
    assert [frame.begun for frame in begun] == [f"The bins were measured first: age {edges}.", None]
    assert begun[0].spent == (0, 0, pytest.approx(0.25))


def test_candidates_of_a_selection_are_named_as_what_is_measured():
    told = plan(candidates=Tables(within="closure"), T=2, repeats=True)
    pairs = replace(told, workload=parse_workload("marginals:2", told.records.domain))
    assert [runner.candidate_label(pairs, j) for j in range(3)] == ["age", "sex", "age × sex"]


def test_each_round_knows_the_true_answer_and_the_model_that_it_updated():
    run = Runner(plan(T=5))
    run.wait(5)
    for before, step in pairwise(run.steps):
        assert step.exact == pytest.approx(plan().workload.answers(plan().records)[step.round.chosen])
        assert step.before is before.round.A


def test_adaptive_rounds_begin_anew_from_the_start():
    run = Runner(plan(T="adaptive", repeats=True))
    run.wait(10)
    models = [step.round.A for step in run.steps]
    origins = [models.index(step.before) for step in run.steps[1:]]
    assert 0 in origins[1:], "no run began anew"
    assert all(origin in (0, i) for i, origin in enumerate(origins))
    for step in run.steps[1:]:
        m = step.round.measurement
        assert m is not None
        assert step.before is not None
        assert np.abs(m.residual(step.before.marginal(m.attrs))).sum() == pytest.approx(step.round.residual)


def test_no_round_begins_during_a_pause_and_resuming_continues(slow):
    run = Runner(plan(T=10))
    wait_until(lambda: len(run.steps) >= 2)
    run.pause()
    time.sleep(0.08)  # the round being computed is kept
    steps = len(run.steps)
    time.sleep(0.12)
    assert (run.status, len(run.steps)) == ("paused", steps)
    assert steps < 11
    run.resume()
    run.wait(5)
    assert (run.status, len(run.steps)) == ("done", 11)


@pytest.mark.parametrize("paused", [False, True])
def test_stopping_keeps_what_was_computed_and_ends_the_thread(slow, paused):
    run = Runner(plan(T=12))
    wait_until(lambda: len(run.steps) >= 3)
    if paused:
        run.pause()
    run.stop()
    steps = list(run.steps)
    assert run.status == "stopped"
    run.wait(2)
    assert not run._thread.is_alive()
    assert run.steps == steps
    assert len(run.as_run().rounds) == len(steps) < 13


def test_a_finished_run_cannot_be_paused_stopped_or_resumed():
    run = Runner(plan(T=2))
    run.wait(5)
    run.pause()
    run.stop()
    run.resume()
    assert run.status == "done"


def test_a_refused_setting_fails_the_run_with_the_message_of_the_core():
    run = Runner(plan(T=99))
    run.wait(5)
    assert run.status == "failed"
    assert run.problem.startswith("rounds must be at most 12")
    assert run.steps == []


@pytest.mark.parametrize(
    ("error", "sentence"),
    [(MemoryError(), "does not fit in memory"), (ZeroDivisionError("secret value 42"), "failed unexpectedly")],
)
def test_an_unexpected_error_keeps_the_rounds_and_reveals_no_value(monkeypatch, error, sentence):
    steps = runner.steps_of

    def breaks(plan):
        for step in steps(plan):
            yield step
            if step.round.index == 2:
                raise error

    monkeypatch.setattr(runner, "steps_of", breaks)
    run = Runner(plan(T=5))
    run.wait(5)
    assert run.status == "failed"
    assert sentence in run.problem
    assert "42" not in run.problem
    assert len(run.steps) == 3


def test_two_runs_at_once_do_not_disturb_each_other(slow):
    paused, other = Runner(plan(T=6, seed=1)), Runner(plan(T=6, seed=2))
    paused.pause()
    other.wait(5)
    assert (paused.status, other.status, len(other.steps)) == ("paused", "done", 7)
    paused.resume()
    paused.wait(5)
    alone = Runner(plan(T=6, seed=1))
    alone.wait(5)
    assert [step.round.label for step in paused.steps] == [step.round.label for step in alone.steps]
    assert paused.id != other.id


def test_a_plan_is_the_same_until_a_setting_changes():
    assert plan().same_as(plan())
    assert not plan().same_as(plan(T=3))
    assert not plan().same_as(plan(seed=None))

"""A run on a thread of its own: its steps, pausing, stopping, failing."""

import gc
import time
from dataclasses import replace
from itertools import count, pairwise

import numpy as np
import pytest

from mwem_app.run import frames
from mwem_app.session import runner
from mwem_app.session.runner import Runner, is_there
from mwem_app.session.steps import Plan, candidate_label, start_step
from mwem_core import MWEM, Domain, MeasuredBins, PublicStart, PublicTable, Tables, encode, parse_workload, read_table
from mwem_core.mwem import Rounds

SCHEMA = '[[attribute]]\nname = "age"\nrange = [0, 9]\n[[attribute]]\nname = "sex"\nvalues = ["F", "M"]'
SOURCES = count()
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
    assert [candidate_label(pairs, j) for j in range(3)] == ["age", "sex", "age × sex"]


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
    assert not run.computation._thread.is_alive()
    assert run.steps == steps
    assert len(run.as_run().rounds) == len(steps) < 13


def test_a_finished_run_cannot_be_paused_stopped_or_resumed():
    run = Runner(plan(T=2))
    run.wait(5)
    run.pause()
    run.stop()
    run.resume()
    assert run.status == "done"


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


def public(**settings) -> Plan:
    """A plan as one of a bundled table: of a source that no other test has."""
    return replace(plan(**settings), provenance="built in", source=f"test {next(SOURCES)}")


def test_visitors_with_the_same_public_plan_watch_one_computation(slow):
    asked = public(T=6)
    runs = [Runner.of(replace(asked)) for _ in range(3)]
    assert len({run.computation for run in runs}) == 1
    assert len({run.id for run in runs}) == 3
    runs[0].wait(5)
    assert [run.status for run in runs] == ["done"] * 3
    assert all(len(run.steps) == 7 for run in runs)
    assert [run.taken.seconds > 0 for run in runs] == [True, False, False]  # who began it has caused it
    later = Runner.of(replace(asked))
    assert (later.status, len(later.steps), later.computation) == ("done", 7, runs[0].computation)


@pytest.mark.parametrize(
    "other",
    [{"seed": 2}, {"seed": None}, {"source": "another"}, {"provenance": "file"}, {"settings": MWEM(epsilon=2.0, T=6)}],
)
def test_only_runs_that_are_the_same_and_public_are_shared(other):
    asked = public(T=6)
    first, second = Runner.of(asked), Runner.of(replace(asked, **other))
    assert first.computation is not second.computation
    unshared = replace(asked, **other)
    assert is_there(unshared) is unshared.is_public


def test_a_run_that_starts_from_an_uploaded_table_is_not_public():
    asked = public(T=6)
    start = PublicTable("last-year.csv", asked.records)
    assert not replace(asked, settings=MWEM(epsilon=1.0, T=6, start=PublicStart(start))).is_public


def test_a_pause_and_a_stop_hold_for_one_visitor_and_the_computation_goes_on(slow):
    asked = public(T=10)
    one, other = Runner.of(asked), Runner.of(replace(asked))
    wait_until(lambda: len(one.steps) >= 2)
    one.pause()
    seen = len(one.steps)
    other.wait(5)
    assert (one.status, len(one.steps)) == ("paused", seen)
    assert (other.status, len(other.steps)) == ("done", 11)
    one.resume()
    assert (one.status, len(one.steps)) == ("done", 11)
    stopped = Runner(asked, other.computation)
    stopped.stop()
    assert stopped.status == "done", "a run that is over cannot be stopped"


def test_a_stop_of_one_visitor_shows_no_later_round_and_that_of_the_last_ends_the_computation(slow):
    asked = public(T=12)
    one, other = Runner.of(asked), Runner.of(replace(asked))
    wait_until(lambda: len(one.steps) >= 2)
    one.stop()
    seen = len(one.steps)
    wait_until(lambda: len(other.steps) > seen + 1)
    assert (one.status, len(one.steps), one.as_run().stopped) == ("stopped", seen, True)
    assert other.status == "running"
    other.stop()
    assert other.computation.status == "stopped"
    assert not is_there(asked)
    again = Runner.of(asked)
    again.wait(5)
    assert (again.status, len(again.steps)) == ("done", 13)


def test_who_comes_while_all_others_pause_sees_the_run_go_on(slow):
    asked = public(T=6)
    paused = Runner.of(asked)
    wait_until(lambda: len(paused.steps) >= 2)
    paused.pause()
    assert paused.computation.status == "paused"
    Runner.of(asked).wait(5)
    assert paused.computation.status == "done"
    assert paused.status == "paused"


def test_a_visitor_whose_session_has_ended_has_no_say(slow):
    asked = public(T=12)
    gone, here = Runner.of(asked), Runner.of(asked)
    computation = here.computation
    del gone
    gc.collect()
    here.stop()
    assert computation.status == "stopped"


def test_a_plan_is_the_same_until_a_setting_changes():
    assert plan().same_as(plan())
    assert not plan().same_as(plan(T=3))
    assert not plan().same_as(plan(seed=None))

"""Inside one round: what the player gets of the selection, the measurement and the update; and links to lessons."""

import re
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from bundled_tasks import bundled_task
from plans import plan_of

from mwem_app.course import LESSONS
from mwem_app.run.inside_round import ANY, CELLS_SHOWN, ROUNDS, lessons, method, turn
from mwem_app.run.picture import MAX_PICTURE_CELLS, measured_picture
from mwem_app.run.round_frames import frames, total_rounds
from mwem_app.session import Plan, Runner
from mwem_app.stage import SCRIPTS, Frame
from mwem_core import (
    MWEM,
    Apart,
    Attribute,
    Domain,
    Halvings,
    Nothing,
    Planned,
    Tables,
    parse_workload,
)
from mwem_core.model import LogLinear
from mwem_core.privacy import laws
from mwem_core.systems import SYSTEMS
from mwem_core.values import Range
from mwem_core.weighted import WeightedRecords

PRIVATE = {"max", "mean", "probability", "candidates", "others", "true_cells"}
PLAYER = next(file for file in SCRIPTS if file.name == "player.js").read_text(encoding="utf-8")
(WHY,) = re.findall(r"const WHY = {(.*?)};", PLAYER, flags=re.DOTALL)
PARTS = re.findall(r"\b(\w+): \"why", WHY)


@cache
def finished(spec: str = "marginals:2", system: str = "mwem", T: int | None = 4, cells: int = 10**6) -> Runner:
    """A run on the table of car workers, with a model of at most so many cells."""
    records, _ = bundled_task("Czech")
    workload = parse_workload(spec, records.domain)
    settings = SYSTEMS[system].settings(workload, n=records.total, epsilon=1.0, T=T)
    if isinstance(settings, MWEM):
        settings = replace(settings, cell_budget=min(cells, settings.cell_budget))
    run = Runner(
        Plan(records=records, workload=workload, settings=settings, system=system, seed=1, source="t", table="t.csv")
    )
    run.wait(20)
    assert run.status == "done"
    return run


def shown(run: Runner, *, truth: bool) -> list[Frame]:
    return frames(run.plan, run.steps, None, show_truth=truth)


@pytest.mark.parametrize("system", ["mwem", "mwem-paper", "figure-1"])
def test_with_the_truth_hidden_a_frame_holds_released_values_only(system):
    run = finished(system=system)
    for hidden, whole in zip(shown(run, truth=False), shown(run, truth=True), strict=True):
        assert all(getattr(hidden, name) is None for name in PRIVATE)
        for name in {field.name for field in fields(Frame)} - PRIVATE:
            assert getattr(hidden, name) == getattr(whole, name)
    assert {name for frame in shown(run, truth=True) for name in PRIVATE if getattr(frame, name) is not None} == PRIVATE


def test_the_measured_table_is_true_noisy_before_and_after():
    run = finished()
    for step, frame in zip(run.steps[1:], shown(run, truth=True)[1:], strict=True):
        m = step.round.measurement
        name, noisy, before, after = zip(*frame.cells, strict=True)
        assert name == ("no × no", "no × yes", "yes × no", "yes × yes")
        assert noisy == pytest.approx(m.value.ravel(), abs=0.051)
        assert before == pytest.approx(step.before.marginal(m.attrs).ravel(), abs=0.051)
        assert after == pytest.approx(step.round.A.marginal(m.attrs).ravel(), abs=0.051)
        assert frame.true_cells == pytest.approx(run.plan.records.marginal(m.attrs).ravel())
        assert sum(np.abs(np.subtract(after, before))) / 2 == pytest.approx(frame.moved * 1841, abs=0.3)


def test_the_sum_of_the_cells_that_are_not_shown_keeps_the_total():
    run = finished("marginals:5", T=2)
    frame = shown(run, truth=True)[1]
    assert len(frame.cells) == CELLS_SHOWN + 1
    assert frame.rest
    assert frame.cells[-1][0] == "16 other cells together"
    assert sum(frame.true_cells) == pytest.approx(1841)
    assert sum(after for *_, after in frame.cells) == pytest.approx(1841, abs=1)
    assert min(noisy for _, noisy, *_ in frame.cells[:-1]) >= frame.cells[-1][1] / 16


def test_a_round_says_of_how_many_weighted_records_the_model_is_once_they_take_over():
    run = finished(T=8, cells=20)
    models = [step.round.A for step in run.steps]
    assert [frame.rows for frame in shown(run, truth=False)] == [getattr(A, "rows", None) for A in models]
    assert isinstance(models[1], LogLinear)
    assert isinstance(models[-1], WeightedRecords)


def test_of_a_single_query_there_is_one_row_named_by_the_query():
    run = finished(system="figure-1")
    for step, frame in zip(run.steps[1:], shown(run, truth=True)[1:], strict=True):
        assert [name for name, *_ in frame.cells] == [step.round.label]
        assert frame.true_cells == pytest.approx([float(step.exact)])


def test_chances_are_of_the_mechanism_with_the_listed_scores_and_epsilon():
    run = finished()
    for frame in shown(run, truth=True)[1:]:
        _, scores, p, chosen = zip(*frame.candidates, strict=True)
        law = laws.permute_and_flip_law(
            frame.selection_epsilon * np.array(scores) / 2
        )  # without those that are not listed
        assert p == pytest.approx(law, rel=0.01, abs=frame.others[1] + 1e-6)
        assert frame.probability == p[chosen.index(True)]
        assert sum(p) + frame.others[1] == pytest.approx(1)


def test_the_rule_of_the_update_is_that_of_the_settings():
    update = {name: method(finished(system=name).plan).update for name in ("mwem", "mwem-paper", "figure-1")}
    assert update["figure-1"] == "A(x) ← A(x)·exp(q(x)(m − q(A)) / 2n), normalised."
    assert (
        update["mwem-paper"]
        == "A(x) ← A(x)·exp(q(x)(m − q(A)) / 2n), normalised; repeated for all measurements so far."
    )
    assert update["mwem"].startswith("For each cell q of the marginal, A(x) ← A(x)·exp(3·q(x)(m − q(A)) / n), norm")
    assert update["mwem"].endswith(
        "On a junction tree the last round fits them all once more, near a prior that takes out noise."
    )
    select = method(finished().plan).select
    assert "summed over its cells, minus the expected noise; in records. By permute-and-" in select
    assert "By the exponential mechanism: chance ∝ exp(ε" in method(finished(system="mwem-paper").plan).select


def test_a_run_whose_plan_measures_everything_says_so_in_the_words_of_before_the_run():
    run = finished(system="automatic", T=None)
    assert plan_of(run.plan.settings) == "cells"
    words = method(run.plan)
    assert (words.turn, turn(run.plan)) == ("step", "step")
    assert " cells measured once: this was planned" in words.select
    assert words.measure.endswith("before step 1.")
    assert [step.round.ledger.spent for step in run.steps] == pytest.approx([0.0, 1.0, 1.0])


def test_a_round_that_measures_predicates_themselves_is_told_of_both_kinds_of_run():
    domain = Domain(tuple(Attribute(name, Range(0, 2)) for name in "abc"))
    Q = parse_workload("marginals:2 + where:a == 0 and b == 1", domain)
    plan = replace(finished().plan, workload=Q)
    planned, selecting = (
        method(replace(plan, settings=Apart(share=0.2, first=first)))
        for first in (Planned(epsilon=1.0, plan="residuals"), MWEM(epsilon=1.0, candidates=Tables()))
    )
    assert planned.measure.endswith("of tables before step 1, of predicates in the last step.")
    assert planned.update.endswith("then moved to what is measured of predicates.")
    assert selecting.measure.endswith("Nothing is selected in the last round: predicates are measured by themselves.")
    assert "times its weight" not in selecting.select


def test_ranges_that_are_measured_by_themselves_are_told_of():
    domain = Domain(tuple(Attribute(name, Range(0, 2)) for name in "abc"))
    plan, settings = finished().plan, Apart(share=0.2, first=MWEM(epsilon=1.0, candidates=Tables()))
    Q = parse_workload("marginals:2 + ranges:a:all + ranges:c:all + where:a == 0 and b == 1", domain)
    words = method(replace(plan, workload=Q, settings=settings)).measure
    assert words.endswith("Nothing is selected in the last 3 rounds: ranges and predicates are measured by themselves.")
    without = parse_workload("ranges:a:all + where:a == 0 and b == 1", domain)
    planned = method(replace(plan, workload=without, settings=Apart(share=0.2, first=Halvings(epsilon=1.0))))
    assert planned.measure.endswith("of ranges before step 1, of predicates in the last step.")


def test_cells_that_are_nearly_exact_are_said_to_be_the_rows_of_the_model():
    plan = finished(system="automatic", T=None).plan
    assert method(plan).update.startswith("Each step fits A to more of what was measured")
    counted = replace(plan, settings=replace(plan.settings, epsilon=10.0))
    assert method(counted).update.startswith("The cells with a noisy count above zero are the rows of A.")


def test_a_run_that_measures_nothing_has_no_rounds_and_says_why():
    plan = finished(system="automatic", T=None).plan
    idle = replace(plan, settings=Nothing(epsilon=1.0))
    assert method(idle).measure == "Nothing is measured: at this ε it is not expected to lower the error."
    run = Runner(idle)
    run.wait(20)
    assert (run.status, len(run.steps), total_rounds(idle, 0, active=False)) == ("done", 1, 0)


def domain_of(**sizes: int) -> Domain:
    def values(size: int) -> str:
        return ", ".join(f'"v{i}"' for i in range(size))

    return Domain.from_toml(
        "".join(f'[[attribute]]\nname = "{name}"\nvalues = [{values(size)}]\n' for name, size in sizes.items())
    )


@pytest.mark.parametrize(
    ("attrs", "title"),
    [
        ((0,), "a"),
        ((0, 1), "a × b"),
        ((0, 1, 2), "a × b, summed over c"),
        ((1, 3), "b, summed over large"),
        ((3, 4), None),
    ],
)
def test_the_view_is_what_was_measured_or_the_part_of_it_that_can_be_drawn(attrs, title):
    domain = domain_of(a=5, b=9, c=40, large=MAX_PICTURE_CELLS + 1, huge=MAX_PICTURE_CELLS + 2)
    picture = measured_picture(domain, attrs)
    assert (picture and picture.title) == title


def test_every_link_of_the_player_leads_to_a_lesson_that_there_is():
    taught = ANY | ROUNDS
    assert sorted(PARTS) == sorted(taught)
    assert set(taught.values()) <= {lesson.path for lesson in LESSONS}


@pytest.mark.parametrize("system", ["mwem", "mwem-paper", "figure-1"])
def test_a_run_of_rounds_has_all_links(system):
    links = lessons(finished(system=system).plan)
    assert set(links) == set(PARTS)
    assert links["select"] == "learn?lesson=choosing"


def test_a_run_that_measures_once_has_those_that_are_about_it():
    assert set(lessons(finished(system="automatic", T=None).plan)) == set(ANY)

"""The player's links "Learn why": each leads to a lesson, and stands where it has something to explain."""

import re

import pytest
from bundled_tasks import bundled_task

from mwem_app.course import LESSONS
from mwem_app.run.why import ANY, ROUNDS, lessons
from mwem_app.session import Plan
from mwem_app.stage import HTML
from mwem_core.systems import SYSTEMS

PARTS = re.findall(r'<a\s+class="why"\s+data-why="(\w+)"', HTML)


def test_every_link_of_the_player_leads_to_a_lesson_that_there_is():
    taught = ANY | ROUNDS
    assert sorted(PARTS) == sorted(taught)
    assert set(taught.values()) <= {lesson.path for lesson in LESSONS}


@pytest.mark.parametrize("system", ["mwem", "mwem-paper", "figure-1"])
def test_a_run_of_rounds_has_all_links(system):
    assert set(lessons(plan(system))) == set(PARTS)
    assert lessons(plan(system))["select"] == "learn?lesson=choosing"


def test_a_run_that_measures_once_has_those_that_are_about_it():
    assert set(lessons(plan("automatic"))) == set(ANY)


def plan(system: str) -> Plan:
    records, workload = bundled_task("class")
    settings = SYSTEMS[system].settings(workload, n=records.total, epsilon=1.0, delta=0.0)
    return Plan(records=records, workload=workload, settings=settings, system=system, seed=1, source="", table="")

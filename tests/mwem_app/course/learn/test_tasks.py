"""The answers that a learner takes along, and predictions of a class as bars."""

import csv

import pytest
import streamlit as st

from mwem_app.course import tasks as record
from mwem_app.course.classroom.class_lessons import MAX_BARS, prediction_bars
from mwem_app.course.lesson import LESSONS, lesson_at, next_lesson
from mwem_app.course.tasks import NotedTask

NOISE, CHOOSING = LESSONS[2:4]


@pytest.fixture(autouse=True)
def _session(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})


def test_the_export_has_every_attempt_and_no_open_question():
    record.start_lesson(NOISE)
    record.note("a", NotedTask("prediction", "How many?", answer="12"))
    record.note_exercise("b", "What, then?")
    record.start_lesson(CHOOSING)
    record.note_exercise("c", "Which?")
    record.attempt("c", "x", right=False)
    record.attempt("c", "y", right=True)
    assert list(csv.reader(record.results(record.noted_tasks()).splitlines())) == [
        ["lesson", "kind", "question", "attempt", "answer", "right"],
        ["Noise", "prediction", "How many?", "1", "12", ""],
        ["Choosing", "exercise", "Which?", "1", "x", "no"],
        ["Choosing", "exercise", "Which?", "2", "y", "yes"],
    ]


def test_an_export_that_was_offered_before_has_the_answers_since():
    record.start_lesson(NOISE)
    offered = record.noted_tasks()
    record.note_exercise("a", "Which?")
    record.attempt("a", "y", right=True)
    assert "Noise,exercise,Which?,1,y,yes" in record.results(offered)


def test_attempts_outlast_the_drawing_of_their_lesson():
    record.start_lesson(NOISE)
    record.attempt("a", "y", right=True)
    record.start_lesson(NOISE)
    record.note_exercise("a", "Which?")
    assert "Noise,exercise,Which?,1,y,yes" in record.results(record.noted_tasks())


def test_a_lesson_that_is_drawn_again_is_noted_anew():
    record.start_lesson(NOISE)
    record.note("a", NotedTask("prediction", "Old?", answer="1"))
    record.start_lesson(NOISE)
    record.note("b", NotedTask("prediction", "New?", answer="2"))
    assert [task.text for task in record.tasks_of(NOISE, record.noted_tasks())] == ["New?"]


def test_every_lesson_leads_to_the_next_and_is_found_by_its_path():
    assert [next_lesson(lesson) for lesson in LESSONS] == [*LESSONS[1:], None]
    assert all(lesson_at(lesson.path) is lesson for lesson in LESSONS)
    assert lesson_at("nowhere") is None


def test_choices_are_counted_in_the_order_in_which_they_were_given():
    options = ["about 1", "about 4", "about 16", "about 64"]
    arrived = ["about 16", "about 16", "about 1", "about 4", "about 16"]
    assert prediction_bars(arrived, options) == [("about 1", 1), ("about 4", 1), ("about 16", 3), ("about 64", 0)]
    assert prediction_bars(["b", "a", "b", "c"], ["b", "a"]) == [("b", 2), ("a", 1), ("c", 1)]
    assert prediction_bars([]) == []


def test_numbers_are_in_their_order():
    assert prediction_bars([12, 3, 12, 4.5]) == [("3", 1), ("4.5", 1), ("12", 2)]


def test_many_different_numbers_are_counted_in_intervals():
    intervals = prediction_bars(list(range(200)))
    assert len(intervals) == MAX_BARS
    assert sum(count for _, count in intervals) == 200
    assert intervals[0][0] == "0 to 16.6"

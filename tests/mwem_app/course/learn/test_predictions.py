"""The order of the lessons, and predictions of a class as bars."""

from mwem_app.course.classroom.class_lessons import MAX_BARS, prediction_bars
from mwem_app.course.lesson import LESSONS, lesson_at, next_lesson


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

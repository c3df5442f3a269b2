"""Slides: every block of a lesson once, what answers the prediction closed, and no notes."""

import pytest

from mwem_app.course.blocks import (
    Caption,
    Drawing,
    Exercise,
    Formula,
    Heading,
    PredictDrawn,
    PredictNumber,
    Reveal,
    Text,
)
from mwem_app.course.exercises import DrawnExercise
from mwem_app.course.lesson import EXERCISE, LESSONS, PREDICTION, TITLE, blocks_of, lesson_at, name_of
from mwem_app.course.site.pages import all_blocks
from mwem_app.course.site.slides import scenes, slides_page

PATHS = [lesson.path for lesson in LESSONS]
FIGURE, OTHER = Drawing("x", {}, "a"), Drawing("x", {}, "b")
FORMULA, ASKED = Formula("{ε}", {"ε": "the budget"}, "f"), PredictNumber("How many?", 0, 9)
EXERCISED = Exercise("Which?", {"y": "because"}, right="y")
ONE, TWO, THREE = map(Text, ("one", "two", "three"))


@pytest.mark.parametrize(
    ("blocks", "slides"),
    [
        ([ONE, FIGURE, TWO, OTHER, THREE], [[ONE, FIGURE], [TWO, OTHER, THREE]]),  # words go with the drawing after
        ([FORMULA, ONE, ASKED], [[FORMULA, ONE], [ASKED]]),  # words explain the formula before
        ([FORMULA, ONE, FIGURE], [[FORMULA], [ONE, FIGURE]]),
        ([FORMULA, FORMULA, ONE], [[FORMULA, FORMULA, ONE]]),
        ([ONE, EXERCISED, TWO], [[ONE], [EXERCISED, TWO]]),
        ([ONE, Heading("Next"), TWO], [[ONE], [TWO]]),
        ([], []),
    ],
)
def test_a_slide_has_one_large_block_and_the_words_about_it(blocks, slides):
    assert [list(scene.blocks) for scene in scenes(blocks)] == slides


def test_an_answer_in_words_is_on_the_slide_of_its_prediction():
    answer = Reveal([ONE])
    assert [list(scene.blocks) for scene in scenes([ASKED, answer, FIGURE])] == [[ASKED, answer], [FIGURE]]


def test_scenes_that_open_with_the_prediction_are_slides_of_their_own_with_their_headings():
    opened = Reveal([ONE, FIGURE, Heading("Then"), TWO, OTHER], before=[Caption("closed")])
    found = [(scene.heading, scene.once, list(scene.blocks)) for scene in scenes([Heading("Now"), ASKED, opened])]
    assert found == [
        ("Now", "", [ASKED]),
        ("Now", "before", [Caption("closed")]),
        ("Now", "after", [ONE, FIGURE]),
        ("Then", "after", [TWO, OTHER]),
    ]


@pytest.mark.parametrize("path", PATHS)
def test_every_block_of_a_lesson_is_on_one_slide(path):
    """But for words before scenes that are closed, which stand on the slide in their place too."""

    def shown(blocks):
        return sorted(
            type(block).__name__ for block in all_blocks(blocks) if not isinstance(block, Heading | Reveal | Text)
        )

    def words(blocks):
        return {block.text for block in all_blocks(blocks) if isinstance(block, Text)}

    blocks = list(blocks_of(lesson_at(path), 1))
    slides = list(scenes(blocks))
    on_slides = [block for slide in slides for block in slide.blocks]
    assert shown(on_slides) == shown(blocks)
    assert words(on_slides) == words(blocks)
    figures = [sum(isinstance(block, Drawing | PredictDrawn) for block in slide.blocks) for slide in slides]
    assert max(figures) <= 1


@pytest.mark.parametrize("path", PATHS)
def test_notes_take_the_minutes_of_the_lesson_and_stand_at_its_scenes(path):
    lesson = lesson_at(path)
    notes, names = lesson.notes, set(map(name_of, all_blocks(blocks_of(lesson, 1))))
    places = [note.at for note in notes]
    assert sum(note.minutes for note in notes) == lesson.minutes
    assert places[0] == TITLE
    second = {block.key for block in all_blocks(blocks_of(lesson, 1)) if isinstance(block, DrawnExercise)}
    assert {PREDICTION, EXERCISE, *second} <= set(places) & names
    assert all(note.ask or note.errors or note.at in (TITLE, EXERCISE) for note in notes if note.minutes > 1)


def test_no_deck_has_a_note():
    deck = slides_page(lesson_at("noise"), 1)
    assert not any(note.say[:40] in deck for note in lesson_at("noise").notes)

"""The teacher's key: made from the lessons, so it says what they say."""

import pytest

from mwem_app.course.blocks import Exercise, PredictChoice, PredictDrawn, PredictNumber
from mwem_app.course.exercises import DrawnExercise
from mwem_app.course.lesson import LESSONS, blocks_of, lesson_at, sheet_of
from mwem_app.course.site import __main__ as program
from mwem_app.course.site.pages import inside
from mwem_app.course.site.teacher_key import key, key_paragraphs, speaker_notes


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path)
def test_the_key_answers_all_that_a_lesson_asks(lesson):
    text = "\n".join(key_paragraphs(lesson, 1))
    asked = 0
    for block in inside(blocks_of(lesson, 1)):
        if isinstance(block, PredictChoice | PredictNumber | PredictDrawn):
            after = text.split(f"**Prediction.** {block.question}")[1]
            assert len(after.split("*Then:* ")[1].split("\n")[0]) > 20
            asked += 1
        elif isinstance(block, Exercise):
            assert f"- **Right:** {block.right} *{block.answers[block.right]}" in text
            assert all(f"- {wrong} *{why}" in text for wrong, why in block.answers.items() if wrong != block.right)
            asked += 1
        elif isinstance(block, DrawnExercise):
            assert "- **Right:** " in text.split(f"**Exercise.** {block.question}")[1].split("**Exercise.**")[0]
    assert asked >= 2
    assert all(f"{task.text} *{task.answer}*" in text for task in sheet_of(lesson, 1)[1])


def test_the_key_names_its_seed_and_has_the_draws_of_that_seed(monkeypatch):
    monkeypatch.setattr("mwem_app.course.site.teacher_key.LESSONS", [lesson_at("noise")])
    first, third = key(1), key(3)
    assert "seed 1." in first
    assert "seed 3." in third
    assert first.replace("seed 1.", "seed 3.") != third


def test_speaker_notes_have_all_notes_of_all_lessons():
    text = speaker_notes(1)
    for lesson in LESSONS:
        assert f"## {lesson.title} ({lesson.minutes} minutes)" in text
        assert all(note.say.strip() in text for note in lesson.notes)


def test_what_the_teacher_keeps_goes_into_its_own_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("mwem_app.course.site.__main__.LESSONS", LESSONS[:1])
    out, kept = tmp_path / "out", tmp_path / "kept"
    assert program.main(str(out), "1", str(kept)) == 0
    assert {file.name for file in kept.iterdir()} == {f"{LESSONS[0].path}.html", "key.md", "notes.md"}
    assert not list(out.rglob("*.md"))
    assert f"files in {kept}, " in capsys.readouterr().out

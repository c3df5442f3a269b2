"""The files of lessons: what is in them, what is out of sight, and the teacher's key."""

import json
import posixpath
import re
from html.parser import HTMLParser
from typing import get_args

import pytest

from mwem_app.course.blocks import Block, Exercise, PredictChoice, PredictDrawn, PredictNumber
from mwem_app.course.exercises import DrawnExercise
from mwem_app.course.lesson import LESSONS, blocks_of, lesson_at, sheet_of
from mwem_app.course.site import __main__ as program
from mwem_app.course.site.__main__ import write
from mwem_app.course.site.pages import all_blocks
from mwem_app.course.site.teacher_key import key, key_paragraphs, speaker_notes

VOID = {"meta", "input"}


class InSight(HTMLParser):
    """The text of a page that is neither hidden nor in a script or a style sheet; and what its elements fetch."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[bool] = []
        self.text, self.fetched = "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        properties = dict(attrs)
        self.fetched += [value for name, value in attrs if name in ("src", "href", "action", "srcset", "data")]
        if tag not in VOID:
            self.open.append("hidden" in properties or tag in ("script", "style"))

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        self.text += data * (not any(self.open))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The texts of the files, by their names."""
    folder = tmp_path_factory.mktemp("site")
    sizes = write(folder, 1)
    files = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*.html")}
    assert sizes == {name: file.stat().st_size for name, file in files.items()}
    return {name: file.read_text(encoding="utf-8") for name, file in files.items()}


def test_there_is_an_index_that_leads_to_every_lesson_its_slides_and_its_handout(site):
    pages = [f"{where}{lesson.path}.html" for lesson in LESSONS for where in ("", "slides/", "handouts/")]
    assert set(site) == {"index.html", *pages}
    assert InSight(site["index.html"]).fetched == pages
    assert "seed 1" in site["index.html"]


def test_no_file_has_the_address_of_another_host_or_fetches_anything(site):
    for name, text in site.items():
        assert set(re.findall(r"\w+://[\w.]+", text)) <= {"http://www.w3.org"}  # the name of SVG, which is no address
        links = InSight(text).fetched
        assert {posixpath.normpath(posixpath.join(name, "..", link)) for link in links} <= set(site), name
        assert "default-src 'none'; " in text
        assert ("script-src 'sha256-" in text) == ("<script" in text), name


def test_every_kind_of_block_is_in_some_file(site):
    kinds = {kind for text in site.values() for kind in re.findall(r'data-block="(\w+)"', text)}
    assert kinds == {kind.__name__ for kind in get_args(Block)}


def test_a_file_is_small(site):
    assert max(len(text) for name, text in site.items() if not name.startswith("slides/")) < 110_000
    for lesson in LESSONS:  # slides are a lesson's page with a little more
        assert len(site[f"slides/{lesson.path}.html"]) < len(site[f"{lesson.path}.html"]) + 10_000


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("noise", "best guesser gets"),
        ("choosing", "from 49% to 77%"),
        ("reweighting", "After 6 updates"),
        ("mwem", "along this run"),
        ("rounds", "The curve is lowest at"),
        ("factored", "It holds"),
        ("attack", "About 16."),
        ("under_attack", "all others leave fractions"),
        ("composition", "zCDP says ε ="),
    ],
)
def test_the_answer_to_a_prediction_is_in_the_file_and_out_of_sight(site, name, answer):
    for text in site[f"{name}.html"], site[f"slides/{name}.html"]:
        assert answer in text
        assert answer not in InSight(text).text
    assert answer not in site[f"handouts/{name}.html"]


def test_a_drawing_shows_no_chance_before_the_prediction(site):
    messages = re.findall(r'data-key="(\w+)"[^>]*><script type="application/json">(.*?)</script>', site["noise.html"])
    noise = json.loads(dict(messages)["noise"])
    assert noise["until"] == {"kinds": {"chances": None}, "closed": noise["data"]["epsilons"].index(1)}
    assert all(kind["chances"] for kind in noise["data"]["kinds"])


def test_a_file_that_cannot_be_written_is_named_in_a_sentence(tmp_path, capsys):
    (tmp_path / "index.html").mkdir()
    assert program.main(str(tmp_path), "1") == 2
    assert capsys.readouterr().err == f"mwem: {str(tmp_path / 'index.html')!r} cannot be written: Is a directory\n"


def test_an_exercise_needs_a_right_answer():
    with pytest.raises(ValueError, match="right must be one of the answers, got 'x'"):
        Exercise("Which?", {"y": "because"}, right="x")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path)
def test_the_key_answers_all_that_a_lesson_asks(lesson):
    text = "\n".join(key_paragraphs(lesson, 1))
    asked = 0
    for block in all_blocks(blocks_of(lesson, 1)):
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
    assert {file.name for file in kept.iterdir()} == {"key.md", "notes.md"}
    assert not list(out.rglob("*.md"))
    assert f"files in {kept}, " in capsys.readouterr().out

"""The lessons: each is a folder here, which has all that is its own.

`<lesson>/__init__.py` yields its blocks, `blocks(seed)`, and what its handout has besides, `sheet(seed)`.
`<lesson>.toml` has its facts, and the teacher's notes in its order. `<lesson>.js` and `.css` have its drawings, each a
function of its name, and `<lesson>.svg` a small still one for the list of lessons. A new folder is a new lesson.
"""

import csv
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, get_type_hints
from urllib.parse import quote

import streamlit as st
from streamlit.components.v2 import component

from mwem_app.charts import HTML, script_of, show, style_of
from mwem_app.course.blocks import Block, Exercise, PredictChoice, PredictDrawn, PredictNumber
from mwem_app.course.sheet import Data, Figure, Task
from mwem_app.page import Place, place
from mwem_core.base import SAMPLES
from mwem_core.forms import csv_text

FOLDER = Path(__file__).parent
LESSON, SEED = "lesson", "seed"  # in the address: /learn?lesson=noise&seed=3
ALL = "all"  # instead of a lesson: their list
TITLE, PREDICTION, EXERCISE = "title", "prediction", "exercise"  # of scenes, in notes


@dataclass(frozen=True, kw_only=True)
class Note:
    """What a teacher says and asks at one scene, what students get wrong there, and how many minutes it takes.

    No student's page reads it.
    """

    at: str  # the key of a drawing or formula; or "title", "prediction" or "exercise"
    minutes: int
    say: str
    ask: str = ""
    errors: str = ""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A lesson: its address, what a learner can do after it, and what a teacher wants to know before it.

    The expected answers are in the files for the teacher: a learner may read all that a page shows.
    """

    path: str  # its name in the address, and the name of its folder
    number: int  # its place: lessons build on those before them
    title: str
    aim: str  # "You will be able to …"
    needs: str  # what a learner should know before
    question: str  # at the top of its handout
    notes: tuple[Note, ...]
    minutes: int = 10

    @property
    def scripts(self) -> tuple[Path, ...]:
        """The scripts of its drawings: one scope, whose `DRAWINGS` has them by name."""
        return tuple(sorted((FOLDER / self.path).glob("*.js")))

    @property
    def picture(self) -> str:
        """Its small still picture, which has no words, as HTML."""
        svg = (FOLDER / self.path / f"{self.path}.svg").read_text(encoding="utf-8")
        return f'<img alt="" src="data:image/svg+xml,{quote(svg)}">'


def _lessons() -> Iterator[Lesson]:
    for file in FOLDER.glob("*/*.toml"):
        facts = tomllib.loads(file.read_text(encoding="utf-8"))
        notes = tuple(Note(**note) for note in facts.pop("note"))
        yield Lesson(path=file.stem, **facts, notes=notes)


LESSONS = tuple(sorted(_lessons(), key=lambda lesson: lesson.number))


def blocks_of(lesson: Lesson, seed: int) -> Iterator[Block]:
    """The blocks of a lesson, made one after another; only its own folder is imported."""
    return _module(lesson).blocks(seed)


def sheet_of(lesson: Lesson, seed: int) -> tuple[list[Data | Figure], list[Task]]:
    """What a handout has besides the prediction and the exercise, with the draws of a seed: its parts and its tasks."""
    every = list(_module(lesson).sheet(seed))
    return [each for each in every if not isinstance(each, Task)], [each for each in every if isinstance(each, Task)]


def _module(lesson: Lesson) -> ModuleType:
    return import_module(f"mwem_app.course.{lesson.path}")


def name_of(block: Block) -> str:
    """The name by which a note finds a block; "" for one that has none."""
    if isinstance(block, PredictChoice | PredictNumber | PredictDrawn):
        return PREDICTION
    return EXERCISE if isinstance(block, Exercise) else getattr(block, "key", "")


def lesson_at(path: str) -> Lesson | None:
    """The lesson with this address, if there is one."""
    return next((lesson for lesson in LESSONS if lesson.path == path), None)


def next_lesson(lesson: Lesson) -> Lesson | None:
    """The lesson that follows."""
    following = LESSONS[LESSONS.index(lesson) + 1 :]
    return following[0] if following else None


def link_to(lesson: Lesson, label: str = "") -> None:
    """A link to a lesson."""
    st.page_link("pages/learn.py", label=label or lesson.title, query_params={LESSON: lesson.path})


def link_to_all() -> None:
    """A link to the list of the lessons."""
    st.page_link("pages/learn.py", label="All lessons", icon=":material/school:", query_params={LESSON: ALL})


def class_link(lesson: Lesson, seed: int) -> Place:
    """The address that opens a lesson with this seed, so that every screen agrees."""
    return place("learn", **{LESSON: lesson.path, SEED: seed})


def drawing(name: str, data: dict[str, Any], *, key: str, scripts: tuple[Path, ...] = ()) -> Any:
    """Show a drawing; returns what it sends, in the run that this causes, else None.

    It is in `scripts`, or else one that lessons share. `data` may hold NumPy arrays; they arrive as lists.
    """
    return show(_mount(name, scripts or shared_scripts(name)), data, key=key, sends=("sent",)).sent


def shared_scripts(name: str) -> tuple[Path, ...]:
    """The script of a drawing that lessons share."""
    return (FOLDER / f"{name}.js",)


def style_sheets(scripts: tuple[Path, ...]) -> list[Path]:
    """The style sheets beside scripts."""
    return [style for script in scripts if (style := script.with_suffix(".css")).exists()]


# A drawing is a function of its place, its first data and `send`; it returns what takes later data, or nothing.
MAKE = """
function make(root, send) {
  let next = null;
  return { update: data => next ? next(data) : (next = DRAWINGS.%s(root, data, send) ?? (() => {})) };
}
"""


@cache
def _mount(name: str, scripts: tuple[Path, ...]) -> Callable[..., Any]:
    script = f"{script_of(scripts)}{MAKE % name}"
    return component(f"mwem_lesson_{name}", html=HTML, css=style_of(style_sheets(scripts)), js=script)


Trial = TypeVar("Trial")


def to_csv(trials: Sequence[Any]) -> str:
    """Trials of one dataclass as a table, a column for each of its fields; `stored_trials` reads it."""
    rows = (tuple(f"{value:.6g}" if isinstance(value, float) else value for value in astuple(t)) for t in trials)
    return csv_text([field.name for field in fields(trials[0])], rows)


def stored_trials(name: str, kind: type[Trial]) -> list[Trial]:
    """The trials of a lesson's file, of a dataclass of numbers and truth values."""
    types = get_type_hints(kind)
    with (SAMPLES / "lessons" / f"{name}.csv").open(encoding="utf-8") as file:
        return [
            kind(**{key: text == "True" if types[key] is bool else types[key](text) for key, text in row.items()})
            for row in csv.DictReader(file)
        ]

"""A lesson on a page of Streamlit: its blocks in a frame, and the list of all lessons."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from mwem_app.base import EXAMPLE
from mwem_app.course.blocks import (
    Block,
    Caption,
    Columns,
    Drawing,
    Exercise,
    Formula,
    Heading,
    PredictChoice,
    PredictDrawn,
    PredictNumber,
    Reveal,
    RunLink,
    Text,
)
from mwem_app.course.classroom.class_lessons import show_way_back
from mwem_app.course.exercises import CurveExercise, NumberExercise, SettingsExercise
from mwem_app.course.lesson import (
    LESSONS,
    SEED,
    Lesson,
    blocks_of,
    class_link,
    drawing,
    link_to,
    link_to_all,
    next_lesson,
)
from mwem_app.course.tasks import (
    drawn_exercise,
    exercise,
    locked_in,
    predict,
    predict_drawn,
)
from mwem_app.page import download, problem, show_badge
from mwem_app.session import lock, locked_value, state
from mwem_core.systems import SYSTEMS

PROJECTOR = "projector"
LARGER = """
/* The links of the app, which would no longer fit, give way to the lesson. */
html { font-size: 150% !important; }
[data-testid="stHeader"], .st-key-aside { display: none; }
[data-testid="stMainBlockContainer"] { padding-top: 1rem; }
"""


def begin(lesson: Lesson) -> int:
    """Open a lesson; returns the seed of its draws, which the address fixes so that every screen agrees."""
    st.set_page_config(page_title=f"{lesson.title} · MWEM Explorer")
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.title(lesson.title, anchor=False, width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            show_badge(EXAMPLE)
            switch_projector()
    st.markdown(f"After ten minutes you will be able to {lesson.aim}")
    return read_seed()


def switch_projector() -> None:
    """A switch for a page that many people look at from afar."""
    if st.toggle("Projector", key=PROJECTOR, bind=state.BIND, help="Larger type, without the links of the app."):
        st.html(f"<style>{LARGER}</style>")


def read_seed() -> int:
    """The seed in the address, 1 without one. Everyone who opens the same link sees the same draws."""
    text = st.query_params.get(SEED, "1")
    return int(text) % 2**32 if text.isascii() and text.isdigit() else 1


def end(lesson: Lesson, handout: Callable[[Lesson, int, str], str]) -> None:
    """Close a lesson: where to go from here, and its handout, made on a click, of a seed and a link."""
    seed = read_seed()
    with st.container(horizontal=True, vertical_alignment="center", key="aside"):
        following = next_lesson(lesson)
        if following:
            link_to(following, f"Next: {following.title}")
        link_to_all()
        show_way_back()
        to_print = partial(handout, lesson, seed, class_link(lesson, seed).url)
        name, icon = f"{lesson.path}.html", ":material/print:"
        download("Handout to print", to_print, name, "text/html", icon=icon, type="tertiary")


def show_blocks(lesson: Lesson, seed: int) -> None:
    """Show the blocks of a lesson with the draws of a seed, each as soon as it is made."""
    _Reading(lesson, locked_in(lesson.path)).show(blocks_of(lesson, seed))


@dataclass
class _Reading:
    """A lesson while its page is drawn. What is predicted is what the tab says, until the prediction is drawn."""

    lesson: Lesson
    predicted: Any

    def show(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            self._show(block)

    def _show(self, block: Block) -> None:
        match block:
            case Text():
                st.markdown(block.text)
            case Caption():
                st.caption(block.text)
            case Heading():
                st.header(block.text, anchor=False)
            case Drawing():
                drawing(block.name, block.data_at(self._is_locked), key=block.key, scripts=self.lesson.scripts)
            case Formula():
                drawing("symbols", {"parts": block.parts}, key=block.key)
            case PredictChoice() | PredictNumber():
                self.predicted = predict(block, lesson=self.lesson.path)
            case PredictDrawn():
                self._draw(block)
            case Reveal():
                self.show(block.blocks if self._is_locked else block.before)
            case Exercise():
                exercise(block, predicted=self._is_locked, key=self.lesson.path)
            case NumberExercise() | SettingsExercise() | CurveExercise():
                drawn_exercise(block, lesson=self.lesson.path)
            case Columns():
                left, right = st.columns(2)
                with right:  # first: what is on the left may answer the prediction that is there
                    self.show(block.right)
                with left:
                    self.show(block.left)
            case RunLink():
                link_to_run(block)

    @property
    def _is_locked(self) -> bool:
        return self.predicted is not None

    def _draw(self, block: PredictDrawn) -> None:
        slot, shape = f"{self.lesson.path}_drawn", len(block.positions)
        drawn = locked_value(slot, lambda value: isinstance(value, list) and len(value) == shape)
        data = block.drawing.data_at(drawn is not None) | {"drawn": drawn}
        sent = drawing(block.drawing.name, data, key=block.drawing.key, scripts=self.lesson.scripts)
        lowest = None
        if sent is not None:
            lock(slot, sent["drawn"])
            lowest = block.positions[sent["drawn"].index(min(sent["drawn"]))]
        predict_drawn(lowest, lesson=self.lesson.path)
        self.predicted = drawn


def link_to_run(run: RunLink) -> None:
    """A link that opens the page Run with these settings."""
    st.page_link("pages/run.py", label="Try this on Run", icon=":material/play_circle:", query_params=settings(run))


def settings(run: RunLink) -> dict[str, str]:
    """The settings of the page Run, by their names in its address."""
    return {
        state.TABLE: run.table,
        state.FAMILY: run.family,
        state.K: f"{run.k}",
        state.METHOD: SYSTEMS[run.system].title,
        state.EPSILON: f"{run.epsilon:g}",
        state.ROUNDS: f"{run.T}",
        state.SEED: f"{run.seed}",
    }


TEACHER = (
    "Everyone who opens a link sees the same data, the same draws and the same numbers; another seed gives other "
    "draws. No account is needed, and nothing that a learner does is stored. Each lesson has a handout "
    "at its foot, and a switch for a projector at its top."
)


def show_index() -> None:
    """The lessons, each with its picture, and what a teacher wants to know before a class."""
    with st.container(key="lesson_list"):
        with st.container(horizontal=True, vertical_alignment="center", key="lesson_head"):
            st.title("Learn", anchor=False, width="content")
            st.markdown("Nine lessons tell one story. Each also works alone.", width="stretch")
            with st.popover("For the teacher", icon=":material/co_present:", width="content"):
                _show_teacher()
        with st.container(key="lessons"):
            for number, lesson in enumerate(LESSONS, 1):
                with st.container(key=f"card_{lesson.path}", gap="xxsmall"):
                    st.html(lesson.picture)
                    link_to(lesson, f"{number}. {lesson.title} :gray[· {lesson.minutes} min]")
                    st.caption(lesson.aim[0].upper() + lesson.aim[1:])


def _show_teacher() -> None:
    st.markdown(TEACHER)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lesson = st.selectbox("Lesson", LESSONS, format_func=lambda each: each.title, key="class_lesson")
        seed = st.number_input("Seed", 0, 10**6, 1, key="class_seed", width=160)
    st.caption("The link for your class:")
    link = class_link(lesson, int(seed))
    st.code(link.url, language=None)
    if link.trouble:
        problem(link.trouble)
    st.markdown(f"**Before it:** {lesson.needs}")
    st.caption(
        "The expected answers are not on these pages, which your class reads too: docs/teacher.md says how to get them."
    )

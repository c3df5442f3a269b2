"""A lesson on a page of Streamlit: its blocks one after another."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from mwem_app.course.learn import drawing
from mwem_app.course.learn.blocks import (
    Beside,
    Block,
    Caption,
    Dialogue,
    Drawing,
    Exercise,
    Formula,
    Heading,
    Once,
    OnRun,
    PredictChoice,
    PredictDrawn,
    PredictNumber,
    Switch,
    Text,
    Told,
)
from mwem_app.course.learn.exercise import drawn_exercise, exercise
from mwem_app.course.learn.exercises.curve import CurveExercise
from mwem_app.course.learn.exercises.number import NumberExercise
from mwem_app.course.learn.exercises.settings import SettingsExercise
from mwem_app.course.learn.on_run import link_to_run
from mwem_app.course.learn.predict import locked_in, predict, predict_drawn
from mwem_app.course.learn.symbols import formula
from mwem_app.session import lock, locked_value


def show_blocks(blocks: Iterable[Block], lesson: str) -> None:
    """Show the blocks of a lesson, by its path, each as soon as it is made."""
    _Reading(lesson, locked_in(lesson)).show(blocks)


@dataclass
class _Reading:
    """A lesson while its page is drawn. What is predicted is what the tab says, until the prediction is drawn."""

    lesson: str
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
                drawing.drawing(block.name, block.shown(self._is_locked), key=block.key)
            case Dialogue():
                st.fragment(_converse)(block, f"{self.lesson}_{block.key}")
            case Formula():
                formula(block)
            case PredictChoice() | PredictNumber():
                self.predicted = predict(block, lesson=self.lesson)
            case PredictDrawn():
                self._draw(block)
            case Once():
                self.show(block.blocks if self._is_locked else block.before)
            case Told():
                st.markdown(block.by_option.get(self.predicted, block.otherwise))
            case Exercise():
                exercise(block, predicted=self._is_locked, key=self.lesson)
            case NumberExercise() | SettingsExercise() | CurveExercise():
                drawn_exercise(block, lesson=self.lesson)
            case Beside():
                left, right = st.columns(2)
                with right:  # first: what is on the left may answer the prediction that is there
                    self.show(block.right)
                with left:
                    self.show(block.left)
            case Switch():
                self._switch(block)
            case OnRun():
                link_to_run(block)

    @property
    def _is_locked(self) -> bool:
        return self.predicted is not None

    def _draw(self, block: PredictDrawn) -> None:
        slot, shape = f"{self.lesson}_drawn", len(block.positions)
        drawn = locked_value(slot, lambda value: isinstance(value, list) and len(value) == shape)
        data = block.drawing.shown(drawn is not None) | {"drawn": drawn}
        sent, lowest = drawing.drawing(block.drawing.name, data, key=block.drawing.key), None
        if sent is not None:
            lock(slot, sent["drawn"], lesson=self.lesson)
            lowest = block.positions[sent["drawn"].index(min(sent["drawn"]))]
        predict_drawn(block.question, lowest, lesson=self.lesson)
        self.predicted = drawn

    def _switch(self, block: Switch) -> None:
        about, switch = st.columns([3, 1], vertical_alignment="center")
        titles = list(block.variants)
        chosen = switch.segmented_control(
            block.label, titles, default=titles[0], key=block.key, required=True, label_visibility="collapsed"
        )
        first, *others = block.variants[chosen]()
        with about:
            self.show([first])
        self.show(others)


def _converse(block: Dialogue, slot: str) -> None:
    """Show a drawing that asks; its answers draw nothing else of the page again."""
    choice = st.session_state.get(slot, block.start)
    sent = drawing.drawing(block.name, {**block.data, **block.tell(choice)}, key=block.key)
    if sent is not None:
        st.session_state[slot] = block.take(choice, sent)
        drawing.draw_again()

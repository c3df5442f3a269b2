"""A line for a question, examples of it, and the work of answering."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import get_args

import streamlit as st

from mwem_app.ask.answers_view import show_history, show_newest
from mwem_app.ask.question_answers import QuestionAnswers, answers_to, as_release
from mwem_app.base import PRIVATE, Badge, queue_in_words
from mwem_app.page import count_work, may_start, plain, problem, section
from mwem_app.session import RUNS, Task, state
from mwem_core.ask import LoadedRelease, Of, Question, examples, read_questions
from mwem_core.domain import Records
from mwem_core.output import Run
from mwem_core.privacy import Guarantee

AT_ONCE = 0.5  # seconds that most answers take
OF_HELP = (
    "An interval for the population holds the number of all people of whom the private table is a random sample; it is"
    " wider. One for the table holds the private table's own number, and has only the noise of the release."
)


@dataclass
class Line:
    """What a line for questions holds between two runs of its page, newest answer last."""

    answers: list[QuestionAnswers] = field(default_factory=list)
    work: Task[list[QuestionAnswers]] | None = None
    problem: str = ""
    next_question: str = ""  # asked as soon as the page is drawn

    @property
    def newest(self) -> QuestionAnswers | None:
        """The last answer, unless another question has come after it."""
        return self.answers[-1] if self.answers and not self.work and not self.problem else None


def ask_line(
    line: Line,
    release: LoadedRelease,
    answer: Callable[[Question, Of], QuestionAnswers],
    badge: Badge,
    *,
    key: str,
    of: Of = "population",
) -> None:
    """Let the user ask, first about `of`; keep in `line` what is answered, and show it.

    `answer` runs on a thread of its own.
    """
    domain = release.domain
    choices = examples(domain, release.known.residuals)
    text_key, of_key, example_key = f"_{key}_question", f"_{key}_of", f"_{key}_example"
    st.session_state.setdefault(of_key, of)
    if line.next_question or text_key not in st.session_state:
        st.session_state[text_key] = line.next_question or (line.answers[-1].question.text if line.answers else "")
    with st.form(f"{key}_form", border=False):
        question_column, of_column, button_column = st.columns([7, 1.6, 1], vertical_alignment="bottom")
        question_column.text_input("Question", key=text_key, placeholder=choices[0])
        of_column.selectbox("The interval is for", get_args(Of), format_func="the {}".format, key=of_key, help=OF_HELP)
        asked = button_column.form_submit_button("Ask", type="primary", icon=":material/send:", width="stretch")
    if asked or line.next_question:
        line.next_question, line.work, line.problem = "", None, ""
        try:
            questions, of = read_questions(st.session_state[text_key], domain), st.session_state[of_key]
        except ValueError as error:
            line.problem = str(error)
            questions = ()
        if questions and may_start(RUNS):
            line.work = Task("question", (questions, of), lambda: [answer(question, of) for question in questions])
            count_work(line.work)
            line.work.wait(AT_ONCE)
    if line.work is not None:
        st.fragment(_follow, run_every=0.5 if line.work.active else None)(line, line.work.active)
    if line.problem:
        problem(line.problem)
    if line.newest:
        show_newest(line.newest, badge)
    st.pills(
        "For example",
        choices,
        format_func=plain,
        key=example_key,
        on_change=_ask_example,
        args=(line, example_key),
    )
    if line.answers:
        show_history(line.answers, badge, key=key)


def _ask_example(line: Line, key: str) -> None:
    """Ask the example that was pressed; it can be pressed again."""
    line.next_question, st.session_state[key] = st.session_state[key] or "", None


def _follow(line: Line, running: bool) -> None:
    """Wait for an answer, and keep it."""
    work = line.work
    if work is None:
        return
    if work.active:
        st.caption(f":material/hourglass: {queue_in_words(work.before) if work.before else 'Fitting models'}")
        return
    line.problem, line.work = work.problem, None
    if work.result is not None:
        line.answers += work.result
    if running:
        st.rerun()


def ask_run(run: Run, rows: Records, records: Records) -> None:
    """Let the user ask a finished run that has added noise, as whoever receives a release asks that."""
    if not isinstance(run.guarantee, Guarantee):
        return
    release = state.remember("asked run", run.model, lambda: as_release(run, rows))
    line = state.remember("line of asked run", run.model, Line)
    section("Ask this run", PRIVATE)
    st.caption(
        "Whoever receives a release can ask it this, from what was measured. Here the table's own number stands beside"
        " each interval, where bins do not hide it: an interval for the table holds it in about 95 of 100 runs."
    )
    ask_line(line, release, partial(answers_to, release, records=records), PRIVATE, key="ask_run", of="table")

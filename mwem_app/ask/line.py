"""A question by menus or in SQL, and the work of answering it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import get_args

import streamlit as st

from mwem_app.ask.answers_view import show_answers
from mwem_app.ask.menus import Menus, choose_by_menus
from mwem_app.ask.question_answers import QuestionAnswers, answers_to, as_release
from mwem_app.base import PRIVATE, Badge, queue_in_words
from mwem_app.page import count_work, may_start, problem, section
from mwem_app.session import RUNS, Task, state
from mwem_core.ask import LoadedRelease, Of, Question, read_questions
from mwem_core.domain import Records
from mwem_core.output import Run
from mwem_core.privacy import Guarantee

AT_ONCE = 0.5  # seconds that most answers take
OF_HELP = (
    "An interval for the population holds the number of all people of whom the private table is a random sample; it is"
    " wider. One for the table holds the private table's own number, and has only the noise of the release."
)
SQL_HELP = (
    "What the menus say, as SQL. Edit it for what they have not: `or`, `between`, several statistics, or a regression"
    " such as `age ~ sex`."
)


@dataclass
class Line:
    """What is asked between two runs of its page: the questions, for whom, and their answers."""

    asked: tuple[tuple[Question, ...], Of] | None = None
    answers: list[QuestionAnswers] = field(default_factory=list)
    work: Task[list[QuestionAnswers]] | None = None
    problem: str = ""


def ask_line(
    line: Line,
    release: LoadedRelease,
    answer: Callable[[Question, Of], QuestionAnswers],
    badge: Badge,
    *,
    key: str,
    of: Of = "population",
    opening: str = "",
) -> None:
    """Let the user ask, first the `opening` about `of`; keep in `line` what is answered, and show it.

    `answer` runs on a thread of its own.
    """
    menus = state.remember(f"menus {key}", release, lambda: Menus(release))
    text_key, of_key = f"_{key}_question", f"_{key}_of"
    st.session_state.setdefault(of_key, of)
    last = line.asked[0] if line.asked else ()
    last_text = "; ".join(question.text for question in last) or opening or menus.first_question().text
    text = st.session_state.setdefault(text_key, last_text)
    try:
        questions, error = read_questions(text, release.domain), ""
    except ValueError as refusal:
        questions, error = read_questions(last_text, release.domain), str(refusal)
    if error and (not text or not line.asked):  # nothing, or what was asked of another release
        st.session_state[text_key], error = last_text, ""
    with st.container(key=f"{key}_form", gap="small"):
        choose_by_menus(menus, questions[0], key=key, text_key=text_key)
        text_column, of_column = st.columns([7.1, 1.6], vertical_alignment="bottom")
        text_column.text_input("The question in SQL", key=text_key, help=SQL_HELP)
        of_column.selectbox("Intervals for", get_args(Of), format_func="the {}".format, key=of_key, help=OF_HELP)
    of = st.session_state[of_key]
    if error:
        problem(error)
        return
    if line.asked != (questions, of) and may_start(RUNS):
        line.asked, line.answers, line.problem = (questions, of), [], ""
        line.work = Task("question", line.asked, lambda: [answer(question, of) for question in questions])
        count_work(line.work)
        line.work.wait(AT_ONCE)
    if line.work is not None:
        st.fragment(_follow, run_every=0.5 if line.work.active else None)(line, line.work.active)
    if line.problem:
        problem(line.problem)
    if line.answers:
        show_answers(line.answers, badge, key=key)


def _follow(line: Line, running: bool) -> None:
    """Wait for an answer, and keep it."""
    work = line.work
    if work is None:
        return
    if work.active:
        st.caption(f":material/hourglass: {queue_in_words(work.before) if work.before else 'Fitting models'}")
        return
    line.problem, line.answers, line.work = work.problem, work.result or [], None
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

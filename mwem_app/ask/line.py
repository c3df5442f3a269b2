"""A question by menus or in SQL, and the work of answering it."""

from __future__ import annotations

from functools import partial
from typing import get_args

import streamlit as st

from mwem_app.ask.answers_view import answers_to, show_answers
from mwem_app.ask.menus import Menus, choose_by_menus
from mwem_app.base import PRIVATE, RELEASE_FILE
from mwem_app.page import count_work, follow_task, may_start, problem, section
from mwem_app.session import RUNS, Task, state
from mwem_core.ask import Kind, LoadedRelease, Of, Question, read_questions
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


def ask_line(release: LoadedRelease, *, key: str, opening: str = "", records: Records | None = None) -> None:
    """Let the user ask, first the `opening` if this release can be asked that, and show the answers.

    With the private `records` the table's own numbers stand beside the answers, which are then private.
    """
    menus = state.remember(f"menus {key}", release, lambda: Menus(release))
    text_key, work_key = f"_{key}_question", f"_{key}_work"
    work = st.session_state.get(work_key)
    if work is not None and work.key[0] is not release:
        work = None
    questions = work.key[1] if work else _first_questions(menus, opening)
    text, error = st.session_state.get(text_key, ""), ""
    try:
        questions = read_questions(text, release.domain)
    except ValueError as refusal:
        if text and work:
            error = str(refusal)
        else:  # nothing, or what was asked of another release
            st.session_state[text_key] = "; ".join(question.text for question in questions)
    with st.container(key=f"{key}_form", gap="small"):
        choose_by_menus(menus, questions[0], key=key, text_key=text_key)
        text_column, of_column = st.columns([7.1, 1.6], vertical_alignment="bottom")
        text_column.text_input("The question in SQL", key=text_key, help=SQL_HELP)
        of_options = {"index": int(records is not None), "key": f"_{key}_of", "help": OF_HELP}
        of = of_column.selectbox("Intervals for", get_args(Of), format_func="the {}".format, **of_options)
    if error:
        problem(error)
        return
    asked = release, questions, of
    if (work is None or work.key != asked) and may_start(RUNS):
        answer = partial(answers_to, release, of=of, records=records)
        opened, work = work is None, Task("question", asked, lambda: [answer(each) for each in questions])
        st.session_state[work_key] = work
        if not opened:  # a visitor has not asked the first question
            count_work(work)
        work.wait(AT_ONCE)
    if work is not None:
        show = partial(show_answers, badge=RELEASE_FILE if records is None else PRIVATE, key=key)
        follow_task(work, show, "Fitting models")


def _first_questions(menus: Menus, opening: str) -> tuple[Question, ...]:
    """The opening, else an average where there are numbers, else a share, else the number of records."""
    kind: Kind = "mean" if menus.numbers else "share" if menus.conditions else "count"
    try:
        return read_questions(opening, menus.release.domain)
    except ValueError:
        return (Question(kind, next(iter(menus.subjects(kind)))),)


def ask_run(run: Run, rows: Records, records: Records) -> None:
    """Let the user ask a finished run that has added noise, as whoever receives a release asks that."""
    guarantee = run.guarantee
    if not isinstance(guarantee, Guarantee):
        return
    release = state.remember("asked run", run.model, lambda: LoadedRelease.of_rounds(run.rounds, rows, guarantee))
    section("Ask this run", PRIVATE)
    st.caption(
        "Whoever receives a release can ask it this, from what was measured. Here the table's own number stands beside"
        " each interval, where bins do not hide it: an interval for the table holds it in about 95 of 100 runs."
    )
    ask_line(release, key="ask_run", records=records)

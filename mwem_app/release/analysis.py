"""Step 1, in place of a workload: what the release will be asked, from which the workload follows."""

from itertools import combinations

import streamlit as st

from mwem_app.inputs import describe
from mwem_app.page import plain
from mwem_app.session import state
from mwem_core.ask import Question, asked_domain, examples, read_questions, workload_of
from mwem_core.domain import Domain
from mwem_core.workload import Workload, parse_workload

HELP = (
    "The questions that you will put to the release on the page Ask, one a line. The release is made for every table "
    "that they need, those of several questions with more weight. A table is a question too: `income by sex and age`. "
    "Leave it empty to choose the tables yourself."
)

RELEASED = (
    "Only the attributes that the questions name are released, whichever are chosen beside. Step 3 says which questions"
    " will be answered, and how wide."
)


def choose_analysis(domain: Domain) -> tuple[Question, ...]:
    """Let the user write what the release will be asked. Raises ValueError for a question that cannot be read."""
    text = st.text_area(
        "What will you want to know?",
        key="_release_analysis",
        placeholder="\n".join(examples(domain, list(combinations(range(len(domain)), 2)))[:3]),
        height=110,
        persist_state="session",
        help=HELP,
    )
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return tuple(question for line in lines for question in read_questions(line, domain))


def workload_for(questions: tuple[Question, ...], domain: Domain) -> Workload:
    """The workload of these questions, over the attributes that they read; says what it is."""

    def parsed() -> Workload:
        asked = asked_domain(questions, domain)
        return parse_workload(workload_of(questions, asked), asked)

    workload = state.remember("analysis", (questions, domain), parsed)  # the same one, so that terms stay equal
    st.markdown(describe(workload))
    st.caption(plain(f"These questions need {workload.spec}. {RELEASED}"))
    return workload

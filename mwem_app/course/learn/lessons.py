"""The lessons, in the order in which they build on one another."""

from dataclasses import dataclass

import streamlit as st

from mwem_app.page import Place, place

LESSON, SEED = "lesson", "seed"  # in the address: /learn?lesson=noise&seed=3
ALL = "all"  # instead of a lesson: their list


@dataclass(frozen=True)
class Lesson:
    """A lesson: its address, what a learner can do after it, and what a teacher wants to know before it.

    The expected answers are in the files for the teacher: a learner may read all that a page shows.
    """

    path: str  # its name in the address, and the name of its module in mwem_app/course/lessons/
    title: str
    aim: str  # "You will be able to …"
    needs: str  # what a learner should know before
    icon: str
    minutes: int = 10


LESSONS = (
    Lesson(
        path="attack",
        title="Attack it",
        aim="reconstruct everybody's secret from exact counts, and say which repair stops you.",
        needs="Nothing: what a count is.",
        icon=":material/policy:",
    ),
    Lesson(
        path="under_attack",
        title="A release under attack",
        aim="say what a release gives away beside its counts, and find out whether its noise is what it states.",
        needs="That exact counts give people away: the lesson Attack it, or its first screen.",
        icon=":material/shield_question:",
    ),
    Lesson(
        path="noise",
        title="Noise",
        aim="say what one student changes in a table, what one noisy count tells about one, and what doubling ε does.",
        needs="What a count and a share are. The attacks before it show why noise is needed.",
        icon=":material/blur_on:",
    ),
    Lesson(
        path="choosing",
        title="Choosing",
        aim="choose the best of several candidates in private, and say what a careless factor of two costs.",
        needs="What ε promises and what Δ is: the lesson Noise, or its first two screens.",
        icon=":material/casino:",
    ),
    Lesson(
        path="reweighting",
        title="Reweighting",
        aim="update a table by multiplicative weights by hand, and say why that must end.",
        needs="Shares, and that e^x is positive. For its last screen, the lesson Noise.",
        icon=":material/balance:",
    ),
    Lesson(
        path="mwem",
        title="MWEM, round by round",
        aim="follow select, measure and update on paper, and say where the budget goes.",
        needs="Noise, Choosing and Reweighting, or their first screens.",
        icon=":material/play_circle:",
    ),
    Lesson(
        path="rounds",
        title="How many rounds?",
        aim="say why both too few and too many rounds err, and find the best number.",
        needs="What one round of MWEM does.",
        icon=":material/repeat:",
    ),
    Lesson(
        path="factored",
        title="Why a factored model",
        aim="tell from the questions alone how large a model of a wide table must be.",
        needs="What a marginal is, a table of counts over some attributes, and what MWEM does with it.",
        icon=":material/hub:",
    ),
    Lesson(
        path="composition",
        title="One purse, many questions",
        aim="plan four questions on one budget, and account for a whole release.",
        needs="What ε promises: the lesson Noise, or its first screens.",
        icon=":material/account_balance_wallet:",
    ),
)


def lesson_at(path: str) -> Lesson | None:
    """The lesson with this address, if there is one."""
    return next((lesson for lesson in LESSONS if lesson.path == path), None)


def after(lesson: Lesson) -> Lesson | None:
    """The lesson that follows."""
    following = LESSONS[LESSONS.index(lesson) + 1 :]
    return following[0] if following else None


def link_to(lesson: Lesson, label: str = "") -> None:
    """A link to a lesson."""
    st.page_link("pages/learn.py", label=label or lesson.title, icon=lesson.icon, query_params={LESSON: lesson.path})


def link_to_all() -> None:
    """A link to the list of the lessons."""
    st.page_link("pages/learn.py", label="All lessons", icon=":material/school:", query_params={LESSON: ALL})


def class_link(lesson: Lesson, seed: int) -> Place:
    """The address that opens a lesson with this seed, so that every screen agrees."""
    return place("learn", **{LESSON: lesson.path, SEED: seed})

"""The lessons, in the order in which they build on one another."""

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import streamlit as st

LESSON, SEED = "lesson", "seed"  # in the address: /learn?lesson=noise&seed=3
ALL = "all"  # instead of a lesson: their list


@dataclass(frozen=True)
class Lesson:
    """A lesson: its address, what a learner can do after it, and what a teacher wants to know before it."""

    path: str  # its name in the address, and the name of its file in pages/learn/
    title: str
    aim: str  # "You will be able to …"
    needs: str  # what a learner should know before
    expected: str  # the answers to its prediction and its exercise
    icon: str
    minutes: int = 10


LESSONS = (
    Lesson(
        path="noise",
        title="Noise",
        aim="say what one noisy count tells about one person, and what doubling ε changes.",
        needs="Nothing: what a count and a share are.",
        expected="Prediction: about 14 of 20 bets at ε = 1; the guarantee caps it at 73%. Exercise: doubling ε halves "
        "the noise, from ±2 to ±1, and raises the cap from 62% to 73%.",
        icon=":material/blur_on:",
    ),
    Lesson(
        path="choosing",
        title="Choosing",
        aim="choose the best of several candidates in private, and say what a careless factor of two costs.",
        needs="What ε promises: the lesson Noise, or its first screen.",
        expected="Prediction: about 153 of 200, as the probability grows from 49% to 77%. Exercise: 2.7 times, since "
        "exp(0.1 · 20 / 2) = e; 7.4 times is the factor-two slip.",
        icon=":material/casino:",
    ),
    Lesson(
        path="reweighting",
        title="Reweighting",
        aim="update a table by multiplicative weights by hand, and say why that must end.",
        needs="Shares, and that e^x is positive.",
        expected="Prediction: short sleep, which the uniform table overestimates by 56. Exercise: 30 rounds, since "
        "each lowers Ψ by at least (40/400)² = 0.01, and Ψ starts at 0.3.",
        icon=":material/balance:",
    ),
    Lesson(
        path="mwem",
        title="MWEM, round by round",
        aim="follow select, measure and update on paper, and say where the budget goes.",
        needs="Noise, Choosing and Reweighting, or their first screens.",
        expected="Prediction: 2 to 3 of 8, as the choices are random. Exercise: more sweeps cost nothing, because the "
        "update never reads the private table.",
        icon=":material/play_circle:",
    ),
    Lesson(
        path="rounds",
        title="How many rounds?",
        aim="say why both too few and too many rounds err, and find the best number.",
        needs="What one round of MWEM does.",
        expected="Prediction: the curve falls from 10% to 6% at 8 rounds and rises again. Exercise: more rounds, as "
        "only the product of ε and n counts.",
        icon=":material/repeat:",
    ),
    Lesson(
        path="factored",
        title="Why a factored model",
        aim="tell from the questions alone how large a model of a wide table must be.",
        needs="What a marginal is: a table of counts over some attributes.",
        expected="Prediction: 3,360 cells = 16 × 5 × 42, as the loop of four is cut into two triangles. Puzzle: a "
        "triangle of small attributes, such as workclass, race and sex; native-country with sex; three pairs apart. "
        "Exercise: 200 cells.",
        icon=":material/hub:",
    ),
    Lesson(
        path="attack",
        title="Attack it",
        aim="reconstruct a person's secret from exact answers, and see noise stop you.",
        needs="Nothing. What ε promises helps.",
        expected="Exact answers: five or six questions, the two given ones included. Prediction: ε about 16. Exercise: "
        "the scale of the noise; exact counts, a schema read off the data and a seed each break the promise.",
        icon=":material/policy:",
    ),
    Lesson(
        path="composition",
        title="One purse, many questions",
        aim="plan four questions on one budget, and account for a whole release.",
        needs="What ε promises: the lesson Noise, or its first screen.",
        expected="Prediction: zCDP says ε = 4.0 where the sum says 10. Exercise: two releases at ε = 1 cost a student "
        "ε = 2, whatever was asked and whenever.",
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


def class_link(lesson: Lesson, seed: int) -> str:
    """The address that opens a lesson with this seed, so that every screen agrees. Called on the page Learn."""
    here = urlsplit(st.context.url or "http://localhost:8501/learn")
    return here._replace(query=urlencode({LESSON: lesson.path, SEED: seed}), fragment="").geturl()

"""The teacher's screen of the class as a table: five questions, MWEM on the answers, and a class 100 times as large."""

import numpy as np
import streamlit as st

from mwem_app.base import EXPLORATION, PRIVATE, count, percent, records, three_digits
from mwem_app.course.classroom.class_lessons import CLASS, POLL_SECONDS, still_needed
from mwem_app.course.classroom.room import FEWEST, MAX_TEXT, Answer, Question, Release, Room
from mwem_app.course.classroom.seat import my_room
from mwem_app.course.lesson import drawing
from mwem_app.page import plain, show_badge
from mwem_core.automatic import mwem_by_rule
from mwem_core.domain import Attribute, Domain, Records
from mwem_core.privacy import NoiseSource, Seeded
from mwem_core.values import Values
from mwem_core.workload import Workload, parse_workload

ROUNDS = 5
UNIFORM = 1 / 4  # of each cell of a pair


def release(answers: np.ndarray, *, epsilon: float, noise: NoiseSource, times: int = 1) -> Release:
    """Run MWEM for all pairs of questions: `ROUNDS` rounds, each of which chooses a pair and measures it.

    `answers` are booleans, (n, d). Each student counts `times`, as in a class that is `times` as large and has the same
    shares. ε-DP for a student when `times` is 1, and only times · ε-DP otherwise. Raises ValueError without answers.
    """
    B = class_records(answers, times)
    Q = pairs_of(B.domain)
    settings = mwem_by_rule(Q, n=B.total, epsilon=epsilon, T=min(ROUNDS, Q.parts))
    rounds = list(settings.rounds(B, Q, noise=noise))
    measurements = [m for each in rounds for m in each.measurements]
    budget = rounds[-1].ledger.budget
    return Release(
        n=B.total,
        epsilon=epsilon,
        pairs=_pairs(Q),
        shares=_shares(Q, rounds[-1].model),
        measured=tuple((m.attrs[0], m.attrs[1]) for m in measurements),
        noise=budget.mean_noise_at(measurements[-1].scale),
    )


def true_shares(answers: np.ndarray) -> np.ndarray:
    """The exact shares, (pairs, 4), in the order of a release. Not private."""
    B = class_records(answers)
    return _shares(pairs_of(B.domain), B)


def class_records(answers: np.ndarray, times: int = 1) -> Records:
    """The table of a class: one row per student, one yes/no attribute per question."""
    answers = np.asarray(answers, bool)
    if answers.ndim != 2 or not len(answers):
        raise ValueError("nobody has answered yet: wait for the first answers")
    d = answers.shape[1]
    domain = Domain(tuple(Attribute(f"question {j + 1}", Values(("no", "yes"))) for j in range(d)))
    return Records(domain, tuple(answers.T.astype(np.uint8)), np.full(len(answers), times))


def pairs_of(domain: Domain) -> Workload:
    """All pairs of questions."""
    return parse_workload("marginals:2", domain)


def _pairs(Q: Workload) -> tuple[tuple[int, int], ...]:
    return tuple((a, b) for a, b in Q.sets)


def _shares(Q: Workload, source) -> np.ndarray:
    return Q.answers(source).reshape(-1, 4) / source.total


EXAMPLES = (
    "Coffee or tea today?",
    "Seven hours of sleep?",
    "A pet at home?",
    "Here by foot or by bicycle?",
    "An instrument to play?",
)
EPSILONS = 0.5, 1.0, 2.0, 4.0
TIMES = 100
TRUTH = "The exact shares of the class, and a larger class. From then on no phone can answer any more."
TEXT, EPSILON, TRUTH_KEY = "_survey_question", "_class_epsilon", "_class_truth"


def show_table(room: Room) -> None:
    """The last survey with what MWEM released of it, and a form for the next."""
    survey = room.last_question("survey")
    if survey is None:
        st.markdown(
            "Every phone answers five yes/no questions, and the class becomes a table with one row per student. The "
            f"answers reach the server as they are. Once {FEWEST} have arrived, MWEM releases all pairs of questions, "
            "with noise, and you can show the exact shares. Nothing is shown of fewer."
        )
        _show_form(room)
        return
    st.markdown(" · ".join(plain(text) for text in survey.texts))
    answers = _answers(room.answers(survey.number), survey)
    enough = len(answers) >= FEWEST
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        epsilon = st.segmented_control("ε", EPSILONS, default=1.0, required=True, key=EPSILON, format_func=_short)
        args = (room, survey, epsilon)
        st.button("Run MWEM on the class", type="primary", on_click=_run, args=args, disabled=not enough)
        shown = st.toggle("Show the truth", key=TRUTH_KEY, help=TRUTH, disabled=not enough)
    st.fragment(_show_count, run_every=POLL_SECONDS)(survey, enough=enough)
    releases = [each for number, each in room.releases if number == survey.number]
    if releases:
        exact = _answers(room.close(survey.number), survey) if shown and enough else answers[:0]
        _show_release(releases[-1], survey, exact)
        if shown and not len(exact):
            st.caption(
                "A student has left since the truth was shown. It stays hidden: it would tell that student's answers."
            )
        elif len(answers) != releases[-1].n:
            st.caption("Answers have come or gone since this run. Run MWEM again to count them.")
        st.caption(
            f"{count(len(room.releases), 'run')} on this class so far: together ε = "
            f"{three_digits(sum(each.epsilon for _, each in room.releases))} for each student."
        )
    with st.expander("Ask other questions", key=f"_others_{survey.number}"):  # closed once they are asked
        st.caption("The answers to these are then forgotten.")
        _show_form(room)


def _short(epsilon: float) -> str:
    return f"{epsilon:g}"


def _show_form(room: Room) -> None:
    for i, text in enumerate(EXAMPLES):
        st.text_input(f"Question {i + 1}", text, max_chars=MAX_TEXT, key=f"{TEXT}_{i}")
    st.button("Ask the class", type="primary", on_click=_ask, args=(room,))


def _ask(room: Room) -> None:
    typed = [st.session_state[f"{TEXT}_{i}"].strip() for i in range(len(EXAMPLES))]
    room.ask([text or example for text, example in zip(typed, EXAMPLES, strict=True)])
    st.session_state[TRUTH_KEY] = False


def _answers(answers: list[Answer], survey: Question) -> np.ndarray:
    return np.array(answers, bool).reshape(-1, len(survey.texts))


def _run(room: Room, survey: Question, epsilon: float) -> None:
    answers = _answers(room.answers(survey.number), survey)
    if len(answers) >= FEWEST:
        room.release(survey.number, release(answers, epsilon=epsilon, noise=Seeded()))


def _show_count(survey: Question, *, enough: bool) -> None:
    room = my_room()
    if room is None:
        st.rerun()  # the room has ended
        return
    n = len(room.answers(survey.number))
    if (n >= FEWEST) != enough:
        st.rerun()  # the buttons above change
    st.markdown(f"**{n} of {room.students}** phones have answered. {still_needed(n, 'answers')}")


def _show_release(own: Release, survey: Question, answers: np.ndarray) -> None:
    """The tables of the class; with answers also their truth, and the tables of a class that is larger."""
    truth = true_shares(answers) if len(answers) else None
    show_badge(EXPLORATION if truth is None else PRIVATE)
    sizes = [_size(f"{count(own.n, 'student')}", own, truth)]
    if truth is not None:  # a fixed seed: this release is as private as the truth beside it
        large = release(answers, epsilon=own.epsilon, noise=Seeded(survey.number), times=TIMES)
        sizes.append(_size(f"{TIMES} times as many", large, truth))
    drawing(
        "class_tables",
        {"texts": survey.texts, "pairs": own.pairs, "truth": truth, "uniform": UNIFORM, "sizes": sizes},
        key="class_tables",
        scripts=CLASS,
    )
    if truth is None:
        st.caption(
            f"In a class {TIMES} times as large the noise would be the same number of students: "
            f"{percent(own.noise / own.n / TIMES)} of the class instead of {percent(own.noise / own.n)}. Its tables "
            "are hidden with the truth, because they would show it."
        )


def _size(name: str, released: Release, truth: np.ndarray | None) -> dict[str, object]:
    """The tables for one size of the class, and what to say of them."""
    noise = released.noise / released.n
    words = (
        f"MWEM chose {ROUNDS} pairs, one in each round, at ε = {released.epsilon:g} together. It measured their counts "
        f"with a mean noise of {records(released.noise)} students: {percent(noise)} of the class."
    )
    if truth is not None:
        error, uniform = (float(np.abs(shares - truth).mean()) for shares in (released.shares, UNIFORM))
        words += f" The shares err by {percent(error)} on average; uniform errs by {percent(uniform)}."
    measured = [noise if pair in released.measured else 0.0 for pair in released.pairs]
    return {"name": name, "shares": released.shares, "noise": measured, "words": words}

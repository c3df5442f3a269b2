"""Answers on a page: the newest in sentences and a chart, and all of a session as a table and a file."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from mwem_app.ask.interval_chart import interval_chart
from mwem_app.ask.words import Answered
from mwem_app.base import Badge
from mwem_app.page import download, plain, plot, section
from mwem_core.ask import Answer, refused_by_reason
from mwem_core.values import csv_text

MAX_SENTENCES, MAX_DRAWN, MAX_LISTED, MAX_IN_LINE = 2, 40, 100, 4
COLUMNS = ("question", "interval for", "answer", "value", "low", "high", "rests on", "refused", "note")


def show_newest(newest: Answered, badge: Badge) -> None:
    """A question and its answers: a sentence for each of a few, a chart of groups, and the reason of a refusal."""
    section("Answer", badge)
    st.markdown(f"**{plain(newest.question.text)}**")
    if newest.refusal:
        st.warning(f"Refused. {plain(newest.refusal)}", icon=":material/block:")
        return
    drawn = newest.intervals() if newest.has_groups else []
    if len(drawn) <= MAX_SENTENCES:
        for answer, truth in zip(newest.answers, newest.truths, strict=True):
            if not answer.refused:
                before, value, after = newest.sentence(answer, truth)
                st.markdown(f"{plain(before)} **{plain(value)}** {plain(after)}")
    if len(drawn) > 1:
        chart = interval_chart(newest.question.text, newest.axis, drawn[:MAX_DRAWN], badge, percent=newest.in_percent)
        plot(chart)
        of_all = f"These are the first {MAX_DRAWN} of {len(drawn)}; the file below has all. " * (len(drawn) > MAX_DRAWN)
        st.caption(f"Lines are 95% intervals, each by itself. {of_all}{newest.basis}")
    for note in dict.fromkeys(answer.note for answer in newest.answers if answer.note):
        st.caption(plain(note))
    for reason, refused in refused_by_reason(newest.answers).items():
        some = _first([newest.label(answer) for answer in refused], ", ")
        st.warning(f"{plain(some)}: refused. {plain(reason)}", icon=":material/block:")


def show_history(answers: Sequence[Answered], badge: Badge, *, key: str) -> None:
    """All questions of the session, the newest first, and a CSV file of all answers in the order of the questions."""
    section("All answers", badge)
    table = pd.DataFrame([_row(each) for each in reversed(answers[-MAX_LISTED:])])
    st.table(table, border="horizontal", hide_index=True, alt="The questions of this session and their answers")
    if len(answers) > MAX_LISTED:
        st.caption(f"These are the last {MAX_LISTED} of {len(answers):,} questions. The file has all.")
    known = any(truth is not None for answered in answers for truth in answered.truths)
    header = (*COLUMNS, *(["truth"] if known else []))
    text = csv_text(header, [line[: len(header)] for answered in answers for line in _lines(answered)])
    download("Answers, CSV", lambda: text, "answers.csv", "text/csv", icon=":material/download:", key=f"_{key}_csv")


def _row(answered: Answered) -> dict[str, str]:
    """A question and its answers in a line of words."""
    if answered.refusal:
        words = f"Refused. {answered.refusal}"
    else:
        several = len(answered.answers) > 1
        each = [(f"{answered.label(a)}: " if several else "") + _in_words(answered, a) for a in answered.answers]
        words = _first(each, "; ")
    rests_on = dict.fromkeys(
        text for a in answered.answers if not a.refused for text in (str(a.rests_on), a.note) if text
    )
    texts = {
        "question": answered.question.text,
        "answer, with its 95% interval": words,
        "what it rests on": "; ".join([f"the {answered.of}", *rests_on]),
    }
    return {name: plain(text) for name, text in texts.items()}


def _first(texts: Sequence[str], separator: str) -> str:
    more = len(texts) - MAX_IN_LINE
    return separator.join([*texts[:MAX_IN_LINE], *([f"and {more} more"] if more > 0 else [])])


def _in_words(answered: Answered, answer: Answer) -> str:
    return "refused" if answer.refused else "{} ({})".format(*answered.numbers(answer))


def _lines(answered: Answered) -> list[tuple]:
    """The answers as cells under `COLUMNS`, and the truth."""
    return [
        (
            *(answered.question.text, answered.of, answer.name),
            *((None,) * 3 if answer.refused else (answer.value, *answer.interval)),
            *(answer.rests_on or "", answer.refused, answer.note, truth),
        )
        for answer, truth in zip(answered.answers, answered.truths, strict=True)
    ]

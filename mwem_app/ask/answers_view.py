"""Answers on a page: the newest in sentences and a chart, and all of a session as a table and a file."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mwem_app.ask.question_answers import Interval, QuestionAnswers
from mwem_app.base import Badge
from mwem_app.charts import AMBER, TEAL, Chart, cut, on_paper, safe
from mwem_app.page import download, plain, plot, section
from mwem_core.ask import refused_by_reason
from mwem_core.forms import csv_text

ROW_HEIGHT = 21  # pixels
MAX_LABEL = 34  # characters
MAX_SENTENCES, MAX_DRAWN, MAX_LISTED, MAX_IN_LINE = 2, 40, 100, 4
COLUMNS = ("question", "interval for", "answer", "value", "low", "high", "rests on", "refused", "note")


def interval_chart(newest: QuestionAnswers, intervals: Sequence[Interval], badge: Badge) -> Chart:
    """Intervals of the answers, the first on top."""
    rows = list(range(len(intervals)))
    answers = go.Scatter(
        x=[each.value for each in intervals],
        y=rows,
        name="answer and 95% interval",
        mode="markers",
        marker={"color": TEAL, "size": 10},
        error_x={
            "array": [each.high - each.value for each in intervals],
            "arrayminus": [each.value - each.low for each in intervals],
            "color": TEAL,
            "thickness": 2,
            "width": 5,
        },
        text=[f"<b>{safe(each.label)}</b><br>{safe(each.words)}" for each in intervals],
        hovertemplate="%{text}<extra></extra>",
    )
    traces = [answers]
    if known := [(row, each.truth) for row, each in zip(rows, intervals, strict=True) if each.truth is not None]:
        traces.append(
            go.Scatter(
                x=[truth for _, truth in known],
                y=[row for row, _ in known],
                name="truth",
                mode="markers",
                marker={"color": AMBER, "size": 13, "symbol": "line-ns-open", "line": {"width": 3, "color": AMBER}},
                hoverinfo="skip",
            )
        )
    figure = on_paper(
        traces,
        height=(110 if len(traces) > 1 else 84) + ROW_HEIGHT * len(rows),
        hovermode="closest",
        xaxis={
            "title": {"text": newest.axis, "standoff": 10},
            "tickformat": "~p" if newest.in_percent else "~g",
            "nticks": 7,
        },
        yaxis={
            "tickvals": rows,
            "ticktext": [cut(each.label, MAX_LABEL) for each in intervals],
            "range": [len(rows) - 0.4, -0.6],
            "showgrid": False,
            "ticks": "",
        },
    )
    spoken = "; ".join(f"{each.label}: {each.words}" for each in intervals)
    return Chart(newest.question.text, badge, figure, f"{newest.question.text}: {spoken}.")


def show_newest(newest: QuestionAnswers, badge: Badge) -> None:
    """A question and its answers: a sentence for each of a few, a chart of groups, and the reason of a refusal."""
    section(plain(newest.question.text), badge)
    if newest.refusal:
        st.warning(f"Refused. {plain(newest.refusal)}", icon=":material/block:")
        return
    drawn = newest.intervals() if newest.has_groups else []
    if len(drawn) <= MAX_SENTENCES:
        for answer, truth in zip(newest.answers, newest.truths, strict=True):
            if not answer.refused:
                before, value, after = newest.sentence(answer, truth)
                st.markdown(f"{plain(before)} **{plain(value)}** {plain(after)}")
    else:
        ends = min(drawn, key=lambda each: each.value), max(drawn, key=lambda each: each.value)
        least, most = (f"**{plain(each.words)}** for {plain(each.label)}" for each in ends)
        st.markdown(f"The answers go from {least} to {most}.")
    if len(drawn) > 1:
        plot(interval_chart(newest, drawn[:MAX_DRAWN], badge))
        of_all = f"These are the first {MAX_DRAWN} of {len(drawn)}; the file below has all. " * (len(drawn) > MAX_DRAWN)
        st.caption(f"Lines are 95% intervals, each by itself. {of_all}{newest.basis}")
    for note in dict.fromkeys(answer.note for answer in newest.answers if answer.note):
        st.caption(plain(note))
    for reason, refused in refused_by_reason(newest.answers).items():
        some = _first([newest.label(answer) for answer in refused], ", ")
        st.warning(f"{plain(some)}: refused. {plain(reason)}", icon=":material/block:")


def show_history(answers: Sequence[QuestionAnswers], badge: Badge, *, key: str) -> None:
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


def _row(answered: QuestionAnswers) -> dict[str, str]:
    """A question and its answers in a line of words."""
    if answered.refusal:
        words = f"Refused. {answered.refusal}"
    else:
        several = len(answered.answers) > 1
        each = [
            (f"{answered.label(a)}: " if several else "")
            + ("refused" if a.refused else "{} ({})".format(*answered.numbers(a)))
            for a in answered.answers
        ]
        words = _first(each, "; ")
    question, of = plain(answered.question.text), f"the {answered.of}"
    return {"question": question, "answer, with its 95% interval": plain(words), "interval for": of}


def _first(texts: Sequence[str], separator: str) -> str:
    more = len(texts) - MAX_IN_LINE
    return separator.join([*texts[:MAX_IN_LINE], *([f"and {more} more"] if more > 0 else [])])


def _lines(answered: QuestionAnswers) -> list[tuple]:
    """The answers as cells under `COLUMNS`, and the truth."""
    return [
        (
            *(answered.question.text, answered.of, answer.name),
            *((None,) * 3 if answer.refused else (answer.value, *answer.interval)),
            *(answer.rests_on or "", answer.refused, answer.note, truth),
        )
        for answer, truth in zip(answered.answers, answered.truths, strict=True)
    ]

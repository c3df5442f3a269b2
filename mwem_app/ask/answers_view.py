"""Answers on a page: in sentences and a chart, and as a file."""

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from mwem_app.ask.question_answers import QuestionAnswers
from mwem_app.base import Badge
from mwem_app.charts import AMBER, TEAL, Chart, cut, on_paper, safe
from mwem_app.page import download, plain, plot, section
from mwem_core.ask import refused_by_reason
from mwem_core.forms import csv_text

ROW_HEIGHT = 21  # pixels
MAX_LABEL = 34  # characters
MAX_SENTENCES, MAX_DRAWN, MAX_IN_LINE = 2, 40, 4
COLUMNS = ("question", "interval for", "answer", "value", "low", "high", "rests on", "refused", "note")


def interval_chart(answered: QuestionAnswers, badge: Badge) -> Chart:
    """Intervals of the answers, the first on top."""
    given = answered.given[:MAX_DRAWN]
    answers, rows = [answer for answer, _ in given], list(range(len(given)))
    labels, words = [*map(answered.label, answers)], [*map(answered.words, answers)]
    intervals = go.Scatter(
        x=[each.value for each in answers],
        y=rows,
        name="answer and 95% interval",
        mode="markers",
        marker={"color": TEAL, "size": 10},
        error_x={
            "array": [each.high - each.value for each in answers],
            "arrayminus": [each.value - each.low for each in answers],
            "color": TEAL,
            "thickness": 2,
            "width": 5,
        },
        text=[f"<b>{safe(label)}</b><br>{safe(text)}" for label, text in zip(labels, words, strict=True)],
        hovertemplate="%{text}<extra></extra>",
    )
    traces = [intervals]
    if known := [(row, truth) for row, (_, truth) in enumerate(given) if truth is not None]:
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
            "title": {"text": answered.axis, "standoff": 10},
            "tickformat": "~p" if answered.in_percent else "~g",
            "nticks": 7,
        },
        yaxis={
            "tickvals": rows,
            "ticktext": [cut(label, MAX_LABEL) for label in labels],
            "range": [len(rows) - 0.4, -0.6],
            "showgrid": False,
            "ticks": "",
        },
    )
    spoken = "; ".join(f"{label}: {text}" for label, text in zip(labels, words, strict=True))
    return Chart(answered.question.sentence, badge, figure, f"{answered.question.sentence}: {spoken}.")


def show_answers(answers: Sequence[QuestionAnswers], badge: Badge, *, key: str) -> None:
    """Questions with their answers, and a CSV file of these."""
    for each in answers:
        _show(each, badge)
    known = any(truth is not None for answered in answers for truth in answered.truths)
    header = (*COLUMNS, *(["truth"] if known else []))
    text = csv_text(header, [line[: len(header)] for answered in answers for line in _lines(answered)])
    download("Answers, CSV", lambda: text, "answers.csv", "text/csv", icon=":material/download:", key=f"_{key}_csv")


def _show(answered: QuestionAnswers, badge: Badge) -> None:
    """A sentence for each of a few answers, a chart of groups, and the reason of a refusal."""
    section(plain(answered.question.sentence), badge)
    if answered.refusal:
        st.warning(f"Refused. {plain(answered.refusal)}", icon=":material/block:")
        return
    given = answered.given
    if len(given) <= MAX_SENTENCES or not answered.has_groups:
        for answer, truth in given:
            first, value, rest = answered.sentence(answer, truth)
            st.markdown(f"{plain(first)} **{plain(value)}** {plain(rest)}")
    else:
        ends = (choose(given, key=lambda pair: pair[0].value)[0] for choose in (min, max))
        least, most = (f"**{plain(answered.words(each))}** for {plain(answered.label(each))}" for each in ends)
        st.markdown(f"The answers go from {least} to {most}.")
    if len(given) > 1 and answered.has_groups:
        plot(interval_chart(answered, badge))
        of_all = f"These are the first {MAX_DRAWN} of {len(given)}; the file below has all. " * (len(given) > MAX_DRAWN)
        st.caption(f"Lines are 95% intervals, each by itself. {of_all}{answered.basis}")
    for note in dict.fromkeys(answer.note for answer in answered.answers if answer.note):
        st.caption(plain(note))
    for reason, refused in refused_by_reason(answered.answers).items():
        some, more = [answered.label(answer) for answer in refused], len(refused) - MAX_IN_LINE
        few = "; ".join([*some[:MAX_IN_LINE], *([f"and {more} more"] if more > 0 else [])])
        st.warning(f"{plain(few)}: refused. {plain(reason)}", icon=":material/block:")


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

"""The answers to a question: in sentences, in a chart and as a file; beside the truth, where a run is explored."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st

from mwem_app.base import Badge
from mwem_app.charts import AMBER, TEAL, Chart, cut, on_paper, row_axis, safe
from mwem_app.evidence import whiskers
from mwem_app.page import download, plain, plot, section
from mwem_core.ask import Answer, LoadedRelease, Of, Question, refused_by_reason
from mwem_core.domain import Records
from mwem_core.forms import csv_text

ROW_HEIGHT, MAX_LABEL = 20, 34  # pixels, and characters
MAX_DECIMALS, MAX_SENTENCES, MAX_DRAWN, MAX_IN_LINE = 8, 2, 40, 4
COLUMNS = ("question", "interval for", "answer", "value", "low", "high", "rests on", "refused", "note")
RESTS_ON = {
    "measured together": "It rests on what was measured together, and on no model.",
    "by the model": "It rests on models fitted to what was measured, each with its noise drawn again.",
    "bounded": "It is bounded by what was measured.",
}


@dataclass(frozen=True)
class QuestionAnswers:
    """A question, its answers, and for each the truth, or None where no truth is shown."""

    question: Question
    answers: tuple[Answer, ...]
    truths: tuple[float | None, ...]

    @property
    def in_percent(self) -> bool:
        """Whether the answers are shares."""
        return self.question.kind in ("share", "table")

    @property
    def has_groups(self) -> bool:
        """Whether the answers are of groups, so that they compare; coefficients are in units of their own."""
        return self.question.kind not in ("ols", "logit")

    @property
    def given(self) -> list[tuple[Answer, float | None]]:
        """All answers but the refused, each with its truth."""
        return [pair for pair in zip(self.answers, self.truths, strict=True) if not pair[0].refused]

    def numbers(self, answer: Answer) -> tuple[str, str]:
        """The value, and its interval: ("30.4%", "29.9% to 30.9%").

        Half of the interval has one or two digits; of a point, the value has four.
        """
        factor, unit = (100, "%") if self.in_percent else (1, "")
        size = factor * ((answer.high - answer.low) / 2 or abs(answer.value) / 100)
        shows = size > 0 and math.isfinite(size)
        decimals = min(max(0, math.ceil(math.log10(3 / size))), MAX_DECIMALS) if shows else 0
        value, low, high = (f"{factor * x:,.{decimals}f}{unit}" for x in (answer.value, *answer.interval))
        return value, f"{low} to {high}"

    def words(self, answer: Answer) -> str:
        """The value with its interval: "30.4% (29.9% to 30.9%)"."""
        return "{} ({})".format(*self.numbers(answer))

    def sentence(self, answer: Answer, truth: float | None) -> tuple[str, str, str]:
        """What is before the value, the value, and what is after it."""
        value, interval = self.numbers(answer)
        after = f"in the {answer.of}, with 95% confidence {interval}."
        if truth is not None:
            covers = "holds" if answer.low <= truth <= answer.high else "misses"
            shown = f"{100 * truth:.4g}%" if self.in_percent else f"{truth:.5g}"  # enough to see on which side it is
            after += f" The table's own number is {shown}: the interval {covers} it."
        return f"The {answer.name.strip('()')} is", value, f"{after} {RESTS_ON[str(answer.rests_on)]}"

    @property
    def axis(self) -> str:
        """What the numbers are."""
        of, first = f"in the {self.answers[0].of}", self.answers[0].name.partition(", against ")[2]
        return f"share {of}" if self.in_percent else f"{self.question.kind} against {first}" if first else of

    def label(self, answer: Answer) -> str:
        """What tells an answer from the others to the same question: its group, or its coefficient."""
        return ", ".join(answer.group) or answer.name.removeprefix("coefficient of ").strip("()")


def answers_to(
    release: LoadedRelease, question: Question, of: Of, *, records: Records | None = None
) -> QuestionAnswers:
    """What a release answers, beside the numbers of the private `records` where they are given and bins hide none.

    Quantiles, and groups in the order of their answers, have no number beside them. Raises ValueError for a question
    that makes no sense.
    """
    answers = release.ask(question, of=of)
    truths: tuple[float | None, ...] = (None,) * len(answers)
    if records is not None and question.kind != "quantile" and not question.order:
        statistic = question.statistic(release.domain, release.common)
        if not statistic.in_bins:
            truths = tuple(x if math.isfinite(x) else None for x in map(float, statistic.of(records)))
    return QuestionAnswers(question, answers, truths)


def interval_chart(answered: QuestionAnswers, badge: Badge) -> Chart:
    """Intervals of the answers, the first on top."""
    answers, truths = zip(*answered.given[:MAX_DRAWN], strict=True)
    rows, labels = list(range(len(answers))), [*map(answered.label, answers)]
    words = [f"{label}: {answered.words(answer)}" for label, answer in zip(labels, answers, strict=True)]
    value, low, high = ([getattr(each, end) for each in answers] for end in ("value", "low", "high"))
    intervals = go.Scatter(
        x=value,
        y=rows,
        name="answer and 95% interval",
        mode="markers",
        marker={"color": TEAL, "size": 10},
        error_x=whiskers(low, value, high, TEAL) | {"color": TEAL, "thickness": 2, "width": 5},
        text=[*map(safe, words)],
        hovertemplate="%{text}<extra></extra>",
    )
    mark = {"color": AMBER, "size": 13, "symbol": "line-ns-open", "line": {"width": 3, "color": AMBER}}
    known = go.Scatter(x=truths, y=rows, name="truth", mode="markers", marker=mark, hoverinfo="skip")
    traces = [intervals, known] if any(truth is not None for truth in truths) else [intervals]
    title = {"text": answered.axis, "standoff": 10}
    figure = on_paper(
        traces,
        height=(110 if len(traces) > 1 else 84) + ROW_HEIGHT * len(rows),
        hovermode="closest",
        xaxis={"title": title, "tickformat": "~p" if answered.in_percent else "~g", "nticks": 7},
        yaxis=row_axis([cut(label, MAX_LABEL) for label in labels]),
    )
    sentence = answered.question.sentence
    return Chart(sentence, badge, figure, f"{sentence}: {'; '.join(words)}.")


def show_answers(answers: Sequence[QuestionAnswers], *, badge: Badge, key: str) -> None:
    """Questions with their answers, and a CSV file of these."""
    for each in answers:
        _show(each, badge)
    text = csv_text(COLUMNS, [_line(each.question.text, answer) for each in answers for answer in each.answers])
    download("Answers, CSV", lambda: text, "answers.csv", "text/csv", icon=":material/download:", key=f"_{key}_csv")


def _show(answered: QuestionAnswers, badge: Badge) -> None:
    """A sentence for each of a few answers, a chart of groups, and the reasons of refusals."""
    section(plain(answered.question.sentence), badge)
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
        basis = " ".join(dict.fromkeys(RESTS_ON[str(answer.rests_on)] for answer, _ in given))
        st.caption(f"Lines are 95% intervals, each by itself. {of_all}{basis}")
    for note in dict.fromkeys(answer.note for answer in answered.answers if answer.note):
        st.caption(plain(note))
    for reason, refused in refused_by_reason(answered.answers).items():
        few, more = map(answered.label, refused[:MAX_IN_LINE]), len(refused) - MAX_IN_LINE
        which = "; ".join([*few, *([f"and {more} more"] if more > 0 else [])])
        is_all = len(refused) == len(answered.answers)
        st.warning(plain(f"Refused. {reason}" if is_all else f"{which}: refused. {reason}"), icon=":material/block:")


def _line(question: str, answer: Answer) -> tuple:
    """An answer as cells under `COLUMNS`."""
    numbers = (None,) * 3 if answer.refused else (answer.value, *answer.interval)
    return question, answer.of, answer.name, *numbers, answer.rests_on or "", answer.refused, answer.note

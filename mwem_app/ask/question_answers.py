"""The answers to a question in words; also of a run that is explored, which answers as a release would."""

import math
from dataclasses import dataclass

import numpy as np

from mwem_core.ask import Answer, LoadedRelease, Of, Question, descriptive_statistics
from mwem_core.domain import Records
from mwem_core.output import Run
from mwem_core.privacy import Guarantee

MAX_DECIMALS = 8
RESTS_ON = {
    "measured together": "It rests on what was measured together, and on no model.",
    "by the model": "It rests on models fitted to what was measured, each with its noise drawn again.",
    "bounded": "It is bounded by what was measured.",
}


@dataclass(frozen=True)
class QuestionAnswers:
    """A question, its answers, and for each the truth, or None where no truth is shown."""

    question: Question
    of: Of
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
    def refusal(self) -> str:
        """The reason, if all are refused for the same one; else empty."""
        reasons = {answer.refused for answer in self.answers}
        return reasons.pop() if len(reasons) == 1 else ""

    def numbers(self, answer: Answer) -> tuple[str, str]:
        """The value, and its interval: ("30.4%", "29.9% to 30.9%")."""
        factor, unit = (100, "%") if self.in_percent else (1, "")
        decimals = _decimals(factor * (answer.high - answer.low) / 2, factor * answer.value)
        value, low, high = (f"{factor * x:,.{decimals}f}{unit}" for x in (answer.value, *answer.interval))
        return value, f"{low} to {high}"

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
    def basis(self) -> str:
        """What all answers rest on, as a sentence for each kind."""
        return " ".join(dict.fromkeys(RESTS_ON[str(answer.rests_on)] for answer, _ in self.given))

    @property
    def axis(self) -> str:
        """What the numbers are."""
        if self.in_percent:
            return f"share in the {self.answers[0].of}"
        first = self.answers[0].name.partition(", against ")[2]
        return f"{self.question.kind} against {first}" if first else f"in the {self.answers[0].of}"

    def label(self, answer: Answer) -> str:
        """What tells an answer from the others to the same question: its group, or its coefficient."""
        return ", ".join(answer.group) or answer.name.removeprefix("coefficient of ").strip("()")

    @property
    def given(self) -> list[tuple[Answer, float | None]]:
        """All answers but the refused, each with its truth."""
        return [pair for pair in zip(self.answers, self.truths, strict=True) if not pair[0].refused]

    def words(self, answer: Answer) -> str:
        """The value with its interval: "30.4% (29.9% to 30.9%)"."""
        return "{} ({})".format(*self.numbers(answer))


def answers_to(
    release: LoadedRelease, question: Question, of: Of, *, records: Records | None = None
) -> QuestionAnswers:
    """What a release answers, beside the numbers of the private `records` where they are given and bins hide none.

    Raises ValueError for a question that makes no sense.
    """
    answers = release.ask(question, of=of)
    truths = np.full(len(answers), np.nan) if records is None else _truths(release, records, question)
    if question.order and records is not None:
        place = dict(zip(question.labels(release.domain), truths, strict=True))
        truths = np.array([place[answer.group] for answer in answers])
    return QuestionAnswers(question, of, answers, tuple(float(x) if np.isfinite(x) else None for x in truths))


def _decimals(half: float, value: float) -> int:
    """Decimals at which half of an interval has one or two digits; of a point, those that show the value."""
    size = half if half > 0 else abs(value) / 100
    return min(max(0, math.ceil(math.log10(3 / size))), MAX_DECIMALS) if size > 0 and math.isfinite(size) else 0


def as_release(run: Run, rows: Records) -> LoadedRelease:
    """What the files of a release would say of this run, had it been one. `rows` are the synthetic ones."""
    assert isinstance(run.guarantee, Guarantee)
    return LoadedRelease.of_rounds(run.rounds, rows, run.guarantee)


def _truths(release: LoadedRelease, records: Records, question: Question) -> np.ndarray:
    domain = release.domain
    if question.kind != "quantile":
        statistic = question.statistic(domain, release.common)
        return np.where(statistic.in_bins, np.nan, statistic.of(records))
    found = []
    for part in question.parts(domain):
        shares = part.statistic(domain).of(records)
        numbers = descriptive_statistics.quantile_of_cells(shares, np.zeros_like(shares), part.p, part.what, domain)
        found.append(numbers[0] if numbers[1] == numbers[2] else np.nan)
    return np.array(found)

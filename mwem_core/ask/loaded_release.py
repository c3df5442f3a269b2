"""A release that was read, and what it can be asked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from mwem_core.algorithm import AnswerSource, Round
from mwem_core.ask import descriptive_statistics
from mwem_core.ask.answers import NORMAL, TOO_NOISY, Answer, Of
from mwem_core.ask.conditions import condition, note
from mwem_core.ask.estimates import Estimate, Estimator
from mwem_core.ask.question import Question
from mwem_core.ask.sql import read_questions
from mwem_core.ask.statistic import Statistic
from mwem_core.ask.unshrunk_fits import Fits, copy_records
from mwem_core.base import check_kind, is_whole
from mwem_core.domain import Domain, Records
from mwem_core.intervals import ALPHA, BinValues, Estimates, bin_values, by_tables_within, deviations
from mwem_core.model import Measurement
from mwem_core.output import data_frame
from mwem_core.privacy import Guarantee
from mwem_core.weighted import Model

if TYPE_CHECKING:
    import pandas as pd

MAX_COPIES = 1_000
MAX_ROWS = 10**6  # of a copy


@dataclass(frozen=True, eq=False)
class LoadedRelease:
    """What a release published. `measurements` are raw noisy outputs, with cells where whole tables were measured.

    `public_total` is the number of records where it was taken as public, None where it was measured. `laplace` says
    whether the noise is Laplace, else it is Gaussian. `notes` say what cannot be asked.
    """

    domain: Domain
    guarantee: Guarantee | None
    manifest: dict[str, Any] = field(repr=False)
    measurements: tuple[Measurement, ...] = field(repr=False)
    offsets: tuple[Measurement, ...] = field(repr=False, default=(), kw_only=True)
    public_total: float | None
    laplace: bool
    model: AnswerSource
    rows: Records
    notes: tuple[str, ...] = ()

    @classmethod
    def of_rounds(
        cls, rounds: Sequence[Round[AnswerSource]], rows: Records, guarantee: Guarantee | None = None
    ) -> LoadedRelease:
        """What a release of these rounds can be asked. `rows` are the synthetic ones, under the domain of the run."""
        measured, of_tables, first = list[Measurement](), False, rounds[0]
        for entry in rounds:  # of whole tables these, rather than their residuals, in the rounds from there on
            of_tables = of_tables or bool(entry.tables)
            measured += [*entry.tables, *(m for m in entry.measurements if not (of_tables and m.centred))]
        private = first.measurement is not None and not first.measurement.attrs
        return cls(
            domain=rows.domain,
            guarantee=guarantee,
            manifest={},
            measurements=tuple(measured),
            offsets=first.offsets,
            public_total=None if private else first.model.total,
            laplace=first.ledger.budget.unit == "ε",
            model=rounds[-1].model,
            rows=rows,
        )

    @cached_property
    def bin_values(self) -> Mapping[int, BinValues]:
        """What bins of numbers count as, by the attribute, and how far off that may be."""
        source = self.model if isinstance(self.model, Model) else self.rows
        return bin_values(self.domain, self.known, self.offsets, 2.0 if self.laplace else 1.0, source.marginal)

    @cached_property
    def known(self) -> Estimates:
        """What the measurements say together, each residual with its variance."""
        return Estimates.by(self.domain, self.measurements, 2.0 if self.laplace else 1.0, total=self.public_total)

    def ask(self, question: str | Question, *, of: Of = "population") -> tuple[Answer, ...]:
        """The answers to a question, or to several in a text: one for each group, or for each coefficient.

        A text is SQL, such as `select avg(age) from t where income = '>50K' group by sex`, or a formula of R, such as
        `age ~ sex + income`. A number in a bin counts as the mean of the bin, and the interval allows for what is not
        known of it. Raises ValueError, in a sentence that names the clause, for a question that makes no sense.
        """
        check_kind(question, (str, Question), "a question is a text, such as select avg(age) from release")
        asked = read_questions(question, self.domain) if isinstance(question, str) else (question,)
        return tuple(answer for each in asked for answer in self._answers_to(each, of))

    def _answers_to(self, question: Question, of: Of) -> tuple[Answer, ...]:
        _check_of(of)
        if question.kind in ("count", "total"):
            of = "table"  # how many a population has is in no sample
        if question.kind == "quantile":
            answers = tuple(self._quantile(each, of) for each in question.parts(self.domain))
        else:
            answers = self.answers(question.statistic(self.domain, self.common), of)
            if question.kind == "share" and not question.by and not question.where and answers[0].refused:
                answers = (bounds_answer(self.known, self.laplace, self.rows, question.what, of),)
        labels = question.labels(self.domain) if question.by else [()] * len(answers)
        found = [replace(answer, group=group) for answer, group in zip(answers, labels, strict=True)]
        if question.order:
            found.sort(key=lambda each: -each.value if question.order == "desc" else each.value)
        return tuple(found)

    def copies(
        self, m: int = 20, *, attributes: Sequence[str] | None = None, of: Of = "population"
    ) -> tuple[pd.DataFrame, ...]:
        """m tables of these attributes that might have given the release, each with its noise drawn again.

        Of the `population` they are random samples; of the `table` they have as little sampling error as rows allow.
        """
        _check_of(of)
        if not is_whole(m) or not 1 <= m <= MAX_COPIES:
            raise ValueError(f"m is a whole number of copies from 1 to {MAX_COPIES:,}, got {m!r}")
        names, known = attributes or self.domain.names, self.known
        rng, rows = Fits(known, self.domain.attrs(*names)).rng(), int(np.clip(round(known.total[0]), 1, MAX_ROWS))
        return tuple(data_frame(each, rng) for each in copy_records(known, names, m, of, rows=rows, rng=rng))

    @cached_property
    def common(self) -> dict[int, int]:
        """The most frequent value of each attribute among the synthetic rows."""
        return {a: int(np.bincount(codes).argmax()) for a, codes in enumerate(self.rows.codes) if len(codes)}

    @cached_property
    def estimator(self) -> Estimator:
        """What estimates any statistic: what the public questions are made of."""
        return Estimator(self.known, self.laplace, self.rows, self.bin_values)

    def answers(self, statistic: Statistic, of: Of) -> tuple[Answer, ...]:
        """The values of a statistic, each with its interval or a refusal. Both lie within what is possible."""
        found = self.estimator.estimate(statistic)
        numbers = _possible(statistic, found.values, half_widths(found, of))
        answers = []
        for i, (name, (value, low, high)) in enumerate(zip(statistic.names, numbers.T.tolist(), strict=True)):
            why = found.refused[i] or ("" if np.isfinite([value, low, high]).all() else TOO_NOISY)
            numbers_of = {} if why else {"value": value, "low": low, "high": high, "rests_on": found.rests_on}
            answers.append(Answer(name=name, of=of, refused=why, note="" if why else statistic.note, **numbers_of))
        return tuple(answers)

    @cached_property
    def facts(self) -> dict[str, str]:
        """What was released, for people: the data set, the guarantee, the number of records and what was asked."""
        manifest, domain = self.manifest, self.domain
        public = " (public)" if self.public_total is not None else " (measured with noise)"
        return {
            "Data set": str(manifest.get("dataset", "")),
            "Guarantee": f"{manifest['spent']['charged']}. {manifest.get('guarantee', '')}",
            "Records": f"{max(self.known.total[0], 0):,.0f}{public}",
            "Attributes": f"{len(domain)}: {', '.join(domain.names)}",
            "Questions": f"{manifest.get('workload', '')} ({int(manifest.get('queries', 0)):,} in all)",
            "Method": str(manifest.get("method", "")),
        }

    def _quantile(self, question: Question, of: Of) -> Answer:
        what, p, where = question.what, question.p, question.where
        name = descriptive_statistics.among_those(f"{p:.3g} quantile of {what}", where)
        try:
            asked, mean = (each.statistic(self.domain) for each in (question, replace(question, kind="mean")))
        except ValueError as error:
            if not where:
                raise
            return Answer(name=name, of=of, refused=str(error))
        found = self.estimator.estimate(asked)
        undefined = ~np.isfinite(found.values)
        if undefined.any() or any(found.refused):
            return Answer(name=name, of=of, refused=next(why for why in found.refused if why))
        numbers = descriptive_statistics.quantile_of_cells(found.values, half_widths(found, of), p, what, self.domain)
        value, low, high = (float(np.clip(x, mean.least, mean.most)[0]) for x in numbers)
        return Answer(name=name, of=of, value=value, low=low, high=high, rests_on=found.rests_on, note=asked.note)


def _check_of(of: str) -> None:
    if of not in get_args(Of):
        raise ValueError(f"say of which this is asked, the population or the table, got {of!r}")


def half_widths(found: Estimate, of: Of) -> np.ndarray:
    """Half of each interval: of noise alone for the table, and of both for the population."""
    if of == "table":
        return found.z * found.noise
    return np.sqrt((found.z * found.noise) ** 2 + (NORMAL * found.sampling) ** 2)


def _possible(statistic: Statistic, values: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Values, low and high ends, no further than is possible: (3, p), on the scale of answers."""
    least, most = statistic.least, statistic.most
    low, high = np.minimum(values, most) - half, np.maximum(values, least) + half  # noise may take a value beyond
    value, low, high = np.clip([values, low, high], least, most)
    if statistic.whole and np.isfinite(values).all():
        value = _nearest_shares(values, np.broadcast_to(most, len(values)) > 0)
    with np.errstate(over="ignore"):
        numbers = np.array([value, np.minimum(low, value), np.maximum(high, value)])
        return {"log": np.exp, "atanh": np.tanh}.get(statistic.scale, np.asarray)(numbers)


def _nearest_shares(values: np.ndarray, possible: np.ndarray) -> np.ndarray:
    """The nearest shares, by squares, that are not negative, add up to 1, and are 0 where they are not possible."""
    largest = np.sort(values[possible])[::-1]
    excess = (np.cumsum(largest) - 1) / np.arange(1, len(largest) + 1)
    return np.where(possible, np.maximum(values - excess[largest > excess][-1], 0.0), 0.0)


def bounds_answer(known: Estimates, laplace: bool, rows: Records, what: str, of: Of) -> Answer:
    """The share of records that satisfy `what`, as the synthetic rows have it, and bounds that hold at least 95%.

    A count is at most that of any known cells that contain its records, and at least that of any that are within it.
    """
    asked, unit = condition(what, known.domain), "ε" if laplace else "ρ"
    n, variance = known.total
    off = deviations(ALPHA / 4, unit) * math.sqrt(variance)
    least, most = by_tables_within(asked.S, asked.table, known, unit)
    low, high = max(least, 0.0) / max(n + off, 1.0), min(most / max(n - off, 1.0), 1.0)
    low, n = min(low, high), max(n, 1.0)
    if of == "population":
        low, high = (
            max(low - NORMAL * math.sqrt(low * (1 - low) / n), 0.0),
            min(high + NORMAL * math.sqrt(high * (1 - high) / n), 1.0),
        )
    marginal = rows.marginal(asked.S)
    value = float((asked.table * marginal).sum() / max(marginal.sum(), 1.0))
    value, remark = min(max(value, low), high), note(known.domain, (), asked.S)
    return Answer(
        name=f"share of {asked.name}", of=of, value=value, low=low, high=high, rests_on="bounded", note=remark
    )

"""A rehearsal: the same terms on tables that are not private, so that the budget is spent once and well."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from mwem_core.ask import load_files, read_questions
from mwem_core.domain import Domain, Records, check_not_empty, stand_in
from mwem_core.intervals import ALPHA
from mwem_core.judge import Errors, TermError, errors, errors_by_term
from mwem_core.privacy import Seeded
from mwem_core.release.bundle import asked_files
from mwem_core.release.release_run import ReleaseRun
from mwem_core.release.terms import Terms

RUNS = 3


@dataclass(frozen=True)
class QuestionForecast:
    """A question to rehearsed releases, and half of the median width of its intervals, of the population, in each.

    `refused` is why the first refused answer is, where there is one. There are no `halves` where all are.
    """

    question: str
    halves: tuple[float, ...]
    refused: str

    def __str__(self) -> str:
        if not self.halves:
            return f"{self.question}: will not be answered: {self.refused}"
        about = " to ".join(dict.fromkeys(f"±{half:.2g}" for half in (min(self.halves), max(self.halves))))
        part = f"; not all of it: {self.refused}" if self.refused else ""
        return f"{self.question}: will be answered, usual 95% interval about {about}{part}"


@dataclass(frozen=True)
class Rehearsal:
    """How far off the answers on one table were, as means over the runs.

    `width` is the median width of the intervals, in records, and `laplace_width` that of plain Laplace noise on every
    query at the same ε. `measured` is the share of answers that were measured.
    `ran` says what the system did, and where runs differ, as their noisy n do, all that they did.
    """

    mean_error: float  # shares of n
    mean_tv: float | None
    max_error: float
    width: float
    laplace_width: float
    measured: float
    ran: str
    parts: tuple[TermError, ...] = ()  # of a mixed workload


def simulated_tables(domain: Domain, n: int) -> dict[str, Records]:
    """Two tables of n records from the schema alone: one is easier to release than real ones, the other harder."""
    rng, fine = np.random.default_rng(0), domain.fine
    codes = tuple(rng.integers(size, size=n).astype(np.min_scalar_type(size - 1)) for size in fine.shape)
    tables = {"uniform records": Records(fine, codes), "dependent records": stand_in(fine, n)}
    return {name: records.to_bin(domain) for name, records in tables.items()}


def rehearse(terms: Terms, B: Records) -> Rehearsal:
    """What the terms lead to on a table that is not private. Reads its truth; no ledger is charged.

    Raises ValueError for a table without records, of which there are no errors to tell.
    """
    check_not_empty(B)
    settings, runs = terms.settings(B.total), list[tuple[Errors, float, float]]()
    by_run: list[list[TermError]] = []
    ran = list[str]()
    settings.check(terms.workload)
    for seed in range(RUNS):
        released = ReleaseRun.of(terms, settings, settings.rounds(B, terms.workload, noise=Seeded(seed)))
        found, model, Q = released.intervals(), released.run.model, released.run.workload
        ran.append(released.run.ran)
        truth, answers = Q.answers(B.binned(Q.domain)), model.answers(Q)
        erring = errors(Q, answers, truth, B.total, total=model.total)
        by_run.append(errors_by_term(Q, answers, truth, B.total, total=model.total))
        runs.append((erring, float(np.median(found.high - found.low)), float(found.measured.mean())))
    tvs = [erring.mean_tv for erring, *_ in runs if erring.mean_tv is not None]
    return Rehearsal(
        mean_error=_mean(erring.mean_error for erring, *_ in runs),
        mean_tv=_mean(iter(tvs)) if tvs else None,
        max_error=_mean(erring.max_error for erring, *_ in runs),
        width=_mean(width for _, width, _ in runs),
        laplace_width=2 * math.log(1 / ALPHA) * terms.workload.sensitivity / terms.guarantee.of_a_record.epsilon,
        measured=_mean(measured for *_, measured in runs),
        ran=" or ".join(dict.fromkeys(ran)),
        parts=tuple(replace(each[0], error=_mean(own.error for own in each)) for each in zip(*by_run, strict=True)),
    )


def forecast(terms: Terms, tables: Iterable[Records]) -> tuple[QuestionForecast, ...]:
    """The questions of the terms, asked of a run on each of these tables, none of which is private.

    Raises ValueError where the terms cannot be run.
    """
    by_question = zip(*(_asked(terms, B) for B in tables), strict=True)
    return tuple(
        QuestionForecast(each[0].question, sum((one.halves for one in each), ()), max(one.refused for one in each))
        for each in by_question
    )


def _asked(terms: Terms, B: Records) -> Iterator[QuestionForecast]:
    settings = terms.settings(B.total)
    settings.check(terms.workload)
    released = ReleaseRun.of(terms, settings, settings.rounds(B, terms.workload, noise=Seeded(0)))
    release = load_files(asked_files(released, np.random.default_rng(0)))
    for text in terms.questions:
        (question,) = read_questions(text, release.domain)
        answers = release.ask(question)
        widths = [answer.high - answer.low for answer in answers if not answer.refused]
        refused = next((answer.refused for answer in answers if answer.refused), "")
        yield QuestionForecast(text, (float(np.median(widths)) / 2,) if widths else (), refused)


def _mean(values: Iterator[float]) -> float:
    return float(np.mean(list(values)))

"""A rehearsal: the same terms on tables that are not private, so that the budget is spent once and well."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from mwem_core.asking.analysis import read_questions
from mwem_core.asking.reading import loaded
from mwem_core.data.records import Records
from mwem_core.data.stand_in import stand_in
from mwem_core.data.table import check_not_empty
from mwem_core.domain.domain import Domain
from mwem_core.evaluation.metrics import Errors, TermError, errors, errors_by_term
from mwem_core.intervals.ends import ALPHA
from mwem_core.privacy.noise import Seeded
from mwem_core.releasing.bundle import bundle
from mwem_core.releasing.released import Released
from mwem_core.releasing.terms import Terms

RUNS = 3


@dataclass(frozen=True)
class Asked:
    """A question to a rehearsed release, and half of the median width of its intervals, of the population.

    `refused` is why the first refused answer is, where there is one. `half` is NaN where all are.
    """

    question: str
    half: float
    refused: str

    @property
    def width(self) -> str:
        """The half-width in words, and why some answers are refused."""
        known = "" if math.isnan(self.half) else f"±{self.half:.3g}"
        return "; ".join(filter(None, (known, self.refused and f"refused: {self.refused}")))

    def __str__(self) -> str:
        return f"{self.question}, usual 95% interval: {self.width}"


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
    asked: tuple[Asked, ...] = ()  # the questions that the terms name, asked of the first run


def simulated(domain: Domain, n: int) -> dict[str, Records]:
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
    ran, asked = list[str](), tuple[Asked, ...]()
    settings.check(terms.workload)
    for seed in range(RUNS):
        released = Released.of(terms, settings, settings.rounds(B, terms.workload, noise=Seeded(seed)))
        if terms.questions and not seed:
            asked = _asked(released)
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
        asked=asked,
    )


def _asked(released: Released) -> tuple[Asked, ...]:
    """The questions of the terms, asked of the files that would be released."""
    release, found = loaded(bundle(released, np.random.default_rng(0))), []
    for text in released.terms.questions:
        (question,) = read_questions(text, release.domain)
        answers = question.ask(release)
        widths = [answer.high - answer.low for answer in answers if not answer.refused]
        refused = next((answer.refused for answer in answers if answer.refused), "")
        found.append(Asked(text, float(np.median(widths)) / 2 if widths else math.nan, refused))
    return tuple(found)


def _mean(values: Iterator[float]) -> float:
    return float(np.mean(list(values)))

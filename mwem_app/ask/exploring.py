"""A run that explores, asked as a release is, with the truth beside each answer: made from the private data."""

from collections.abc import Iterator, Sequence

import numpy as np

from mwem_app.ask.words import Answered
from mwem_core.algorithm import Round
from mwem_core.ask import LoadedRelease, Of, Question, questions, regressions
from mwem_core.domain import Domain, Records
from mwem_core.model import Measurement
from mwem_core.output import Run
from mwem_core.privacy import Guarantee
from mwem_core.weighted import Model


def as_release(run: Run, rows: Records) -> LoadedRelease:
    """What the files of a release would say of this run, had it been one. `rows` are the synthetic ones."""
    guarantee = run.guarantee
    assert isinstance(guarantee, Guarantee)
    n = None if run.measured_total else run.rounds[0].model.total
    return of_rounds(run.domain, guarantee, run.rounds, rows, public_total=n)


def of_rounds(
    domain: Domain, guarantee: Guarantee, rounds: Sequence[Round[Model]], rows: Records, *, public_total: float | None
) -> LoadedRelease:
    """What a release of these rounds can be asked. `rows` are the synthetic ones."""
    return LoadedRelease(
        domain=domain,
        guarantee=guarantee,
        manifest={},
        measurements=tuple(_measured(rounds)),
        public_total=public_total,
        laplace=rounds[0].ledger.budget.unit == "ε",
        model=rounds[-1].model,
        rows=rows,
    )


def _measured(rounds: Sequence[Round]) -> Iterator[Measurement]:
    """What the rounds measured: whole tables rather than their residuals, which are in the rounds from there on."""
    of_tables = False
    for entry in rounds:
        of_tables = of_tables or bool(entry.tables)
        yield from entry.tables
        yield from (m for m in entry.measurements if not (of_tables and m.centred))


def answered_beside_truth(release: LoadedRelease, records: Records, question: Question, of: Of) -> Answered:
    """What a run answers, and the private records' own numbers; None where bins hide it."""
    answers = question.ask(release, of)
    truths = tuple(float(each) if np.isfinite(each) else None for each in _truths(release, records, question))
    return Answered(question, of, answers, truths)


def _truths(release: LoadedRelease, records: Records, question: Question) -> np.ndarray:
    domain = release.domain
    if question.kind == "quantile":
        what, p = question.what, question.p
        found = questions.up_to_codes(what, p, domain, where=question.where).of(records)
        value, low, high = questions.quantile_of_cells(found, np.zeros_like(found), p, what, domain)
        return np.array([value if low == high else np.nan])
    if question.kind in ("ols", "logit"):
        regression = regressions.ols if question.kind == "ols" else regressions.logit
        return regression(question.what, domain, release.common).of(records)
    statistic = release.statistic(question.kind, question.what, where=question.where, by=question.by)
    return np.where(statistic.spans, np.nan, statistic.of(records))

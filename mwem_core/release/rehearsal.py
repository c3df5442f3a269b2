"""A rehearsal: the same terms on tables that are not private, so that the budget is spent once and well."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from mwem_core.ask import PERHAPS_EMPTY, load_files, read_questions, sets_of, workload_of
from mwem_core.domain import Domain, Records, check_not_empty, stand_in
from mwem_core.intervals import ALPHA
from mwem_core.judge import Errors, TermError, errors, errors_by_term
from mwem_core.privacy import Seeded
from mwem_core.release.bundle import asked_files
from mwem_core.release.release_run import ReleaseRun
from mwem_core.release.terms import Terms
from mwem_core.workload import parse_workload

RUNS = 3
SURE = 0.8  # of the rehearsals answer what is promised
LIKELY_TABLES = 6
LOG_SHAPES = 1.2, 2.3  # the largest logarithms of the two shapes of numbers' Beta law between the schema's ends
SKEW = 1.0  # the deviation of the logarithm of a listed value's share
LOG_MISSING = -6.0, -2.0  # the logarithm of the share of missing values, where there may be any
SMALL = "Groups may be too small beside the noise, or empty."
MORE = 2, 4, 8  # times ε that may answer more
FEWER = 3  # questions that are left out, or asked alone, in turn


@dataclass(frozen=True)
class QuestionForecast:
    """A declared question, asked of rehearsals on several tables: half of the median width of its intervals in each.

    The intervals are of the population. Unless nearly all rehearsals answer some of it there are no `halves`, `refused`
    is the reason, and `remedy` what would change that. `part` is the share of the other answers that were refused.
    """

    question: str
    halves: tuple[float, ...]
    refused: str = ""
    part: float = 0.0
    remedy: str = ""

    @property
    def half(self) -> float:
        """What is usual: the median over the tables."""
        return float(np.median(self.halves))

    @property
    def most(self) -> float:
        """What is promised: the widest of the tables."""
        return max(self.halves)

    def __str__(self) -> str:
        if not self.halves:
            return f"{self.question}: will not be answered: {self.refused} {self.remedy}".rstrip()
        usual, most = f"±{self.half:.2g}", f"±{self.most:.2g}"
        about = f"about {usual}, at most about {most}" if usual != most else f"about {most}"
        part = f"; {self.part:.0%} of its answers refused, as groups are small" if self.part >= 0.005 else ""
        return f"{self.question}: will be answered, 95% interval {about}{part}"


@dataclass(frozen=True)
class Rehearsal:
    """How far off the answers on one table were, as means over the runs.

    `width` is the median width of the intervals, in records, and `laplace_width` that of plain Laplace noise on every
    query at the same ε. `measured` is the share of answers that were measured. `pairs` are the pairs of
    attributes of which something can be asked after each run, and all in the workload's tables.
    `ran` says what the system did, and where runs differ, as their noisy n do, all that they did.
    """

    mean_error: float  # shares of n
    mean_tv: float | None
    max_error: float
    width: float
    laplace_width: float
    measured: float
    ran: str
    pairs: tuple[int, int] = (0, 0)
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
    ran, known = list[str](), list[int]()
    sets = [tuple(S) for block in terms.workload.blocks for S in block.sets.tolist()] if terms.workload.tabular else ()
    pairs = {pair for S in sets for pair in combinations(S, 2)}
    settings.check(terms.workload)
    for seed in range(RUNS):
        released = ReleaseRun.of(terms, settings, settings.rounds(B, terms.workload, noise=Seeded(seed)))
        found, model, Q = released.intervals(), released.run.model, released.run.workload
        ran.append(released.run.ran)
        known.append(len(pairs & released.known.residuals.keys()))
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
        pairs=(min(known), len(pairs)),
        parts=tuple(replace(each[0], error=_mean(own.error for own in each)) for each in zip(*by_run, strict=True)),
    )


def likely_tables(domain: Domain, n: int) -> tuple[Records, ...]:
    """Tables of n records as tables may be, by the schema alone.

    Numbers have a mode or a tail, listed values uneven shares, and few values are missing. In some records an attribute
    follows an earlier one, as in `domain.stand_in`.
    """
    rng, fine = np.random.default_rng(0), domain.fine
    return tuple(Records(fine, _likely_codes(fine, n, rng)).to_bin(domain) for _ in range(LIKELY_TABLES))


def _likely_codes(domain: Domain, n: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    codes = list[np.ndarray]()
    for attribute in domain.attributes:
        k, rest = attribute.value_set.size, attribute.size - attribute.value_set.size
        a, b = np.exp(rng.uniform(0, LOG_SHAPES))
        shares = np.exp(rng.normal(0, SKEW, k)) if not attribute.ordered or k == 2 else None
        shares = shares if shares is None else shares / shares.sum()
        missing = np.exp(rng.uniform(*LOG_MISSING)) * (rest > 0)

        def draw(size: int, k=k, rest=rest, a=a, b=b, shares=shares, missing=missing) -> np.ndarray:
            own = (k * rng.beta(a, b, size)).astype(np.int64) if shares is None else rng.choice(k, size, p=shares)
            return np.where(rng.random(size) < missing, k + rng.integers(max(rest, 1), size=size), own)

        column = draw(n)
        if codes:
            followed = codes[rng.integers(len(codes))]
            column = np.where(rng.random(n) < rng.random() ** 2, draw(int(followed.max()) + 1)[followed], column)
        codes.append(column.astype(np.min_scalar_type(attribute.size - 1)))
    return tuple(codes)


def forecast(terms: Terms, tables: Iterable[Records]) -> tuple[QuestionForecast, ...]:
    """The questions of the terms, asked of a run on each of these tables, none of which is private.

    Of those that will not be answered it says what would change that, rehearsed on the first table. Raises ValueError
    where the terms cannot be run.
    """
    tables = tuple(tables)
    found = []
    for each in zip(*(_asked(terms, B) for B in tables), strict=True):
        halves = sum((one.halves for one in each), ())
        answered = len(halves) >= SURE * len(each)
        part = float(np.mean([one.part for one in each if one.halves])) if answered else 0.0
        why = "" if answered else next(one.refused for one in each if one.refused)
        found.append(QuestionForecast(each[0].question, halves if answered else (), why, part))
    remedies = _remedies(terms, [each.question for each in found if not each.halves], tables[0])
    return tuple(replace(each, remedy=remedies.get(each.question, "")) for each in found)


def _remedies(terms: Terms, refused: Sequence[str], B: Records) -> dict[str, str]:
    """For each question that is refused, the first change of the terms of each kind by which it would be answered."""
    found: dict[str, list[str]] = {text: [] for text in refused}
    for changes in _changes(terms, refused) if refused else ():
        left = [*refused]
        for words, changed in changes:
            if not left:
                break
            try:
                answered = {each.question for each in _asked(changed, B) if each.halves}
            except ValueError:  # such terms cannot be run
                continue
            for text in answered & {*left}:
                found[text].append(words)
            left = [text for text in left if text not in answered]
    none = f"Neither fewer questions nor ε = {terms.epsilon * MORE[-1]:g} would change that."
    return {text: f"It would be {', or '.join(words)}." if words else none for text, words in found.items()}


def _changes(terms: Terms, refused: Sequence[str]) -> Iterator[Iterator[tuple[str, Terms]]]:
    """Kinds of changes, each from the least on: another plan, a question less or all others, and more ε."""
    read = {text: read_questions(text, terms.domain) for text in terms.questions}
    sets = {text: {S for each in own for S in sets_of(each, terms.domain)} for text, own in read.items()}
    largest = sorted(read, key=lambda text: sum(map(terms.domain.cells, sets[text])), reverse=True)

    def of(texts: Sequence[str]) -> Terms:
        spec = workload_of(sum((read[text] for text in texts), ()), terms.domain)
        return replace(terms, questions=tuple(texts), workload=parse_workload(spec, terms.domain))

    def fewer() -> Iterator[tuple[str, Terms]]:
        if len(read) > 1:
            yield from ((f"without {text!r}", of([x for x in read if x != text])) for text in largest[:FEWER])
            yield from (("by itself", of([text])) for text in refused[:FEWER])

    if terms.system != "tables":
        yield iter([("by --algorithm tables", replace(terms, system="tables"))])
    yield fewer()
    yield ((f"with ε = {terms.epsilon * times:g}", replace(terms, epsilon=terms.epsilon * times)) for times in MORE)


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
        refused = SMALL if refused.startswith(PERHAPS_EMPTY[:20]) else refused  # which has numbers of this table
        part = 1 - len(widths) / len(answers)
        yield QuestionForecast(text, (float(np.median(widths)) / 2,) if widths else (), refused, part)


def _mean(values: Iterator[float]) -> float:
    return float(np.mean(list(values)))

"""Settings that run one algorithm after another: `Staged` and `Apart`.

`Staged` measures one-way marginals once, then runs MWEM's rounds with the rest of the budget.

`Apart` measures parts of a mixed workload by themselves: ranges by their halvings, and each predicate. A predicate is
one count. If it is summed up from a noisy table of thousands of cells, it has the noise of all of them, and so has a
range. So these parts get a share of the budget, after the other parts are measured. Then the model of the other parts
is moved to the new measurements (`nearest_model`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar, cast

import numpy as np

from mwem_core.algorithm import Algorithm, Private, Round, Spender
from mwem_core.automatic.counts import noisy_counts, rows_to_tilt
from mwem_core.automatic.hierarchy import best_hierarchy, serves
from mwem_core.automatic.nearest_model import move_to
from mwem_core.automatic.plan_fit import Planned, fitted_round, plan_rounds
from mwem_core.automatic.refinement import Halvings, refinements
from mwem_core.automatic.sizes import check_plan
from mwem_core.base import is_whole
from mwem_core.domain import Table
from mwem_core.model import Measurement
from mwem_core.mwem import MWEM, HistogramStart
from mwem_core.prior import MAX_FITTED_CELLS
from mwem_core.privacy import Accountant, Budget, Guarantee
from mwem_core.weighted import Average, Model, Single
from mwem_core.workload import Workload, mixture

TOLERANCE = 0.01  # of the first fit, which the rounds go on with
MAX_CELLS = 2**20  # that the predicates read: to go once through all of them takes some milliseconds
SHARES = 1000  # a part has so many parts in a thousand of what is for all that are asked, rounded, and at least one


@dataclass(frozen=True, kw_only=True)
class Staged(Spender):
    """A share of the budget measures the one-way marginals once; the rounds of `then` select with the rest.

    `then` has the ε and δ of the whole run. Raises ValueError for a share that is not above 0 and below 1, and for
    rounds whose number is not given, that measure one-way marginals first themselves, or that start from a histogram.
    """

    share: float
    then: MWEM

    def __post_init__(self):
        if not 0 < self.share < 1:
            raise ValueError(f"share is a share of the budget, above 0 and below 1, got {self.share!r}")
        if not is_whole(self.then.T):
            raise ValueError(f"rounds after one-way marginals need a number, got {self.then.T!r}")
        if self.then.candidates.one_way_first or isinstance(self.then.start, HistogramStart):
            raise ValueError("one-way marginals are measured before the rounds: leave one_way_first and histogram out")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return self.then.guarantee

    def measured(self, workload: Workload) -> Workload:
        """The workload whose marginals are candidates."""
        return self.then.measured(workload)

    def planned_rounds(self, n: float, workload: Workload) -> int:  # noqa: ARG002
        """One round for the one-way marginals, and the rounds that select."""
        return 1 + int(self.T)

    @property
    def T(self) -> int:
        """The number of rounds that select."""
        assert isinstance(self.then.T, int)
        return self.then.T

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload that one of the stages cannot serve."""
        check_plan("one-way", self.measured(workload), self.guarantee.budget)
        self.then.check(workload)

    def spend(self, B: Table, Q: Workload, account: Accountant) -> Iterator[Round[Model]]:
        """Round 0, a round of one-way marginals, then T rounds that select."""
        start = self.then.start.begin(B, Q, account, MAX_FITTED_CELLS)
        yield start
        of_ones, share = self.measured(Q), Fraction(self.share)
        (ones,) = plan_rounds("one-way", B, of_ones, account, start, share=share, tolerance=TOLERANCE)
        yield ones
        yield from self.then.spend_after(cast(Round[Single], ones), start.model, B, Q, account)


FirstSettings = MWEM | Planned | Halvings | Staged  # settings after which other parts of a mixed workload may be asked


@lru_cache(maxsize=8)
def terms_by_part(Q: Workload) -> tuple[tuple[int, ...], ...]:
    """The numbers of the terms that are measured together, in the order of their measurement.

    All terms but ranges and predicates come first. Then comes each term of ranges, and last all predicates together.
    """
    ranges = [i for i, term in enumerate(Q.terms) if serves(term.workload)]
    predicates = [i for i, term in enumerate(Q.terms) if term.workload.family == "predicates"]
    others = [i for i in range(len(Q.terms)) if i not in (*ranges, *predicates)]
    return tuple(tuple(group) for group in (others, *([i] for i in ranges), predicates) if group)


@lru_cache(maxsize=4)
def parts_of(Q: Workload) -> tuple[Workload, ...]:
    """A workload for each group of `terms_by_part`: the first is measured by itself, and the others are asked after it.

    A workload of one family is the first, and nothing is asked after it.
    """
    if not Q.terms:
        return (Q,)
    parts = []
    for group in terms_by_part(Q):
        terms = [Q.terms[i] for i in group]
        parts.append(
            _together(Q, [term.workload for term in terms])
            if terms[0].workload.family == "predicates"
            else mixture([(term.workload, Fraction(term.weight)) for term in terms])
        )
    return tuple(parts)


def _together(Q: Workload, predicates: Sequence[Workload]) -> Workload:
    """Several workloads of predicates as one."""
    spec, name = (" + ".join(texts) for texts in zip(*((each.spec, each.name) for each in predicates), strict=True))
    blocks = tuple(block for each in predicates for block in each.blocks)
    return Workload(Q.domain, "predicates", spec, name, blocks)


def has_later_parts(Q: Workload) -> bool:
    """Whether Q has predicates or ranges beside other terms, and no two terms of ranges share an attribute."""
    read = [a for term in Q.terms if serves(term.workload) for a in term.workload.reads]
    return len(terms_by_part(Q)) > 1 and len(read) == len(set(read))


def can_measure_apart(Q: Workload) -> bool:
    """Whether Q asks such parts after tables, parities or ranges, and a model can be moved to them in seconds."""
    if not has_later_parts(Q):
        return False
    first, *asked = parts_of(Q)
    few = [rows_to_tilt(each) > 0 and each.cells <= MAX_CELLS for each in asked if each.family == "predicates"]
    return (first.has_residuals or serves(first)) and all(few)


def later_shares(Q: Workload, unit: str) -> list[Fraction]:
    """How the parts asked after the first divide their budget: fractions that sum to 1.

    In units of its error alone, a part with a share s errs by about 1/s, or under zCDP by 1/√s. With weights w, the
    weighted sum of errors is least at shares ∝ √w, or w^(2/3). P predicates are measured together, with half the noise
    of P counts (`noisy_counts`). The weight w of a term of p predicates is relative to the noise of p counts, so here
    it is w P/2p.
    """

    def weight(group: Sequence[int], part: Workload) -> float:
        terms = [Q.terms[i] for i in group]
        if part.family == "predicates":
            return sum(term.weight * part.size / term.workload.size for term in terms) / 2
        return terms[0].weight

    power = 1 / 2 if unit == "ε" else 2 / 3
    roots = np.array([weight(*each) for each in zip(terms_by_part(Q)[1:], parts_of(Q)[1:], strict=True)]) ** power
    shares = [max(1, round(SHARES * share)) for share in (roots / roots.sum()).tolist()]
    return [Fraction(share, sum(shares)) for share in shares]


def later_parts(Q: Workload, budget: Budget) -> list[tuple[tuple[int, ...], Workload, Budget]]:
    """Each part asked after the first: the numbers of its terms, its workload, and its share of this budget."""
    shares = later_shares(Q, budget.unit)
    return list(zip(terms_by_part(Q)[1:], parts_of(Q)[1:], map(budget.part, shares), strict=True))


@dataclass(frozen=True, kw_only=True)
class Apart(Spender):
    """Settings for the first of a mixed workload's parts, and a share of the budget for what is asked after it.

    `first` has the ε and δ of the whole run, and gets what the share leaves. Raises ValueError for a share that is not
    above 0 and below 1, and for settings after which no other part can be asked.
    """

    share: float
    first: FirstSettings

    def __post_init__(self):
        if not 0 < self.share < 1:
            raise ValueError(f"share is a share of the budget, above 0 and below 1, got {self.share!r}")
        if not isinstance(self.first, FirstSettings):
            raise ValueError(f"parts are asked after tables or ranges, not after {type(self.first).__name__}")
        rounds = rounds_in(self.first)
        if rounds and rounds.output == "average":
            raise ValueError("parts are asked after the last model, not after an average: choose output 'last'")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return self.first.guarantee

    @property
    def first_alone(self) -> FirstSettings:
        """The settings of the first part, with what the share leaves as its ε; at δ > 0 about.

        There ρ grows with ε² where it is small.
        """
        left, whole = 1 - self.share, self.guarantee
        return with_epsilon(self.first, whole.epsilon * (math.sqrt(left) if whole.delta else left))

    def measured(self, workload: Workload) -> Workload:
        """What is measured of the first part."""
        return self.first.measured(parts_of(workload)[0])

    def planned_rounds(self, n: float, workload: Workload) -> int | None:
        """The rounds of the first part, and one for each other part; None if the run decides it."""
        first, *others = parts_of(workload)
        rounds = self.first_alone.planned_rounds(n, first)
        return None if rounds is None else rounds + len(others)

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload of which nothing can be asked by itself, or whose first part cannot."""
        if not has_later_parts(workload):
            raise ValueError(
                "only predicates, and ranges of different attributes, beside other parts are asked by themselves, "
                f"not {workload.families}"
            )
        self.first_alone.check(parts_of(workload)[0])

    def spend(self, B: Table, Q: Workload, account: Accountant) -> Iterator[Round[Model]]:
        """The rounds of the first part, with what the share leaves, then a round for each other part."""
        asked, left = account.left.split(self.share)
        ledger = account.ledger
        for each in self.first_alone.spend(B, parts_of(Q)[0], account.part(left)):
            entry = replace(each, ledger=ledger.plus(each.ledger))
            yield entry
        yield from later_rounds(entry, B, Q, account.part(asked))


S = TypeVar("S", bound=Spender)


def with_epsilon(settings: S, epsilon: float) -> S:
    """The same settings at another ε."""
    if isinstance(settings, Staged):
        return replace(settings, then=replace(settings.then, epsilon=epsilon))
    if isinstance(settings, Apart):
        return replace(settings, first=with_epsilon(settings.first, epsilon))
    assert isinstance(settings, Private)
    return replace(settings, epsilon=epsilon)


def rounds_in(settings: Algorithm) -> MWEM | None:
    """The rounds that select, if these settings have any: they are these, or a part of them."""
    if isinstance(settings, Apart):
        return rounds_in(settings.first)
    if isinstance(settings, Staged):
        return settings.then
    return settings if isinstance(settings, MWEM) else None


def later_rounds(before: Round[Model], B: Table, Q: Workload, account: Accountant) -> Iterator[Round[Model]]:
    """Spend this account on all parts but the first, which the round `before` has measured: one part in each round.

    A round moves the model that `before` released to all measurements since.
    """
    first, released = parts_of(Q)[0], before.model
    assert not isinstance(released, Average)  # `Apart` refuses it
    index, model = before.index, released
    tables, counts = {S: released.marginal(S) for S in first.sets} if serves(first) else {}, []
    for _, part, budget in later_parts(Q, account.left):
        if part.family == "predicates":
            measured = measured_predicates(B, part, released.total, account)
            counts += measured
            label = "all predicates together"
        else:
            (S,) = part.sets
            tables[S], measured = measured_ranges(B, part, released.total, budget, account)
            label = f"ranges of {Q.domain.label(S)}"
        ledger, moved = before.ledger.plus(account.ledger), move_to(released, tables, counts)
        index += 1
        yield fitted_round(index, ledger, model, moved, label, tuple(measured))
        model = moved


def measured_predicates(B: Table, Q: Workload, n: float, account: Accountant) -> list[Measurement]:
    """Spend what is left on all predicates at once."""
    counts, scale = noisy_counts(B, Q, n, account)
    queries = [Q.query(j)[:2] for j in range(Q.size)]
    return [Measurement(S, np.asarray(m), scale, q) for (S, q), m in zip(queries, counts, strict=True)]


def measured_ranges(
    B: Table, Q: Workload, n: float, budget: Budget, account: Accountant
) -> tuple[np.ndarray, list[Measurement]]:
    """Spend this budget on a hierarchy of intervals: the estimated table, in records, and the measurements."""
    plan = best_hierarchy(Q, budget, n)
    measured = plan.measure(B, Q, account)
    tables = [np.full(plan.boxes.sizes, n), *(table for table, _ in refinements(plan, measured, n))]  # of one value, n
    return tables[-1], list(measured.values())

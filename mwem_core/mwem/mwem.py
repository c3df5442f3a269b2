"""MWEM, the loop of the paper's Figure 1 and its variants as settings (Hardt, Ligett & McSherry 2012)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.checks import check_positive, is_whole
from mwem_core.data.table import Table, refuse_empty
from mwem_core.model.average import Average, Model
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.replay import replay
from mwem_core.mwem.candidates import Candidates, one_way
from mwem_core.mwem.theorem import best_rounds
from mwem_core.privacy.budget import Budget, Guarantee
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.mechanisms import exponential
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.closure import closure
from mwem_core.workload.workload import Workload


@dataclass(frozen=True, kw_only=True)
class MWEM:
    """Settings of MWEM; `presets` has the named ones. Raises ValueError for a setting out of its range.

    (ε, δ)-differential privacy under adding or removing one record; with `measured_total` = 0 the total n is taken as
    public, as in the paper.
    """

    epsilon: float
    delta: float = 0.0
    T: int | Literal["theorem", "adaptive"] = 10  # rounds: fixed, the best for Theorem 2.3, or doubling (section 2.3.3)
    select: Literal["queries", "tables"] = "queries"  # one query at a time, or a whole marginal (section 3.3)
    penalty: Literal["none", "cells", "noise"] = "none"  # off a table's score: its cells, or the noise they will get
    candidates: Literal["workload", "closure"] = "workload"  # or all marginals within its sets, weighted by overlap
    first: Literal["none", "one-way"] = "none"  # measure the attributes asked about one by one, before any selection
    annealing: bool = False  # halve the noise after a choice that moved A no further than it; at first T rounds fit
    split: float = 0.5  # share of a round's budget that selects; the rest measures
    repeats: bool = False  # whether a measured query may be chosen again
    replay: bool = True  # sweep all measurements so far, or update with the newest alone
    step: float = 0.5  # of an update, in units of error / n; 1/2 is the paper's
    sweeps: int = 100  # at most, in a replay
    tolerance: float = 0.0  # relative change of the squared residual below which a replay stops
    in_order: bool = True  # sweep measurements as they came (Figure 8), or as the tree lies
    output: Literal["last", "average"] = "last"  # A_T, or the average of A_0 .. A_{T-1} that the theorem is about
    histogram_start: float = 0.0  # share of the budget for a noisy histogram over D to start from
    measured_total: float = 0.0  # share of the budget for a noisy n; 0 takes n as public
    cell_budget: int = 10**6  # cells the model may hold; candidates beyond are not offered

    def __post_init__(self):
        self.guarantee  # noqa: B018  (checks ε and δ)
        if self.T not in ("theorem", "adaptive") and (not is_whole(self.T) or self.T < 1):
            raise ValueError(f"rounds must be a whole number of at least 1, theorem or adaptive, got {self.T!r}")
        if not 0 < self.split < 1:
            raise ValueError(f"split must lie between 0 and 1, both excluded, got {self.split!r}")
        check_positive(step=self.step)
        for name in ("sweeps", "cell_budget"):
            if not is_whole(value := getattr(self, name)) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance must be at least 0 and less than 1, got {self.tolerance!r}")
        shares = self.histogram_start, self.measured_total
        if not (all(share >= 0 for share in shares) and sum(shares) < 1):
            raise ValueError(
                "histogram_start and measured_total are shares of the budget: together less than 1, neither negative"
            )
        if self.penalty != "none" and self.select == "queries":
            raise ValueError(f"penalty {self.penalty!r} weighs whole tables: choose select='tables' with it")
        if self.candidates != "workload" and self.select == "queries":
            raise ValueError(f"candidates {self.candidates!r} are whole tables: choose select='tables' with it")
        if self.T in ("theorem", "adaptive") and (self.annealing or self.first != "none"):
            raise ValueError(f"annealing, and one-way marginals first, need a number of rounds, got {self.T!r}")
        if self.annealing and not self.repeats:
            raise ValueError("annealing asks again, with less noise, what it could not see: allow repeats with it")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) this run satisfies."""
        return Guarantee(self.epsilon, self.delta)

    def planned_rounds(self, n: float, workload: Workload) -> int | None:
        """T, as far as it is known before the run: None where it is adaptive, or noise anneals."""
        if self.T == "adaptive" or self.annealing:
            return None
        if self.T != "theorem":
            return int(self.T)
        T = best_rounds(n=n, domain_size=workload.domain.size, queries=workload.size, epsilon=self.epsilon)
        return T if self.repeats else min(T, self._candidates(workload))

    def room(self, T: int, workload: Workload) -> float:
        """T rounds as so many that select and measure: those that come first have nothing to select."""
        return T - self.split * self._ones(workload)

    def offered(self, workload: Workload) -> Workload:
        """What rounds choose from: the workload, or its downward closure."""
        return closure(workload) if self.candidates == "closure" else workload

    def cells_by(self, ledger: Ledger, start: LogLinear) -> int:
        """Cells that the model may hold once this much is spent: from those of A_0, the share of the budget on.

        A large table taken early would crowd out all that comes after it. A domain that fits is never held back.
        """
        share = 1.0 if math.prod(start.sizes) <= self.cell_budget else ledger.spent / ledger.budget.amount
        return round(start.cells + share * max(0, self.cell_budget - start.cells))

    def check(self, workload: Workload) -> None:
        """Refuse a workload these settings cannot serve, before anything runs or is spent."""
        most, offered, ones = self._candidates(workload), self.offered(workload), self._ones(workload)
        smallest = offered.attrs(int(offered.part_cells.argmin()))
        if self.select == "tables" and not workload.tabular:
            raise ValueError(
                f"whole tables are selected in marginals and cuboids only, not in {workload.family}: select queries"
            )
        if self.select == "queries" and workload.family == "cuboids":
            raise ValueError("cuboids are selected as whole tables: select tables, or ask for marginals")
        if isinstance(self.T, int) and ones >= self.T:
            raise ValueError(
                f"rounds must be at least {ones + 1}, as the {ones} one-way marginals come first; got {self.T}"
            )
        if isinstance(self.T, int) and not self.repeats and self.T > most:
            what = "marginals" if self.select == "tables" else "queries"
            raise ValueError(
                f"rounds must be at most {most:,}, the number of {what}, as none is asked twice; got {self.T}"
            )
        if len(smallest) > 1 and (cells := workload.domain.cells(smallest)) > self.cell_budget:
            name = workload.domain.label(smallest)
            raise ValueError(
                f"the smallest marginal, {name}, has {cells:,} cells and the model may hold "
                f"{self.cell_budget:,}: lower k, choose smaller attributes, or raise the cell budget"
            )
        if self.histogram_start and workload.domain.size > self.cell_budget:
            raise ValueError(
                f"a histogram start needs the whole domain, {workload.domain.size:,} cells, and the model may hold "
                f"{self.cell_budget:,}: start uniform"
            )

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[Model]]:
        """Run on the private table B for the workload Q: round 0, then T rounds, each a new object.

        Checked on the call; noise is drawn, and budget spent, as rounds are asked for.
        """
        self.check(Q)
        refuse_empty(B)
        run = _adaptive if self.T == "adaptive" else _planned
        return run(self, B, Q, noise)

    def _candidates(self, workload: Workload) -> int:
        """The most rounds where none is asked twice."""
        offered = self.offered(workload)
        return self._ones(workload) + (offered.parts if self.select == "tables" else offered.size)

    def _ones(self, workload: Workload) -> int:
        """How many rounds have nothing to select."""
        return closure(workload, max_order=1).parts if self.first == "one-way" else 0


def _planned(settings: MWEM, B: Table, Q: Workload, noise: NoiseSource) -> Iterator[Round[Model]]:
    start = _start(settings, B, noise)
    yield start
    budget, T = settings.guarantee.budget, settings.planned_rounds(start.model.total, Q)
    most = T or int(settings.T)  # T is None where noise anneals
    room = settings.room(most, Q) if T else most
    yield from _loop(settings, B, Q, noise, start, most, budget.part((1 - start.ledger.spent / budget.amount) / room))


def _loop(
    settings: MWEM, B: Table, Q: Workload, noise: NoiseSource, start: Round[LogLinear], T: int, each: Budget | None
) -> Iterator[Round[Model]]:
    """The paper's Figure 1: T rounds of select, measure and update, from A_0, each costing `each`.

    Those that come first have nothing to select. Annealing changes what a round costs, and how many there are.
    """
    A, ledger, past, measured = start.model, start.ledger, [start.model], []
    tables, closed = settings.select == "tables", settings.candidates == "closure"
    most = max(settings.cell_budget, start.model.cells)
    candidates = Candidates(B, Q, tables=tables, repeats=settings.repeats, closed=closed, most=most)
    first = one_way(B, Q) if settings.first == "one-way" else []
    while each is not None:
        selecting, measuring = each.part(settings.split), each.part(1 - settings.split)
        # 1. select by the exponential mechanism, but for those that come first
        if first:
            j, declined, asked = None, None, first.pop(0)
            ledger = ledger.spend(measure=measuring.amount)
        else:
            penalty = {"none": 0.0, "cells": 1.0, "noise": measuring.mean_noise}[settings.penalty]
            after = ledger.spend(select=selecting.amount, measure=measuring.amount)
            scores, declined = candidates.scores(A, settings.cells_by(after, start.model), penalty)
            if scores.max() == -np.inf:
                scores, declined = candidates.scores(A, settings.cell_budget, penalty)
            if scores.max() == -np.inf:
                return  # everything the cell budget allows has been measured
            Δ = candidates.sensitivity(scores)
            j = exponential(scores, epsilon=selecting.selection_epsilon, sensitivity=Δ, noise=noise)
            asked, ledger = candidates.take(j), after
        # 2. measure with Laplace or Gaussian noise
        attrs, q, exact, label = asked
        m = Measurement(attrs, measuring.measure(exact, noise), measuring.scale, q)
        measured.append(m)
        # 3. update by multiplicative weights
        before = A.marginal(attrs)
        A = _updated(settings, A, measured)
        past.append(A)
        made = Round(
            index=start.index + len(measured),
            ledger=ledger,
            A=A,
            model=A if settings.output == "last" else Average(tuple(past[:-1])),
            chosen=j,
            label=label,
            measurement=m,
            residual=float(np.abs(m.residual(before)).sum()),
            moved=float(np.abs(m.answer(A.marginal(attrs)) - m.answer(before)).sum()),
            declined=declined,
        )
        yield made
        if settings.annealing:
            each = _annealed(each, measuring, made)
        elif len(measured) == T:
            return


def _updated(settings: MWEM, A: LogLinear, measured: Sequence[Measurement]) -> LogLinear:
    """By a replay of all measurements so far, or the newest alone."""
    how = {"step": settings.step, "tolerance": settings.tolerance, "in_order": settings.in_order}
    if settings.replay:
        return replay(A, measured, sweeps=settings.sweeps, news=measured[-1:], **how)
    return replay(A, measured[-1:], sweeps=1, **how)


def _annealed(each: Budget, measuring: Budget, made: Round[Model]) -> Budget | None:
    """What the next round costs, None after the last: where a choice moved A no further than its noise, half the noise.

    What is too little for two such rounds goes to one. Reads nothing but what the round released (McKenna et al. 2022).
    """
    budget, m = made.ledger.budget, made.measurement
    assert m is not None
    left, share = 1 - made.ledger.spent / budget.amount, each.amount / budget.amount
    if left < 1e-9:
        return None  # but for rounding in the last digits
    if made.chosen is not None and made.moved <= measuring.mean_noise * np.size(m.value):
        share *= 2 if budget.unit == "ε" else 4
    return budget.part(share if 2 * share <= left else left)


def _adaptive(settings: MWEM, B: Table, Q: Workload, noise: NoiseSource) -> Iterator[Round[Model]]:
    """Section 2.3.3: T doubles, and what it may cost with it, until a run's signal drops below its noise.

    A run of T rounds costs twice the one before, so a round costs the same in each and the last is at least half of
    the total. When a round's measured residual is no more than its expected noise, more rounds at this noise would
    teach nothing: all that is left goes to one last run of as many rounds as were worth it. Reads noisy answers only.
    """
    start = _start(settings, B, noise)
    yield start
    budget = settings.guarantee.budget
    left = 1 - start.ledger.spent / budget.amount
    most = settings._candidates(Q) if not settings.repeats else 2**20
    T, share, index, ledger = min(2, most), left / 2**DOUBLINGS, start.index, start.ledger
    while True:
        last = 2 * T > most or share > left / 2
        each = budget.part((left if last else share) / T)
        worth = T
        fresh = Round(index, ledger, start.model)
        for rounded in _loop(settings, B, Q, noise, fresh, T, each):
            yield rounded
            index, ledger, m = rounded.index, rounded.ledger, rounded.measurement
            assert m is not None
            if not last and rounded.residual <= each.part(1 - settings.split).mean_noise * np.size(m.value):
                worth = max(1, rounded.index - fresh.index - 1)
                break
        if last:
            return
        left = 1 - ledger.spent / budget.amount
        if worth < T:
            T, share = worth, left  # the last run
        else:
            T, share = 2 * T, 2 * share


DOUBLINGS = 6  # the first of the adaptive runs gets 1/2^6 of the budget


def _start(settings: MWEM, B: Table, noise: NoiseSource) -> Round[LogLinear]:
    """A_0: n times uniform, or a noisy histogram over D, its small cells evened out (section 2.3.3)."""
    budget = settings.guarantee.budget
    ledger, n = Ledger(budget), float(B.total)
    if settings.measured_total:
        part = budget.part(settings.measured_total)
        n = max(1.0, float(part.measure(np.array(n), noise)))
        ledger = ledger.spend(start=part.amount)
    A = LogLinear.uniform(B.domain.shape, n)
    if settings.histogram_start:
        part = budget.part(settings.histogram_start)
        everything = tuple(range(len(B.domain)))
        counts = part.measure(B.marginal(everything), noise)
        ledger = ledger.spend(start=part.amount)
        kept = np.where(counts > part.mean_noise * math.log(counts.size), counts, 0.0)
        spread = max(n - kept.sum(), n / 100)  # what no kept cell accounts for, evenly over D
        A = LogLinear.of(B.domain.shape, n, {everything: np.log(kept + spread / counts.size)})
    return Round(0, ledger, A, A)


Rounds = int | Literal["theorem", "adaptive"]

"""MWEM: Multiplicative Weights with the Exponential Mechanism (Hardt, Ligett & McSherry 2012).

`loop` is the paper's Figure 1, and with replay its Figure 8. `MWEM` holds the settings of every variant.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from mwem_core.algorithm import Round, Selection
from mwem_core.automatic.composed.apart import apart, asked_rounds, asks_apart
from mwem_core.automatic.planned.counts import check_queries, queried_rounds
from mwem_core.automatic.planned.hierarchy import best_hierarchy, boxes_of
from mwem_core.automatic.planned.planned import planned
from mwem_core.automatic.planned.plans import PlanName
from mwem_core.automatic.planned.refining import refined_rounds
from mwem_core.automatic.planned.sizes import check_plan, planned_rounds
from mwem_core.checks import check_positive, is_whole
from mwem_core.data.public_table import PublicTable
from mwem_core.data.table import Table, check_not_empty
from mwem_core.model.average import Average, Model, Single
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.possible import check_rules
from mwem_core.model.prior.fits import MAX_FITTED_CELLS
from mwem_core.model.prior.refit import refitted
from mwem_core.model.replay import replay, update
from mwem_core.model.weighted.weighted_records import WeightedRecords
from mwem_core.mwem.candidates import Candidates, candidate_count, one_way
from mwem_core.mwem.costs import Costs, CostsName, relative_costs
from mwem_core.mwem.penalty import PenaltyName, penalty_by_name
from mwem_core.mwem.public_start import check_start, prior_of, started_from
from mwem_core.mwem.rows import offered, updated_records
from mwem_core.mwem.schedule import annealed, doubling
from mwem_core.mwem.start import starting_point
from mwem_core.mwem.theorem import best_rounds
from mwem_core.mwem.updates import updated_implicitly
from mwem_core.privacy.accountant import Accountant, SelectionName
from mwem_core.privacy.budget import Budget
from mwem_core.privacy.guarantee import Guarantee
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.closure import closure, lower, overlap
from mwem_core.workload.workload import Workload

Rounds = int | Literal["theorem", "adaptive"]
AnyPlan = Literal["select", PlanName, "queries", "hierarchical", "nothing"]


def loop(
    settings: "MWEM",
    B: Table,
    Q: Workload,
    account: Accountant,
    A_0: LogLinear,
    start: Round[Single],
    T: int,
    cost: Budget | None,
) -> Iterator[Round[Model]]:
    """Figure 1: from A_0, T rounds of select, measure and update, each at this cost, or in the mean at this cost.

    A "query" q may be a whole marginal (section 3.3). One-way marginals that come first are not selected, and those
    that a plan has measured before, in the round `start`, are kept. Annealing changes the cost from round to round, and
    so decides how many rounds there are.
    """
    A, measurements = start.model, list(start.planned)
    models: list[Single] = [A]
    costs = settings.costs_of(Q, T)
    candidates = settings.candidates_for(B, Q, A_0, costs.expected)
    first = one_way(B, Q) if settings.first == "one-way" else []
    while cost is not None:
        selecting, measuring = cost.split(settings.split)

        # 1. Select: q_i with score |q(A_{i-1}) - q(B)|, in the paper by the exponential mechanism
        if first:
            q, j, declined, selection = first.pop(0), None, None, None
        else:
            penalty, share = penalty_by_name(settings.penalty, measuring), account.share_after(cost)
            rows_from = settings.rows_from if settings.replay else None
            A, scores, declined = offered(candidates, A, share=share, penalty=penalty, rows_from=rows_from)
            if scores.max() == -np.inf:
                return  # everything that can be counted has been measured
            Δ = candidates.sensitivity(scores)
            j = account.choose(scores, cost=selecting, sensitivity=Δ, by=settings.selection)
            q = candidates.take(j)
            offer = np.packbits(scores > -np.inf)
            weighed = (candidates.weights, candidates.shares)
            selection = Selection(A, penalty, float(selecting.selection_epsilon), Δ, *weighed, offer)

        # 2. Measure: m_i = q_i(B) + noise
        paid = costs.of(j, measuring)
        m = Measurement(q.attrs, account.measure(q.exact, cost=paid), paid.scale, q.values)
        measurements.append(m)

        # 3. Update: A_i(x) ∝ A_{i-1}(x) exp(q_i(x) (m_i - q_i(A_{i-1})) / 2n), by m_i alone or by all m_1 .. m_i again;
        # if implicit, with q_i(A_i) in place of q_i(A_{i-1})
        A_before, A = A, settings.updated(A, measurements, account.ledger, A_0)

        models.append(A)
        i = len(models) - 1
        output, index = A if settings.output == "last" else Average(tuple(models[:-1])), start.index + i
        said = {"label": q.label, "chosen": j, "declined": declined, "selection": selection}
        released = Round.updated(index, account.ledger, output, A_before, A, m, **said)
        yield released
        if settings.annealing:
            cost = annealed(cost, released)
        elif i == T:
            break


@dataclass(frozen=True, kw_only=True)
class MWEM:
    """Settings of MWEM; `mwem.presets` has named ones. Raises ValueError for a setting out of its range.

    (ε, δ)-differential privacy under adding or removing one record. The total n is taken as public, as in the paper;
    `measured_total.MeasuredTotal` measures it first.
    """

    epsilon: float
    delta: float = 0.0
    T: Rounds = 10  # rounds: a number, the best for Theorem 2.3, or adaptive by doubling (section 2.3.3)
    plan: AnyPlan = "select"  # T times, or measure all once, as planned
    plan_share: float = 1.0  # of the budget, for plan "one-way"; T rounds select with the rest
    query_share: float = 0.0  # of the budget: for a mixed workload's ranges and predicates themselves (`mwem.asked`)
    select: Literal["queries", "tables"] = "queries"  # one query at a time, or marginals as a whole (section 3.3)
    selection: SelectionName = "exponential"  # the mechanism; for δ > 0 exponential only
    penalty: PenaltyName = "none"  # subtracted from a table's score: its cells, or expected noise (`mwem.penalty`)
    costs: CostsName = "equal"  # of measurements, or more for tables of more cells (`mwem.costs`)
    candidates: Literal["workload", "lower", "closure"] = "workload"  # or tables within its own
    first: Literal["none", "one-way"] = "none"  # measure the one-way marginals of the workload before any selection
    annealing: bool = False  # halve the noise after a choice that moved A no further than the noise; T sets the start
    split: float = 0.5  # share of a round's budget for selection; the rest is for measurement
    repeats: bool = False  # whether a measured query may be chosen again
    replay: bool = True  # sweep over all measurements so far (Figure 8), or update by the newest alone (Figure 1)
    update: Literal["explicit", "implicit"] = "explicit"  # by the error before it or, of whole tables, after it
    step: float = 0.5  # of an explicit update, in units of error / n; the paper's is 1/2
    sweeps: int = 100  # the most sweeps in a replay
    tolerance: float = 0.0  # relative change of the squared residual below which a replay stops
    in_order: bool = True  # sweep measurements in the order they were made (Figure 8), or clique by clique
    output: Literal["last", "average"] = "last"  # A_T, or the average of A_0 .. A_{T-1} that the theorem is about
    histogram_start: float = 0.0  # share of the budget for a noisy histogram over D to start from (section 2.3.3)
    cell_budget: int = 10**6  # the most cells of a junction tree, and of a table; weighted records go beyond
    rows_from: float = 1.0  # share of ε that is spent before they do so where the tree still takes some candidates
    last_fit: Literal["replay", "prior"] = "replay"  # once ε is spent: near a prior, of marginals and parities
    public: PublicTable | None = None  # A_0 is fitted to it, and a prior of a fit pulls towards A_0; None: uniform

    def __post_init__(self):
        Guarantee(self.epsilon, self.delta)  # checks both
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
        if self.selection == "permute-and-flip" and self.delta > 0:
            raise ValueError(
                "permute-and-flip needs delta = 0: under zCDP it costs four times as much as the exponential mechanism"
            )
        if not 0 < self.plan_share <= 1:
            raise ValueError(f"plan_share is a share of the budget, above 0 and at most 1, got {self.plan_share!r}")
        if self.plan_share < 1 and (self.plan != "one-way" or self.first != "none" or not is_whole(self.T)):
            raise ValueError(
                "a plan_share below 1 needs plan 'one-way', first 'none' and a number of rounds, got "
                f"plan {self.plan!r}, first {self.first!r} and T {self.T!r}"
            )
        if not 0 <= self.query_share < 1:
            raise ValueError(
                f"query_share is a share of the budget, at least 0 and less than 1, got {self.query_share!r}"
            )
        if self.query_share and (self.plan in ("queries", "nothing") or self.output == "average"):
            raise ValueError(
                "a query_share above 0 needs a plan that measures tables or ranges, and the last model as output, got "
                f"plan {self.plan!r} and output {self.output!r}"
            )
        if not 0 <= self.rows_from <= 1:
            raise ValueError(f"rows_from is a share of the budget, between 0 and 1, got {self.rows_from!r}")
        if not 0 <= self.histogram_start < 1:
            raise ValueError(
                f"histogram_start is a share of the budget, at least 0 and less than 1, got {self.histogram_start!r}"
            )
        if self.penalty != "none" and self.select == "queries":
            raise ValueError(f"penalty {self.penalty!r} weighs whole tables: choose select='tables' with it")
        if self.candidates != "workload" and self.select == "queries":
            raise ValueError(f"candidates {self.candidates!r} are whole tables: choose select='tables' with it")
        if self.update == "implicit" and (self.select == "queries" or not self.replay):
            raise ValueError("update 'implicit' fits all tables measured so far, no queries: choose update='explicit'")
        if self.costs == "cells" and (self.select == "queries" or self.annealing):
            raise ValueError("costs 'cells' are of whole tables, in a given number of rounds: choose costs='equal'")
        if self.T in ("theorem", "adaptive") and (self.annealing or self.first != "none"):
            raise ValueError(f"annealing, and one-way marginals first, need a number of rounds, got {self.T!r}")
        if self.public is not None and self.histogram_start:
            raise ValueError("a run starts from a public table or from a noisy histogram, not from both: choose one")
        if self.public is not None and self.plan == "hierarchical":
            raise ValueError(
                "plan 'hierarchical' splits counts from coarse to fine and starts from no table: leave the public table"
                " out, or choose plan 'select'"
            )
        if self.annealing and not self.repeats:
            raise ValueError("annealing measures a query again, with less noise: allow repeats with it")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return Guarantee(self.epsilon, self.delta)

    @property
    def on_first(self) -> "MWEM":
        """The settings for the first of a mixed workload's parts, those that are measured before what is asked apart.

        Their ε is what those leave; at δ > 0 about, as ρ grows with ε² where it is small.
        """
        left = 1 - self.query_share
        return replace(self, query_share=0.0, epsilon=self.epsilon * (math.sqrt(left) if self.delta else left))

    def planned_rounds(self, n: float, workload: Workload) -> int | None:
        """T, or None if the run decides it: adaptive T, or annealing."""
        if self.query_share:
            first, *asked = apart(workload)
            rounds = self.on_first.planned_rounds(n, first)
            return None if rounds is None else rounds + len(asked)
        if self.plan == "hierarchical":
            left = self.guarantee.budget.split(self.histogram_start)[1]
            return best_hierarchy(workload, left, n).rounds
        if self.plan == "nothing":
            return 0
        if self.plan == "queries":
            return 1
        if self.plan != "select":
            budget = self.guarantee.budget.split(self.histogram_start)[1]
            planned = planned_rounds(self.plan, self.measured(workload), budget, n)
            return planned + int(self.T) if self.selects else planned
        if self.T == "adaptive" or self.annealing:
            return None
        if self.T != "theorem":
            return int(self.T)
        T = best_rounds(n=n, domain_size=workload.domain.size, queries=workload.size, epsilon=self.epsilon)
        return T if self.repeats else min(T, self._max_rounds(workload))

    @property
    def selects(self) -> bool:
        """Whether rounds select: all of them, or those after a plan that leaves them a share of the budget."""
        return self.plan == "select" or self.plan_share < 1

    @property
    def sweeping(self) -> dict[str, Any]:
        """The settings of a replay."""
        return {"step": self.step, "sweeps": self.sweeps, "tolerance": self.tolerance, "in_order": self.in_order}

    def updated(self, A: Single, measurements: Sequence[Measurement], ledger: Ledger, A_0: LogLinear) -> Single:
        """A_i from A_{i-1}: by all measurements so far, or without replay by the newest alone.

        A replay that has measured whole tables alone, and started from a public one, has a prior towards it. Other
        whole tables may be fitted implicitly (`mwem.implicit`). Once the budget is spent, the last fit may have a prior
        by orders (`mwem.refit`).
        """
        if isinstance(A, WeightedRecords):
            return updated_records(A, measurements, ledger, tolerance=self.tolerance)
        if self.last_fit == "prior" and ledger.is_spent and all(m.of_residuals for m in measurements):
            return refitted(A, A_0, measurements, ledger.budget.variance_at(1.0))
        if self.replay and self.public is not None and all(m.whole for m in measurements):
            return replay(A, measurements, prior=prior_of(A_0, measurements, ledger.budget), **self.sweeping)
        if self.update == "implicit":
            return updated_implicitly(A, measurements, ledger.budget.variance_at(1.0))
        if self.replay:
            return replay(A, measurements, news=measurements[-1:], **self.sweeping)
        return update(A, measurements[-1], self.step)

    def costs_of(self, workload: Workload, T: int) -> Costs:
        """How T measurements share their budget."""
        if self.costs == "equal":
            return Costs(T, None)
        return Costs(T, relative_costs(self.measured(workload), self.guarantee.budget.unit))

    def candidates_for(self, B: Table, Q: Workload, A_0: LogLinear, shares: np.ndarray | None = None) -> Candidates:
        """The candidates of a run on B that starts from A_0, and the shares of the budget that each would get.

        Tables of the closure are weighted by their overlap with the workload, and candidates of a mixed workload by the
        weight of their term. A superset counts like a table of the workload: one record moves one of its cells, and its
        L1 error is at least that of any table within it.
        """
        offered = self.measured(Q)
        return Candidates(
            B,
            offered,
            A_0=A_0,
            cell_budget=self.cell_budget,
            tables=self.select == "tables",
            repeats=self.repeats,
            weights=overlap(Q, offered) if self.candidates == "closure" else offered.weights,
            shares=shares,
        )

    def full_rounds(self, T: int, workload: Workload) -> Fraction:
        """The whole budget in units of a round that selects and measures: one-way marginals first only measure."""
        return T - Fraction(self.split) * self.first_rounds(workload)

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload that these settings cannot serve, before any budget is spent."""
        if self.query_share:
            if not asks_apart(workload):
                raise ValueError(
                    "a query_share above 0 is for predicates, and ranges of different attributes, beside other parts, "
                    f"not for {workload.families}: choose 0"
                )
            self.on_first.check(apart(workload)[0])
            return
        check_rules(workload.domain)
        check_start(self.public, workload)
        if self.plan == "nothing":
            return
        if self.plan == "hierarchical":
            boxes_of(workload)
            return
        if self.plan == "queries":
            check_queries(workload)
            return
        if self.plan != "select":
            check_plan(self.plan, self.measured(workload), self.guarantee.budget)
        if not self.selects:
            return
        if self.select == "tables" and not workload.whole.any():
            raise ValueError(
                f"whole tables are selected in marginals and cuboids only, not in {workload.families}: select queries"
            )
        families = {workload.family, *(term.workload.family for term in workload.terms)}
        if workload.terms and self.candidates != "workload":
            raise ValueError(f"candidates {self.candidates!r} are of one family of marginals, not of several")
        if self.costs == "cells" and not self.measured(workload).whole.all():
            raise ValueError(f"costs 'cells' are of whole tables, not of {workload.families}: choose costs='equal'")
        if self.update == "implicit" and not self.measured(workload).whole.all():
            raise ValueError(f"update 'implicit' is of whole tables, not of {workload.families}: choose 'explicit'")
        if self.penalty == "counts" and "parities" in families:
            raise ValueError("penalty 'counts' is for counts, and a parity may be negative: choose penalty='noise'")
        if self.select == "queries" and "cuboids" in families:
            raise ValueError("cuboids are selected as whole tables: select tables, or ask for marginals")
        if isinstance(self.T, int):
            self._check_rounds(self.T, workload)
        offered = self.measured(workload)
        smallest = offered.attrs(int(offered.part_cells.argmin()))
        if len(smallest) > 1 and (cells := workload.domain.cells(smallest)) > self.cell_budget:
            name = workload.domain.label(smallest)
            raise ValueError(
                f"the smallest marginal, {name}, has {cells:,} cells and the model may hold "
                f"{self.cell_budget:,}: lower k, or choose attributes with fewer values"
            )
        if self.histogram_start and workload.domain.size > self.cell_budget:
            raise ValueError(
                f"a histogram start needs the whole domain, {workload.domain.size:,} cells, and the model may hold "
                f"{self.cell_budget:,}: start uniform"
            )

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[Model]]:
        """Run on the private table B for the workload Q: round 0, then T rounds, each a new object.

        The call checks the workload; each round draws its noise and spends its budget when it is asked for.
        """
        self.check(Q)
        check_not_empty(B)
        if not self.query_share:
            return self._rounds(B, Q, self.guarantee.budget, noise)
        return self._with_asked(B, Q, noise)

    def _with_asked(self, B: Table, Q: Workload, noise: NoiseSource) -> Iterator[Round[Model]]:
        """Run on the first of Q's parts with what `query_share` leaves, then ask the others."""
        asked, budget = self.guarantee.budget.split(self.query_share)
        for each in self.on_first._rounds(B, apart(Q)[0], budget, noise):
            entry = replace(each, ledger=Ledger(self.guarantee.budget).plus(each.ledger))
            yield entry
        yield from asked_rounds(entry, B, Q, Accountant(asked, noise))

    def _rounds(self, B: Table, Q: Workload, budget: Budget, noise: NoiseSource) -> Iterator[Round[Model]]:
        """Spend this budget on one workload, of which nothing is asked apart."""
        account = Accountant(budget, noise)
        start = starting_point(B, account, self.start(Q, float(B.total)), histogram=self.histogram_start)
        yield start
        if self.plan == "nothing":
            return
        if self.plan == "hierarchical":
            yield from refined_rounds(B, Q, account, start)
            return
        if self.plan == "queries":
            yield from queried_rounds(B, Q, account, start, self.tolerance)
            return
        run = partial(loop, self, B, Q, account, start.model)
        if self.plan != "select":
            entry: Round[Any] = start
            share = Fraction(self.plan_share)
            for entry in planned(self.plan, B, self.measured(Q), account, start, share, self.sweeping):
                yield entry
            if self.selects:
                yield from run(entry, int(self.T), account.left.part(Fraction(1, int(self.T))))
            return
        if self.T == "adaptive":
            yield from doubling(start, run, max_rounds=2**20 if self.repeats else self._max_rounds(Q))
            return
        T = self.planned_rounds(start.model.total, Q) or 0
        rounds = self.full_rounds(T, Q) if T > 0 else Fraction(int(self.T))  # annealing starts as if there were T
        yield from run(start, T or int(self.T), account.left.part(1 / rounds))

    def start(self, workload: Workload, n: float) -> LogLinear:
        """A_0 before a look at the data: uniform over the possible cells, or fitted to the public table."""
        if self.public is None:
            return LogLinear.uniform(workload.domain.shape, n, workload.domain.possible)
        return started_from(self.public, workload, n, self.cell_budget if self.plan == "select" else MAX_FITTED_CELLS)

    def measured(self, workload: Workload) -> Workload:
        """The workload whose queries or tables are candidates, or are measured once by a plan."""
        if self.query_share:
            return self.on_first.measured(apart(workload)[0])
        if self.candidates == "closure":
            return closure(workload)
        return lower(workload) if self.candidates == "lower" else workload

    def _max_rounds(self, workload: Workload) -> int:
        """The most rounds without repeats."""
        offered = self.measured(workload)
        return self.first_rounds(workload) + candidate_count(offered, tables=self.select == "tables")

    def first_rounds(self, workload: Workload) -> int:
        """The number of one-way marginals that come first."""
        return closure(workload, max_order=1).parts if self.first == "one-way" else 0

    def _check_rounds(self, T: int, workload: Workload) -> None:
        first, most = self.first_rounds(workload), self._max_rounds(workload)
        if first > T:
            raise ValueError(f"rounds must be at least {first}, as the {first} one-way marginals come first; got {T}")
        if not self.repeats and T > most:
            unit = "queries" if self.select == "queries" else "marginals" if workload.tabular else "candidates"
            raise ValueError(f"rounds must be at most {most:,}, the number of {unit}, as none is asked twice; got {T}")

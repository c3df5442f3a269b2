"""MWEM: Multiplicative Weights with the Exponential Mechanism (Hardt, Ligett & McSherry 2012).

`loop` is the paper's Figure 1, and with a replay its Figure 8. `MWEM` holds the settings of every variant; `paper` and
`figure_1` are those of the publication.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Literal

from mwem_core.algorithm import Algorithm, Private, Round
from mwem_core.base import check_kind, is_whole
from mwem_core.domain import Table
from mwem_core.model import LogLinear, Measurement, check_rules
from mwem_core.mwem.candidates import Candidate, Candidates, Queries, Tables, candidate_count, one_way, penalty_of
from mwem_core.mwem.schedule import Annealing, annealed_cost, doubling
from mwem_core.mwem.start import HistogramStart, Start, UniformStart
from mwem_core.mwem.theorem import best_rounds
from mwem_core.mwem.updates import Newest, Replay
from mwem_core.privacy import Accountant, Budget, SelectionName
from mwem_core.weighted import Average, Model, Single
from mwem_core.workload import Costs, Workload, closure, overlap, relative_costs

CELLS_2012 = 2**22  # that the model may hold in the settings of 2012, which had no limit
Rounds = int | Literal["theorem", "adaptive"]


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

    A "query" q may be a whole marginal (section 3.3). What was measured before, in the round `start`, is kept.
    Annealing changes the cost from round to round, and so decides how many rounds there are.
    """
    A, measurements, models = start.model, list(start.planned), [start.model]
    costs, candidates = settings.costs_of(Q, T), settings.candidates_for(B, Q, A_0)
    first = one_way(B, Q) if settings.candidates.one_way_first else []
    while cost is not None:
        # 1. Select: q_i with score |q(A_{i-1}) - q(B)|, in the paper by the exponential mechanism
        A, q = (A, first.pop(0)) if first else select(settings, candidates, costs, A, account, cost)
        if q is None:
            return

        # 2. Measure: m_i = q_i(B) + noise
        paid = costs.of(q.number, cost.split(settings.split)[1])
        m = Measurement(q.attrs, account.measure(q.exact, cost=paid), paid.scale, q.values)
        measurements.append(m)

        # 3. Update: A_i(x) ∝ A_{i-1}(x) exp(q_i(x) (m_i - q_i(A_{i-1})) / 2n), by m_i alone or by all m_1 .. m_i again
        A_before, A = A, settings.update.apply(A, measurements, account.ledger, A_0, settings.start)

        models.append(A)
        output = A if settings.output == "last" else Average(tuple(models[:-1]))
        i, said = len(models) - 1, {"label": q.label, "chosen": q.number, "declined": q.declined}
        released = Round.updated(start.index + i, account.ledger, output, A_before, A, m, **said, selection=q.selection)
        yield released
        if isinstance(settings.T, Annealing):
            cost = annealed_cost(cost, released)
        elif i == T:
            break


def select(
    settings: "MWEM", candidates: Candidates, costs: Costs, A: Single, account: Accountant, cost: Budget
) -> tuple[Single, Candidate | None]:
    """What a round of this cost measures, None if nothing is left; and A, which goes on as rows where a tree cannot."""
    selecting, measuring = cost.split(settings.split)
    penalty = penalty_of(settings.candidates.penalty, measuring, costs.expected)
    offer = candidates.offer(A, share=account.share_after(cost), penalty=penalty, rows_from=settings.update.rows_from)
    if offer.is_empty:
        return A, None
    Δ = offer.sensitivity
    j = account.choose(offer.scores, cost=selecting, sensitivity=Δ, by=settings.selection)
    q = candidates.take(j)._replace(declined=offer.declined, selection=candidates.selection(offer, selecting))
    return offer.A, q


@dataclass(frozen=True, kw_only=True)
class MWEM(Private):
    """Settings of MWEM; `paper` and `figure_1` are those of 2012. Raises ValueError for a setting out of its range.

    (ε, δ)-differential privacy under adding or removing one record. The total n is taken as public, as in the paper;
    `measured_total.MeasuredTotal` measures it first.
    """

    epsilon: float
    delta: float = 0.0
    T: Rounds | Annealing = 10  # rounds: a number, the best for Theorem 2.3, or decided by the run (section 2.3.3)
    candidates: Queries | Tables = Queries()  # one query at a time, or marginals as a whole (section 3.3)
    selection: SelectionName = "exponential"  # the mechanism; for δ > 0 exponential only
    split: float = 0.5  # share of a round's budget for selection; the rest is for measurement
    repeats: bool = False  # whether a measured query may be chosen again
    update: Newest | Replay = Replay()  # Figure 1, or Figure 8
    start: UniformStart | HistogramStart | Start = UniformStart()
    output: Literal["last", "average"] = "last"  # A_T, or the average of A_0 .. A_{T-1} that the theorem is about
    cell_budget: int = 10**6  # the most cells of a junction tree, and of a table; weighted records go beyond

    def __post_init__(self):
        super().__post_init__()
        check_kind(self.start, Start, "start must be a start, such as UniformStart()")
        decided = isinstance(self.T, Annealing) or self.T in ("theorem", "adaptive")
        if not decided and (not is_whole(self.T) or self.T < 1):
            raise ValueError(f"rounds must be a whole number of at least 1, theorem or adaptive, got {self.T!r}")
        if not 0 < self.split < 1:
            raise ValueError(f"split must lie between 0 and 1, both excluded, got {self.split!r}")
        if not is_whole(self.cell_budget) or self.cell_budget < 1:
            raise ValueError(f"cell_budget must be a whole number of at least 1, got {self.cell_budget!r}")
        if self.selection == "permute-and-flip" and self.delta > 0:
            raise ValueError(
                "permute-and-flip needs delta = 0: under zCDP it costs four times as much as the exponential mechanism"
            )
        if self.T in ("theorem", "adaptive") and self.candidates.one_way_first:
            raise ValueError(f"one-way marginals first need a number of rounds, got {self.T!r}")
        if isinstance(self.T, Annealing) and not self.repeats:
            raise ValueError("annealing measures a query again, with less noise: allow repeats with it")
        if isinstance(self.T, Annealing) and self.by_cells:
            raise ValueError("tables that cost by their cells need a given number of rounds: anneal without by_cells")

    @property
    def tables(self) -> bool:
        """Whether whole tables are selected."""
        return isinstance(self.candidates, Tables)

    @property
    def by_cells(self) -> bool:
        """Whether measurements cost by their cells."""
        return self.candidates.by_cells

    def planned_rounds(self, n: float, workload: Workload) -> int | None:
        """T, or None if the run decides it: adaptive T, or annealing."""
        if self.T == "adaptive" or isinstance(self.T, Annealing):
            return None
        if self.T != "theorem":
            return int(self.T)
        T = best_rounds(n=n, domain_size=workload.domain.size, queries=workload.size, epsilon=self.epsilon)
        return T if self.repeats else min(T, self._max_rounds(workload))

    def spend(self, B: Table, Q: Workload, account: Accountant) -> Iterator[Round[Model]]:
        """Round 0, then T rounds, each a new object, which draws its noise and spends when it is asked for."""
        start = self.start.begin(B, Q, account, self.cell_budget)
        yield start
        yield from self.spend_after(start, start.model, B, Q, account)

    def spend_after(
        self, start: Round[Single], A_0: LogLinear, B: Table, Q: Workload, account: Accountant
    ) -> Iterator[Round[Model]]:
        """The rounds after a round that started from A_0, with all that this account has left."""
        run = partial(loop, self, B, Q, account, A_0)
        if self.T == "adaptive":
            yield from doubling(start, run, max_rounds=2**20 if self.repeats else self._max_rounds(Q))
            return
        if isinstance(self.T, Annealing):
            yield from run(start, self.T.T, account.left.part(Fraction(1, self.T.T)))
            return
        T = self.planned_rounds(start.model.total, Q) or 1
        yield from run(start, T, account.left.part(1 / self.full_rounds(T, Q)))

    def costs_of(self, workload: Workload, T: int) -> Costs:
        """How T measurements share their budget."""
        relative = relative_costs(self.measured(workload), self.guarantee.budget.unit) if self.by_cells else None
        return Costs(T, relative)

    def candidates_for(self, B: Table, Q: Workload, A_0: LogLinear) -> Candidates:
        """The candidates of a run on B that starts from A_0.

        Tables of the closure are weighted by their overlap with the workload, and candidates of a mixed workload by the
        weight of their term.
        """
        among = self.measured(Q)
        return Candidates(
            B,
            among,
            A_0=A_0,
            cell_budget=self.cell_budget,
            tables=self.tables,
            repeats=self.repeats,
            weights=overlap(Q, among) if self.candidates.within == "closure" else among.weights,
        )

    def full_rounds(self, T: int, workload: Workload) -> Fraction:
        """The whole budget in units of a round that selects and measures: one-way marginals first only measure."""
        return T - Fraction(self.split) * self.first_rounds(workload)

    def measured(self, workload: Workload) -> Workload:
        """The workload whose queries or tables are candidates."""
        return self.candidates.measured(workload)

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload that these settings cannot serve, before any budget is spent."""
        check_rules(workload.domain)
        self.start.check(workload, self.cell_budget)
        if self.tables and not workload.whole.any():
            raise ValueError(
                f"whole tables are selected in marginals and cuboids only, not in {workload.families}: select queries"
            )
        families = {workload.family, *(term.workload.family for term in workload.terms)}
        if workload.terms and self.candidates.within != "workload":
            raise ValueError(
                f"tables within the {self.candidates.within} are of one family of marginals, not of several"
            )
        if self.by_cells and not self.measured(workload).whole.all():
            raise ValueError(f"whole tables cost by their cells, not {workload.families}: leave by_cells out")
        if not self.tables and "cuboids" in families:
            raise ValueError("cuboids are selected as whole tables: select tables, or ask for marginals")
        T = self.T.T if isinstance(self.T, Annealing) else self.T
        if isinstance(T, int):
            self._check_rounds(T, workload)
        among = self.measured(workload)
        smallest = among.attrs(int(among.part_cells.argmin()))
        if len(smallest) > 1 and (cells := workload.domain.cells(smallest)) > self.cell_budget:
            name = workload.domain.label(smallest)
            raise ValueError(
                f"the smallest marginal, {name}, has {cells:,} cells and the model may hold "
                f"{self.cell_budget:,}: lower k, or choose attributes with fewer values"
            )

    def first_rounds(self, workload: Workload) -> int:
        """The number of one-way marginals that come first."""
        return closure(workload, max_order=1).parts if self.candidates.one_way_first else 0

    def _max_rounds(self, workload: Workload) -> int:
        """The most rounds without repeats."""
        return self.first_rounds(workload) + candidate_count(self.measured(workload), tables=self.tables)

    def _check_rounds(self, T: int, workload: Workload) -> None:
        first, most = self.first_rounds(workload), self._max_rounds(workload)
        if first > T:
            raise ValueError(f"rounds must be at least {first}, as the {first} one-way marginals come first; got {T}")
        if not self.repeats and T > most:
            unit = "marginals" if self.tables and workload.tabular else "candidates" if self.tables else "queries"
            raise ValueError(f"rounds must be at most {most:,}, the number of {unit}, as none is asked twice; got {T}")


def paper(workload: Workload, *, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:
    """The experiments of 2012: half of a round's budget selects, 100 sweeps in order, no repeats, A_T (Figure 8).

    Cuboids are selected as whole tables; their number of cells is subtracted from the score (section 3.3); so are the
    marginals beside them in a mixed workload, and a single query has one cell. The paper chose T by hand for each
    experiment; the default here is 10.
    """
    tables = "cuboids" in (workload.family, *(term.workload.family for term in workload.terms))
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=min(10, candidate_count(workload, tables=tables)) if T is None else T,
        candidates=Tables(penalty="cells") if tables else Queries(),
        cell_budget=CELLS_2012,
    )


def figure_1(*, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:
    """Figure 1 to the letter, which Theorem 2.3 is about: each round updates by its own measurement alone.

    Single queries, which may be selected again; half of a round's budget selects; the output is the average of
    A_0 .. A_{T-1}. The default T makes the theorem's bound least.
    """
    T = "theorem" if T is None else T
    return MWEM(
        epsilon=epsilon, delta=delta, T=T, repeats=True, update=Newest(), output="average", cell_budget=CELLS_2012
    )


def is_figure_1(settings: Algorithm) -> bool:
    """Whether these are the settings of Figure 1 under ε, at any T: Theorem 2.3 is about no others."""
    return isinstance(settings, MWEM) and settings == replace(figure_1(epsilon=settings.epsilon), T=settings.T)

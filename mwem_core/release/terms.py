"""The terms of a release: everything that is decided, and public, before the private table is read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from mwem_core.algorithm import Algorithm, Spender
from mwem_core.automatic import TOTAL_SHARE, run_in_words
from mwem_core.domain import Domain, PublicTable
from mwem_core.encoding import Count, CountPolicy, attrs_in_bins
from mwem_core.forms import POINT
from mwem_core.output import Provenance, provenance_of_a_release
from mwem_core.privacy import MIN_EPSILON, RECORD, Amount, Guarantee, Unit, at_most, decimal
from mwem_core.systems import (
    OFFSETS_SHARE,
    QUERY_BY_QUERY,
    RELEASABLE,
    SHARE,
    MeasuredBins,
    MeasuredTotal,
    System,
    check_share,
    system,
)
from mwem_core.workload import Workload

MIN_COPIES, MAX_COPIES = 2, 100  # of fewer there is no variance between them

TotalPolicy = Literal["measured", "public"]
RowsFor = Literal["nearest", "analysis"]
ROWS_FOR: dict[RowsFor, str] = {  # what rows and answers are for, and what that costs
    "nearest": (
        "Rows and answers are nearest to the table: what noise hides is drawn towards independence, so tables err"
        " least, and correlations and differences come out weaker than they are."
    ),
    "analysis": (
        "Rows and answers are for analysis: what was measured is drawn towards nothing, so correlations and differences"
        " are weakened far less, and tables err by a tenth more or less, or by half more where noise is large."
    ),
}


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What is released of the data set `dataset`: answers to a workload and synthetic rows, under (ε, δ) for the unit.

    `total` says whether the number of records is private, and measured with a share of the budget, or public. The
    `decimal` mark is declared, too: if it were detected, one record might change how all others are read.
    So is the column with the number of records of each row, if there is one: its name alone says nothing.
    `bins_share` of the budget measures the bins that the schema leaves open, if it does, and `offsets_share` how far
    numbers are from the middles of their bins, if any are in bins. `system` names what runs.
    Raises ValueError for a schema that only the data knows, for an invalid ε, δ, share or system, and for a public
    number of records of persons who may have several: replacing a person by another changes that number, so it is no
    fact about tables that differ in one person.
    `rows` says what the rows and answers are for: tables as near as noise allows, or analysis, for which nothing is
    drawn towards a prior (`ask.without_shrinkage`). Raises ValueError for rows for analysis, or copies, where no whole
    table or parity may be measured.
    """

    dataset: str
    workload: Workload
    provenance: Provenance
    epsilon: float
    delta: float = 0.0
    unit: Unit = RECORD
    total: TotalPolicy = "measured"
    decimal: str = POINT  # of the table's numbers
    bins_share: float = SHARE
    offsets_share: float = OFFSETS_SHARE  # 0: they are not measured
    count: Count = CountPolicy.REFUSED  # the column with the number of records of each row; None if a row is a record
    public: PublicTable | None = None  # a table that is no secret, and from which the run starts
    system: str = "automatic"  # one of RELEASABLE
    rows: RowsFor = "nearest"
    copies: int = 0  # further tables, for other software to combine
    questions: tuple[str, ...] = ()  # that the workload was made for; a rehearsal asks them

    def __post_init__(self) -> None:
        if self.system not in RELEASABLE:
            raise ValueError(f"a release runs no {self.system!r}: choose from {', '.join(RELEASABLE)}")
        if self.rows not in ROWS_FOR:
            raise ValueError(f"rows are {' or for '.join(ROWS_FOR)}, got {self.rows!r}")
        if self.copies not in (0, *range(MIN_COPIES, MAX_COPIES + 1)):
            raise ValueError(f"copies are none, or {MIN_COPIES} to {MAX_COPIES}, got {self.copies!r}")
        if (self.rows == "analysis" or self.copies) and (
            self.system in QUERY_BY_QUERY or not self.workload.has_residuals
        ):
            raise ValueError(
                "rows for analysis and copies are fitted to whole tables or parities: ask for marginals, by Automatic,"
                " MWEM or tables, or take the nearest rows and no copies"
            )
        check_share(self.bins_share)
        if self.offsets_share:
            check_share(self.offsets_share + self.bins_share)
        provenance_of_a_release(self.provenance)
        Guarantee(self.epsilon, self.delta, self.unit)
        if self.total == "public" and self.unit.records > 1:
            raise ValueError(
                f"the number of records cannot be public where a person may have {self.unit.records:,} of them, as it"
                " tells how many a person has: measure it, or keep 1 record of each person"
            )

    @property
    def domain(self) -> Domain:
        """The public schema."""
        return self.workload.domain

    @property
    def count_column(self) -> str | None:
        """The column with the number of records of each row, if one is declared."""
        return self.count if isinstance(self.count, str) else None

    @property
    def method(self) -> System:
        """The system that runs."""
        return system(self.system)

    @cached_property
    def guarantee(self) -> Guarantee:
        """What the release promises to each unit: a record or a person."""
        return Guarantee(self.epsilon, self.delta, self.unit)

    def promise(self, settings: Algorithm) -> Guarantee:
        """What settings with the budget of a record promise to each unit. A public rule may need no δ."""
        return Guarantee(self.epsilon, settings.guarantee.delta, self.unit)

    def amount(self, settings: Algorithm) -> Amount:
        """What a release with these settings costs in the ledger, for each unit."""
        promise = self.promise(settings)
        return Amount.of(promise.epsilon, promise.delta)

    def settings(self, n: int) -> Algorithm:
        """What runs, at the budget of a record. A public n decides it; a private one is not read, but measured."""
        epsilon = at_most(decimal(self.epsilon))  # 0.1 as a float is more than the 1/10 that the ledger is charged
        of_a_record = Guarantee(epsilon, self.delta, self.unit).of_a_record

        def choose(epsilon: float, delta: float) -> Algorithm:
            if self.total == "measured":
                share = TOTAL_SHARE if self.system == "tables" else MeasuredTotal.share
                return MeasuredTotal(epsilon=epsilon, delta=delta, system=self.system, share=share, public=self.public)
            return self.method.settings(self.workload, n=n, epsilon=epsilon, delta=delta, public=self.public)

        share, offsets = self.bins_share if self.domain.unbinned else 0.0, self.offsets
        if not share and not offsets:
            return choose(of_a_record.epsilon, of_a_record.delta)
        budget = {"epsilon": of_a_record.epsilon, "delta": of_a_record.delta}
        return MeasuredBins.of(choose, **budget, share=share, offsets=offsets)

    @property
    def offsets(self) -> float:
        """The share of the budget that measures offsets: 0 without numbers in bins, and where it would be next to 0."""
        enough = self.offsets_share * self.guarantee.of_a_record.epsilon >= MIN_EPSILON
        return self.offsets_share if enough and attrs_in_bins(self.domain) else 0.0

    def forecast_in_words(self, n: int) -> str:
        """What the system would do on n records, from public numbers: "19 rounds", "64 cells measured once"."""
        settings = self.settings(n)
        settings = settings.inner if isinstance(settings, MeasuredBins) else settings
        chosen = settings.settings(self.workload, n) if isinstance(settings, MeasuredTotal) else settings
        assert isinstance(chosen, Spender)
        return run_in_words(chosen, self.workload, n)


def declared_columns(domain: Domain, unit: Unit, count: Count) -> frozenset[str]:
    """The names of all columns that a release declares: the attributes, who a record is of, and the one of counts."""
    return frozenset({*domain.names, unit.column, count if isinstance(count, str) else ""} - {""})

"""A run that measures numbers first, with shares of its budget, and then runs on the table in bins.

Bins are measured where the schema says of a number no more than its range and the number of its bins. The domain of the
run is then an output of a private mechanism: what reads it later costs nothing more, and the rest of the budget is
spent as if it had been declared (adaptive composition; see `privacy.accountant`).

Offsets are measured of every number in bins, as one table an attribute: the sum, bin by bin, of how far numbers are
from the middle of their bin, in widths (`encoding.bin_numbers`). A record moves one cell of it by at most a half.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from mwem_core.algorithm import Algorithm, AnswerSource, Round
from mwem_core.domain import Domain, Records, Table
from mwem_core.encoding import UNITS, attrs_in_bins, offset_sums
from mwem_core.model import Measurement
from mwem_core.privacy import MIN_EPSILON, Accountant, Budget, Guarantee, NoiseSource
from mwem_core.relatives import count_digits, first_of_bins
from mwem_core.values import BinsToMeasure, Edges
from mwem_core.workload import Workload

SHARE = 0.1  # of the budget, for the bins of all numbers together: see `benchmarks/BINS.md`
OFFSETS_SHARE = 0.02  # of the budget, for the offsets of all numbers: total variation grows by as much
LARGEST_OFFSET = 0.5


@dataclass(frozen=True, kw_only=True)
class MeasuredBins:
    """Settings of a run that measures numbers first, with shares of the budget, and then runs `inner` with the rest.

    `share` is that of the bins that the schema leaves open, 0 where it leaves none, and `offsets` that of the offsets
    in all bins, 0 where they are not measured. (ε, δ)-differential privacy under adding or removing one record. The
    parts of the budget add up: ε, or ρ where δ > 0. Several numbers get equal parts of a share. Use `of` to choose
    `inner` for the rest.
    Raises ValueError for shares that leave nothing, and where `inner` spends more than the rest.
    """

    epsilon: float
    delta: float = 0.0
    share: float = SHARE
    offsets: float = 0.0
    inner: Algorithm

    def __post_init__(self):
        check_share(self.share + self.offsets)
        theirs, rest = self.inner.guarantee.budget, self.guarantee.reserve(self.share + self.offsets)[1].budget
        if theirs.unit != rest.unit or theirs.exact > rest.exact:
            raise ValueError(
                f"the run after the bins may spend {rest.amount:g} {rest.unit}, and its settings say "
                f"{theirs.amount:g} {theirs.unit}: make them with MeasuredBins.of"
            )

    @classmethod
    def of(
        cls,
        choose: Callable[[float, float], Algorithm],
        *,
        epsilon: float,
        delta: float = 0.0,
        share: float = SHARE,
        offsets: float = 0.0,
    ) -> "MeasuredBins":
        """The settings whose rest of the budget goes to `choose(ε, δ)`. A system that has none is refused."""
        first = share + offsets
        check_share(first)
        promised = choose(epsilon, delta).guarantee
        if not isinstance(promised, Guarantee):
            raise ValueError(
                "this system has no budget to measure bins with: choose a private system, or declare edges"
            )
        if epsilon * min(*(part for part in (share, offsets) if part), 1 - first) < MIN_EPSILON:
            raise ValueError(
                f"epsilon {epsilon:g} leaves next to nothing once bins are measured: raise it, or declare edges"
            )
        whole = Guarantee(epsilon, promised.delta)
        inner = choose(whole.reserve(first)[1].epsilon, promised.delta)
        if inner.guarantee.delta != whole.delta:  # a public rule that needs no δ for the rest
            whole = Guarantee(epsilon)
            inner = choose(whole.reserve(first)[1].epsilon, 0.0)
        return cls(epsilon=epsilon, delta=whole.delta, share=share, offsets=offsets, inner=inner)

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return Guarantee(self.epsilon, self.delta)

    @property
    def first(self) -> Budget:
        """What is measured before the rounds costs."""
        return self.guarantee.budget.less(self.inner.guarantee.budget.exact)

    @property
    def for_offsets(self) -> Budget:
        """What the measurement of all offsets costs."""
        return self.first.part(Fraction(self.offsets) / (Fraction(self.share) + Fraction(self.offsets)))

    @property
    def for_bins(self) -> Budget:
        """What the measurement of all bins costs."""
        return self.first.less(self.for_offsets.exact)

    def planned_rounds(self, n: float, workload: Workload) -> int | None:
        """The rounds of the run after the bins."""
        return self.inner.planned_rounds(n, workload)

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload without bins to measure, or that the run after them cannot serve."""
        if not workload.domain.unbinned and self.share:
            raise ValueError("the schema leaves no bins to be measured: set measured_bins of a number, or run without")
        if not attrs_in_bins(workload.domain):
            raise ValueError("the schema has no numbers in bins, so there is nothing to measure of them: run without")
        self.inner.check(workload)

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[AnswerSource]]:
        """Measure bins and offsets, then run; see `Algorithm.rounds`. Every round has the domain with the bins.

        Raises ValueError for a table that was not read with the workload's schema.
        """
        self.check(Q)
        if not isinstance(B, Records) or set(B.fine) != {Q.domain.names[a] for a in Q.domain.unbinned}:
            raise ValueError("bins are measured on a table that was read with their schema: declare edges")
        return self._rounds(B, Q, noise)

    def _rounds(self, B: Records, Q: Workload, noise: NoiseSource) -> Iterator[Round[AnswerSource]]:
        account = Accountant(self.guarantee.budget, noise)
        more = dict[str, Any]()
        if Q.domain.unbinned:
            domain = measure_bins(B, self.for_bins, account)
            B, Q, more["domain"] = B.binned(domain), Q.over(domain), domain
        if self.offsets:
            more["offsets"] = measure_offsets(B, self.for_offsets, account)
        for entry in self.inner.rounds(B, Q, noise=noise):
            yield replace(entry, ledger=account.ledger.plus(entry.ledger), **more)


def measure_bins(B: Records, cost: Budget, account: Accountant) -> Domain:
    """The domain of the records with bins measured at this cost, in equal parts, where its schema leaves them open.

    A missing value, and one of the catch-all, is in none of them.
    """
    of_each = cost.part(Fraction(1, len(B.domain.unbinned)))
    bins = dict[str, Edges]()
    for a in B.domain.unbinned:
        attribute = B.domain.attributes[a]
        assert isinstance(attribute.value_set, BinsToMeasure)
        wanted, counts = attribute.value_set, B.fine_counts(attribute.name)
        counts = np.append(counts[: len(wanted.starts) - 1], counts[len(wanted.starts) - 1 :].sum())
        found = count_digits(counts, wanted.least, cost=of_each, account=account)
        bins[attribute.name] = wanted.edges(first_of_bins(found, wanted.bins, wanted.least))
    return B.domain.binned(bins)


def measure_offsets(B: Records, cost: Budget, account: Accountant) -> tuple[Measurement, ...]:
    """The sums of offsets in the bins of each number, in widths of a bin, measured at this cost in equal parts.

    A record moves one sum of each number by at most `UNITS` / 2 whole units.
    """
    attrs, most = attrs_in_bins(B.domain), UNITS * LARGEST_OFFSET
    of_each = cost.part(Fraction(1, len(attrs)))
    sensitivity = most if cost.unit == "ε" else most**2  # whose root is the distance in L2
    found = []
    for a in attrs:
        noisy = account.measure(offset_sums(B, a), cost=of_each, sensitivity=sensitivity, counts=True)
        found.append(Measurement((a,), noisy / UNITS, of_each.scale * LARGEST_OFFSET))
    return tuple(found)


def check_bins(domain: Domain) -> None:
    """Refuse, by a ValueError, a schema that leaves bins to be measured, where several runs are to have the same."""
    if domain.unbinned:
        name = domain.names[domain.unbinned[0]]
        raise ValueError(
            f"each run would measure its own bins of {name!r}, so runs cannot be compared: declare its edges"
        )


def in_measured_bins(Q: Workload, rounds: Sequence[Round[AnswerSource]]) -> Workload:
    """The workload in the bins that the run has measured; itself if it has measured none."""
    domain = rounds[0].domain if rounds else None
    return Q if domain is None else Q.over(domain)


def check_share(share: float) -> None:
    """Refuse, by a ValueError, a share of the budget that leaves nothing for the bins, or nothing for the rest."""
    if not 0 < share < 1:
        raise ValueError(
            f"the share of the budget for the bins must lie between 0 and 1, got {share!r}: what it leaves is for the "
            "questions"
        )

"""The rounds of a release under its terms, before files are made of them, and further copies of its rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from scipy.special import stdtrit

from mwem_core.algorithm import Algorithm, AnswerSource, Round, Spender
from mwem_core.ask import copy_records, note, without_shrinkage
from mwem_core.domain import Domain
from mwem_core.intervals import Estimates, Intervals, bin_values, intervals, with_means
from mwem_core.output import Run, copies_csv, copy_column
from mwem_core.privacy import Guarantee
from mwem_core.release.terms import Terms
from mwem_core.weighted import Model, Single


@dataclass(frozen=True, eq=False)
class ReleaseRun:
    """The rounds of a release under its terms, and an interval for every answer. All of it may leave.

    Where offsets were measured, the first round has the domain whose bins count as the means that follow.
    """

    terms: Terms
    settings: Algorithm
    rounds: tuple[Round[AnswerSource], ...]

    @classmethod
    def of(cls, terms: Terms, settings: Algorithm, rounds: Iterable[Round[AnswerSource]]) -> ReleaseRun:
        """What these rounds of a run release: where rows are for analysis, the last one has the model for them."""
        drawn = cls(terms, settings, tuple(rounds))
        if (offsets := drawn.rounds[0].offsets) and isinstance(A := drawn.run.model, Model):
            domain, unit_variance = drawn.run.domain, drawn.rounds[0].ledger.budget.variance_at(1)
            values = bin_values(domain, drawn.known, offsets, unit_variance, A.marginal)
            first = replace(drawn.rounds[0], domain=with_means(domain, values))
            drawn = replace(drawn, rounds=(first, *drawn.rounds[1:]))
        model, Q = drawn.run.model, drawn.run.workload
        if terms.rows == "nearest" or not isinstance(model, Model):
            return drawn
        fitted = without_shrinkage(model, Q, drawn.known)
        A = fitted if isinstance(fitted, Single) else drawn.rounds[-1].A
        return replace(drawn, rounds=(*drawn.rounds[:-1], replace(drawn.rounds[-1], model=fitted, A=A)))

    @cached_property
    def run(self) -> Run[AnswerSource]:
        """The same as any run, so that the files that all runs have are made by the same code."""
        terms = self.terms
        named = {"table": terms.dataset, "provenance": terms.provenance, "count": terms.count_column}
        return Run(terms.workload, self.settings, terms.system, self.rounds, None, **named)

    @property
    def promise(self) -> Guarantee:
        """What the release promises."""
        return self.terms.promise(self.settings)

    @property
    def chosen(self) -> Spender:
        """The settings of the rounds, which the noisy n has chosen where n was measured."""
        chosen = self.run.chosen
        assert isinstance(chosen, Spender)
        return chosen

    @property
    def known(self) -> Estimates:
        """What the measurements say together."""
        return Estimates.of(self.run.domain, self.rounds)

    def intervals(self) -> Intervals:
        """One for every answer."""
        return intervals(self.run.workload, self.chosen, self.rounds)


MAX_COPIED = 2 * 10**6  # rows of all copies: about 100 MB of eight attributes
MAX_NAMED = 10  # pairs that are named


@dataclass(frozen=True, eq=False)
class Copies:
    """m copies of so many rows, as one file, with the attributes and pairs of attributes of which nothing was measured.

    Each copy is of a fit to the measurements with their noise drawn again, without shrinkage, so copies differ as
    releases of the same table would. `columns` are those of the file, the number of the copy first. They and `content`
    are empty where no attribute was measured.
    """

    m: int
    rows: int
    columns: tuple[str, ...]
    content: bytes
    left_out: tuple[str, ...]
    unmeasured: tuple[str, ...]
    incomplete: tuple[str, ...]  # columns that may lack a value, or a number

    @classmethod
    def of(cls, known: Estimates, domain: Domain, m: int, rows: int, rng: np.random.Generator) -> Copies:
        """Made from what is known, by draws of `rng`. Reads what was released, so it costs no privacy."""
        rows, attrs = min(rows, MAX_COPIED // m), range(len(domain))
        kept = [a for a in attrs if (a,) in known.residuals]
        names = [domain.names[a] for a in kept]
        made = copy_records(known, names, m, "table", rows=rows, rng=rng) if kept else ()
        pairs = [domain.label(S) for S in combinations(kept, 2) if S not in known.residuals]
        return cls(
            m,
            rows,
            (copy_column(domain.project(names)), *names) if kept else (),
            copies_csv(made, rng) if kept else b"",
            tuple(domain.names[a] for a in attrs if a not in kept),
            tuple(pairs),
            tuple(domain.names[a] for a in kept if note(domain, (), (a,))),
        )

    @property
    def quantile(self) -> float:
        """The .975 quantile of Student's t of a degree of freedom fewer than copies."""
        return float(stdtrit(self.m - 1, 0.975))

    @property
    def unmeasured_in_words(self) -> str:
        """The pairs of which nothing was measured, the first of many."""
        more = len(self.unmeasured) - MAX_NAMED
        return "; ".join(self.unmeasured[:MAX_NAMED]) + (f"; and {more:,} more" if more > 0 else "")

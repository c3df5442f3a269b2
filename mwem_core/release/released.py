"""What a release has drawn, before files are made of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mwem_core.algorithm import Algorithm, Answering, Round, Spender
from mwem_core.intervals import Estimates, Intervals, intervals
from mwem_core.output import Run, without_shrinkage
from mwem_core.privacy import Guarantee
from mwem_core.release.terms import Terms
from mwem_core.weighted import Model, Single


@dataclass(frozen=True, eq=False)
class Released:
    """The rounds of a release under its terms, and an interval for every answer. All of it may leave."""

    terms: Terms
    settings: Algorithm
    rounds: tuple[Round[Answering], ...]

    @classmethod
    def of(cls, terms: Terms, settings: Algorithm, rounds: Iterable[Round[Answering]]) -> Released:
        """What these rounds of a run release: where rows are for analysis, the last one has the model for them."""
        drawn = cls(terms, settings, tuple(rounds))
        model, Q = drawn.run.model, drawn.run.workload
        if terms.rows == "nearest" or not isinstance(model, Model):
            return drawn
        fitted = without_shrinkage(model, Q, drawn.known)
        A = fitted if isinstance(fitted, Single) else drawn.rounds[-1].A
        return replace(drawn, rounds=(*drawn.rounds[:-1], replace(drawn.rounds[-1], model=fitted, A=A)))

    @property
    def run(self) -> Run[Answering]:
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

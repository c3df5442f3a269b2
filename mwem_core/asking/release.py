"""A release that was read, and what it can be asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from mwem_core.asking import questions, regressions
from mwem_core.asking.answers import Answer, Of
from mwem_core.asking.bounds import bounded
from mwem_core.asking.copies import copies, interval
from mwem_core.asking.estimates import Estimate, Estimator
from mwem_core.asking.kinds import Kind, statistic
from mwem_core.asking.refusals import NORMAL
from mwem_core.asking.statistic import Scale, Statistic
from mwem_core.data.records import Records
from mwem_core.domain.domain import Domain
from mwem_core.intervals.known import Known
from mwem_core.model.average import Model
from mwem_core.model.measurement import Measurement
from mwem_core.privacy.guarantee import Guarantee

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class LoadedRelease:
    """What a release published. `measurements` are raw noisy outputs, with cells where whole tables were measured.

    `public_total` is the number of records where it was taken as public, None where it was measured. `laplace` says
    whether the noise is Laplace, else it is Gaussian. `notes` say what cannot be asked.
    """

    domain: Domain
    guarantee: Guarantee
    manifest: dict[str, Any] = field(repr=False)
    measurements: tuple[Measurement, ...] = field(repr=False)
    public_total: float | None
    laplace: bool
    model: Model
    rows: Records
    notes: tuple[str, ...] = ()

    @cached_property
    def known(self) -> Known:
        """What the measurements say together, each residual with its variance."""
        return Known.by(self.domain, self.measurements, 2.0 if self.laplace else 1.0, total=self.public_total)

    def ask(
        self,
        kind: Kind,
        what: str,
        *,
        where: str | None = None,
        by: str | None = None,
        p: float = 0.5,
        of: Of = "population",
    ) -> tuple[Answer, ...]:
        """The answer to a question, one for each value of `by`.

        `what` is a question such as `income == ">50K"` for a share and an odds ratio; an attribute with numbers for a
        mean and a quantile (at `p`); either of them for a difference; two or more attributes, `a, b`, for a correlation
        and a table. `where` is a question that limits the records. `by` is an attribute, or a question, whose groups
        are the records without and with it. A difference and an odds ratio compare each group with the first. A number
        in a bin counts as its middle. Raises ValueError, in a sentence, for a question that makes no sense.
        """
        _check_of(of)
        if kind == "quantile":
            if by is not None:
                raise ValueError("a quantile is asked for one group at a time: use where instead of by")
            return (self._quantile(what, p, where, of),)
        answers = self._answered(self.statistic(kind, what, where=where, by=by), of)
        if kind == "share" and by is None and where is None and answers[0].refused:
            return (bounded(self.known, self.laplace, self.rows, what, of),)
        return answers

    def statistic(self, kind: Kind, what: str, *, where: str | None = None, by: str | None = None) -> Statistic:
        """What a question to `ask` estimates, but for a quantile."""
        return statistic(kind, what, self.domain, where=where, by=by)

    def ols(self, formula: str, *, of: Of = "population") -> tuple[Answer, ...]:
        """The coefficients of a linear regression, `y ~ a + b`, the constant first."""
        _check_of(of)
        return self._answered(regressions.ols(formula, self.domain, self.common), of)

    def logit(self, formula: str, *, of: Of = "population") -> tuple[Answer, ...]:
        """The coefficients of a logistic regression of an outcome of two values, the constant first."""
        _check_of(of)
        return self._answered(regressions.logit(formula, self.domain, self.common), of)

    def copies(
        self, m: int = 20, *, attributes: Sequence[str] | None = None, of: Of = "population"
    ) -> tuple[pd.DataFrame, ...]:
        """m tables of these attributes that might have given the release, each with its noise drawn again.

        Of the `population` they are random samples; of the `table` they have as little sampling error as rows allow.
        """
        _check_of(of)
        return copies(self.known, attributes or self.domain.names, m, of)

    def interval(
        self, function: Callable[[pd.DataFrame], float], *, attributes: Sequence[str], of: Of = "population"
    ) -> Answer:
        """Any statistic of rows: its value, and its interval from copies of the rows of these attributes."""
        _check_of(of)
        return interval(self.known, function, attributes, of)

    @cached_property
    def common(self) -> dict[int, int]:
        """The most frequent value of each attribute among the synthetic rows."""
        return {a: int(np.bincount(codes).argmax()) for a, codes in enumerate(self.rows.codes) if len(codes)}

    @cached_property
    def estimator(self) -> Estimator:
        """What estimates any statistic: what the public questions are made of."""
        return Estimator(self.known, self.laplace, self.rows)

    def _answered(self, statistic: Statistic, of: Of) -> tuple[Answer, ...]:
        found = self.estimator.estimate(statistic)
        half = half_widths(found, of)
        return tuple(
            Answer(name=name, of=of, refused=why)
            if why
            else _answer(name, of, float(value), float(deviation), statistic.scale, found)
            for name, value, deviation, why in zip(statistic.names, found.values, half, found.refused, strict=True)
        )

    def _quantile(self, what: str, p: float, where: str | None, of: Of) -> Answer:
        if not 0 < p < 1:
            raise ValueError(f"p is a share, above 0 and below 1, got {p!r}")
        found = self.estimator.estimate(questions.up_to_codes(what, p, self.domain, where=where))
        name = questions.among_those(f"{p:.3g} quantile of {what}", where)
        undefined = ~np.isfinite(found.values)
        if undefined.any() or any(found.refused):
            return Answer(name=name, of=of, refused=next(why for why in found.refused if why))
        value, low, high = questions.quantile_of_cells(found.values, half_widths(found, of), p, what, self.domain)
        return Answer(name=name, of=of, value=value, low=low, high=high, rests_on=found.rests_on)


def _check_of(of: str) -> None:
    if of not in get_args(Of):
        raise ValueError(f"say of which this is asked, the population or the table, got {of!r}")


def half_widths(found: Estimate, of: Of) -> np.ndarray:
    """Half of each interval: of noise alone for the table, and of both for the population."""
    if of == "table":
        return found.z * found.noise
    return np.sqrt((found.z * found.noise) ** 2 + (NORMAL * found.sampling) ** 2)


def _answer(name: str, of: Of, value: float, half: float, scale: Scale, found: Estimate) -> Answer:
    low, high = value - half, value + half
    if scale == "share":  # noise may take a share below 0; its interval is not empty
        low, high = min(value, 1.0) - half, max(value, 0.0) + half
        value, low, high = (min(max(x, 0.0), 1.0) for x in (value, low, high))
    elif scale == "log":
        value, low, high = (float(np.exp(x)) for x in (value, low, high))
    elif scale == "atanh":
        value, low, high = (float(np.tanh(x)) for x in (value, low, high))
    return Answer(name=name, of=of, value=value, low=low, high=high, rests_on=found.rests_on)

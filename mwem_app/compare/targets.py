"""A target for the error, in records, percent or total variation: its measure, how it is read and how it is written."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mwem_app.base import records, three_digits
from mwem_app.compare.metrics import METRICS, Metric, counted_error
from mwem_core.judge import Result

FIRST_DIGITS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)  # of a default target


@dataclass(frozen=True)
class Unit:
    """A unit of targets, with the metric that is held against them.

    `goal`, `reach` and `label` are phrases around a number: what a target asks for, what an error means, and a target
    on a chart. No target can be more than `most`; `beyond` says why.
    """

    name: str
    metric: Metric
    goal: str
    reach: str
    label: str
    most: float
    beyond: str
    example: str
    sign: str = ""  # that may follow the number
    digits: Callable[[float], str] = three_digits

    def read(self, text: str) -> float:
        """The target that a user wrote. Raises ValueError, with what to do, if no error could be that."""
        try:
            target = float(text.strip().removeprefix("±").removesuffix(self.sign).replace(",", ""))
        except ValueError:
            target = math.nan
        if not math.isfinite(target):
            raise ValueError(f"the target must be a number, got {text.strip()!r}: write it as in {self.example}")
        if target <= 0:
            raise ValueError(f"the target must be above 0, got {target:g}: no private answer is exact")
        if target > self.most:
            raise ValueError(f"the target must be at most {self.most:,.10g}, got {target:,.10g}: {self.beyond}")
        return target


def units(n: int, *, tabular: bool, noun: str) -> dict[str, Unit]:
    """The units for n records, by name. Total variation needs whole marginals. `noun`: what the answers are, as counts.

    The errors of answers are shares of n; 95% of the answers err by at most `error_95`.
    """
    phrase = f"error that 95% of {noun} stay within"
    in_records = Unit(
        "Records",
        Metric("records", phrase, f"95% of {noun} err by at most, records", _error_95(times_n=True)),
        goal=f"For 95% of {noun} within ±{{}} records",
        reach=f"95% of {noun} within ±{{}} records",
        label="±{} records",
        most=float(n),
        beyond=f"the table has {n:,} records",
        example="50",
        digits=records,
    )
    in_percent = Unit(
        "Percent",
        Metric("percent", phrase, f"95% of {noun} err by at most, % of all records", _error_95(times_n=False)),
        goal=f"For 95% of {noun} within ±{{}}% of all records",
        reach=f"95% of {noun} within ±{{}}% of all records",
        label="±{}%",
        most=100.0,
        beyond=f"100% is all {n:,} records",
        example="0.1",
        sign="%",
    )
    in_tv = Unit(
        "Total variation",
        METRICS["Mean TV"],
        goal="For a mean total variation of at most {}",
        reach="a mean total variation of {}",
        label="{}",
        most=1.0,
        beyond="total variation lies between 0 and 1",
        example="0.02",
    )
    return {unit.name: unit for unit in ((in_records, in_percent, in_tv) if tabular else (in_records, in_percent))}


def _error_95(*, times_n: bool) -> Callable[[Result], float | None]:
    """`error_95` in records, or else in percent."""

    def value(result: Result) -> float | None:
        share = counted_error(result.answers.error_95, result) if result.answers else None
        return None if share is None else share * (result.n if times_n else 100)

    return value


def default_target(errors: Iterable[float], most: float) -> float:
    """A round number near the geometric middle of the errors: some ε reach it and others do not."""
    known = sorted(error for error in errors if error > 0) or [most]
    middle = math.sqrt(known[(len(known) - 1) // 2] * known[len(known) // 2])
    power = 10.0 ** math.floor(math.log10(middle))
    digit = min(FIRST_DIGITS, key=lambda digit: abs(math.log(digit * power / middle)))
    return min(most, float(f"{digit * power:.2g}"))

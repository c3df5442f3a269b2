"""Which ε reaches a target: the target in a unit, what each system needs, and the answer in a sentence."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import streamlit as st

from mwem_app.base import records, three_digits
from mwem_app.compare.curves import METRICS, Curve, Metric, counted_error, crossing
from mwem_app.page import plain, problem
from mwem_app.session import state
from mwem_core.judge import Interval, Result, Trial, cheapest_first
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

FIRST_DIGITS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)  # of a default target
UNIT_OF_TARGET = "_unit_of_target"  # the unit that the target was entered in


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


@dataclass(frozen=True)
class Need:
    """The smallest ε at which a system reaches the target: 0 if every ε that ran does, infinite if none does.

    Its interval is 0 to infinity where only one seed ran. `smallest_error` is (ε, error) of the nearest point.
    """

    name: str
    epsilon: Interval
    swept: tuple[float, float]  # the smallest and the largest ε that ran
    smallest_error: tuple[float, float]
    seeds: int

    @property
    def title(self) -> str:
        """The system's name on screen."""
        return SYSTEMS[self.name].title

    @property
    def reached(self) -> bool:
        """Whether some ε that ran reaches the target."""
        return self.epsilon.middle < math.inf

    @property
    def bracket(self) -> str:
        """The 95% interval as " (0.9 to 1.5)"; empty where there is none."""
        low, high = self.epsilon.low, self.epsilon.high
        if self.seeds < 2 or not 0 < self.epsilon.middle < math.inf:
            return ""
        low_end = f"under {self.swept[0]:g}" if low == 0 else f"{low:.2g}"
        return f" ({low_end} to {f'over {self.swept[1]:g}' if high == math.inf else f'{high:.2g}'})"

    @property
    def words(self) -> str:
        """The ε in a few words, in Markdown."""
        if self.epsilon.middle == 0:
            return f"ε ≤ {self.swept[0]:g} is enough"
        return f"ε ≈ {self.epsilon.middle:.2g}{self.bracket}" if self.reached else f"not up to ε = {self.swept[1]:g}"


def spends(name: str) -> bool:
    """Whether a system spends privacy budget."""
    return SYSTEMS[name].privacy not in ("none", "no data")


def needs(curves: Iterable[Curve], target: float) -> list[Need]:
    """What each private system needs, the smallest ε first; those that do not reach the target by their error."""
    found = [_need(curve, target) for curve in curves if spends(curve.name)]
    return sorted(found, key=lambda need: (need.epsilon.middle, need.smallest_error[1]))


def _need(curve: Curve, target: float) -> Need:
    x = [point.x for point in curve.points]
    middle, low, high = (
        crossing(x, [getattr(point.mean, end) for point in curve.points], target) for end in ("middle", "low", "high")
    )
    nearest = min(curve.points, key=lambda point: point.mean.middle)
    return Need(
        curve.name,
        Interval(middle, low, high),
        (x[0], x[-1]),
        (nearest.x, nearest.mean.middle),
        min(len(point.values) for point in curve.points),
    )


def answer(curves: Sequence[Curve], found: Sequence[Need], target: float, unit: Unit) -> tuple[str, list[Need]]:
    """The answer in Markdown, and the needs that it does not mention. `found`, as from `needs`, must not be empty."""
    wanted, best, rest = f"{target:,.10g}", found[0], list(found[1:])
    for curve in curves:
        if SYSTEMS[curve.name].privacy == "no data" and max(p.mean.middle for p in curve.points) <= target:
            already = f"{curve.title}, which reads no data, already reaches {unit.reach.format(wanted)}"
            return f"{already}: **no ε is needed**.", list(found)
    goal = unit.goal.format(wanted)
    if not best.reached:
        epsilon, error = best.smallest_error
        nearest = f"{best.title} comes nearest: {unit.reach.format(unit.digits(error))} at ε = {epsilon:g}"
        return f"{goal}, **no ε up to {best.swept[1]:g} is enough**. {nearest}.", rest
    if best.epsilon.middle == 0:
        return f"{goal}, **ε ≤ {best.swept[0]:g} is enough** with {best.title}.", rest
    sentence = f"{goal} you need **ε ≈ {best.epsilon.middle:.2g}** with {best.title}{best.bracket}"
    if rest and rest[0].reached:
        second = rest.pop(0)
        sentence += f"; {second.title} needs {second.epsilon.middle:.2g}"
    return f"{sentence}.", rest


def choose_unit(workload: Workload, n: int) -> Unit:
    """Let the user choose the unit of the target, which is also that of the chart."""
    noun = "answers" if workload.family == "parities" else "counts"
    choices = units(n, tabular=workload.tabular, noun=noun)
    if st.session_state.get(state.UNIT) not in (None, *choices):
        st.session_state[state.UNIT] = next(iter(choices))
    name = st.segmented_control(
        "Unit",
        list(choices),
        default=next(iter(choices)),
        required=True,
        key=state.UNIT,
        bind=state.BIND,
        label_visibility="collapsed",
    )
    return choices[name]


def choose_target(unit: Unit, default: float) -> float | None:
    """Let the user enter a target in this unit; None, with a message, for one that no error could be."""
    text = f"{default:,.10g}"
    if st.session_state.setdefault(UNIT_OF_TARGET, unit.name) != unit.name:
        st.session_state[state.TARGET], st.session_state[UNIT_OF_TARGET] = text, unit.name
    entered = st.text_input(
        "Target",
        value=state.follow(state.TARGET, text),
        key=state.TARGET,
        bind=state.BIND,
        width=130,
        label_visibility="collapsed",
    )
    try:
        return unit.read(entered or "")
    except ValueError as error:
        problem(error)
        return None


def first_target(results: Iterable[Result], trials: Sequence[Trial], unit: Unit) -> float | None:
    """The target to begin with, from the cheapest private system's first seed; None while that is running.

    It does not move when other systems or seeds follow, so the answer does not jump.
    """
    private = [trial for trial in cheapest_first(trials) if spends(trial.system)]
    first = [t for t in private if (t.system, t.seed, t.T) == (private[0].system, private[0].seed, private[0].T)]
    by_trial = {result.trial: result for result in results}
    if state.trials_running() and not all(trial in by_trial for trial in first):
        return None
    errors = unit.metric.values(by_trial[trial] for trial in first if trial in by_trial)
    return default_target(errors or unit.metric.values(by_trial.values()), unit.most)


def show_answer(curves: Sequence[Curve], target: float, unit: Unit) -> list[Need]:
    """The answer in a large sentence, and the other systems in a line each; returns what every system needs."""
    found = needs(curves, target)
    if not found:
        st.subheader("No system here spends any ε: choose a private one, such as MWEM.", anchor=False)
        return []
    sentence, others = answer(curves, found, target, unit)
    st.subheader(sentence, anchor=False)
    lines = [f"{plain(need.title)}: {need.words}" for need in others]
    ranges = "In brackets: the 95% interval over the seeds."
    if any(need.seeds < 2 for need in found):
        ranges = "One seed so far gives no range."
    st.caption(" · ".join([*lines, ranges]))
    return found

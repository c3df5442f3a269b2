"""What an experiment is: a claim of a paper, trials that test it, a figure of them, and a rule for the verdict.

`points` and `medians` make the points of a figure of its trials, at a fixed number of rounds or at the best one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from mwem_core.domain import Records
from mwem_core.judge import Result, Trial, run_trial
from mwem_core.workload import Workload

# A pandas DataFrame or Series: what pyright infers of pandas' own sources is mostly wrong.
Frame: TypeAlias = Any
Series: TypeAlias = Any
FIXED_T, BEST_T = "T = 10", "best T"
PANEL, METHOD, X = "panel", "method", "x"
HEIGHTS = ["y", "low", "high"]


def points(frame: Frame, metric: str, *, x: str = "epsilon", panel: str = "table") -> Frame:
    """Mean, lowest and highest over seeds of a metric, for every panel, method, x and T.

    Trials without the metric are left out. A reference that holds at every x stands at each x of its panel.
    """
    return _summary(frame, metric, x, panel, {"y": "mean", "low": "min", "high": "max"})


def medians(frame: Frame, metric: str, *, x: str = "epsilon", panel: str = "table") -> Frame:
    """`points` by median and quartiles, for a metric that is infinite in some trials."""
    quartiles = {"low": partial(_quantile, share=0.25), "high": partial(_quantile, share=0.75)}
    return _summary(frame, metric, x, panel, {"y": partial(_quantile, share=0.5), **quartiles})


def _quantile(values: Series, share: float) -> float:
    return float(values.quantile(share, interpolation="lower"))


def _summary(frame: Frame, metric: str, x: str, panel: str, numbers: dict) -> Frame:
    known = frame[frame[metric].notna()].rename(columns={panel: PANEL, x: X})
    everywhere = known[known[X].isna()]
    known = known[known[X].notna()]
    spread = known[[PANEL, X]].drop_duplicates().merge(everywhere.drop(columns=X), on=PANEL)
    known = pd.concat([known, spread]) if len(spread) else known
    known = known.astype({PANEL: str, METHOD: str, X: float, metric: float})
    grouped = known.groupby([PANEL, METHOD, X, "T"], dropna=False)[metric]
    return grouped.agg(**numbers, seeds="count").reset_index()


def best_T(summary: Frame) -> Frame:
    """For every panel, method and x, the T of the smallest mean: chosen in hindsight, as the paper chose it by hand."""
    best = summary.groupby([PANEL, METHOD, X])["y"].idxmin()
    return summary.loc[best].reset_index(drop=True)


def fixed_T(summary: Frame, T: int = 10) -> Frame:
    """The points at T, and those of methods that take no T."""
    return summary[summary["T"].isna() | (summary["T"] == T)].reset_index(drop=True)


def of_rounds(summary: Frame, rounds: str) -> Frame:
    """The points at the reader's choice of rounds, one of `BEST_T` and `FIXED_T`."""
    return (best_T if rounds == BEST_T else fixed_T)(summary)


def at(summary: Frame, method: str) -> Series:
    """A method's y by panel and x."""
    return summary[summary[METHOD] == method].set_index([PANEL, X])["y"]


def wins(a: Series, b: Series) -> int:
    """The number of points at which `a` is below `b`."""
    return int((a < b).sum())


def span(values: Series) -> str:
    """The smallest and the largest, to two digits: "0.5 to 2"."""
    return f"{values.min():.2g} to {values.max():.2g}"


def geometric_mean(values: Series) -> str:
    """The geometric mean of positive values, to two digits."""
    return f"{np.exp(np.log(values).mean()):.2g}"


Holds = Literal["holds", "holds with conditions", "does not hold"]
# When the rule for the verdict was written, by the history of the repository.
RuleOrder = Literal["fixed before its trials ran", "committed with its trials", "changed after its first trials"]


@dataclass(frozen=True)
class Method:
    """A line of a figure: a system, the settings replaced in it, and the numbers of rounds that it runs at."""

    name: str
    system: str
    changed: tuple[tuple[str, Any], ...] = ()
    Ts: tuple[int | None, ...] = (None,)


@dataclass(frozen=True, kw_only=True)
class JudgedResult(Result):
    """A trial that was measured by metrics of its experiment too, by their names: NOT PRIVATE."""

    more: Mapping[str, float | None]


def judge_answers(B: Records, Q: Workload, trial: Trial) -> Result:
    """Run a trial and measure its answers alone, without synthetic rows."""
    return run_trial(B, Q, trial, rows=False)


@dataclass(frozen=True)
class Batch:
    """Trials on one table and one workload: every method at every ε and seed, each run and measured by `judge`."""

    table: str
    workload: str
    methods: tuple[Method, ...]
    epsilons: tuple[float, ...]
    seeds: int
    delta: float = 0.0
    judge: Callable[[Records, Workload, Trial], Result] = judge_answers

    @property
    def trials(self) -> dict[Trial, str]:
        """Each trial with the name of its method, seed by seed."""
        return {
            Trial(system=m.system, epsilon=e, seed=seed, delta=self.delta, T=T, changed=m.changed): m.name
            for seed in range(self.seeds)
            for m in self.methods
            for e in self.epsilons
            for T in m.Ts
        }


@dataclass(frozen=True)
class Reference:
    """A number that no trial gives, such as a bound: the name of its line, a metric and its value.

    It holds at an ε or at all of them, at a number of rounds T or at all of them.
    """

    name: str
    metric: str
    value: float
    epsilon: float | None = None
    T: int | None = None


@dataclass(frozen=True)
class Plot:
    """A figure as data: one panel per table or workload, x across, one line per method.

    `points` has the columns panel, method, x, y, low and high: the middle over seeds, and the ends of a band. The
    methods of `beside` are drawn in grey: bounds, and what reads no data. An axis is logarithmic unless it says not.
    The points of a line are joined, unless each is of another table. `band` is empty where there is none.
    With `x_names`, x of 0, 1, .. have these names.
    """

    x_title: str
    y_title: str
    beside: tuple[str, ...]
    points: Frame = field(repr=False)
    band: str = "from the lowest to the highest seed"
    log_x: bool = True
    log_y: bool = True
    joined: bool = True
    x_names: tuple[str, ...] = ()

    def x_name(self, x: float) -> str:
        """How the axis writes an x."""
        return self.x_names[int(x)] if self.x_names else f"{x:,g}"


ROUNDS = {"rounds": (BEST_T, FIXED_T)}


@dataclass(frozen=True)
class Verdict:
    """Whether the claim holds, the numbers that decide it in a paragraph, and what would flip it."""

    holds: Holds
    numbers: str
    flips: str


def grade(whole: bool, part: bool) -> Holds:
    """Holds where the whole rule does; with conditions where only `part` does."""
    return "holds" if whole else "holds with conditions" if part else "does not hold"


def no_references(B: Records, Q: Workload, batch: Batch) -> Iterable[Reference]:  # noqa: ARG001
    """For an experiment without bounds."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment. Its functions take the frame that `results.read` returns, one row per trial.

    `rule` says in words what `verdict` computes. `rule_order` is when it was written, and `history` what else the
    commits of the rule and of the trials show; it is not empty where the rule was not fixed before. `batches` takes
    whether the run is quick. `choices` are disputed ones that the reader makes, each with its options, the paper's
    first. `plot` takes the frame and an option of each of them, in their order.
    """

    name: str
    title: str
    claim: str
    conditions: str
    setup: str
    rule: str
    rule_order: RuleOrder
    metrics: tuple[str, ...]
    batches: Callable[[bool], Sequence[Batch]]
    plot: Callable[..., Plot]
    verdict: Callable[[Frame], Verdict]
    references: Callable[[Records, Workload, Batch], Iterable[Reference]] = no_references
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    history: str = ""

    @property
    def rule_title(self) -> str:
        """What stands before the rule: when it was written."""
        return f"Rule, {self.rule_order}"

    @property
    def short_title(self) -> str:
        """The title up to its colon."""
        return self.title.partition(":")[0]

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that it reads."""
        return tuple(dict.fromkeys(batch.table for batch in self.batches(False)))

    def figure(self, frame: Frame, **options: str) -> Plot:
        """The figure at the reader's options, by the names of the choices; the first where none is made.

        Panels and lines are in the order of the batches, references last.
        """
        plot = self.plot(frame, *(options.get(name, every[0]) for name, every in self.choices.items()))
        batches = self.batches(False)
        names = dict.fromkeys([*self.tables, *(method.name for batch in batches for method in batch.methods)])
        place = {name: i for i, name in enumerate(names)}
        order = plot.points.sort_values(
            ["panel", "method"], key=lambda column: column.map(place).fillna(len(place)), kind="stable"
        )
        return replace(plot, points=order)

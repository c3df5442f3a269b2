"""What an experiment is: a claim of a paper, trials that test it, a figure of them, and a rule for the verdict."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias

from mwem_core.domain import Records
from mwem_core.judge import Result, Trial, run_trial
from mwem_core.workload import Workload

# A pandas DataFrame or Series: what pyright infers of pandas' own sources is mostly wrong.
Frame: TypeAlias = Any
Series: TypeAlias = Any

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


answers_alone = partial(run_trial, rows=False)


@dataclass(frozen=True)
class Batch:
    """Trials on one table and one workload: every method at every ε and seed, each run and measured by `judge`.

    By default that measures the answers alone, without synthetic rows.
    """

    table: str
    workload: str
    methods: tuple[Method, ...]
    epsilons: tuple[float, ...]
    seeds: int
    delta: float = 0.0
    judge: Callable[[Records, Workload, Trial], Result] = answers_alone

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


@dataclass(frozen=True)
class Verdict:
    """Whether the whole rule holds or a part of it, the numbers that decide in a paragraph, and what would flip it."""

    whole: bool
    part: bool
    numbers: str
    flips: str

    @property
    def holds(self) -> Holds:
        """What the page says: with conditions where only the part holds."""
        return "holds" if self.whole else "holds with conditions" if self.part else "does not hold"


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
    references: Callable[[Records, Workload, Batch], Iterable[Reference]] = lambda *_: ()
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

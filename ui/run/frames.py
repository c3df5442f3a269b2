"""Rounds as the player shows them: sentences, shares of n, and the model's estimate of one or two attributes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Source
from mwem_core.mwem.theorem import theorem_bound
from mwem_core.workload.workload import Workload
from ui.figures.merging import merge_starts, merged, merged_labels
from ui.player import Frame, Lines, View
from ui.results.baselines import direct
from ui.session.runner import Plan, Runner, Step
from ui.words.numbers import count, records

MOST_CELLS = 1_000  # of a picture: all of them go to the browser, every round
GOOD_CELLS = 64  # of a picture: enough to have a shape, few enough to tell apart
MOST_BARS, MOST_SIDE = 200, 31  # where an ordered attribute has more values than that, neighbours share a cell


@dataclass(frozen=True, eq=False)
class Picture:
    """One or two attributes to look at, the larger along x; where there are many values, neighbours share a cell."""

    domain: Domain
    attrs: tuple[int, ...]  # as marginals have them: sorted
    starts: tuple[np.ndarray, ...]  # by attribute, the code each cell begins with

    @classmethod
    def of(cls, domain: Domain, attrs: Sequence[int]) -> "Picture":
        """Raises ValueError where categories have too many values to draw: they have no neighbours to share a cell."""
        attrs = tuple(sorted(set(attrs)))
        most = MOST_BARS if len(attrs) == 1 else MOST_SIDE if domain.cells(attrs) > MOST_CELLS else MOST_CELLS
        starts = tuple(_starts(domain.attributes[a], most) for a in attrs)
        if (cells := math.prod(map(len, starts))) > MOST_CELLS:
            raise ValueError(f"{domain.label(attrs)} has {cells:,} cells, {MOST_CELLS:,} can be drawn: look at others")
        return cls(domain, attrs, starts)

    @property
    def along(self) -> list[int]:
        """Places in `attrs` of what runs down (if anything does) and along x."""
        return sorted(range(len(self.attrs)), key=lambda i: len(self.starts[i]))

    def shares(self, source: Source, total: float) -> np.ndarray:
        """What part of all records falls in each cell, row by row."""
        table = merged(source.marginals([self.attrs])[0], self.starts)
        return table.transpose(self.along).ravel() / total

    def view(self, truth: np.ndarray | None) -> View:
        """For the player; with the truth only where it may be seen."""
        *down, x = self.along
        named = self.domain.label(self.attrs[i] for i in self.along)
        return View(
            id=f"{named} {self.domain.shape} {truth is not None}",
            title=named,
            kind="heat" if down else "bars",
            x=self._labels(x),
            y=self._labels(down[0]) if down else None,
            truth=truth,
            x_title=self.domain.names[self.attrs[x]],
            y_title=self.domain.names[self.attrs[down[0]]] if down else "",
        )

    def _labels(self, i: int) -> list[str]:
        return merged_labels(self.domain.attributes[self.attrs[i]].labels, self.starts[i])


def _starts(attribute: Attribute, most: int) -> np.ndarray:
    own = attribute.ordered_size
    return np.append(merge_starts(own, most if attribute.ordered else own), np.arange(own, attribute.size))


def frames(
    plan: Plan, steps: Sequence[Step], estimates: Sequence[np.ndarray] | None, *, show_truth: bool
) -> list[Frame]:
    """The steps, without anything made from the private data unless the truth is to be shown."""
    blank: Sequence[np.ndarray | None] = [None] * len(steps)
    return [_frame(plan, step, seen, show_truth) for step, seen in zip(steps, estimates or blank, strict=True)]


def _frame(plan: Plan, step: Step, estimate: np.ndarray | None, show_truth: bool) -> Frame:
    made, n, m = step.round, plan.records.total, step.round.measurement
    private: dict[str, Any] = {"max": step.errors.max_error, "mean": step.errors.mean_error} if show_truth else {}
    released: dict[str, Any] = {}
    if m is not None:
        cells, tables = int(np.size(m.value)), m.q is None
        noise = made.expected_noise
        released = {
            "residual": made.residual / n,
            "noise": noise / n,
            "chosen": plan.workload.domain.label(m.attrs),
            "planned": made.chosen is None,
            "cell": None if tables else made.label,
            "measured": count(cells, "cell") if tables else records(float(m.value)),
            "noise_text": f"± {records(noise / cells)}{' each' if tables else ''}",
            "moved": made.moved / n / (2 if tables else 1),
        }
        if show_truth:
            private |= {
                "probability": step.probability,
                "runners": step.runners_up,
                "true_answer": None if step.exact is None else records(step.exact),
            }
    spent = (made.ledger.select, made.ledger.measure)
    return Frame(round=made.index, estimate=estimate, spent=spent, **private, **released)


def lines(plan: Plan, steps: Sequence[Step], *, show_truth: bool) -> Lines:
    """What to compare the errors with: knowing nothing, asking everything at once, and what theory promises."""
    if not show_truth or not steps:
        return Lines()
    workload, n, T = plan.workload, plan.records.total, plan.planned_rounds
    mean, largest = direct(plan)
    bound = None
    proved = plan.settings.output == "average" and plan.settings.select == "queries"  # what Theorem 2.3 is about
    if T is not None and proved and plan.settings.delta == 0:
        cells, epsilon = workload.domain.size, plan.settings.epsilon
        bound = theorem_bound(n=n, domain_size=cells, queries=workload.size, rounds=T, epsilon=epsilon) / n
    start = steps[0].errors  # A_0 is uniform
    return Lines(
        uniform_max=start.max_error,
        uniform_mean=start.mean_error,
        laplace_max=largest,
        laplace_mean=mean,
        bound=bound,
    )


def total_rounds(run: Runner) -> int:
    """How many rounds to leave room for: those there were, those planned, or a guess where that is decided later."""
    made = len(run.steps) - 1
    if not run.active:
        return max(1, made)
    return run.plan.planned_rounds or 10 * (made // 10 + 1)


def suggested(workload: Workload) -> tuple[int, ...]:
    """What to look at unless told otherwise, before a run and after it: of what is asked, what has some 64 cells."""
    domain = workload.domain
    asked = dict.fromkeys(S[:2] for S in workload.sets)
    for attrs in sorted(asked, key=lambda S: abs(math.log(domain.cells(S) / GOOD_CELLS))):
        try:
            return Picture.of(domain, attrs).attrs
        except ValueError:
            continue
    return (min(range(len(domain)), key=domain.shape.__getitem__),)

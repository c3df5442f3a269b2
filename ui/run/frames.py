"""Rounds in the form the player shows: texts, shares of n, and the model's marginal of one or two attributes."""

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

MAX_PICTURE_CELLS = 1_000  # all of them are sent to the browser in every round
GOOD_PICTURE_CELLS = 64  # enough to show a shape, few enough to tell the cells apart
MAX_PLAYER_BARS, MAX_SIDE = 200, 31  # an ordered attribute with more values is drawn with neighbouring values merged
ROUNDS_AHEAD = 10  # room on the round axis while T is not known


@dataclass(frozen=True, eq=False)
class Picture:
    """A marginal to draw, of one or two attributes, the larger along x. Ordered values are merged if there are many."""

    domain: Domain
    attrs: tuple[int, ...]  # sorted, as in every marginal
    starts: tuple[np.ndarray, ...]  # per attribute: the first code of each cell

    @classmethod
    def of(cls, domain: Domain, attrs: Sequence[int]) -> "Picture":
        """Merge ordered values if needed. Categories cannot merge; raises ValueError if they have too many cells."""
        attrs = tuple(sorted(set(attrs)))
        if len(attrs) == 1:
            max_values = MAX_PLAYER_BARS
        else:
            max_values = MAX_SIDE if domain.cells(attrs) > MAX_PICTURE_CELLS else MAX_PICTURE_CELLS
        starts = tuple(_starts(domain.attributes[a], max_values) for a in attrs)
        if (cells := math.prod(map(len, starts))) > MAX_PICTURE_CELLS:
            raise ValueError(
                f"{domain.label(attrs)} has {cells:,} cells, but at most {MAX_PICTURE_CELLS:,} can be drawn: "
                "choose attributes with fewer values"
            )
        return cls(domain, attrs, starts)

    @property
    def axes(self) -> list[int]:
        """Positions in `attrs` of the attribute along y, if there are two, and of the attribute along x."""
        return sorted(range(len(self.attrs)), key=lambda i: len(self.starts[i]))

    def shares(self, source: Source, total: float) -> np.ndarray:
        """Return the share of records in each cell, flattened row by row: (cells,)."""
        table = merged(source.marginals([self.attrs])[0], self.starts)
        return table.transpose(self.axes).ravel() / total

    def view(self, truth: np.ndarray | None) -> View:
        """Return the player's view, with the truth if it is given."""
        *y, x = self.axes
        title = self.domain.label(self.attrs[i] for i in self.axes)
        return View(
            id=f"{title} {self.domain.shape} {truth is not None}",
            title=title,
            kind="heat" if y else "bars",
            x=self._labels(x),
            y=self._labels(y[0]) if y else None,
            truth=truth,
            x_title=self.domain.names[self.attrs[x]],
            y_title=self.domain.names[self.attrs[y[0]]] if y else "",
        )

    def _labels(self, i: int) -> list[str]:
        return merged_labels(self.domain.attributes[self.attrs[i]].labels, self.starts[i])


def _starts(attribute: Attribute, max_values: int) -> np.ndarray:
    """The first code of each cell; only the ordered values are merged, not categories such as missing."""
    ordered = attribute.ordered_size
    return np.append(
        merge_starts(ordered, max_values if attribute.ordered else ordered), np.arange(ordered, attribute.size)
    )


def frames(
    plan: Plan, steps: Sequence[Step], estimates: Sequence[np.ndarray] | None, *, show_truth: bool
) -> list[Frame]:
    """Return the steps as frames; without `show_truth`, nothing in them is made from the private data."""
    none: Sequence[np.ndarray | None] = [None] * len(steps)
    return [_frame(plan, step, estimate, show_truth) for step, estimate in zip(steps, estimates or none, strict=True)]


def _frame(plan: Plan, step: Step, estimate: np.ndarray | None, show_truth: bool) -> Frame:
    round_, n, m = step.round, plan.records.total, step.round.measurement
    private: dict[str, Any] = {"max": step.errors.max_error, "mean": step.errors.mean_error} if show_truth else {}
    released: dict[str, Any] = {}
    if m is not None:
        cells, tables = int(np.size(m.value)), m.q is None
        noise = round_.expected_noise
        released = {
            "residual": round_.residual / n,
            "noise": noise / n,
            "chosen": plan.workload.domain.label(m.attrs),
            "planned": round_.chosen is None,
            "cell": None if tables else round_.label,
            "measured": count(cells, "cell") if tables else records(float(m.value)),
            "noise_text": f"± {records(noise / cells)}{' each' if tables else ''}",
            "moved": round_.moved / n / (2 if tables else 1),
        }
        if show_truth:
            private |= {
                "probability": step.probability,
                "runners": step.runners_up,
                "true_answer": None if step.exact is None else records(step.exact),
            }
    spent = (round_.ledger.select, round_.ledger.measure)
    return Frame(round=round_.index, estimate=estimate, spent=spent, **private, **released)


def reference_lines(plan: Plan, steps: Sequence[Step], *, show_truth: bool) -> Lines:
    """Return the levels to compare errors with: the uniform start, plain Laplace noise on every query, and theory."""
    if not show_truth or not steps:
        return Lines()
    workload, n, T = plan.workload, plan.records.total, plan.planned_rounds
    laplace_mean, laplace_max = direct(plan)
    bound, note = None, None
    # Theorem 2.3 is about the average of the models, queries chosen one by one, and Laplace noise.
    proved = plan.settings.output == "average" and plan.settings.select == "queries"
    if T is not None and proved and plan.settings.delta == 0:
        cells, epsilon = workload.domain.size, plan.settings.epsilon
        bound = theorem_bound(n=n, domain_size=cells, queries=workload.size, rounds=T, epsilon=epsilon) / n
        if bound >= 1:
            bound, note = (
                None,
                f"Theorem 2.3 has no line: its bound, {bound:.2g}, exceeds the largest possible error, 1",
            )
    start = steps[0].errors  # of A_0, the uniform model
    return Lines(
        uniform_max=start.max_error,
        uniform_mean=start.mean_error,
        laplace_max=laplace_max,
        laplace_mean=laplace_mean,
        bound=bound,
        note=note,
    )


def total_rounds(run: Runner) -> int:
    """Return how many rounds the chart leaves room for: those run, those planned, or a guess if T is not known."""
    finished = len(run.steps) - 1
    if not run.active:
        return max(1, finished)
    return run.plan.planned_rounds or ROUNDS_AHEAD * (finished // ROUNDS_AHEAD + 1)


def suggested(workload: Workload) -> tuple[int, ...]:
    """Return the attributes drawn by default: one or two from the workload, with a number of cells nearest to 64.

    If none of these can be drawn, the attribute with the fewest values.
    """
    domain = workload.domain
    candidates = dict.fromkeys(S[:2] for S in workload.sets)
    for attrs in sorted(candidates, key=lambda S: abs(math.log(domain.cells(S) / GOOD_PICTURE_CELLS))):
        try:
            return Picture.of(domain, attrs).attrs
        except ValueError:
            continue
    return (min(range(len(domain)), key=domain.shape.__getitem__),)

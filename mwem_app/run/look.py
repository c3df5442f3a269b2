"""A run as one looks at it: the marginal that is drawn, or what each round measured; with the truth, or without."""

import threading
from collections.abc import Sequence

from mwem_app.run.frames import frames
from mwem_app.run.picture import Picture, measured
from mwem_app.session import Plan, Step
from mwem_app.stage import Frame, View


class Look:
    """The frames of a run's steps and the views that they name. Each is made once, for all who look at it so."""

    def __init__(self, plan: Plan, picture: Picture, *, follow: bool, show_truth: bool):
        self._plan, self._picture, self._follow, self._show_truth = plan, picture, follow, show_truth
        self._lock = threading.Lock()
        self._frames: list[Frame] = []
        self._views: dict[str, View] = {}

    def until(self, steps: Sequence[Step]) -> tuple[list[Frame], dict[str, View]]:
        """A frame for each of the run's first steps, and the views by the names that frames have for them."""
        with self._lock:
            for step in steps[len(self._frames) :]:
                self._add(step)
            return self._frames[: len(steps)], dict(self._views)

    def _add(self, step: Step) -> None:
        plan, model, sets = self._plan, step.round.model, {m.attrs for m in step.round.measurements}
        drawn = self._picture
        if self._follow and len(sets) == 1:
            drawn = measured(plan.workload.domain, *sets) or drawn
        if drawn.title not in self._views:
            truth = drawn.shares(plan.records, plan.records.total) if self._show_truth else None
            self._views[drawn.title] = drawn.view(truth)
        estimate = drawn, drawn.shares(model, model.total)
        self._frames += frames(plan, [step], [estimate], show_truth=self._show_truth)

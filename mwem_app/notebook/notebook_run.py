"""A run in a notebook: the cell that starts it shows the player meanwhile, and keeps it as a page in a frame."""

import sys
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mwem_app.base import PRIVATE, Badge, count, rounds_badge
from mwem_app.run import (
    Picture,
    first_measured,
    frames,
    message_of,
    reference_lines,
    suggested_attrs,
    total_rounds,
    turn,
)
from mwem_app.session import Plan, Step, steps_of
from mwem_app.stage import Status, player_page
from mwem_core.algorithm import Round, Spender
from mwem_core.domain import Records
from mwem_core.systems import MeasuredBins
from mwem_core.workload import Workload

FRAME_HEIGHT = 980  # pixels: the whole player, with the truth, where its two charts are side by side
INTERVAL = 0.25  # seconds between two messages, at the least
LOAD = 20  # by how much messages may slow the run: each takes at most 1/LOAD of the time between two
SECONDS_TO_LOAD = 1.5  # for the widget, which tells the frame after it where to go on


@dataclass(frozen=True, eq=False, repr=False)
class NotebookRun:
    """A run that was watched: `rounds` are what it released; its steps hold the truth too, for exploring."""

    plan: Plan
    steps: tuple[Step, ...]
    status: Status
    id: str  # of the run, for the player

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds so far. The model of the last one answers the workload and gives rows."""
        return tuple(step.round for step in self.steps)

    def to_html(self, *, truth: bool = False) -> str:
        """Return the player with all rounds as a page in one file, which fetches nothing and opens offline.

        With `truth` it shows errors, true values and the chances of candidates, and says at its top that it must not
        be published. Without, nothing in it is made from the private data but by the run itself.
        """
        return player_page(_title(self.plan), _badge(self.plan, truth), self._message(truth))

    def _message(self, truth: bool) -> dict[str, Any]:
        return _message(self.id, self.plan, self.steps, self.status, truth)

    def __repr__(self) -> str:
        rounds = count(len(self.steps) - 1, turn(self.plan))
        return f"<{rounds}, {self.status}: ε = {self.plan.guarantee.epsilon:g}>"


def watch(
    settings: Spender | MeasuredBins,
    table: Records,
    workload: Workload,
    *,
    seed: int | None = None,
    truth: bool = False,
) -> NotebookRun:
    """Run `settings` on the private table for the workload, and show the live player while the cell runs.

    (ε, δ)-differential privacy as the settings say; a run on floating-point noise is for exploring, and with a `seed`
    it is not private. With `truth` the player, and so the saved notebook, shows what is made from the private data.
    When the run ends, the cell's output is the whole player as HTML, which an exported notebook shows offline.
    Interrupt the kernel to stop the run: it returns the rounds so far. Outside a notebook nothing is shown.

    Raises ValueError for settings without rounds, for what the settings cannot run, and in a notebook without
    anywidget.
    """
    plan = _plan(settings, table, workload, seed)
    coming = steps_of(plan)
    steps = [next(coming)]  # refuses what cannot run, before anything is shown
    plan = plan.after(steps[0].round)
    cell = Cell(player_page(_title(plan), _badge(plan, truth))) if _in_notebook() else None
    run_id = uuid.uuid4().hex[:12]
    send = partial(_message, run_id, plan, steps, "running", truth)
    status: Status = "done"
    try:
        if cell:
            cell.show(send)
        for step in coming:
            steps.append(step)
            if cell:
                cell.show(send)
    except KeyboardInterrupt:
        status = "stopped"
    run = NotebookRun(plan, tuple(steps), status, run_id)
    if cell:
        cell.end(run._message(truth), run.to_html(truth=truth))
    return run


def _plan(settings: Spender | MeasuredBins, table: Records, workload: Workload, seed: int | None) -> Plan:
    bins = settings if isinstance(settings, MeasuredBins) else None
    rounds = bins.inner if bins else settings
    if not isinstance(rounds, Spender):
        raise ValueError(
            f"{type(rounds).__name__} has no rounds to watch: choose settings such as default, mwem_by_rule or paper"
        )
    if not isinstance(table, Records):
        raise ValueError(f"the table must be records, got {type(table).__name__}: make them with encode")
    return Plan(records=table, workload=workload, settings=rounds, bins=bins, seed=seed, system="", source="", table="")


def _message(run_id: str, plan: Plan, steps: Sequence[Step], status: Status, truth: bool) -> dict[str, Any]:
    """All rounds so far, for the player."""
    picture = _picture(plan.workload, [step.round for step in steps])
    estimates, views = None, {}
    if picture is not None:
        estimates = [(picture, picture.shares(step.round.model, step.round.model.total)) for step in steps]
        views = {picture.title: picture.view(picture.shares(plan.records, plan.records.total) if truth else None)}
    return message_of(
        plan,
        frames(plan, steps, estimates, show_truth=truth),
        run=run_id,
        status=status,
        total=total_rounds(plan, len(steps) - 1, active=status == "running"),
        views=views,
        lines=reference_lines(plan, steps, show_truth=truth),
        look=picture.title if picture else "",
    )


def _picture(workload: Workload, rounds: Sequence[Round]) -> Picture | None:
    """The first readable marginal that was measured; before that, one of the workload. None if none can be drawn."""
    try:
        return first_measured(workload.domain, rounds) or Picture.of(workload.domain, suggested_attrs(workload))
    except ValueError:
        return None


def _title(plan: Plan) -> str:
    workload, records = plan.workload, count(plan.records.total, "record")
    queries = count(workload.size, "query", "queries")
    return f"{queries} ({workload.name}) on {records}, ε = {plan.guarantee.epsilon:g}"


def _badge(plan: Plan, truth: bool) -> Badge:
    return PRIVATE if truth else rounds_badge(seeded=plan.seed is not None, epsilon=plan.guarantee.epsilon)


# ---- the output of a cell ----
class Cell:
    """The output of a notebook's cell. Raises ValueError without anywidget."""

    def __init__(self, page: str):
        if find_spec("anywidget") is None:
            raise ValueError("the live player in a notebook needs anywidget: pip install 'mwem-explorer[notebook]'")
        import anywidget
        import traitlets
        from IPython.display import display

        class Player(anywidget.AnyWidget):
            _esm = Path(__file__).with_suffix(".js")
            page = traitlets.Unicode().tag(sync=True)
            height = traitlets.Int(FRAME_HEIGHT).tag(sync=True)
            message = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)

        self.player = Player(page=page)
        self.output: Any = display(self.player, display_id=True)
        self.began, self.next = time.monotonic(), 0.0

    def show(self, message: Callable[[], dict[str, Any]]) -> None:
        """Show the rounds so far, unless a message was sent a moment ago."""
        if (now := time.monotonic()) < self.next:
            return
        self.player.message = message()
        ended = time.monotonic()
        self.next = ended + max(INTERVAL, LOAD * (ended - now))

    def end(self, message: dict[str, Any], page: str) -> None:
        """Show all rounds, and leave the page in the widget's place, where it goes on from the round that was shown.

        A saved notebook and its exports keep the page, and lose a widget.
        """
        self.player.message = message
        with suppress(KeyboardInterrupt):
            time.sleep(max(0.0, self.began + SECONDS_TO_LOAD - time.monotonic()))
        self.output.update({"text/html": player_frame(page), "text/plain": "the rounds of a run"}, raw=True)
        self.player.close()


def player_frame(page: str) -> str:
    """Return a page in a frame, for an output of a notebook: apart from the notebook's styles, scripts and storage."""
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="The rounds of a run" width="100%" '
        f'height="{FRAME_HEIGHT}" style="border: 0"></iframe>'
    )


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this, not a script or a terminal."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None

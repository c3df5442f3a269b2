"""The demonstration on its page: settings, runs, the message to the browser, and what comes back from there."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from mwem_app.base import Badge
from mwem_app.inputs import Data
from mwem_app.page import count_work, download, may_start, plain, problem, redraw_while
from mwem_app.session import GRIDS, RUNS, Grid, Key, state
from mwem_app.stage.inquiries import Inquiry
from mwem_app.stage.mount import demonstration
from mwem_app.stage.runs_message import Question, runs_message
from mwem_app.stage.scene import Scene, nearest_place, systems_of
from mwem_app.stage.standalone import demonstration_page
from mwem_core.stage import EPSILONS, SEED, Track
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

TITLE = "3 Systems"
MAX_SYSTEMS = 3
SCENE_SYSTEMS = "mwem", "automatic", "mwem-paper", "tables", "mwem-pgm", "privbayes", "barak", "barak-lp"
SYSTEMS_HELP = (
    "Up to three, side by side at the same share of the budget; the first leads the slider. **MWEM** selects in every "
    "round, **Automatic** is expected to err least, and the others are its relatives."
)
PUBLIC_VERDICT = "This page may be passed on: its table is public, and no budget was spent."
PRIVATE_VERDICT = (
    "This page must not leave the room: it shows a private table, or runs on it whose noise anyone can repeat."
)
STAND_IN_VERDICT = "This page read no record of the table: it is as public as the schema and the number of records."


def choose_systems(workload: Workload | None, n: int) -> tuple[str, ...]:
    """Let the user choose up to three systems that can run here without δ."""
    able = [name for name in SCENE_SYSTEMS if workload is None or _runs(name, workload, n)]
    chosen = st.multiselect(
        TITLE,
        able,
        default=able[:1],
        max_selections=MAX_SYSTEMS,
        format_func=lambda name: SYSTEMS[name].title,
        key=state.SHOWN_SYSTEMS,
        bind=state.BIND,
        help=SYSTEMS_HELP,
    )
    if not chosen:
        st.caption("No system is chosen: choose at least one.")
    return tuple(chosen)


def _runs(name: str, workload: Workload, n: int) -> bool:
    try:
        SYSTEMS[name].settings(workload, n=n, epsilon=EPSILONS[0], delta=0.0).check(workload)
    except ValueError:
        return False
    return True


def switch_present() -> bool:
    """A switch for the view of a projector: the picture alone."""
    return st.toggle(
        "Present",
        key=state.PRESENT,
        bind=state.BIND,
        help="For a projector: the picture, its two sliders and the question, on one screen.",
    )


def scene_of(data: Data, workload: Workload, systems: Sequence[str]) -> Scene:
    """The scene that this tab has, if it is of these; else a new one. Raises ValueError where there is no table."""
    old: Scene | None = st.session_state.get(state.SCENE)
    if old is not None and old.same_as(data, workload, tuple(systems)):
        return old
    if old is not None:
        old.end()
    st.session_state[state.SCENE] = scene = Scene(data, workload, tuple(systems))
    return scene


def show(scene: Scene, badge: Badge, *, show_truth: bool, present: bool) -> None:
    """The picture with its two sliders and its question, drawn again while something is computed."""
    scene.sent.clear()  # the whole page is drawn, so the browser needs all runs
    st.session_state.setdefault(state.SHARE, position()[1])  # what is used, where the address asks for none that is
    if (text := st.query_params.get(state.EPSILON, "1")) and not _is_positive(text):
        problem(
            f"In the address, epsilon must be a positive number, got {text!r}. ε = {_number(state.EPSILON):g} is used."
        )
    if len(scene.stored) < scene.total:
        start_runs(scene)
    draw = partial(_draw, scene, badge, show_truth=show_truth, present=present)
    redraw_while(scene.working, draw, was_pending=scene.working())


def start_runs(scene: Scene) -> None:
    """Start the runs, nearest to the slider first, or move the slider of those that have started."""
    near, key = position()[0], (scene.data.source, scene.workload.domain, scene.workload.spec, scene.systems)
    if scene.grid is None and scene.public:
        scene.grid = GRIDS.get(key)
    if (scene.grid is None or scene.grid.status in ("failed", "stopped")) and may_start(RUNS):
        begin = partial(Grid, scene.data.records, scene.workload, scene.systems, seed=SEED, near=near)
        scene.grid = GRIDS.begin(key, begin) if scene.public else begin()
        count_work(scene.grid)
        if not scene.public:
            state.stop_at_end(scene.grid)
    if scene.grid is not None:
        scene.grid.near = near


def position() -> tuple[int, float]:
    """Where the sliders stand, by the address or as this tab left them: the place of ε, and the share of the budget."""
    return nearest_place(_number(state.EPSILON)), min(_number(state.SHARE), 1.0)


def _number(key: str) -> float:
    text = str(st.query_params.get(key, st.session_state.get(key, 1.0)))
    return float(text) if _is_positive(text) else 1.0


def _is_positive(text: str) -> bool:
    try:
        return 0 < float(text) < math.inf
    except ValueError:
        return False


def _draw(scene: Scene, badge: Badge, *, show_truth: bool, present: bool) -> None:
    tracks = scene.tracks
    new = {key: track for key, track in tracks.items() if key not in scene.sent}
    sent = demonstration(
        message_of(scene, new, badge, position(), available=list(tracks), show_truth=show_truth, present=present),
        key="demonstration",
    )
    scene.sent |= new.keys()
    for sentence in filter(None, [scene.grid.problem, *scene.grid.refused.values()] if scene.grid else []):
        problem(sentence)
    _take_over(scene, sent)


def _take_over(scene: Scene, sent: Any) -> None:
    """Follow what the browser has sent: where the sliders stand, a question, or that it lacks runs."""
    if sent.missing:
        st.rerun()  # the whole page sends all of them
    if sent.at:
        at, share = int(sent.at["epsilon"]), float(sent.at["share"])
        st.session_state[state.EPSILON], st.session_state[state.SHARE] = EPSILONS[at], round(share, 4)
        for key in (state.EPSILON, state.SHARE):
            st.query_params[key] = f"{st.session_state[key]:g}"
        if scene.grid:
            scene.grid.near = at
    if sent.question:
        _ask(scene, str(sent.question))
        st.rerun()


def _ask(scene: Scene, text: str) -> None:
    scene.inquiry = scene.refused = None
    try:
        scene.inquiry = Inquiry(text, scene.data.records, scene.workload)
    except ValueError as error:
        scene.refused = Question(text, problem=str(error))
        return
    start_runs(scene)


def message_of(
    scene: Scene,
    tracks: Mapping[Key, Track],
    badge: Badge,
    at: tuple[int, float],
    *,
    available: Sequence[Key],
    show_truth: bool,
    present: bool,
    saved: Sequence[Question] = (),
) -> dict[str, Any]:
    """The message with these tracks, of all `available` ones, and where the sliders are `at`.

    Without `show_truth` nothing of the truth is in it.
    """
    data, Q = scene.data, scene.workload
    left = scene.total - len(scene.tracks)
    computing = scene.grid is not None and scene.grid.active
    return runs_message(
        key=f"{data.source} {hash((Q.domain, Q.spec))} {scene.systems} {show_truth}",
        title=data.title,
        workload=Q.name,
        n=data.records.total,
        delta=0.0,
        epsilons=EPSILONS,
        systems=systems_of(scene),
        tables=scene.tables,
        runs={(key.system, key.at): track for key, track in tracks.items()},
        badge=badge,
        truth=scene.truth if show_truth else None,
        uniform=scene.uniform if show_truth else None,
        available=available,
        waiting=f"{len(scene.tracks)} of {scene.total} runs are there" if left and computing else "",
        question=scene.question,
        questions=scene.examples,
        saved=saved,
        at=at,
        asks=True,
        present=present,
    )


def take_page(scene: Scene, badge: Badge, verdict: str, *, show_truth: bool) -> None:
    """A button for the picture as one file, which opens from a mail."""
    tracks, at = scene.tracks, position()

    def made() -> str:
        asked = [scene.question] if scene.question else []
        data = message_of(
            scene, tracks, badge, at, available=list(tracks), show_truth=show_truth, present=False, saved=asked
        )
        return demonstration_page(data, verdict=verdict)

    download(
        "Picture in one file",
        made,
        f"{scene.data.title.lower().replace(' ', '_')}.html",
        "text/html",
        icon=":material/download:",
        help=plain(verdict),
    )

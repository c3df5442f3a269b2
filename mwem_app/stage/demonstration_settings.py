"""Which systems a demonstration shows, whether it is shown for a projector, and the page that one takes along."""

import streamlit as st

from mwem_app.base import Badge
from mwem_app.page import download, plain
from mwem_app.session import state
from mwem_app.stage.page import demonstration_page
from mwem_app.stage.scene import Scene
from mwem_app.stage.showing import message_of, position
from mwem_core.stage import EPSILONS
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

TITLE = "3 Systems"
MAX_SYSTEMS = 3
OFFERED = "mwem", "automatic", "mwem-paper", "tables", "mwem-pgm", "privbayes", "barak", "barak-lp"
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
    able = [name for name in OFFERED if workload is None or _runs(name, workload, n)]
    chosen = st.multiselect(
        TITLE,
        able,
        default=able[:1],
        max_selections=MAX_SYSTEMS,
        format_func=lambda name: SYSTEMS[name].title,
        key=state.SHOWN,
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

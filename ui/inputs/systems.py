"""Which systems to put side by side, on how many seeds, by what to judge them, and where their trials run."""

from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from importlib.util import find_spec

import streamlit as st

from mwem_core.evaluation.executors import cluster, pool, processors
from mwem_core.privacy.budget import Guarantee
from mwem_core.systems import SYSTEMS
from mwem_core.workload.workload import Workload
from ui.page.wording import plain
from ui.results.metrics import available
from ui.session import state

USUAL = (("mwem",), ("aim", "mwem-paper"), ("privbayes",), ("laplace",), ("uniform",))  # of each the first that can
MOST_SEEDS, MOST_EPSILONS, MOST_TS = 100, 40, 20
BY_RULE = "rule"


def choose_systems(workload: Workload, *, n: int, epsilon: float, delta: float) -> list[str]:
    """The chosen systems that can serve the workload; of each other one a sentence says why it cannot."""
    asked = workload.domain, workload.spec, n, epsilon, delta
    refusals = state.remember("refusals", asked, lambda: refused(workload, n=n, epsilon=epsilon, delta=delta))
    able = [next((name for name in names if name not in refusals), None) for names in USUAL]
    chosen = st.pills(
        "Systems",
        list(SYSTEMS),
        selection_mode="multi",
        default=state.following(state.SYSTEMS, [name for name in able if name]),
        format_func=lambda name: SYSTEMS[name].title,
        key=state.SYSTEMS,
        bind=state.BIND,
        label_visibility="collapsed",
    )
    for name in chosen:
        if name in refusals:
            st.caption(f":material/block: **{plain(SYSTEMS[name].title)}** sits this out: {plain(refusals[name])}.")
    if not chosen:
        st.caption("No system is chosen: choose at least one.")
    return [name for name in SYSTEMS if name in chosen and name not in refusals]


def refused(workload: Workload, *, n: int, epsilon: float, delta: float) -> dict[str, str]:
    """The systems that cannot serve this workload at all, each with its own sentence."""
    found = {}
    for name, system in SYSTEMS.items():
        try:
            system.settings(workload, n=n, epsilon=epsilon, delta=delta).check(workload)
        except ValueError as error:
            found[name] = str(error)
    return found


def tell_systems() -> None:
    """What each system is, in a corner of its own."""
    with st.popover("What are they?", icon=":material/help:", width="content"):
        for system in SYSTEMS.values():
            gives = "rows and answers" if system.gives == "rows" else "answers only"
            st.markdown(f"**{plain(system.title)}** · {gives} · privacy: {system.privacy}  \n{plain(system.differs)}")


def choose_seeds() -> int:
    """How often each system runs, each time with other noise."""
    seeds = st.number_input(
        "Seeds",
        1,
        MOST_SEEDS,
        value=5,
        key=state.SEEDS,
        bind=state.BIND,
        width=110,
        help="Each system runs once a seed. Two tell something of the spread, five give a fair interval.",
    )
    return int(seeds or 1)


def choose_metric(workload: Workload) -> str:
    """By what to judge; kept where a change of workload leaves it."""
    names = available(workload.tabular)
    if st.session_state.get(state.METRIC) not in (None, *names):
        st.session_state[state.METRIC] = names[0]
    return st.segmented_control(
        "Judge by",
        names,
        default=names[0],
        required=True,
        key=state.METRIC,
        bind=state.BIND,
        wrap=True,
        label_visibility="collapsed",
    )


def choose_executor() -> Callable[[], Executor]:
    """Where trials run: processes of this machine, or a Dask cluster where its client is installed.

    The address stays out of the page's own: a link that somebody else wrote must not make this server connect anywhere.
    """
    with st.popover("Where to run", icon=":material/memory:", width="content"):
        workers = st.number_input("Processes", 1, 256, value=processors(), key="_workers", persist_state="session")
        address = ""
        if find_spec("distributed"):
            address = st.text_input(
                "Or a Dask scheduler",
                placeholder="tcp://host:8786",
                key="_cluster",
                persist_state="session",
                help="Its workers need this package. The table is sent to them.",
            ).strip()
    return partial(cluster, address) if address else partial(pool, int(workers or 1))


def choose_epsilons() -> list[float]:
    """ε to sweep, in order; raises ValueError, naming what is none."""
    text = st.text_input(
        "Privacy budgets ε",
        value="0.05, 0.1, 0.2, 0.5, 1, 2, 5",
        key=state.EPSILONS,
        bind=state.BIND,
        help="Separated by commas. A **smaller** ε is **more** private and means **more** noise.",
    )
    epsilons = sorted({_epsilon(part) for part in _parts(text)})
    if not 1 <= len(epsilons) <= MOST_EPSILONS:
        raise ValueError(f"a sweep takes 1 to {MOST_EPSILONS} values of ε, got {len(epsilons)}: such as 0.1, 0.5, 1")
    return epsilons


def choose_Ts() -> list[int | None]:
    """T to sweep, None being each system's own rule; raises ValueError, naming what is none."""
    text = st.text_input(
        "Rounds T",
        value=BY_RULE,
        key=state.TS,
        bind=state.BIND,
        help="Separated by commas, for the systems that have rounds: numbers, or **rule** for each system's own.",
    )
    Ts = dict.fromkeys(_T(part) for part in _parts(text))
    if not 1 <= len(Ts) <= MOST_TS:
        raise ValueError(f"a sweep takes 1 to {MOST_TS} values of T, got {len(Ts)}: such as rule, 5, 10, 20")
    return sorted(Ts, key=lambda T: T or 0)


def _parts(text: str | None) -> list[str]:
    return [part for part in (text or "").replace(";", ",").replace(",", " ").split() if part]


def _epsilon(text: str) -> float:
    try:
        epsilon = float(text)
    except ValueError:
        raise ValueError(f"every ε must be a positive number, got {text!r}: write such as 0.1, 0.5, 1") from None
    Guarantee(epsilon)
    return epsilon


def _T(text: str) -> int | None:
    if text == BY_RULE:
        return None
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ValueError(f"every T must be a whole number of at least 1, or {BY_RULE}, got {text!r}")
    return int(text)

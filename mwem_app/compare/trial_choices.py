"""Settings of a comparison: the seeds, the values of ε and T, the metric, and where the trials run."""

import os
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial

import streamlit as st

from mwem_app.compare.metrics import metric_names
from mwem_app.page import plain
from mwem_app.session import PROCESSES, WORKER_BYTES, is_demo, state
from mwem_core.judge import cluster, pool, processors
from mwem_core.privacy import Guarantee
from mwem_core.workload import Workload

MAX_SEEDS, MAX_EPSILONS, MAX_TS, MAX_T_DIGITS = 100, 40, 20, 9
BY_RULE = "rule"
SCHEDULER = "MWEM_SCHEDULER"  # in the environment: the address of a Dask scheduler, such as tcp://host:8786


def choose_seeds() -> int:
    """Let the user choose the number of seeds; each system runs once per seed."""
    seeds = st.number_input(
        "Seeds",
        1,
        MAX_SEEDS,
        value=5,
        key=state.SEEDS,
        bind=state.BIND,
        width=110,
        help="Each system runs once per seed, each time with different noise. Two seeds hint at the spread; five give "
        "a fair confidence interval.",
    )
    return int(seeds or 1)


def choose_metric(workload: Workload) -> str:
    """Let the user choose the metric; the choice stays if the new workload has this metric."""
    names = metric_names(workload.tabular)
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
    """Let the user choose where trials run: processes of this machine, or the Dask cluster of the server's operator.

    A visitor names no scheduler: this server would connect to it, and a scheduler may run code in its clients. In a
    public demo there is no choice.
    """
    if is_demo():
        return partial(pool, PROCESSES, most_bytes=WORKER_BYTES)
    with st.popover("Where to run", icon=":material/memory:", width="content"):
        workers = st.number_input(
            "Processes", 1, processors(), value=processors(), key="_workers", persist_state="session"
        )
        address = os.environ.get(SCHEDULER, "")
        remote = address and st.toggle(
            f"On the cluster {plain(address)}",
            key="_cluster",
            persist_state="session",
            help="The table is sent to the workers of this Dask cluster.",
        )
    return partial(cluster, address) if remote else partial(pool, int(workers or 1))


def choose_epsilons() -> list[float]:
    """Let the user list the values of ε, returned in order; raises ValueError that names an invalid value."""
    text = st.text_input(
        "3 Privacy budgets ε",
        value="0.05, 0.1, 0.2, 0.5, 1, 2, 5",
        key=state.EPSILONS,
        bind=state.BIND,
        help="Separated by commas. A **smaller** ε is **more** private and means **more** noise.",
    )
    epsilons = sorted({_epsilon(part) for part in _parts(text)})
    if not 1 <= len(epsilons) <= MAX_EPSILONS:
        raise ValueError(
            f"trials take 1 to {MAX_EPSILONS} values of ε, got {len(epsilons)}: write them as in 0.1, 0.5, 1"
        )
    return epsilons


def choose_Ts() -> list[int | None]:
    """Let the user list the values of T, None for each system's own rule; raises ValueError for an invalid value."""
    text = st.text_input(
        "Rounds T",
        value=BY_RULE,
        key=state.TS,
        bind=state.BIND,
        help="Separated by commas: numbers, or **rule** for each system's own rule. Only for systems that have rounds.",
    )
    Ts = dict.fromkeys(_T(part) for part in _parts(text))
    if not 1 <= len(Ts) <= MAX_TS:
        raise ValueError(f"trials take 1 to {MAX_TS} values of T, got {len(Ts)}: write them as in rule, 5, 10, 20")
    return sorted(Ts, key=lambda T: T or 0)


def _parts(text: str | None) -> list[str]:
    return [part for part in (text or "").replace(";", ",").replace(",", " ").split() if part]


def _epsilon(text: str) -> float:
    try:
        epsilon = float(text)
    except ValueError:
        raise ValueError(f"every ε must be a positive number, got {text!r}: write them as in 0.1, 0.5, 1") from None
    Guarantee(epsilon)
    return epsilon


def _T(text: str) -> int | None:
    if text == BY_RULE:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_T_DIGITS and int(text) > 0):
        raise ValueError(f"every T must be a whole number of at least 1, or {BY_RULE}, got {text!r}")
    return int(text)

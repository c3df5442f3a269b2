"""Trials as a file: to take away, and to go on from."""

from collections.abc import Sequence

import streamlit as st

from mwem_core.evaluation.trials import Result, Trial
from mwem_core.evaluation.trials_file import COLUMNS, from_csv, to_csv
from mwem_core.systems import SYSTEMS
from mwem_core.workload.workload import Workload
from ui.inputs.data import Data
from ui.inputs.systems import BY_RULE
from ui.page.wording import problem, show_badge
from ui.session import state
from ui.words.badges import PRIVATE
from ui.words.numbers import count

FILE, REFUSED, TAKEN = "_trials_file", "_trials_refused", "_trials_taken"
MOST_BYTES = 20 * 10**6


def offer_results(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """Download what there is when it is asked for."""
    found = state.trial_results(data.source, workload)  # what makes a file sees no session
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Trials so far, CSV",
            data=lambda: to_csv(found[trial] for trial in trials if trial in found),
            file_name="mwem_trials.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
        show_badge(PRIVATE)


def take_results(data: Data, workload: Workload) -> None:
    """Upload what was downloaded, here or elsewhere, and go on from it."""
    with st.expander("Go on from a file of trials", icon=":material/upload:"):
        st.file_uploader(
            "A CSV of trials, as downloaded from this page or written by `mwem compare`",
            type=["csv"],
            key=FILE,
            max_upload_size=MOST_BYTES // 10**6,
            on_change=_take,
            args=(data, workload),
            help="Of this table and these questions. Its ε, T, seeds and systems are set above, and no trial in it is "
            "run again.",
        )
        if refused := st.session_state.get(REFUSED):
            problem(refused)
        elif taken := st.session_state.get(TAKEN):
            st.caption(f":material/check: {count(taken, 'trial')} taken from the file.")


def _take(data: Data, workload: Workload) -> None:
    for slot in (REFUSED, TAKEN):
        st.session_state.pop(slot, None)
    file = st.session_state.get(FILE)
    if file is None:
        return
    try:
        results = read_trials(file.getvalue(), data, workload)
    except ValueError as error:
        st.session_state[REFUSED] = str(error)
        return
    state.trial_results(data.source, workload).update((result.trial, result) for result in results)
    st.session_state[TAKEN] = len(results)
    _set({result.trial for result in results})


def read_trials(content: bytes, data: Data, workload: Workload) -> list[Result]:
    """The trials of a file; raises ValueError where it holds others than of this table and workload."""
    if len(content) > MOST_BYTES:
        raise ValueError(f"the file has {len(content) / 10**6:.1f} MB, over the limit of {MOST_BYTES / 10**6:.0f} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("the file is no CSV of trials: it is not text") from None
    if text.partition("\n")[0].strip() != ",".join(COLUMNS):
        raise ValueError("the file is no CSV of trials: take one that was downloaded here or written by mwem compare")
    results = from_csv(text)
    if not results:
        raise ValueError("the file holds no trial")
    asked = workload.spec, data.records.total, workload.domain.size
    for result in results:
        if result.trial.system not in SYSTEMS:
            raise ValueError(f"the file holds trials of {result.trial.system!r}, which is no system here")
        if (found := (result.workload, result.n, result.domain_size)) != asked:
            spec, n, cells = found
            raise ValueError(
                f"the file holds trials of {spec} on {n:,} records and {cells:,} cells: choose that table, those "
                "attributes and those questions first"
            )
    return results


def _set(trials: set[Trial]) -> None:
    """The settings above, as the file has them."""
    epsilons, seeds = sorted({trial.epsilon for trial in trials}), max(trial.seed for trial in trials) + 1
    Ts = {trial.T for trial in trials if SYSTEMS[trial.system].takes_T} or {None}
    st.session_state[state.EPSILONS] = ", ".join(f"{epsilon!r}" for epsilon in epsilons)
    st.session_state[state.TS] = ", ".join(f"{T or BY_RULE}" for T in sorted(Ts, key=lambda T: T or 0))
    st.session_state[state.SEEDS] = seeds
    st.session_state[state.SYSTEMS] = [name for name in SYSTEMS if any(trial.system == name for trial in trials)]
    st.session_state[state.DELTA] = f"{max(trial.delta for trial in trials):g}"

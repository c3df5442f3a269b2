"""Trials as a CSV file: download them, and continue from them later."""

from collections.abc import Sequence

import streamlit as st

from mwem_app.base import Badge, count
from mwem_app.compare.controls import BY_RULE, results_of
from mwem_app.inputs import Data
from mwem_app.page import download, problem, show_badge, upload_file
from mwem_app.session import state
from mwem_core.judge import Result, Trial, from_csv, to_csv
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

TRIALS_FILE, REFUSAL, TRIALS_READ = "_trials_file", "_trials_refusal", "_trials_read"
MAX_FILE_BYTES = 20 * 10**6


def offer_results(data: Data, workload: Workload, trials: Sequence[Trial], badge: Badge) -> None:
    """A button that downloads the results so far. The file is made when the button is pressed."""
    results = results_of(data, workload, trials)  # read here: a download callback has no session state
    with st.container(horizontal=True, vertical_alignment="center"):
        download(
            "Trials so far, CSV", lambda: to_csv(results), "mwem_trials.csv", "text/csv", icon=":material/download:"
        )
        show_badge(badge)


def upload_results(data: Data, workload: Workload) -> None:
    """A field for such a file: its trials count as run, and the page takes its settings."""
    with st.expander("Continue from a file of trials", icon=":material/upload:"):
        upload_file(
            "A CSV of trials, downloaded from this page or written by `mwem compare`",
            type=["csv"],
            key=TRIALS_FILE,
            max_upload_size=MAX_FILE_BYTES // 10**6,
            on_change=_read_upload,
            args=(data, workload),
            help="The file must come from this table and this workload. The settings above take its ε, T, seeds and "
            "systems. Its trials are not run again.",
        )
        if refusal := st.session_state.get(REFUSAL):
            problem(refusal)
        elif trials_read := st.session_state.get(TRIALS_READ):
            st.caption(f":material/check: {count(trials_read, 'trial')} read from the file.")


def _read_upload(data: Data, workload: Workload) -> None:
    for key in (REFUSAL, TRIALS_READ):
        st.session_state.pop(key, None)
    file = st.session_state.get(TRIALS_FILE)
    if file is None:
        return
    try:
        results = read_trials(file.getvalue(), data, workload)
    except ValueError as error:
        st.session_state[REFUSAL] = str(error)
        return
    state.trial_results(data.source, workload).update((result.trial, result) for result in results)
    st.session_state[TRIALS_READ] = len(results)
    _apply_settings({result.trial for result in results})


def read_trials(content: bytes, data: Data, workload: Workload) -> list[Result]:
    """The results in a file; raises ValueError if any comes from another table, workload or version."""
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"the file has {len(content) / 10**6:.1f} MB, the limit is {MAX_FILE_BYTES / 10**6:.0f} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("the file is not a CSV of trials: it is not text") from None
    results = from_csv(text)
    if not results:
        raise ValueError("the file has no trials")
    expected = workload.spec, data.records.total, workload.domain.size
    for result in results:
        if result.trial.system not in SYSTEMS:
            raise ValueError(f"the file has trials of {result.trial.system!r}, which is not a system of this version")
        if (result.workload, result.n, result.domain_size) != expected:
            raise ValueError(
                f"the file has trials of {result.workload!r} on {result.n:,} records and {result.domain_size:,} cells: "
                "choose that table, those attributes and that workload first"
            )
    return results


def _apply_settings(trials: set[Trial]) -> None:
    """Set the page's ε, T, seeds, systems and δ to those of the trials."""
    epsilons, seeds = sorted({trial.epsilon for trial in trials}), max(trial.seed for trial in trials) + 1
    Ts = {trial.T for trial in trials if SYSTEMS[trial.system].takes_T} or {None}
    st.session_state[state.EPSILONS] = ", ".join(f"{epsilon!r}" for epsilon in epsilons)
    st.session_state[state.TS] = ", ".join(f"{T or BY_RULE}" for T in sorted(Ts, key=lambda T: T or 0))
    st.session_state[state.SEEDS] = seeds
    st.session_state[state.SYSTEMS] = [name for name in SYSTEMS if any(trial.system == name for trial in trials)]
    st.session_state[state.DELTA] = f"{max(trial.delta for trial in trials):g}"

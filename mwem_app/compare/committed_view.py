"""The committed results that stand in for trials which this session has not run, and the sentence that says so."""

from collections.abc import Sequence

import streamlit as st

from mwem_app.base import count
from mwem_app.compare.committed import Committed, committed
from mwem_app.inputs import Data
from mwem_app.session import Results, state
from mwem_core.judge import Trial
from mwem_core.workload import Workload


def committed_results(data: Data, workload: Workload, trials: Sequence[Trial]) -> Results:
    """The committed results of those of the trials that have one: of bundled tables only, never of an upload.

    Empty if they are all of one system: nothing could be compared.
    """
    run = _committed(data, workload)
    found = {trial: run.results[trial] for trial in trials if trial in run.results} if run else {}
    return found if len({trial.system for trial in found}) > 1 else {}


def _committed(data: Data, workload: Workload) -> Committed | None:
    if data.provenance != "built in":
        return None
    key = data.source, workload.domain, workload.spec
    return state.remember("committed", key, lambda: committed(data.records, workload.spec))


def tell_committed(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """Say which of the results on this page are committed ones, and where their seconds come from."""
    own, run = state.trial_results(data.source, workload), _committed(data, workload)
    shown = [trial for trial in committed_results(data, workload, trials) if trial not in own]
    if not run or not shown:
        return
    which = "These results" if len(shown) == len(trials) else f"Results of {count(len(shown), 'trial')}"
    st.caption(
        f":material/inventory_2: {which} come with the program: version {run.version} computed them at these settings, "
        f"from this public table, on {run.day.day} {run.day:%B %Y}. The seconds were measured on another machine; "
        "**Run** computes everything again on this one."
    )

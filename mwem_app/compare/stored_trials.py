"""Results that come with the program: trials of the bundled tables at the settings with which the pages open.

`benchmarks/stored_results.py` writes them.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path

import streamlit as st

from mwem_app.base import count
from mwem_app.inputs import Data
from mwem_app.session import Results, state
from mwem_core.base import SAMPLES
from mwem_core.domain import Records
from mwem_core.judge import Result, Trial, from_csv
from mwem_core.workload import Workload

FOLDER = SAMPLES / "trials"
INDEX = "index.toml"


@dataclass(frozen=True)
class StoredTrials:
    """The committed results on one table and one workload: when and by which version they were computed."""

    day: date
    version: str
    results: Mapping[Trial, Result] = field(repr=False)


def read_stored(records: Records, workload: str, folder: Path = FOLDER) -> StoredTrials | None:
    """The committed results on exactly this table and this workload, by its spec; None if there are none."""
    entries = [entry for entry in _index(folder) if entry["workload"] == workload]
    if not entries:
        return None
    table = records.digest
    return next((_read(folder, entry["file"]) for entry in entries if entry["table"] == table), None)


@cache
def _index(folder: Path) -> list[dict]:
    file = folder / INDEX
    return tomllib.loads(file.read_text(encoding="utf-8"))["trials"] if file.exists() else []


@cache
def _read(folder: Path, file: str) -> StoredTrials:
    entry = next(entry for entry in _index(folder) if entry["file"] == file)
    results = from_csv((folder / file).read_text(encoding="utf-8"))
    by_trial = {result.trial: result for result in results}
    return StoredTrials(entry["day"], entry["version"], by_trial)


def stored_results(data: Data, workload: Workload, trials: Sequence[Trial]) -> Results:
    """The committed results of those of the trials that have one: of bundled tables only, never of an upload.

    Empty if they are all of one system: nothing could be compared.
    """
    run = _stored_of(data, workload)
    found = {trial: run.results[trial] for trial in trials if trial in run.results} if run else {}
    return found if len({trial.system for trial in found}) > 1 else {}


def _stored_of(data: Data, workload: Workload) -> StoredTrials | None:
    if data.provenance != "built in":
        return None
    key = data.source, workload.domain, workload.spec
    return state.remember("committed", key, lambda: read_stored(data.records, workload.spec))


def tell_stored_results(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """Say which of the results on this page are committed ones, and where their seconds come from."""
    own, run = state.trial_results(data.source, workload), _stored_of(data, workload)
    shown = [trial for trial in stored_results(data, workload, trials) if trial not in own]
    if not run or not shown:
        return
    which = "These results" if len(shown) == len(trials) else f"Results of {count(len(shown), 'trial')}"
    st.caption(
        f":material/inventory_2: {which} come with the program: version {run.version} computed them at these settings, "
        f"from this public table, on {run.day.day} {run.day:%B %Y}. The seconds were measured on another machine; "
        "**Run** computes everything again on this one."
    )

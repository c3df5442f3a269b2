"""The committed trials of the experiments with their verdicts, read once per server."""

from typing import NamedTuple

import streamlit as st

from mwem_core.experiments import results
from mwem_core.experiments.catalogue import EXPERIMENTS
from mwem_core.experiments.experiment import Verdict
from mwem_core.experiments.points import Frame


class Outcome(NamedTuple):
    """Trials of an experiment, and what they decide."""

    frame: Frame
    verdict: Verdict


@st.cache_resource(show_spinner=False)
def committed(name: str) -> Outcome | None:
    """The committed trials of an experiment; None where they did not come with the program."""
    frame = results.committed(name)
    return None if frame is None else Outcome(frame, EXPERIMENTS[name].verdict(frame))

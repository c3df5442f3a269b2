"""The paper: what of its claims holds, from committed trials."""

import inspect

import streamlit as st

from mwem_app.evidence import PUBLIC, show_claim, show_command, show_figure, show_overview, show_verdict, stored_outcome
from mwem_app.page import show_badge
from mwem_app.session import state
from mwem_core.experiments import EXPERIMENTS
from mwem_core.mwem import figures

PURPOSE = "**What of the papers holds on real data?** Trials decide each claim by a rule; anyone can run them again."

state.enter_by_app()
with st.container(horizontal=True, vertical_alignment="center"):
    st.markdown(PURPOSE)
    show_badge(PUBLIC)

with st.expander("The paper's Figures 1 and 8 in NumPy, the oracle of the tests"):
    st.code(inspect.getsource(figures), language="python")
known = {each.short_title: each for each in EXPERIMENTS.values()}
show_overview({title: stored_outcome(each.name).verdict for title, each in known.items()})
title = st.segmented_control(
    "Experiment",
    list(known),
    default=next(iter(known)),
    required=True,
    key=state.EXPERIMENT,
    bind=state.BIND,
    wrap=True,
)
experiment = known[title]
frame, verdict = stored_outcome(experiment.name)
show_claim(experiment, verdict)
show_figure(experiment, frame)
show_verdict(experiment, verdict)
with st.expander("Set-up"):
    st.markdown(experiment.setup)
show_command(experiment)

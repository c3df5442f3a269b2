"""The paper: what of its claims holds, from committed trials."""

import inspect

import streamlit as st

from mwem_app.evidence import (
    PUBLIC,
    overview,
    show_command,
    show_figure,
    show_title,
    show_verdict,
    stored_outcome,
)
from mwem_app.page import show_badge
from mwem_app.session import state
from mwem_core.experiments import EXPERIMENTS
from mwem_core.mwem import figures

state.enter_by_app()
known = {each.short_title: each for each in EXPERIMENTS.values()}
outcomes = {title: stored_outcome(each.name) for title, each in known.items()}
with st.container(horizontal=True, vertical_alignment="center"):
    claims = overview({title: outcome.verdict for title, outcome in outcomes.items()})
    st.markdown(f"**What of the papers holds on real data?** {claims}")
    show_badge(PUBLIC)

title = st.segmented_control(
    "Experiment",
    list(known),
    default=next(iter(known)),
    required=True,
    key=state.EXPERIMENT,
    bind=state.BIND,
    wrap=True,
    label_visibility="collapsed",
)
experiment = known[title]
frame, verdict = outcomes[title]
show_title(experiment, verdict)
show_figure(experiment, frame)
show_verdict(experiment, verdict)
with st.expander("Set-up"):
    st.markdown(experiment.setup)
show_command(experiment)
with st.expander("The paper's Figures 1 and 8 in NumPy, the oracle of the tests"):
    st.code(inspect.getsource(figures), language="python")

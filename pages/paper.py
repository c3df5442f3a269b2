"""The paper: what of its claims holds, from committed trials."""

import inspect

import streamlit as st

from mwem_app.evidence import PUBLIC, show_claim, show_figure, show_overview, show_rerun, show_verdict, stored_outcome
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
known = {each.short_title: each for each in EXPERIMENTS.values() if stored_outcome(each.name)}
if not known:
    st.info("The committed trials did not come with this copy. `mwem paper` runs an experiment.")
    st.stop()
show_overview({title: found.verdict for title, each in known.items() if (found := stored_outcome(each.name))})
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
results = stored_outcome(experiment.name)
assert results
show_claim(experiment, results.verdict)
show_figure(experiment, results)
show_verdict(experiment, results.verdict)
with st.expander("Set-up"):
    st.markdown(experiment.setup)
show_rerun(experiment, results)

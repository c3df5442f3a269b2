"""A link from a result to the same on the page Demonstrate, where ε is dragged."""

import streamlit as st

from mwem_app.session import state
from mwem_core.stage import EPSILONS
from mwem_core.systems import SYSTEMS


def link_to_demonstration(epsilon: float, system: str) -> None:
    """A link that sets the slider to the smallest of its ε that is at least this one, and shows this system."""
    enough = next((each for each in EPSILONS if each >= epsilon), EPSILONS[-1])
    st.page_link(
        "pages/demonstrate.py",
        label=f"Drag ε, from {enough:g}",
        icon=":material/slideshow:",
        query_params={state.EPSILON: f"{enough:g}", state.SHOWN: SYSTEMS[system].title},
    )

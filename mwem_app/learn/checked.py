"""The lamp: a law of the mechanism, verified while the page was drawn."""

import streamlit as st

from mwem_core.lessons.check import Check


def checked(check: Check, figures: str) -> None:
    """Say what was verified just now, with its figures: green if the law holds, red if it does not."""
    if check.holds:
        st.success(f"**Checked just now.** {figures}", icon=":material/verified:")
    else:
        st.error(
            f"**This mechanism breaks its promise.** {figures} Do not use it.",
            icon=":material/gpp_bad:",
        )

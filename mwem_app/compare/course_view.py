"""Multiplicative weights without noise: their error by round, and the theory that bounds it."""

import streamlit as st

from mwem_app.base import PRIVATE
from mwem_app.compare.course_charts import error_and_bound, potential_and_bound
from mwem_app.inputs import Data
from mwem_app.page import plot, section, titled
from mwem_app.session import MAX_INTERACTIVE_CELLS, state
from mwem_core.judge import course
from mwem_core.relatives import Weights
from mwem_core.workload import Workload


def show_course(data: Data, workload: Workload) -> None:
    """A hundred rounds on exact answers, beside the error bound and the potential that proves it. NOT private."""
    if workload.cells > MAX_INTERACTIVE_CELLS:
        return
    section("Why it works: multiplicative weights without noise", PRIVATE)
    key = data.source, workload.domain, workload.spec
    with st.spinner("Running a hundred rounds on exact answers …"):
        rounds = state.remember("course", key, lambda: course(Weights(), data.records, workload))
    grid = st.grid(2, min_column_width=300, gap="medium")
    for chart in (error_and_bound(rounds), potential_and_bound(rounds)):
        with grid.cell(), st.container(gap="xsmall"):
            st.markdown(titled(chart.title))
            plot(chart)
    st.caption(
        "The relative entropy of the truth to the model is at most ln|D| at the start and never negative. Each round "
        "reduces it by at least (largest error / 2)², with the error as a share of n. So the error cannot stay large: "
        "that of the average of T models is at most 2√(ln|D| / T). MWEM's error is larger because of its noise."
    )

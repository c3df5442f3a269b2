"""How it scales: what the benchmarks measured, ours beside others, and ours as tables grow."""

import streamlit as st

from mwem_app.charts import Chart
from mwem_app.evidence import (
    PUBLIC,
    benchmark_records,
    comparisons,
    error_against_time,
    frontier_settings,
    growth_panel,
    growths,
    provenance,
    ratios_by_table,
    seeds_behind,
)
from mwem_app.page import plain, plot, show_badge, title_text
from mwem_app.session import state
from mwem_core.experiments import FIGURE6

state.enter_by_app()


def show(chart: Chart, key: str, caption: str) -> None:
    with st.container(gap="xsmall"):
        st.markdown(title_text(chart.title))
        plot(chart, key)
        st.caption(caption)


records = benchmark_records()
by_row = comparisons(records)
with st.container(horizontal=True, vertical_alignment="center"):
    st.markdown(
        "Time, memory and error of **Automatic**, which takes what is expected to err least: beside other "
        "programs, and as tables grow."
    )
    show_badge(PUBLIC)

left, right = st.columns([1.15, 1], gap="large")
with left:
    st.subheader("Beside other programs", anchor=False)
    row = st.segmented_control(
        "Compare on",
        list(by_row),
        default=next(iter(by_row)),
        required=True,
        key=state.ROW,
        bind=state.BIND,
        wrap=True,
        label_visibility="collapsed",
    )
    comparison = by_row[row]
    seeds = seeds_behind([comparison.ours, *comparison.peers])
    sentences = [f"{plain(comparison.title)}. {seeds}; lower left is better."]
    if comparison.small_only:
        sentences.append("Errors are of marginals of at most 10⁴ cells, because some programs take no larger ones.")
    sentences.append(
        "Filled points: the time of a whole process, with imports and, for some programs, compilation. Hollow "
        "points: the time of the mechanism alone, once its code is compiled. Our code needs no compilation. "
        "Programs that use mbi compile again when they choose other marginals, for example with a new seed."
    )
    if comparison.unfinished:
        sentences.append(f"Did not finish: {plain('; '.join(comparison.unfinished))}.")
    caption = f"{' '.join(sentences)} {plain(provenance(comparison.records))}."
    show(error_against_time(comparison), "comparison", caption)
    st.subheader("As one size grows", anchor=False)
    grid = st.grid(2, min_column_width=240)
    for curve in growths(records):
        with grid.cell():
            chart = growth_panel(curve)
            show(chart, f"growth {curve.name}", plain(f"{curve.work}: seconds ∝ {chart.note}"))
    source = plain(provenance(of_size[0] for of_size in records["growth"].values()))
    st.caption(
        "Log scales. Dotted: the fitted power law. Each point is the median of three fresh processes, without "
        f"their start; bars from minimum to maximum. {source}."
    )
    st.page_link(
        "pages/paper.py",
        label="Many attributes: Figures 6 and 7 of the paper",
        icon=":material/article:",
        query_params={state.EXPERIMENT: FIGURE6.short_title},
    )
with right:
    st.subheader("Beside the best other private system", anchor=False)
    show(
        ratios_by_table(frontier_settings()),
        "frontier",
        "Each point is one task: a table, its two-way or three-way counts, and a privacy budget. Left of the "
        "dashed line Automatic is more exact than the best of the other private systems; right of it, less.  \n"
        "Within a table the budget grows downwards, from ε = 0.03 to 10. Filled points: pure ε. Hollow points: "
        "δ = 10⁻⁹.  \n"
        "Automatic was fitted to the tables without a mark; the judged and the watched ones were looked at while "
        "it was changed. `benchmarks/FRONTIER.md` has the rules of the comparison, other errors, and its limits.",
    )

"""Step 2: what a release protects, and how much of it the release gives away."""

import streamlit as st

from mwem_core.privacy.unit import MAX_RECORDS, RECORD, Unit
from mwem_core.releasing.terms import Terms
from mwem_core.releasing.words import guarantee_in_words, total_in_words
from mwem_core.workload.workload import Workload
from ui.inputs.privacy import choose_bins_share, choose_delta, choose_epsilon
from ui.page.wording import plain
from ui.release.source import Source

A_RECORD, A_PERSON = "A record", "A person"


def choose_unit(source: Source) -> tuple[Unit, bool]:
    """Let the user say what is protected: a record, or a person; and whether the number of records is public."""
    who = st.segmented_control(
        "What it protects",
        [A_RECORD, A_PERSON],
        default=A_RECORD,
        required=True,
        key="_release_unit",
        persist_state="session",
        help="The unit of privacy. **A record**: right if nobody has two. **A person**: all records of one person "
        "together, for tables in which a person may have several.",
    )
    unit = RECORD
    if who == A_PERSON:
        with st.container(horizontal=True):
            column = st.selectbox(
                "Named by column",
                source.table.column_names,
                key=f"_release_person {source.id}",
                persist_state="session",
            )
            most = st.number_input(
                "Records of each, at most",
                1,
                MAX_RECORDS,
                value=1,
                step=1,
                key="_release_most",
                persist_state="session",
            )
        st.caption("Of a person with more, a keyed hash drops the rest. The noise grows with the limit.")
        unit = Unit(column, int(most))
    public_total = st.toggle(
        "The number of records is public",
        key="_release_total",
        persist_state="session",
        help="Off: a small share of the budget buys a noisy number, and everything reads that one.",
    )
    return unit, public_total


def choose_terms(source: Source, workload: Workload, dataset: str, unit: Unit, *, public_total: bool) -> Terms:
    """Let the user set ε and δ; raises ValueError for terms that nothing can be released under."""
    epsilon = choose_epsilon("Privacy budget ε")
    share = choose_bins_share(workload.domain)
    delta = choose_delta(with_epsilon=True)
    return Terms(
        dataset=dataset,
        workload=workload,
        provenance=source.provenance,
        epsilon=epsilon,
        delta=delta,
        unit=unit,
        total="public" if public_total else "measured",
        decimal=source.decimal,
        bins_share=share,
    )


def describe_terms(terms: Terms) -> None:
    """Say what the terms promise, in words."""
    st.markdown(plain(guarantee_in_words(terms.guarantee)))
    if terms.total == "public":
        st.caption(plain(total_in_words(terms)))

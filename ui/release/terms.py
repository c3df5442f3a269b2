"""Step 2: what a release protects, and how much of it the release gives away."""

import streamlit as st

from mwem_core.privacy.unit import RECORD, Unit
from mwem_core.releasing.terms import Terms
from mwem_core.releasing.words import guarantee_in_words, total_in_words
from mwem_core.workload.workload import Workload
from ui.inputs.privacy import choose_bins_share, choose_delta, choose_epsilon
from ui.inputs.unit import choose_unit as choose_unit_of
from ui.page.wording import plain
from ui.release.source import Source
from ui.session import state


def choose_unit(source: Source) -> tuple[Unit, bool]:
    """Let the user say what is protected: a record, or a person; and whether the number of records is public."""
    upload = st.session_state.get(state.UPLOAD)
    declared = upload.unit if upload is not None and upload.id == source.id else RECORD
    unit = choose_unit_of(
        source.table.column_names, declared, attributes=source.domain.names, key="_release", source=source.id
    )
    several = unit.records > 1
    public_total = st.toggle(
        "The number of records is public",
        key="_release_total_private" if several else "_release_total",
        persist_state="session",
        disabled=several,
        help="Off: a small share of the budget buys a noisy number, and everything reads that one. It is always off "
        "where a person may have several records, as the number tells how many a person has.",
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
        public=source.public,
    )


def describe_terms(terms: Terms) -> None:
    """Say what the terms promise, in words."""
    st.markdown(plain(guarantee_in_words(terms.guarantee)))
    if terms.total == "public":
        st.caption(plain(total_in_words(terms)))

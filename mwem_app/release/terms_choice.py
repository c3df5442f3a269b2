"""Step 2: what a release protects, and how much of it the release gives away."""

import streamlit as st

from mwem_app.inputs import choose_bins_share, choose_delta, choose_epsilon, choose_unit as choose_unit_of
from mwem_app.page import SettingLine, plain
from mwem_app.release.release_source import Source
from mwem_app.session import state
from mwem_core.ask import offsets_share
from mwem_core.encoding import count_of, encode_unit
from mwem_core.forms import with_decimal
from mwem_core.privacy import RECORD, Unit
from mwem_core.release import MAX_COPIES, ROWS_FOR, RowsFor, Terms, guarantee_in_words, total_in_words
from mwem_core.systems import METHODS, SYSTEMS
from mwem_core.tables import without_values
from mwem_core.workload import Workload

TABLES = "tables"  # the system that measures every table
PURPOSES = {"rows": "synthetic rows", TABLES: "tables with intervals"}
FOR_HELP = (
    "**Synthetic rows**: choose the method. **Tables with intervals**: every table that is asked for is measured once, "
    "by the plan whose 95% intervals are narrowest, and the rows are fitted to them. It needs marginals or cuboids."
)
DEFAULT_COPIES = 20
ROWS: dict[RowsFor, str] = {"nearest": "nearest to the table", "analysis": "for analysis"}


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


def choose_terms(
    line: SettingLine, source: Source, workload: Workload, dataset: str, unit: Unit, *, public_total: bool
) -> Terms:
    """Let the user set the method, ε and δ; raises ValueError for terms that nothing can be released under."""
    with line.part("epsilon") as part:
        epsilon = choose_epsilon()
        part.says(f"ε = {epsilon:g}")
        share = choose_bins_share(workload.domain)
        delta = choose_delta(with_epsilon=True)
    with line.part("method") as part:
        method = choose_method(TABLES if source.questions else "rows")
        part.says(PURPOSES[TABLES] if method == TABLES else f"synthetic rows by {SYSTEMS[method].title}")
        with st.expander("More"):
            rows, copies = choose_rows(), choose_copies()
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
        count=source.count,
        public=source.public,
        system=method,
        rows=rows,
        copies=copies,
        questions=tuple(question.text for question in source.questions),
        offsets_share=offsets_share(source.questions, workload.domain),
    )


def choose_rows() -> RowsFor:
    """Let the user say what rows and answers are for, and say what that costs."""
    rows = st.radio("Rows", ROWS, format_func=ROWS.get, key="_release_rows", horizontal=True, persist_state="session")
    st.caption(ROWS_FOR[rows])
    return rows


def choose_copies() -> int:
    """Let the user say how many copies are written beside the rows."""
    return int(
        st.number_input(
            "Copies",
            0,
            MAX_COPIES,
            value=0,
            step=DEFAULT_COPIES,
            key="_release_copies",
            persist_state="session",
            help="Further tables, each of the same measurements with their noise drawn again, for R, Stata and others "
            "to combine. The report says how, and for what. They cost nothing of the budget. 20 are enough.",
        )
    )


def choose_method(purpose: str) -> str:
    """Let the user say what the release is for, and for rows choose the system that runs: Automatic at first."""
    at_first = list(PURPOSES).index(state.follow("_release_for", purpose))
    purpose = st.radio("For", PURPOSES, at_first, PURPOSES.get, key="_release_for", horizontal=True, help=FOR_HELP)
    if purpose == TABLES:
        return TABLES
    chosen = st.radio(
        "Method",
        METHODS,
        index=METHODS.index(Terms.system),
        format_func=lambda name: SYSTEMS[name].title,
        key="_release_method",  # not that of Run, where one chooses what to watch
        persist_state="session",
        horizontal=True,
    )
    return str(chosen)


def describe_terms(source: Source, terms: Terms) -> None:
    """Say what the terms promise, in words."""
    st.markdown(plain(guarantee_in_words(terms.guarantee)))
    if terms.count_column:
        st.caption(plain(count_of(terms.count_column)))
    if n := public_total_of(source, terms):
        st.caption(plain(total_in_words(terms)))
        st.caption(plain(f"{terms.method.title} on {n:,} records: {terms.forecast_in_words(n)}."))


def describe_forecast(terms: Terms, n: int) -> None:
    """Say what would be measured of about n records. The table is not read."""
    about = f"{terms.method.title}, if there are about {n:,} records: {terms.forecast_in_words(n)}."
    decides = terms.total == "measured" and terms.system != TABLES  # whose plan does not read n
    noisy = " The noisy number of records decides." if decides else ""
    st.caption(plain(f"{about}{noisy}"))


def public_total_of(source: Source, terms: Terms) -> int | None:
    """The number of records, where the user has declared it public."""
    if terms.total != "public":
        return None

    def count() -> int:
        table = with_decimal(source.table, terms.decimal)
        return without_values(lambda: encode_unit(table, terms.domain, terms.unit, count=terms.count)).total

    return int(state.remember("public total", (source.id, terms.domain, terms.unit, terms.count), count))

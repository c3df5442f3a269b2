"""The section on classifiers: trained on each system's rows, judged on real rows that no system has seen."""

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from mwem_core.domain.domain import Domain
from mwem_core.evaluation.classification import MAJORITY, MOST_CLASSES, REAL, Learned, Score, Target, compare
from mwem_core.evaluation.classifiers import CLASSIFIERS
from mwem_core.systems import SYSTEMS
from mwem_core.workload.workload import Workload
from ui.figures.classifiers import by_rows, errors, errors_by_system
from ui.inputs.data import Data
from ui.page.plots import plot, titled
from ui.page.wording import plain, problem, show_badge
from ui.results.benchmarks import Spread
from ui.session import state
from ui.words.badges import PRIVATE

TARGET = "target"
JUDGED = "_classifiers"  # what was last asked here and what came of it, in this session alone
MOST_LISTED = 200  # values of a target, to choose from


@st.fragment
def show_classifiers(
    data: Data, workload: Workload, systems: Sequence[str], *, epsilon: float, delta: float, seeds: int
) -> None:
    """Choose a target and classifiers, run those of `systems` that give rows, and show what was learned from them.

    All of it is judged on the data: NOT private. Where the truth is not to be shown, do not call it.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader("Classifiers trained on the rows", anchor=False, width="content")
        show_badge(PRIVATE)
    st.caption(
        "A fifth of the records is held out by lot. Each system is run on the others, classifiers are trained on the "
        "rows it gives, and judged on the real records that it never saw."
    )
    able = [name for name in systems if SYSTEMS[name].gives == "rows"]
    if not able:
        st.info("None of the chosen systems gives rows, so there is nothing to learn from: choose one that does.")
        return
    domain = workload.domain
    names = [name for name, size in zip(domain.names, domain.shape, strict=True) if size <= MOST_LISTED]
    if len(domain) == 1 or not names:
        st.info(f"Predicting takes two attributes, one of them of at most {MOST_LISTED} values: keep another one.")
        return
    target, classifiers = _choose(workload, names)
    if target is None or not classifiers:
        st.info("Choose a classifier, and of a target with many values those that count as yes.")
        return
    options = {"target": target, "classifiers": classifiers, "epsilon": epsilon, "delta": delta, "seeds": range(seeds)}
    asked = data.source, workload.domain, workload.spec, able, options
    if st.button("Train and judge", icon=":material/model_training:", key="train"):
        try:
            coming = compare(data.records, workload, able, **options)
            st.session_state[JUDGED] = asked, _judge(coming, steps=2 + len(able) * seeds)
        except ValueError as error:
            problem(error)
    held = st.session_state.get(JUDGED)
    if held is not None and held[0] == asked:
        _show(target, held[1], seeds)
    elif held is not None:
        st.caption(":material/info: The settings have changed since: train again to see what they do.")


def _choose(workload: Workload, names: list[str]) -> tuple[Target | None, list[str]]:
    """A target of these names, none where too many values are left to be told apart, and classifiers."""
    domain = workload.domain
    if st.session_state.get(TARGET) not in (None, *names):
        del st.session_state[TARGET]  # an attribute of another table
    with st.container(horizontal=True, vertical_alignment="bottom"):
        usual = names.index(_usual(domain))
        name = st.selectbox("Predict", names, index=usual, key=TARGET, bind=state.BIND, width=240)
        attribute = domain.attributes[domain.names.index(name)]
        yes, key = list[str](), f"yes {name}"
        if not set(st.session_state.get(key, ())) <= set(attribute.labels):
            del st.session_state[key]
        if attribute.size > 2:
            yes = st.multiselect(
                "is one of",
                attribute.labels,
                placeholder="each value is a class" if attribute.size <= MOST_CLASSES else "choose values",
                key=key,
                width=360,
            )
        classifiers = st.pills(
            "Classifiers", list(CLASSIFIERS), default=list(CLASSIFIERS), selection_mode="multi", key="learners"
        )
    if not any(len(S) > 1 and domain.names.index(name) in S for S in workload.sets):
        st.caption(
            f":material/info: These questions ask of no other attribute together with {plain(name)}: rows made for "
            "them can hardly teach it. Marginals of two or three attributes do."
        )
    target = Target(name, tuple(yes)) if yes or attribute.size <= MOST_CLASSES else None
    return target, classifiers


def _usual(domain: Domain) -> str:
    """The last of the attributes with the fewest values: tables tend to end with what is to be told from the rest."""
    return domain.names[max(range(len(domain)), key=lambda a: (-domain.shape[a], a))]


def _judge(coming: Iterable[Learned], steps: int) -> list[Learned]:
    """Everything, with the progress on show."""
    found = list[Learned]()
    with st.spinner("Training and judging", show_time=True):
        bar = st.progress(0.0)
        for learned in coming:
            found.append(learned)
            bar.progress(len(found) / steps)
        bar.empty()
    return found


def _show(target: Target, found: Sequence[Learned], seeds: int) -> None:
    able = [learned for learned in found if learned.scores]
    what = f"{target.attribute} is {' or '.join(target.yes)}" if target.yes else target.attribute
    if len(able) > 2:
        chart = errors_by_system(able, f"Errors in predicting {what}")
        st.markdown(titled(chart.title))
        plot(chart, "classifiers chart")
        of = "One seed" if seeds == 1 else f"Medians of {seeds} seeds, bars from least to most"
        st.caption(f"{of}. Dotted: trained on the real rows; dashed: always the majority class. Left is better.")
    st.table(_table(able), border="horizontal", alt="Errors and balanced accuracies by system and classifier")
    st.caption(
        "Misclassified, share of the held-out records, and in brackets the balanced accuracy: what it gets right of "
        "each class, averaged over the classes; guessing gets one divided by their number."
    )
    for said in dict.fromkeys(filter(None, map(_remark, found))):
        st.caption(f":material/info: {plain(said)}")


def _table(found: Sequence[Learned]) -> pd.DataFrame:
    """A row each of what was learned from, a column a classifier."""
    grouped = by_rows(found)
    names = list(grouped[REAL])
    (guess,) = grouped[MAJORITY].values()
    cells = {"real rows": [_told(grouped[REAL][c]) for c in names]}
    for name, scores in grouped.items():
        if name in SYSTEMS:
            cells[SYSTEMS[name].title] = [_told(scores[c]) for c in names]
    cells["always the majority class"] = [_told(guess)] * len(names)
    return pd.DataFrame.from_dict(cells, orient="index", columns=names)


def _told(scores: Sequence[Score]) -> str:
    balanced = Spread.of(score.balanced_accuracy for score in scores)
    return f"{errors(scores).middle:.1%} ({balanced.middle:.1%})"


def _remark(learned: Learned) -> str:
    """Why a system has no scores, or what its rows cannot teach."""
    title = SYSTEMS[learned.rows].title if learned.rows in SYSTEMS else "Real rows"
    if learned.problem:
        return f"{title}: {learned.problem}."
    if learned.never:
        few = ", ".join(learned.never[:3]) + (" …" if len(learned.never) > 3 else "")
        return f"{title}: no row was {few}, so it was never predicted."
    return ""

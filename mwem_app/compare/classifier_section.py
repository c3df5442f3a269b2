"""Classifiers trained on each system's synthetic rows, and tested on real records that no system has read."""

from collections.abc import Iterable, Sequence
from statistics import median

import pandas as pd
import streamlit as st

from mwem_app.base import PRIVATE
from mwem_app.inputs import Data
from mwem_app.page import plain, problem, section
from mwem_app.session import demo, is_demo, state
from mwem_core.domain import Domain
from mwem_core.judge import CLASSIFIERS, MAJORITY, MAX_CLASSES, REAL, ClassifierScore, Evaluation, Target, evaluate_rows
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

Scores = dict[str, dict[str, list[ClassifierScore]]]
TARGET = "target"
LAST_TEST = "_classifiers"  # the last settings and their scores, in this session only
MAX_LISTED_VALUES = 200  # of a target


def scores_by_source(evaluations: Sequence[Evaluation]) -> Scores:
    """The scores over seeds, by the rows that were trained on and by classifier."""
    grouped: Scores = {}
    for evaluation in evaluations:
        for score in evaluation.scores:
            grouped.setdefault(evaluation.source, {}).setdefault(score.classifier, []).append(score)
    return grouped


@st.fragment
def show_classifiers(
    data: Data, workload: Workload, systems: Sequence[str], *, epsilon: float, delta: float, seeds: int
) -> None:
    """Choose a target and classifiers; train them on the rows of those `systems` that give rows; show their errors.

    NOT private: everything is tested on the data. Do not call it while the truth is hidden.
    """
    section("Classifiers trained on synthetic rows", PRIVATE)
    st.caption(
        "A random fifth of the records is held out, and each system runs on the rest. Classifiers are trained on its "
        "synthetic rows and tested on the held-out records."
    )
    if is_demo():
        st.info(f"No classifier is trained: {demo.NO_TRAINING}.")
        return
    with_rows = [name for name in systems if SYSTEMS[name].gives == "rows"]
    if not with_rows:
        st.info("None of the chosen systems gives rows. Choose one that does.")
        return
    domain = workload.domain
    targets = [name for name, size in zip(domain.names, domain.shape, strict=True) if size <= MAX_LISTED_VALUES]
    if len(domain) == 1 or not targets:
        st.info(
            f"This needs two attributes, one of them with at most {MAX_LISTED_VALUES} values. Choose more under Table."
        )
        return
    target, classifiers = _choose(workload, targets)
    if target is None or not classifiers:
        st.info("Choose a classifier. If the target has many values, choose those that count as yes.")
        return
    options = {"target": target, "classifiers": classifiers, "epsilon": epsilon, "delta": delta, "seeds": range(seeds)}
    settings = data.source, workload.domain, workload.spec, with_rows, options
    if st.button("Train and test", icon=":material/model_training:", key="train"):
        try:
            scores = evaluate_rows(data.records, workload, with_rows, **options)
            st.session_state[LAST_TEST] = settings, _collect(scores, steps=2 + len(with_rows) * seeds)
        except ValueError as error:
            problem(error)
    last_settings, learned = st.session_state.get(LAST_TEST, (None, ()))
    if last_settings == settings:
        _show(target, learned, seeds)
    elif last_settings is not None:
        st.caption(":material/info: The settings have changed. Train again to see their errors.")


def _choose(workload: Workload, targets: list[str]) -> tuple[Target | None, list[str]]:
    """A target and classifiers. The target is None while it has more classes than `Target` allows."""
    domain = workload.domain
    if st.session_state.get(TARGET) not in (None, *targets):
        del st.session_state[TARGET]  # an attribute of another table
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Predict", targets, index=targets.index(_default(domain)), key=TARGET, bind=state.BIND, width=240
        )
        attribute = domain.attributes[domain.names.index(name)]
        yes, key = list[str](), f"yes {name}"
        if not set(st.session_state.get(key, ())) <= set(attribute.labels):
            del st.session_state[key]
        if attribute.size > 2:
            yes = st.multiselect(
                "Values that count as yes",
                attribute.labels,
                placeholder="each value is a class" if attribute.size <= MAX_CLASSES else "choose values",
                key=key,
                width=360,
            )
        classifiers = st.pills(
            "Classifiers", list(CLASSIFIERS), default=list(CLASSIFIERS), selection_mode="multi", key="learners"
        )
    if not any(len(S) > 1 and domain.names.index(name) in S for S in workload.sets):
        st.caption(
            f":material/info: No query of this workload combines {plain(name)} with another attribute, so rows made "
            "for it can hardly teach a classifier. Marginals of two or three attributes can."
        )
    target = Target(name, tuple(yes)) if yes or attribute.size <= MAX_CLASSES else None
    return target, classifiers


def _default(domain: Domain) -> str:
    """The last of the attributes with the fewest values: the target is often the last column."""
    return domain.names[max(range(len(domain)), key=lambda a: (-domain.shape[a], a))]


def _collect(scores: Iterable[Evaluation], steps: int) -> list[Evaluation]:
    """All scores, with a progress bar while they are computed."""
    collected = list[Evaluation]()
    with st.spinner("Training and testing", show_time=True):
        bar = st.progress(0.0)
        for learned in scores:
            collected.append(learned)
            bar.progress(len(collected) / steps)
        bar.empty()
    return collected


def _show(target: Target, learned: Sequence[Evaluation], seeds: int) -> None:
    scored = [entry for entry in learned if entry.scores]
    predicted = f"{target.attribute} is {' or '.join(target.yes)}" if target.yes else target.attribute
    st.markdown(f"**{plain(f'Errors in predicting {predicted}')}**")
    st.table(
        _table(scored),
        border="horizontal",
        hide_index=True,
        alt="Errors and balanced accuracies by system and classifier",
    )
    st.caption(
        f"Each cell holds {'' if seeds == 1 else f'medians over {seeds} seeds: '}"
        "the share of the held-out records that is misclassified and, in brackets, the balanced "
        "accuracy: the share of a class that is classified correctly, averaged over the classes. The balanced accuracy "
        "of guessing is 1 / (number of classes)."
    )
    for remark in dict.fromkeys(filter(None, map(_remark, learned))):
        st.caption(f":material/info: {plain(remark)}")


def _table(learned: Sequence[Evaluation]) -> pd.DataFrame:
    """One row per source of training rows, one column per classifier."""
    scores = scores_by_source(learned)
    classifiers = list(scores[REAL])
    (guess,) = scores[MAJORITY].values()
    cells = {"real rows": [_cell(scores[REAL][c]) for c in classifiers]}
    for name in scores:
        if name in SYSTEMS:
            cells[SYSTEMS[name].title] = [_cell(scores[name][c]) for c in classifiers]
    cells["nothing: always the majority class"] = [_cell(guess)] * len(classifiers)
    return pd.DataFrame([[rows, *texts] for rows, texts in cells.items()], columns=["trained on", *classifiers])


def _cell(scores: Sequence[ClassifierScore]) -> str:
    error, balanced = (median(getattr(score, name) for score in scores) for name in ("error", "balanced_accuracy"))
    return f"{error:.1%} ({balanced:.1%})"


def _remark(learned: Evaluation) -> str:
    """Why a system has no scores, or which values its rows lack."""
    title = SYSTEMS[learned.source].title if learned.source in SYSTEMS else "Real rows"
    if learned.problem:
        return f"{title}: {learned.problem}."
    if learned.unseen:
        values = ", ".join(learned.unseen[:3]) + (" …" if len(learned.unseen) > 3 else "")
        return f"{title}: no row has the value {values}, so classifiers never predict it."
    return ""

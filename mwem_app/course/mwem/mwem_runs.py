"""The runs on the class survey that the lesson MWEM draws: one for each ε."""

from typing import Any

import numpy as np
import streamlit as st

from mwem_app.course.mwem.mwem_numbers import EPSILON, ObservedRun, T, watch
from mwem_app.inputs import load_sample
from mwem_core.domain import Records
from mwem_core.privacy import Seeded
from mwem_core.workload import Workload, parse_workload

SURVEY = "Class survey"
EPSILONS = (1, 2, 4, 8, 16)


@st.cache_resource(max_entries=1, show_spinner=False)
def example() -> tuple[Records, Workload]:
    """The records of the class survey, and its workload."""
    records = load_sample(SURVEY)
    return records, parse_workload("marginals:2", records.domain)


@st.cache_data(max_entries=64, show_spinner=False)
def runs(seed: int) -> tuple[ObservedRun, ...]:
    """A run for each of `EPSILONS`, from the same seed."""
    B, Q = example()
    return tuple(watch(B, Q, epsilon=epsilon, T=T, noise=Seeded(seed)) for epsilon in EPSILONS)


def game(seed: int) -> dict[str, Any]:
    """What the drawing needs to play: the queries, the truth and every run, with the chances of its choices.

    Made from the records.
    """
    B, Q = example()
    return {
        "scene": "run",
        "names": [Q.query(j)[2] for j in range(Q.size)],
        "truth": Q.answers(B),
        "seed": seed,
        "T": T,
        "board": _board(Q),
        "start": EPSILONS.index(EPSILON),
        "runs": [_run_data(run) for run in runs(seed)],
    }


def first_round(seed: int) -> dict[str, Any]:
    """The same for the first round of the first run, without the chances: a prediction asks for them."""
    whole = game(seed)
    run = whole["runs"][whole["start"]]
    two = {name: run[name][:2] for name in ("model", "misplaced", "spent")}
    one = {name: run[name][:1] for name in ("chosen", "measured")}
    return whole | {"scene": "round", "start": 0, "runs": [run | two | one | {"probabilities": None}]}


def _board(Q: Workload) -> dict[str, Any]:
    """A place for each query: a row and a column of one board for all pairs, with the attributes as bands.

    A pair's first attribute is in the rows, which have all but the last one, and its second in the columns, which have
    all but the first.
    """
    labels = [attribute.labels for attribute in Q.domain.attributes]
    first = np.cumsum([0, *map(len, labels)]).tolist()  # of an attribute's rows; its columns begin `first[1]` earlier
    cells = [np.ndindex(len(labels[a]), len(labels[b])) for a, b in Q.sets]
    bands = [{"title": attribute.name, "labels": attribute.labels} for attribute in Q.domain.attributes]
    return {
        "rows": bands[:-1],
        "columns": bands[1:],
        "places": [
            (first[a] + r, first[b] - first[1] + c) for (a, b), own in zip(Q.sets, cells, strict=True) for r, c in own
        ],
    }


def _run_data(run: ObservedRun) -> dict[str, Any]:
    return {
        "epsilon": run.epsilon,
        "scale": run.scale,
        "misplaced": run.misplaced.round(5),
        "spent": run.spent.round(6),
        "probabilities": run.probabilities.round(3),
        "chosen": run.chosen,
        "model": np.rint(run.answers).astype(int),
        "measured": np.round(run.noisy_answers, 1),
    }

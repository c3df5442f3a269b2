"""The runs that the lesson MWEM draws: one for each ε, on the class survey query by query, on Adult table by table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.course.mwem.mwem_numbers import EPSILON, ObservedRun, T, watch
from mwem_app.inputs import SAMPLE, load_sample
from mwem_core.domain import Records
from mwem_core.privacy import Seeded
from mwem_core.workload import Workload, parse_workload


@dataclass(frozen=True)
class Example:
    """A table to run MWEM on: its workload, the ε to drag and the one to start with."""

    workload: str
    epsilons: tuple[float, ...]
    start: float


EXAMPLES = {
    "Class survey": Example("marginals:2", (1, 2, 4, 8, 16), EPSILON),
    "Adult": Example("cuboids:2", (0.01, 0.03, 0.1, 0.3, 1), 0.03),
}


@st.cache_resource(max_entries=len(EXAMPLES), show_spinner=False)
def example(title: str) -> tuple[Records, Workload]:
    """The records of an example, with the attributes chosen at first, and its workload."""
    records, chosen = load_sample(title), SAMPLE[title].attributes
    records = records.project(chosen) if chosen else records
    return records, parse_workload(EXAMPLES[title].workload, records.domain)


@st.cache_data(max_entries=64, show_spinner=False)
def runs(title: str, seed: int) -> tuple[ObservedRun, ...]:
    """A run for each ε of an example, from the same seed."""
    B, Q = example(title)
    return tuple(watch(B, Q, epsilon=epsilon, T=T, noise=Seeded(seed)) for epsilon in EXAMPLES[title].epsilons)


def game(title: str, seed: int) -> dict[str, Any]:
    """What the drawing needs to play: the candidates, the truth and every run, with the chances of its choices.

    Made from the records.
    """
    (B, Q), chosen = example(title), EXAMPLES[title]
    tables = Q.family == "cuboids"
    own = {
        "names": [Q.domain.label(S) for S in Q.sets] if tables else [Q.query(j)[2] for j in range(Q.size)],
        "cells": Q.part_cells if tables else None,
        "truth": None if tables else Q.answers(B),
    }
    return own | {
        "scene": "run",
        "table": title,
        "seed": seed,
        "T": T,
        "board": _board(Q),
        "start": chosen.epsilons.index(chosen.start),
        "runs": [_run_data(run, B.total, tables) for run in runs(title, seed)],
    }


def first_round(title: str, seed: int) -> dict[str, Any]:
    """The same for the first round of the first run, without the chances: a prediction asks for them."""
    whole = game(title, seed)
    run = whole["runs"][whole["start"]]
    two = {name: run[name][:2] for name in ("model", "misplaced", "spent")}
    one = {name: run[name][:1] for name in ("chosen", "measured")}
    return whole | {"scene": "round", "start": 0, "runs": [run | two | one | {"probabilities": None}]}


def _board(Q: Workload) -> dict[str, Any]:
    """A place for each candidate: a row and a column of one board for all pairs, with the attributes as bands.

    A pair's first attribute is in the rows, which have all but the last one, and its second in the columns, which have
    all but the first. Of whole tables each attribute is one row and one column.
    """
    tables, attributes = Q.family == "cuboids", Q.domain.attributes
    labels = [(attribute.name,) if tables else attribute.labels for attribute in attributes]
    first = np.cumsum([0, *map(len, labels)]).tolist()  # of an attribute's rows; its columns begin `first[1]` earlier
    cells = [np.ndindex(len(labels[a]), len(labels[b])) for a, b in Q.sets]
    bands = [
        {"title": "" if tables else attribute.name, "labels": own}
        for attribute, own in zip(attributes, labels, strict=True)
    ]
    return {
        "rows": bands[:-1],
        "columns": bands[1:],
        "places": [
            (first[a] + r, first[b] - first[1] + c) for (a, b), own in zip(Q.sets, cells, strict=True) for r, c in own
        ],
    }


def _place_values(run: ObservedRun, n: float, tables: bool) -> np.ndarray:
    """What a place shows of the model after each round: a query's answer, or the % of the records in a wrong cell."""
    return np.rint(50 * run.gaps / n if tables else run.answers).astype(int)


def _run_data(run: ObservedRun, n: float, tables: bool) -> dict[str, Any]:
    return {
        "epsilon": run.epsilon,
        "scale": run.scale,
        "misplaced": run.misplaced.round(5),
        "spent": run.spent.round(6),
        "probabilities": run.probabilities.round(3),
        "chosen": run.chosen,
        "model": _place_values(run, n, tables),
        "measured": None if tables else np.round(run.noisy_answers, 1),
    }

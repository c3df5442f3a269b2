"""The runs that the lesson MWEM draws: one for each ε, on the class survey query by query, on Adult table by table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.inputs.samples import SAMPLE, load_sample
from mwem_core.data.records import Records
from mwem_core.domain.domain import Domain
from mwem_core.lessons.mwem import Watched, watch
from mwem_core.privacy.noise import Seeded
from mwem_core.workload.spec import parse_workload
from mwem_core.workload.workload import Workload

T = 8


@dataclass(frozen=True)
class Example:
    """A table to run MWEM on: its workload, what one candidate is called, the ε to drag and the one to start with."""

    workload: str
    one: str
    epsilons: tuple[float, ...]
    start: float


EXAMPLES = {
    "Class survey": Example("marginals:2", "query", (1, 2, 4, 8, 16), 8),
    "Adult": Example("cuboids:2", "table", (0.01, 0.03, 0.1, 0.3, 1), 0.03),
}


@st.cache_resource(max_entries=len(EXAMPLES), show_spinner=False)
def example(title: str) -> tuple[Records, Workload]:
    """The records of an example, with the attributes chosen at first, and its workload."""
    records, chosen = load_sample(title), SAMPLE[title].attributes
    records = records.project(chosen) if chosen else records
    return records, parse_workload(EXAMPLES[title].workload, records.domain)


@st.cache_data(max_entries=64, show_spinner=False)
def runs(title: str, seed: int) -> tuple[Watched, ...]:
    """A run for each ε of an example, from the same seed."""
    B, Q = example(title)
    return tuple(watch(B, Q, epsilon=epsilon, T=T, noise=Seeded(seed)) for epsilon in EXAMPLES[title].epsilons)


def board(title: str, seed: int) -> dict[str, Any]:
    """What the drawing needs: the candidates, the truth and every run, with the chances of its choices.

    Made from the records.
    """
    (B, Q), chosen = example(title), EXAMPLES[title]
    tables = Q.family == "cuboids"
    own = {
        "names": [Q.domain.label(S) for S in Q.sets] if tables else [Q.query(j)[2] for j in range(Q.size)],
        "cells": Q.part_cells if tables else None,
        "truth": None if tables else Q.answers(B),
        "groups": None if tables else [_table(Q.domain, S) for S in Q.sets],
    }
    return own | {
        "table": title,
        "seed": seed,
        "T": T,
        "one": chosen.one,
        "start": chosen.epsilons.index(chosen.start),
        "runs": [_drawn(run, tables) for run in runs(title, seed)],
    }


def _table(domain: Domain, S: tuple[int, ...]) -> dict[str, Any]:
    rows, columns = (domain.attributes[a].labels for a in S)
    return {"title": domain.label(S), "rows": rows, "columns": columns}


def _drawn(run: Watched, tables: bool) -> dict[str, Any]:
    return {
        "epsilon": run.epsilon,
        "scale": run.scale,
        "misplaced": run.misplaced,
        "spent": run.spent,
        "probabilities": run.probabilities.round(4),
        "chosen": run.chosen,
        "gaps": run.gaps.round(1),
        "answers": None if tables else run.answers.round(2),
        "measured": None if tables else np.round(run.measured, 1),
    }

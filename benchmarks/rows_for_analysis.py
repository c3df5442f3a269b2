"""Rows nearest to the table, and rows for analysis: how far off tables and correlations of each are.

    python benchmarks/rows_for_analysis.py czech rochdale class_survey adult-six adult-eight made > ANALYSIS.tsv

A line a table, ε, system and kind of rows, over all pairs of attributes: the mean total variation; of the correlations
that differ from 0 by more than three standard errors of the private table, by how many of these the rows' ones are
weaker in the mean over the runs; and the root mean square error of all correlations, in the same unit. Values count as
their places. Of `made`, six ordered attributes of eight values each depend on the one before. `tables` measures every
pair, Automatic those that are expected to lower the total variation. It reads the truth.
"""

import math
import sys
import time
from itertools import combinations, product

import numpy as np
from frequencies import count_of
from rows import SAMPLES

from mwem_core import Domain, Records, Seeded, encode, nearest_rows, parse_workload, read_table
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.values import Values
from mwem_core.model.average import Model
from mwem_core.releasing.released import Released
from mwem_core.releasing.terms import RowsFor, Terms

BUNDLED = {"czech": "czech.csv", "rochdale": "rochdale.csv", "class_survey": "class_survey.csv"}
ADULT = {
    "adult-six": ("age", "education", "marital-status", "hours-per-week", "sex", "income"),
    "adult-eight": (
        *("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"),
    ),
}
EPSILONS, RUNS, FEW_RUNS = (0.3, 1.0, 3.0), 16, 4
CLEAR = 3.0  # standard errors from 0


def made(n: int = 4_000) -> Records:
    """Six attributes of eight ordered values, each correlated with the one before by .6 before it is cut."""
    rng, z, codes = np.random.default_rng(0), np.zeros(n), []
    for _ in range(6):
        z = 0.6 * z + 0.8 * rng.standard_normal(n)
        codes.append(np.clip(np.round(2 * z + 3.5), 0, 7).astype(np.uint8))
    values = Values(tuple("01234567"))
    return Records(Domain(tuple(Attribute(name, values) for name in "abcdef")), tuple(codes))


def table(name: str) -> Records:
    """A table by its name here."""
    if name == "made":
        return made()
    file = BUNDLED.get(name, "adult.parquet")
    schema = SAMPLES / f"{file.partition('.')[0]}.toml"
    domain = Domain.from_toml(schema.read_text(encoding="utf-8"))
    domain = domain.project(ADULT[name]) if name in ADULT else domain
    return encode(read_table(SAMPLES / file), domain, count=count_of(file))


def correlation(counts: np.ndarray) -> float:
    """That of two attributes whose values count as their places, from their table of two axes."""
    p = counts / counts.sum()
    x, y = (np.arange(size) - np.arange(size) @ p.sum(axis=1 - i) for i, size in enumerate(p.shape))
    squares = (p.sum(axis=1) @ x**2) * (p.sum(axis=0) @ y**2)
    return float(x @ p @ y / math.sqrt(squares)) if squares > 0 else 0.0


def line(name: str, B: Records, epsilon: float, system: str, rows: RowsFor) -> str:
    """The figures of one kind of rows at one ε."""
    Q, pairs = parse_workload("marginals:2", B.domain), list(combinations(range(len(B.domain)), 2))
    named = {"dataset": name, "workload": Q, "provenance": "built in", "system": system}
    terms = Terms(**named, epsilon=epsilon, total="public", count=None, rows=rows)
    settings, truth, off, tvs, began = terms.settings(B.total), [B.marginal(S) for S in pairs], [], [], time.monotonic()
    runs = FEW_RUNS if name in ADULT else RUNS
    true, error = np.array([correlation(counts) for counts in truth]), B.total**-0.5
    for seed in range(runs):
        model = Released.of(terms, settings, settings.rounds(B, Q, noise=Seeded(seed))).run.model
        assert isinstance(model, Model)
        made = nearest_rows(Q, model, int(B.total), np.random.default_rng(seed))
        tables = [made.marginal(S) for S in pairs]
        off.append((np.array([correlation(counts) for counts in tables]) - true) / error)
        tvs.append(np.mean([np.abs(a - b).sum() / 2 / B.total for a, b in zip(truth, tables, strict=True)]))
    clear = np.abs(true) > CLEAR * error
    weaker = -float((np.sign(true) * np.mean(off, axis=0))[clear].mean())
    noise = float(np.std(off, axis=0, ddof=1)[clear].mean()) / math.sqrt(runs * clear.sum())
    rms, seconds = math.sqrt(np.mean(np.square(off))), (time.monotonic() - began) / runs
    figures = f"{np.mean(tvs):.4f}", f"{weaker:.2f}", f"{noise:.2f}", f"{rms:.2f}", f"{seconds:.2f}"
    return "\t".join((name, f"{epsilon:g}", system, rows, *figures))


if __name__ == "__main__":
    print("table\tepsilon\tsystem\trows\tmean TV\tweaker by\tgive or take\trms error\tseconds", flush=True)
    for name in sys.argv[1:]:
        B = table(name)
        for epsilon in EPSILONS:
            for system, rows in product(("automatic", "tables"), ("nearest", "analysis")):
                print(line(name, B, epsilon, system, rows), flush=True)

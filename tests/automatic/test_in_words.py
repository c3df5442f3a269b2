"""What is measured without selection, in words: each kind of plan, and the noise in an answer beside what comes out."""

from pathlib import Path

import numpy as np
import pytest

from mwem_core import Counts, Domain, Planned, Seeded, default, encode, parse_workload, read_table
from mwem_core.automatic.announcement import measured_in_words
from mwem_core.automatic.plans import make_plan
from mwem_core.intervals import Estimates
from mwem_core.privacy import Accountant
from mwem_core.workload import subsets_of

SAMPLES = Path(__file__).parents[2] / "sample_data"
CZECH = encode(
    read_table(SAMPLES / "czech.csv"),
    Domain.from_toml((SAMPLES / "czech.toml").read_text(encoding="utf-8")),
    count="count",
)


@pytest.mark.parametrize(
    ("spec", "plan", "said"),
    [
        ("marginals:2", "cells", "64 cells"),
        ("marginals:2", "marginals", "All 15 marginals"),
        ("marginals:2", "residuals", "All 15 marginals"),
        ("marginals:2", "one-way", "One-way marginals"),
        ('where:smoking == "yes"', "counts", "1 predicate"),
        ('where:smoking == "yes"; smoking == "no"', "counts", "2 predicates"),
    ],
)
def test_every_plan_says_what_it_measures_once(spec, plan, said):
    Q = parse_workload(spec, CZECH.domain)
    settings = Counts(epsilon=1.0) if plan == "counts" else Planned(epsilon=1.0, plan=plan)
    assert measured_in_words(settings, Q, CZECH.total).startswith(f"**{said} measured once**")


def parity(table: np.ndarray) -> float:
    """Records with an even number of ones, less those with an odd number."""
    return float((table * (-1.0) ** np.indices(table.shape).sum(axis=0)).sum())


@pytest.mark.parametrize("plan", ["cells", "marginals", "residuals"])
@pytest.mark.parametrize("spec", ["marginals:2", "parities:2"])
def test_the_noise_in_an_answer_is_what_comes_out(spec, plan):
    """In the mean over 40 draws; a mean noise of Laplace draws is up to 13% below that of normal ones."""
    Q = parse_workload(spec, CZECH.domain)
    settings = Planned(epsilon=0.5, plan=plan)
    said = float(measured_in_words(settings, Q, CZECH.total).split("about **")[1].split(" records")[0])
    budget, off = settings.guarantee.budget, []
    for seed in range(40):
        measured = make_plan(plan, subsets_of(Q), budget).measure(CZECH, Accountant(budget, Seeded(seed)))
        known = Estimates.by(CZECH.domain, measured, budget.variance_at(1), total=CZECH.total)
        tables = [known.table(S)[0] - CZECH.marginal(S) for S in Q.sets]
        off.append(np.mean([np.abs(t).mean() if Q.tabular else abs(parity(t)) for t in tables]))
    assert 0.84 * said < np.mean(off) < 1.05 * said


def test_the_noise_is_left_out_where_some_answers_are_not_measured():
    Q = parse_workload("marginals:2", CZECH.domain)
    settings = default(Q, n=CZECH.total, epsilon=0.03)
    assert measured_in_words(settings, Q, CZECH.total) == "**One-way marginals measured once**."

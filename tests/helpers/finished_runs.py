"""Finished runs of Automatic, with the rows drawn from them and the errors of their rounds."""

import numpy as np
from runs import run_on

from mwem_core import Records, Run, round_rows
from mwem_core.judge import Errors, errors


def finished(
    records: Records, spec: str = "marginals:2", *, seed: int | None = 7, table: str = "czech.csv"
) -> tuple[Run, Records]:
    """A run with ε = 1, and as many rows as there are records."""
    run = run_on(records, spec, seed=seed, table=table)
    return run, round_rows(records.domain, run.model, round(records.total), np.random.default_rng(seed))


def errors_by_round(run: Run, truth: Records) -> list[Errors]:
    """The errors of each round's model, from round 0."""
    exact = run.workload.answers(truth)
    return [errors(run.workload, run.workload.answers(entry.model), exact, truth.total) for entry in run.rounds]

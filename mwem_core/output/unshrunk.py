"""A last fit for analysis: the released model moved to what was measured, with next to no prior.

A fit near a prior makes the errors of tables small. It draws what noise hides towards independence, so it makes
correlations and differences weaker than they are, in the mean over the noise. This reads what was released, so it costs
no privacy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mwem_core.base import constants
from mwem_core.domain import Attrs
from mwem_core.intervals import Estimates
from mwem_core.model import LogLinear, Measurement, Prior, replay
from mwem_core.weighted import Corrected, Model, WeightedRecords, reweighted
from mwem_core.workload import Workload, tables_of

STRENGTH = 1.0  # of the prior that is left, in records
STEP, SWEEPS = 3.0, 400
LEFT = 1e-9  # of the noise's variance: a fit of weighted rows would otherwise end once it is within the noise


def without_shrinkage(model: Model, Q: Workload, known: Estimates) -> Model:
    """The model that fits what is known of Q's tables, near this one by a prior of the weight of one record.

    What was not measured stays as the model has it, and so does the average of several models. Weighted rows get new
    weights, and answer by themselves: tables corrected towards a model are what is to be avoided.
    """
    A = model.A if isinstance(model, Corrected) else model
    if isinstance(A, LogLinear):
        held = [
            Measurement(S, value, variance**0.5, centred=True)
            for S, (value, variance) in known.residuals.items()
            if A.covers(S)
        ]
        prior = Prior(STRENGTH, 1.0, A.theta)
        return replay(A, held, step=STEP, sweeps=SWEEPS, tolerance=constants.PLANNED_TOLERANCE, prior=prior)
    if isinstance(A, WeightedRecords):
        sets = dict.fromkeys(R for S in tables_of(Q).sets for R in known.largest_within(S) if R)
        return fitted_rows(A, known, list(sets), np.random.default_rng(1)) if sets else model
    return model


def fitted_rows(
    A: WeightedRecords, known: Estimates, sets: Sequence[Attrs], rng: np.random.Generator
) -> WeightedRecords:
    """The rows with the weights that fit these known tables as they were measured: a cell may be below zero."""
    tables = [
        Measurement(S, value, variance**0.5) for S, (value, variance) in zip(sets, map(known.table, sets), strict=True)
    ]
    redraws = constants.ROWS_REDRAWS if A.draws else 0
    return reweighted(A, tables, variance=LEFT, tolerance=constants.ROWS_TOLERANCE, redraws=redraws, rng=rng)

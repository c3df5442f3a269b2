"""The rest, measured once: after the rounds, every table of the workload that they left out, and a model of all."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.data.table import Table
from mwem_core.domain.source import Attrs
from mwem_core.matrix.consistency import to_simplex
from mwem_core.model.average import Model, Single
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.reweighting import reweighted
from mwem_core.model.weighted_records import WeightedRecords, rows_for
from mwem_core.mwem.correction import expected_tables
from mwem_core.mwem.planned import fitted_round
from mwem_core.mwem.plans import measured_once
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.workload import Workload

CLOSENESS = 1e-4  # share of the records: the noise scale that a fit takes the tables to have, which damps its steps
TOLERANCE = 0.03  # of the fit


def check_rest(Q: Workload, T: int, cells: int) -> None:
    """Refuse, by a ValueError, a workload whose rest T rounds leave empty, or weighted rows cannot be fitted to."""
    if T >= Q.parts:
        raise ValueError(f"{T:,} rounds leave nothing of {Q.parts:,} marginals to measure: lower T, or set rest to 0")
    if not rows_for(Q.parts):
        raise ValueError(f"rest fits too many marginals, {Q.parts:,}: lower k, or set rest to 0")
    if (largest := int(Q.part_cells.max())) > cells:
        raise ValueError(f"rest measures a marginal of {largest:,} cells, above the cell budget of {cells:,}: raise it")


def with_rest(
    start: Round[LogLinear], rounds: Iterator[Round[Model]], B: Table, Q: Workload, noise: NoiseSource
) -> Iterator[Round[Model]]:
    """The rounds, and one more that spends all that they leave: on each table of Q that none of them measured, once.

    Selected tables stay as the model has them. A table of the rest is known twice: noisy, and as the model has it, and
    `mixed` weighs the two. Rows drawn from the model are then fitted to all of the tables, so that one model answers.
    """
    index, ledger, known = start.index, start.ledger, set[Attrs]()
    before: Single = start.model
    for made in rounds:
        yield made
        index, ledger, before = made.index, made.ledger, made.A or before
        known |= {m.attrs for m in made.measurements}
    budget = ledger.budget
    left = budget.part(1 - ledger.spent / budget.amount)
    measured = measured_once(B, [S for S in Q.sets if S not in known], left, noise)
    held = [S for S in Q.sets if S in known]
    tables = dict(zip(held, before.marginals(held), strict=True)) | mixed(before, measured, budget.variance_at(1))
    A = fitted(before, tables)
    yield fitted_round(index + 1, ledger.spend(measure=left.amount), before, A, "the rest, once", tuple(measured))


def mixed(A: Single, measured: Sequence[Measurement], unit_variance: float) -> dict[Attrs, np.ndarray]:
    """The expected tables, given A's and the measured ones; each of A's total, and without negative cells."""
    tables = expected_tables(A, measured, unit_variance)
    return {m.attrs: to_simplex(m.value.reshape(1, -1), A.total).reshape(m.value.shape) for m in tables}


def fitted(A: Single, tables: Mapping[Attrs, np.ndarray]) -> WeightedRecords:
    """Weighted rows with these tables, as far as rows can have them; drawn from A, unless it has rows.

    The tables are expected ones, and the mean over them is what counts: they weigh alike, and none of their noise is
    left to fit.
    """
    if not isinstance(A, WeightedRecords):
        A = WeightedRecords.drawn_from(A, rows_for(len(tables)), np.random.default_rng(0))
    exact = [Measurement(S, table, CLOSENESS * A.total) for S, table in tables.items()]
    return reweighted(A, exact, variance=0.0, tolerance=TOLERANCE, redraws=0, rng=np.random.default_rng(1))

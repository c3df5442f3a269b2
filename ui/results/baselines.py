"""What a run is held against that no data goes into: its noise alone, and asking everything at once."""

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.relatives.direct import direct_error
from ui.session.runner import Plan


def expected_noise(made: Round) -> float:
    """L1 norm, in records, of the noise a round's measurement is expected to carry: E|noise| times its numbers."""
    m, budget = made.measurement, made.ledger.budget
    return 0.0 if m is None else m.scale * budget.mean_noise / budget.scale * np.size(m.value)


def direct(plan: Plan) -> tuple[float, float]:
    """Expected mean and max |error|, shares of n, of asking the plan's queries at once for all of its budget."""
    Q, budget = plan.workload, plan.settings.guarantee.budget
    return direct_error(n=plan.records.total, queries=Q.size, sensitivity=Q.sensitivity, budget=budget)

"""The versions of Automatic that `ablation.py` compares: parts of it by themselves, and the whole without a part."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args
from unittest.mock import patch

import numpy as np

from mwem_core import MWEM, Records, Seeded, Workload, default
from mwem_core.algorithm import Spender
from mwem_core.automatic.composed.staged import Staged
from mwem_core.automatic.planned import planned
from mwem_core.automatic.planned.planned import SWEEPING, Planned
from mwem_core.automatic.planned.plans import PlanName, make_plan, residuals_of
from mwem_core.automatic.planned.sizes import counted, goes_beyond
from mwem_core.matrix.subsets import Subsets
from mwem_core.model.average import Model
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.most_probable import most_probable
from mwem_core.model.prior.fits import MAX_FITTED_CELLS
from mwem_core.model.prior.strength import Spreads, even_spreads, fit_by_order, spreads_around, with_believed_noise
from mwem_core.model.prior.typical import typical_strength
from mwem_core.model.weighted.weighted_records import WeightedRecords
from mwem_core.mwem.presets import REPLAY, mwem_by_rule
from mwem_core.privacy.accountant import Accountant
from mwem_core.privacy.budget import Pure
from mwem_core.privacy.laws import Real
from mwem_core.settings import change

NO_PRIOR = 1e-6  # records: the dual needs some ridge
WHOLE, SELECTING = "all together", "with both and a last fit near a prior"
KNOWN = "corrected tables alone, where Automatic answers halfway to its rows"
EQUAL = "Automatic's rounds, with equal costs"
Version = Callable[[Records, Workload, float, float, int], Model | None]


def selection(*, permute_and_flip: bool, beyond: bool, as_default: bool = False) -> Version:
    """Rounds that select, on the tree alone or with weighted records beyond it.

    They have Automatic's updates and last fit, or explicit updates and no last fit near a prior.
    """

    def run(B: Records, Q: Workload, epsilon: float, delta: float, seed: int) -> Model | None:
        settings = mwem_by_rule(Q, n=B.total, epsilon=epsilon, delta=delta)
        if not as_default:
            settings = replace(settings, update=REPLAY)
        if not permute_and_flip:
            settings = replace(settings, selection="exponential")
        model = None
        for step in settings.rounds(B, Q, noise=Seeded(seed)):
            if isinstance(step.model, WeightedRecords) and not beyond:
                break
            model = step.model
        return model

    return run


def always(plan: PlanName) -> Version:
    """One plan, whatever the table."""

    def run(B: Records, Q: Workload, epsilon: float, delta: float, seed: int) -> Model | None:
        return last(Planned(epsilon=epsilon, delta=delta, plan=plan), B, Q, seed)

    return run


def whole(B: Records, Q: Workload, epsilon: float, delta: float, seed: int) -> Model | None:
    """Automatic."""
    return last(default(Q, n=B.total, epsilon=epsilon, delta=delta), B, Q, seed)


def refitted(*, by_order: bool, strength: float | None = None, spreads: Spreads | None = None) -> Version:
    """What Automatic's plan measures in one table, fitted otherwise: at once, or with one strength for all residuals.

    It is the given strength, or each order's most probable one. With other spreads, each residual has its own as ever.
    """

    def run(B: Records, Q: Workload, epsilon: float, delta: float, seed: int) -> Model | None:
        settings = default(Q, n=B.total, epsilon=epsilon, delta=delta)
        subsets, budget = Subsets.of(Q), settings.guarantee.budget
        if not isinstance(settings, Planned) or settings.plan == "one-way":
            return None
        plan = settings.plan
        if counted(plan, Q, budget, B.total):
            return None
        if Q.domain.size > MAX_FITTED_CELLS:
            return None
        noisy = make_plan(plan, subsets, budget).measure(B, Accountant(budget, Seeded(seed)))
        measured = residuals_of(noisy, subsets)
        start, variance = LogLinear.uniform(Q.domain.shape, float(B.total)), budget.variance_at(1)
        closeness = {"iterations": SWEEPING["sweeps"], "tolerance": settings.tolerance}

        def fit(A: LogLinear, known: Sequence[Measurement], probable: float) -> LogLinear:
            used = probable if strength is None else strength
            if spreads:
                known = with_believed_noise(A, known, variance, used, spreads)
            return most_probable(A, known, strength=used, unit_variance=variance, **closeness)

        if by_order:
            *_, A = fit_by_order(start, measured, variance, fit, spreads or spreads_around)
            return A
        return fit(start, measured, float(np.mean(typical_strength(subsets.order, subsets.rank, B.total))))

    return run


def without_rounds(B: Records, Q: Workload, epsilon: float, delta: float, seed: int) -> Model | None:
    """Where Automatic selects after a plan of one-way marginals, that plan with all of the budget."""
    settings = default(Q, n=B.total, epsilon=epsilon, delta=delta)
    if not isinstance(settings, Staged):
        return None
    return last(Planned(epsilon=epsilon, delta=settings.guarantee.delta, plan="one-way"), B, Q, seed)


def with_equal_costs(B: Records, Q: Workload, epsilon: float, delta: float, seed: int) -> Model | None:
    """Where Automatic's rounds cost by their cells, as many rounds that cost the same."""
    settings = default(Q, n=B.total, epsilon=epsilon, delta=delta)
    if not isinstance(settings, MWEM) or not settings.by_cells:
        return None
    return last(change(settings, {"candidates.by_cells": False}), B, Q, seed)


def as_known(B: Records, Q: Workload, epsilon: float, delta: float, seed: int) -> Model | None:
    """Where Automatic answers halfway between the tables known and its rows, the tables alone."""
    settings = default(Q, n=B.total, epsilon=epsilon, delta=delta)
    if not isinstance(settings, Planned) or not goes_beyond(settings.plan, Q):
        return None
    with patch.object(planned, "halfway", lambda known, _, **__: {m.attrs: m.value for m in known}):
        return last(settings, B, Q, seed)


class Continuous(Seeded):
    """Laplace noise for counts too."""

    def discrete_laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """As for any value."""
        return self.laplace(exact, epsilon, sensitivity)


def with_continuous_noise(B: Records, Q: Workload, epsilon: float, delta: float, seed: int) -> Model | None:
    """Automatic as it would be if whole tables had Laplace noise: its choice too."""
    with patch.object(Pure, "scale_of_counts", Pure.scale):
        settings = default(Q, n=B.total, epsilon=epsilon, delta=delta)
        *_, step = settings.rounds(B, Q, noise=Continuous(seed))
    return step.model


VERSIONS: dict[str, Version] = {
    WHOLE: whole,
    "with continuous noise on counts": with_continuous_noise,
    "selection on the tree": selection(permute_and_flip=False, beyond=False),
    "with permute-and-flip": selection(permute_and_flip=True, beyond=False),
    "with weighted records": selection(permute_and_flip=False, beyond=True),
    "with both": selection(permute_and_flip=True, beyond=True),
    SELECTING: selection(permute_and_flip=True, beyond=True, as_default=True),
    **{f"always the plan {plan}": always(plan) for plan in get_args(PlanName)},
    EQUAL: with_equal_costs,
    "one-way marginals alone, where Automatic goes on to select": without_rounds,
    KNOWN: as_known,
    "Automatic's plan, without a prior": refitted(by_order=True, strength=NO_PRIOR),
    "Automatic's plan, one strength for each order": refitted(by_order=True),
    "Automatic's plan, as if values were equally frequent": refitted(by_order=True, spreads=even_spreads),
    "Automatic's plan, all orders at once": refitted(by_order=False),
}


def last(settings: Spender, B: Records, Q: Workload, seed: int) -> Model | None:
    """The last round's model; None if these settings cannot serve the workload."""
    try:
        *_, step = settings.rounds(B, Q, noise=Seeded(seed))
    except ValueError:
        return None
    return step.model

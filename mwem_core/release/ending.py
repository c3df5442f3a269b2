"""Why a run ended before its budget was spent, and what becomes of the rest: one sentence for pages and files."""

from mwem_core.algorithm import Algorithm
from mwem_core.automatic.composed.apart import rounds_in
from mwem_core.privacy.guarantee import AnyGuarantee
from mwem_core.privacy.ledger import Ledger
from mwem_core.workload.workload import Workload


def early_end(
    settings: Algorithm,
    workload: Workload,
    *,
    guarantee: AnyGuarantee,
    start_total: float,
    rounds: int,
    ledger: Ledger,
    stopped: bool,
) -> str:
    """Why this many rounds were all; empty if the budget is spent.

    `settings` are those of the rounds, `guarantee` is the whole run's, and `start_total` the total of the first model.
    An algorithm that was not stopped ends early for one reason: its model can take no further candidate.
    """
    if ledger.is_spent:
        return ""
    planned, epsilon = settings.planned_rounds(start_total, workload), guarantee.epsilon
    if planned is None:
        made = f"{rounds:,} round{'' if rounds == 1 else 's'}"
    else:
        made = f"{rounds:,} of {planned:,} planned round{'' if planned == 1 else 's'}"
    spent = f"ε = {guarantee.epsilon_of(ledger.spent):.3g} of {epsilon:g} is spent"
    pure = ledger.budget.unit == "ε"  # else the ε of two releases do not simply add up
    rest = f"The other {epsilon - guarantee.epsilon_of(ledger.spent):.3g}" if pure else "The rest"
    yours = "you may use it for another release of the same table"
    if planned == 0:
        return f"Nothing was measured: at this ε it was not expected to lower the error. {spent}. {rest} is left."
    if stopped:
        return f"Stopped after {made}. {spent}. {rest} is not spent: {yours}."
    selecting = rounds_in(settings)
    candidate = "marginal" if selecting and selecting.tables else "query"
    limit = f"the model's {selecting.cell_budget:,} cells" if selecting else "the model"
    advice = " Fewer planned rounds would spend more of it in this one." if planned and rounds > 1 else ""
    return (
        f"Ended after {made}: no further {candidate} fits {limit}. {spent}. {rest} is not spent, because a "
        f"round spends only on what it measures: {yours}.{advice}"
    )

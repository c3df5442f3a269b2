"""Settings as scripts before 0.4 wrote them: all of them flat, and all of class MWEM."""

from typing import Any

from mwem_core.algorithm import Spender
from mwem_core.automatic.composed.apart import Apart
from mwem_core.automatic.composed.staged import Staged
from mwem_core.automatic.default import from_table
from mwem_core.automatic.planned.counts import Counts
from mwem_core.automatic.planned.nothing import Nothing
from mwem_core.automatic.planned.planned import Planned
from mwem_core.automatic.planned.refining import Halvings
from mwem_core.mwem.flat import by_field
from mwem_core.mwem.mwem import MWEM
from mwem_core.settings import change

ONCE = {"queries": Counts, "hierarchical": Halvings, "nothing": Nothing}  # by the name of a plan


def from_flat(flat: dict[str, Any]) -> Spender:
    """What flat settings mean. Raises TypeError for a name that none of them had, ValueError for those refused then."""
    rest = dict(flat)
    plan, share, public = rest.pop("plan", "select"), rest.pop("plan_share", 1.0), rest.pop("public", None)
    apart, fields = rest.pop("query_share", 0.0), by_field(rest)
    budget = {name: rest[name] for name in ("epsilon", "delta") if name in rest}
    within = rest.get("candidates", "workload")
    if not 0 < share <= 1 or (share < 1 and plan != "one-way"):
        raise ValueError(f"a plan_share of {share!r} does not go with plan {plan!r}")
    if public is not None and rest.get("histogram_start"):
        raise ValueError("a run starts from a public table or from a noisy histogram, not from both: choose one")
    settings: Any
    if plan == "select":
        settings = change(MWEM(**budget), fields)
    elif share < 1:
        settings = Staged(share=share, then=change(MWEM(**budget), fields))
    elif plan in ONCE:
        settings = ONCE[plan](**budget)
    elif within == "closure":
        raise ValueError("a plan measures the workload's marginals or lower ones, not those of the closure")
    else:
        settings = Planned(**budget, plan=plan, within=within, tolerance=rest.get("tolerance", 0.0))
    settings = Apart(share=apart, first=settings) if apart else settings
    return settings if public is None else from_table(settings, public)

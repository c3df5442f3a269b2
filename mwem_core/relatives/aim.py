"""AIM as settings of MWEM's loop."""

from mwem_core.mwem.mwem import MWEM, Rounds
from mwem_core.mwem.presets import CLOSE_FIT, MEGABYTE, require_tables
from mwem_core.workload.workload import Workload


def aim(workload: Workload, *, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:
    """AIM (McKenna, Mullins, Sheldon & Miklau 2022), every piece of it a setting of the loop.

    One-way marginals first; candidates are the workload's downward closure, by overlap and less the noise they would
    get; a tenth of a round's budget selects; room for 16 rounds an attribute, which annealing spends sooner; the model
    grows to 80 MB. A domain that is no larger than that is not held back.
    Raises ValueError for a workload of other than whole marginals, and for δ = 0: it runs under zCDP. `n` is not read.
    """
    require_tables(workload, "AIM")
    if delta == 0:
        raise ValueError("AIM runs under zCDP, which needs a delta above 0: choose one well below 1/n")
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=16 * len(workload.domain) if T is None else T,
        select="tables",
        penalty="noise",
        candidates="closure",
        first="one-way",
        annealing=True,
        split=0.1,
        repeats=True,
        cell_budget=80 * MEGABYTE,
        **CLOSE_FIT,
    )

"""MWEM+PGM as settings of MWEM's loop."""

from mwem_core.mwem import CLOSE_FIT, MEGABYTE, MWEM, Rounds, Tables, require_tables
from mwem_core.workload import Workload


def mwem_pgm(workload: Workload, *, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:
    """MWEM+PGM (McKenna, Sheldon & Miklau 2019): one whole marginal per round, as many rounds as attributes.

    A tenth of a round's budget is for selection; a score is reduced by the number of cells; the model may grow to 25
    MB. Its maximum-entropy fit is the limit of a replay from uniform.
    Raises ValueError for a workload without whole marginals.
    """
    require_tables(workload, "MWEM+PGM")
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=min(len(workload.domain), workload.parts) if T is None else T,
        candidates=Tables(penalty="cells"),
        split=0.1,
        repeats=True,
        update=CLOSE_FIT,
        cell_budget=25 * MEGABYTE,
    )

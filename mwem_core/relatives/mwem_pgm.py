"""MWEM+PGM as settings of MWEM's loop."""

from mwem_core.mwem.mwem import MWEM, Rounds
from mwem_core.mwem.presets import CLOSE_FIT, MEGABYTE, require_tables
from mwem_core.workload.workload import Workload


def mwem_pgm(workload: Workload, *, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:
    """MWEM+PGM (McKenna, Sheldon & Miklau 2019): a whole marginal a round, as many rounds as attributes.

    A tenth of a round's budget selects, scores are less the number of cells, and the model grows to 25 MB. Its fit of
    greatest entropy is where replay from uniform ends.
    Raises ValueError for a workload of other than whole marginals. `n` is not read.
    """
    require_tables(workload, "MWEM+PGM")
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=min(len(workload.domain), workload.parts) if T is None else T,
        select="tables",
        penalty="cells",
        split=0.1,
        repeats=True,
        cell_budget=25 * MEGABYTE,
        **CLOSE_FIT,
    )

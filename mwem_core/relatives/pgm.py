"""Two systems by the authors of Private-PGM, as settings of MWEM's loop: MWEM+PGM, and AIM."""

from mwem_core.mwem import MWEM, Annealing, Replay, Rounds, Tables
from mwem_core.workload import Workload, require_tables

MEGABYTE = 2**17  # cells of eight bytes
# A close fit: annealing then sees what a round taught, and not what the replay before it left undone.
CLOSE_FIT = Replay(step=3.0, sweeps=100, tolerance=0.001, in_order=False)


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


def aim(workload: Workload, *, epsilon: float, delta: float = 0.0, T: int | None = None) -> MWEM:
    """AIM (McKenna, Mullins, Sheldon & Miklau 2022): each of its pieces is a setting of the loop.

    One-way marginals come first. The candidates are the workload's downward closure; a score is reduced by the expected
    noise and multiplied by the overlap with the workload. A tenth of a round's budget is for selection. The first
    rounds have the noise of 16 rounds per attribute, and annealing lowers it. The model may grow to 80 MB; a domain of
    at most that size is not restricted.
    Raises ValueError for a workload without whole marginals, and for δ = 0, because AIM runs under zCDP.
    """
    require_tables(workload, "AIM")
    if delta == 0:
        raise ValueError("AIM runs under zCDP, which needs a delta above 0: choose one well below 1/n")
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=Annealing(16 * len(workload.domain) if T is None else T),
        candidates=Tables(penalty="noise", within="closure", one_way_first=True),
        split=0.1,
        repeats=True,
        update=CLOSE_FIT,
        cell_budget=80 * MEGABYTE,
    )

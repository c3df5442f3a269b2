"""Contingency tables (section 3.2): the lines of Figures 3 and 4, their floors, and relative entropy against ε."""

from collections.abc import Iterable, Mapping

from mwem_core.data.records import Records
from mwem_core.experiments.experiment import Batch, Method, Plot, Reference
from mwem_core.experiments.floors import floor
from mwem_core.experiments.frame import Frame, Series
from mwem_core.experiments.points import BEST_T, at, best_T, fixed_T, medians
from mwem_core.workload.workload import Workload

BARAK, PLAIN, IMPROVED, UNIFORM = "Barak et al. + MW", "MWEM, plain", "MWEM, improved", "uniform"
FLOORS = {order: f"floor, {order}-way fit" for order in (1, 2, 3)}
METRIC = "relative_entropy"
NATS = "relative entropy, nats"
SMALL = 1.0  # the ε up to which selecting must pay
LINES = (
    "Plain: Figure 1 with the last A_T. Improved: replays after each measurement, and half of the budget for a noisy "
    "histogram to start from; the paper does not say how much it spent. A floor is the relative entropy of the best "
    "table that is log-linear in the parities of its order. Barak et al. and plain MWEM give such tables, so they come "
    "to it from above. Improved MWEM may go below: its start from a histogram is not log-linear in the parities. "
    "Laplace noise on each answer gives no distribution, so it has no relative entropy."
)


def methods(plain: tuple[int, ...], improved: tuple[int, ...]) -> tuple[Method, ...]:
    """Barak et al., plain and improved MWEM at these numbers of rounds, and uniform."""
    return (
        Method(BARAK, "barak"),
        Method(PLAIN, "mwem-paper", (("repeats", True), ("update", "newest")), plain),
        Method(IMPROVED, "mwem-paper", (("start", "histogram"), ("start.share", 0.5)), improved),
        Method(UNIFORM, UNIFORM),
    )


def references(B: Records, Q: Workload, batch: Batch) -> Iterable[Reference]:  # noqa: ARG001
    """The floors of the 1-, 2- and 3-way fits."""
    return floors(B, 3)


def floors(B: Records, order: int) -> list[Reference]:
    """The floors of the fits up to an order."""
    return [Reference(name, METRIC, floor(B, k)) for k, name in FLOORS.items() if k <= order]


def plot(frame: Frame, choices: Mapping[str, str]) -> Plot:
    """Relative entropy against ε, a panel per table."""
    choose = best_T if choices["rounds"] == BEST_T else fixed_T
    beside = (UNIFORM, *FLOORS.values())
    return Plot("privacy parameter ε", NATS, beside, choose(medians(frame, METRIC)), "between the quartiles")


def better_MWEM(summary: Frame) -> Series:
    """The better of plain and improved, by panel and ε."""
    plain, improved = at(summary, PLAIN), at(summary, IMPROVED)
    return plain.where(plain <= improved, improved)


def losing(panel: str, ours: Series, barak: Series) -> list[float]:
    """The ε at which Barak et al. is closer."""
    return [e for p, e in ours.index if p == panel and barak[p, e] <= ours[p, e]]

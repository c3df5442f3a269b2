"""Table 1: the contingency tables, our copies against the printed numbers."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from mwem_core.data.records import Records
from mwem_core.experiments.experiment import Batch, Experiment, Holds, Method, Plot, Reference, Verdict
from mwem_core.experiments.frame import Frame
from mwem_core.experiments.points import points
from mwem_core.words import listed
from mwem_core.workload.workload import Workload

FACTS = ("records", "attributes", "non_zero", "cells")
PRINTED = {
    "mildew": (70, 6, 22, 64),
    "czech": (1_841, 6, 63, 64),
    "rochdale": (665, 8, 91, 256),
    "nltcs": (21_574, 16, 3_152, 65_536),
}
OURS, PAPER, EXPECTED, UNIFORM = "our copy", "printed", "uniform records, expected", "uniform"
ENTROPY = "relative_entropy"


def batches(quick: bool) -> Sequence[Batch]:  # noqa: ARG001 - it takes a second
    """Uniform, which reads no data: its relative entropy is the one to improve on in Figures 3 and 4."""
    return [Batch(table, "parities:1", (Method(UNIFORM, UNIFORM),), (1.0,), 1) for table in PRINTED]


def references(B: Records, Q: Workload, batch: Batch) -> Iterable[Reference]:  # noqa: ARG001
    """The facts of our copy, the printed ones, and the cells that as many records from uniform would fill."""
    n, d, cells = B.total, len(B.domain), B.domain.size
    filled = int(np.count_nonzero(B.marginal(tuple(range(d)))))
    uniform = cells * -np.expm1(n * np.log1p(-1 / cells))
    lines = {OURS: (n, d, filled, cells), PAPER: PRINTED[batch.table], EXPECTED: (n, d, uniform, cells)}
    return [Reference(name, *fact) for name, line in lines.items() for fact in zip(FACTS, line, strict=True)]


def plot(frame: Frame, choices: Mapping[str, str]) -> Plot:  # noqa: ARG001 - there are none
    """The share of cells with records, by table, the smallest first."""
    names = sorted(PRINTED, key=lambda table: PRINTED[table])
    place = frame["table"].astype(str).map(names.index)
    shares = frame.assign(share=frame["non_zero"] / frame["cells"], place=place, table="all tables")
    return Plot(
        x_title="table, by its number of records",
        y_title="share of cells with records",
        beside=(PAPER, EXPECTED),
        points=points(shares, "share", x="place"),
        band="",
        log_x=False,
        log_y=False,
        joined=False,
        x_names=tuple(names),
    )


def verdict(frame: Frame) -> Verdict:
    """Compare every number with the printed one."""
    ours, printed, uniform = (frame[frame["method"] == name].set_index("table") for name in (OURS, PAPER, UNIFORM))
    pairs = {(t, fact): (ours.loc[t, fact], printed.loc[t, fact]) for t in ours.index for fact in FACTS}
    differing = [
        f"{table} has {own:,.0f} {fact.replace('_', '-')}, not {of_paper:,.0f}"
        for (table, fact), (own, of_paper) in pairs.items()
        if own != of_paper
    ]
    holds: Holds = "does not hold" if differing else "holds"
    numbers = (
        f"{len(pairs) - len(differing)} of {len(pairs)} numbers equal the printed ones"
        f"{': ' + '; '.join(differing) if differing else ''}. The relative entropy of uniform, which Figures 3 and 4 "
        f"must improve on, is {listed([f'{value:.4g} ({table})' for table, value in uniform[ENTROPY].items()])} nats."
    )
    return Verdict(holds, numbers, "Other copies of the tables.")


TABLE1 = Experiment(
    name="table1",
    title="Table 1: the contingency tables",
    claim="Mildew has 70 records of 6 attributes in 22 of 64 cells; czech 1,841 of 6 in 63 of 64; rochdale 665 of 8 in "
    "91 of 256; NLTCS 21,574 of 16 in 3,152 of 65,536.",
    conditions="All attributes are two-valued.",
    setup="The tables of Figures 3 and 4, counted. Beside the share of filled cells stands the one that as many "
    "records drawn from uniform would fill on average.",
    rule="Holds if all sixteen numbers equal the printed ones. Otherwise it does not hold.",
    rule_order="fixed before its trials ran",
    metrics=(*FACTS, ENTROPY),
    batches=batches,
    plot=plot,
    verdict=verdict,
    references=references,
)

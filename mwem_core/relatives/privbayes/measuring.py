"""The noisy conditionals of a network whose parents are known."""

from collections.abc import Sequence

import numpy as np

from mwem_core.domain.source import Attrs, Source
from mwem_core.privacy.budget import Budget
from mwem_core.privacy.noise import NoiseSource
from mwem_core.relatives.privbayes.network import Node
from mwem_core.relatives.privbayes.recoding import Recoding


def measured(recoding: Recoding, network: Sequence[tuple[int, Attrs]]) -> list[Attrs]:
    """The tables to measure, as sets of columns: every variable with its parents, less those within another.

    In a network of degree k over bits that leaves out the first k, as the paper does, and no other.
    """
    tables = [family(recoding, v, parents) for v, parents in network]
    kept: list[Attrs] = []
    for S in reversed(tables):  # a table within another came before it
        if not any(recoding.within(S, larger) for larger in kept):
            kept.append(S)
    return kept[::-1]


def family(recoding: Recoding, variable: int, parents: Attrs) -> Attrs:
    """The columns of a variable and its parents, sorted."""
    return tuple(sorted((recoding.versions[variable][0], *parents)))


def conditionals(
    table: Source, recoding: Recoding, network: Sequence[tuple[int, Attrs]], budget: Budget, noise: NoiseSource
) -> tuple[Node, ...]:
    """Measure m tables at a part of 1/m of the budget each, and read every variable's conditional off one of them.

    One record is in one cell of a table: under adding or removing it the table's L1 sensitivity is 1, so Laplace noise
    has scale m/ε₂ records, half of what the paper's replaced records cost. Negative counts become 0, and so do cells
    no code spells; a variable is uniform where nothing is left of its parents' cell.
    """
    sets = measured(recoding, network)
    each = budget.part(1 / len(sets))
    noisy = [
        np.maximum(each.measure(exact, noise), 0) * recoding.possible(S)
        for S, exact in zip(sets, table.marginals(sets), strict=True)
    ]
    nodes = []
    for v, parents in network:
        own = recoding.versions[v][0]
        S = family(recoding, v, parents)
        i = min((i for i, larger in enumerate(sets) if recoding.within(S, larger)), key=lambda i: noisy[i].size)
        axes = [S.index(c) for c in (own, *parents)]
        counts = recoding.onto(noisy[i], sets[i], S).transpose(axes)
        possible = recoding.possible(S).transpose(axes)
        for weights in (possible, np.ones_like(possible)):
            counts = np.where(counts.sum(axis=0) > 0, counts, weights)
        nodes.append(Node(v, parents, counts / counts.sum(axis=0)))
    return tuple(nodes)

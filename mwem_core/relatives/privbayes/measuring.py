"""The noisy conditionals of a network whose parents are known."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from mwem_core.domain import Attrs, Source
from mwem_core.privacy import Accountant
from mwem_core.relatives.privbayes.network import Node
from mwem_core.relatives.privbayes.recoding import Recoding


def measured_sets(network: Sequence[tuple[int, Attrs]]) -> list[Attrs]:
    """The sets of variables whose tables are measured: each variable with its parents, less sets within another.

    In a network of degree k over bits this omits the first k variables' sets, as the paper does, and no other.
    """
    sets: list[Attrs] = []
    for v, parents in reversed(network):  # a set within another came before it
        if not any({v, *parents} <= set(larger) for larger in sets):
            sets.append(_family(v, parents))
    return sets[::-1]


def conditionals(
    table: Source, recoding: Recoding, network: Sequence[tuple[int, Attrs]], account: Accountant
) -> tuple[Node, ...]:
    """Measure m tables with 1/m of what is left each, and compute every variable's conditional from one of them.

    One record is in one cell of a table: under adding or removing it the table's L1 sensitivity is 1, so Laplace noise
    has scale m/ε₂ records, half of what the paper's replaced records cost. Negative counts become 0, and so do cells
    whose bits spell no code. Where no count is left for a value of the parents, the conditional is uniform.
    """
    sets = measured_sets(network)
    share = account.left.part(Fraction(1, len(sets)))
    noisy = [
        np.maximum(account.measure(exact, cost=share), 0) * recoding.possible(S)
        for S, exact in zip(sets, table.marginals(sets), strict=True)
    ]
    nodes = []
    for v, parents in network:
        S = _family(v, parents)
        i = min((i for i, larger in enumerate(sets) if set(S) <= set(larger)), key=lambda i: noisy[i].size)
        axes = [S.index(u) for u in (v, *parents)]
        counts = noisy[i].sum(axis=tuple(axis for axis, u in enumerate(sets[i]) if u not in S)).transpose(axes)
        possible = recoding.possible(S).transpose(axes)
        for weights in (possible, np.ones_like(possible)):
            counts = np.where(counts.sum(axis=0) > 0, counts, weights)
        nodes.append(Node(v, parents, counts / counts.sum(axis=0)))
    return tuple(nodes)


def _family(variable: int, parents: Attrs) -> Attrs:
    """A variable and its parents, sorted."""
    return tuple(sorted((variable, *parents)))

"""The possible cells of a junction tree: what rules on a few attributes each leave, passed on to every clique."""

from collections.abc import Mapping
from functools import reduce

import numpy as np

from mwem_core.domain import MAX_RULE_CELLS, Attrs, Domain
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.sums import align, marginalise


def possible_in(
    tree: JunctionTree, sizes: tuple[int, ...], possible: Mapping[Attrs, np.ndarray]
) -> tuple[np.ndarray | None, ...]:
    """For each clique, which of its cells some possible record has; None where all are.

    Each set of `possible` lies in one clique. Messages go from the leaves to the root and back, so that a cell is
    possible only if rules of other cliques leave it a record. Raises ValueError if no cell is left at all.
    """
    if not possible:
        return (None,) * len(tree.cliques)
    tables = [np.ones([sizes[a] for a in clique], bool) for clique in tree.cliques]
    for S, table in possible.items():
        k = tree.clique_for(S)
        tables[k] &= align(table, S, tree.cliques[k])
    upwards = [(k, tree.parent[k], k) for k in reversed(tree.order)]
    downwards = [(tree.parent[k], k, k) for k in tree.order]
    for source, target, edge in (*upwards, *downwards):
        if source >= 0 and target >= 0:
            S = tree.separator[edge]
            tables[target] &= align(marginal_possible(tables[source], tree.cliques[source], S), S, tree.cliques[target])
    if not all(table.any() for table in tables):
        raise ValueError("the rules of the schema leave no possible record: remove one of them")
    return tuple(None if table.all() else table for table in tables)


def marginal_possible(table: np.ndarray, clique: Attrs, S: Attrs) -> np.ndarray:
    """Which cells of the marginal on S are possible, from those of a clique."""
    return marginalise(table.astype(float), clique, S) > 0


def check_rules(domain: Domain) -> None:
    """Raise ValueError where the rules of a domain link attributes of too many cells together, or leave no record.

    The attributes of each rule lie in one clique of every model.
    """
    if not domain.possible:
        return
    linked = sorted({a for S in domain.possible for a in S})
    tree = JunctionTree.over(domain.possible, domain.shape, linked)
    largest = max(tree.cliques, key=domain.cells)
    if (cells := domain.cells(largest)) > MAX_RULE_CELLS:
        raise ValueError(
            f"the rules of the schema link {domain.label(sorted(largest))}, a table of {cells:,} cells, and a model may"
            f" hold {MAX_RULE_CELLS:,} for rules: give the attributes fewer values, or leave a rule out"
        )
    possible_in(tree, domain.shape, domain.possible)


def possible_table(domain: Domain) -> np.ndarray:
    """Which cells of D no rule forbids, (*shape): for domains of few cells."""
    every = tuple(range(len(domain)))
    tables = (np.broadcast_to(align(table, S, every), domain.shape) for S, table in domain.possible.items())
    return reduce(np.logical_and, tables, np.ones(domain.shape, bool))

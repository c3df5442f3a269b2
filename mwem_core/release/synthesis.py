"""Synthetic rows from a model: independent draws, or a rounding of it that keeps its marginals."""

from collections.abc import Callable, Sequence
from typing import TypeGuard

import numpy as np

from mwem_core.algorithm import Answering, Drawn
from mwem_core.data.records import Records
from mwem_core.domain.domain import Domain
from mwem_core.model.average import Average, Model
from mwem_core.model.loglinear import LogLinear


def gives_rows(released: Answering) -> TypeGuard[Model | Drawn]:
    """Whether rows can be made from what was released; else it only answers."""
    return isinstance(released, LogLinear | Average | Drawn)


def sample(domain: Domain, model: Model, rows: int, rng: np.random.Generator) -> Records:
    """`rows` independent records from the model, drawn clique by clique down its tree."""

    def draw(groups: np.ndarray, shares: np.ndarray, _sizes: Sequence[int], _known: Sequence[np.ndarray]) -> np.ndarray:
        heights = np.cumsum(shares, axis=1)
        heights /= heights[:, -1:]
        ladder = (heights + np.arange(len(shares))[:, None]).ravel()  # group g's cells end in (g, g + 1]
        cell = np.searchsorted(ladder, groups + rng.random(len(groups)), side="right")
        return np.clip(cell - groups * shares.shape[1], 0, shares.shape[1] - 1)

    return _rows(domain, model, rows, rng, draw)


def rounded(domain: Domain, model: Model | Drawn, rows: int, rng: np.random.Generator) -> Records:
    """`rows` records whose marginals follow the model's as closely as whole records can, and not by chance.

    In each clique the number of rows a cell gets is a rounding of its expected number, errors carried over from group
    to group. Within a group the new values are spread evenly over the rows, sorted by the values they have, so that
    attributes of different cliques stay as independent as the model says. What draws its rows by itself does so.
    """
    if isinstance(model, Drawn):
        return model.draw(rows, rng)

    def draw(groups: np.ndarray, shares: np.ndarray, sizes: Sequence[int], known: Sequence[np.ndarray]) -> np.ndarray:
        counts = _round(np.bincount(groups, minlength=len(shares)), shares, sizes, rng)
        short = np.min_scalar_type(len(shares))  # short keys sort faster
        group, cell = np.nonzero(counts)
        times = counts[group, cell]
        first = np.cumsum(times) - times
        nth = np.arange(len(groups)) - np.repeat(first, times)
        place = (nth + np.repeat(rng.random(len(times)), times)) / np.repeat(times, times)  # even within the group
        spread = np.repeat(cell, times)[np.lexsort([place, np.repeat(group.astype(short), times)])]
        keys = [known[i] for i in rng.permutation(len(known))]
        drawn = np.empty(len(groups), np.intp)
        drawn[np.lexsort([rng.random(len(groups)), *keys, groups.astype(short)])] = spread
        return drawn

    return _rows(domain, model, rows, rng, draw)


def decode(records: Records, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The user's own values, a column an attribute: labels, and for a bin a value inside it."""
    return {a.name: a.decode(codes, rng) for a, codes in zip(records.domain.attributes, records.codes, strict=True)}


# Given each row's separator cell, the (separator cells, new cells) conditional shares, the separator's sizes and the
# columns drawn so far: each row's new cell.
Draw = Callable[[np.ndarray, np.ndarray, Sequence[int], Sequence[np.ndarray]], np.ndarray]


def _rows(domain: Domain, model: Model, rows: int, rng: np.random.Generator, draw: Draw) -> Records:
    if isinstance(model, Average):
        parts = np.diff(np.round(np.linspace(0, rows, len(model.models) + 1)).astype(int))
        drawn = [_columns(part, count, draw) for part, count in zip(model.models, parts, strict=True)]
        columns = [np.concatenate(column) for column in zip(*drawn, strict=True)]
    else:
        columns = _columns(model, rows, draw)
    order = rng.permutation(rows)
    return Records(domain, tuple(column[order] for column in columns))


def _columns(model: LogLinear, rows: int, draw: Draw) -> list[np.ndarray]:
    """One (rows,) array of codes an attribute: ancestral, a clique after its parent."""
    codes: dict[int, np.ndarray] = {}
    for component in model.components:
        for k in component.tree.order:
            clique, S = component.tree.cliques[k], component.tree.separator[k]
            new = tuple(a for a in clique if a not in S)
            table = component.beliefs[k].transpose([clique.index(a) for a in (*S, *new)])
            sizes = [model.sizes[a] for a in S]
            groups = np.zeros(rows, np.intp)
            for a in S:
                groups = groups * model.sizes[a] + codes[a]
            shares = table.reshape(int(np.prod(sizes)), -1)
            total = shares.sum(axis=1, keepdims=True)
            shares = np.divide(shares, total, out=np.full(shares.shape, 1 / shares.shape[1]), where=total > 0)
            cells = draw(groups, shares, sizes, list(codes.values()))
            for a, code in zip(new, np.unravel_index(cells, [model.sizes[a] for a in new]), strict=True):
                codes[a] = code.astype(np.min_scalar_type(model.sizes[a] - 1))
    return [codes[a] for a in range(len(model.sizes))]


def _round(rows: np.ndarray, shares: np.ndarray, sizes: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Whole numbers near rows[g] · shares[g, c], each group summing to rows[g]: (groups, cells).

    At a root, by its running total, so that every range is kept to one row. Elsewhere group by group takes the floor
    and gives what is left to the cells that have been owed most so far, counting what each value of each separator
    attribute is owed, so that the pairs' totals stay close too.
    """
    if not sizes:
        running = np.floor(rows[0] * np.cumsum(shares, axis=1) / shares.sum() + rng.random())
        running[0, -1] = rows[0]
        return np.diff(running, prepend=0.0).astype(np.int64)
    counts = np.zeros(shares.shape, np.int64)
    owed = [np.zeros((size, shares.shape[1])) for size in sizes]
    values = np.indices(sizes).reshape(len(sizes), -1).T
    tie = rng.random(shares.shape[1]) * 1e-6
    for g in np.flatnonzero(rows):
        expected = rows[g] * shares[g]
        floor = np.floor(expected)
        rest = expected - floor
        left = int(rows[g] - floor.sum())
        if left > 0:
            claim = rest + tie + sum(due[v] for due, v in zip(owed, values[g], strict=True))
            claim[rest <= 0] = -np.inf
            floor[np.argpartition(-claim, left - 1)[:left]] += 1
        counts[g] = floor
        for due, v in zip(owed, values[g], strict=True):
            due[v] += expected - floor
    return counts

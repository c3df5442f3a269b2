"""Synthetic rows from a model: independent draws, or roundings that keep the model's marginals."""

from collections.abc import Callable, Sequence
from typing import TypeGuard

import numpy as np

from mwem_core.algorithm import AnswerSource, RowSource
from mwem_core.base import check_kind
from mwem_core.domain import Domain, Records
from mwem_core.model import drawn_columns, independent_draws, last_positive
from mwem_core.output.exchange import STEPS, Groups, exchange_rows, gains, in_steps
from mwem_core.weighted import Average, CorrectedModel, Model, Single, WeightedRecords, redrawn
from mwem_core.workload import Workload, rows_hold

RNG, ROWS = "rng must be a generator such as numpy.random.default_rng()", "the number of rows must be whole"
MAX_ROUNDINGS = 20
STEP = 2.0**-24  # of the expected number of rows in a cell
NEVER_FIRST = 1e9  # owed to a cell whose expected number is whole; one that expects nothing comes after it
MAX_VALUES = 2 * 10**6  # that all roundings together may write and count, and cells that rows are exchanged for: 0.1 s
MAX_COUNTED = 2 * 10**7  # rows times tables, counted once before rows are exchanged: about 0.15 s
REDRAWN_STEPS = 2 * STEPS  # of an exchange for redrawn rows
MAX_SORTED = 2 * 10**8  # values that the rows of all attributes are sorted by, as long as `MIN_KEYS` have no more
MIN_KEYS = 32  # attributes that the rows are sorted by at least: so many bits tell most of 10⁵ rows apart
MAX_KEY = 2**16  # values of a key: those of 16 bits sort the fastest
MIN_PACKED_ROWS = 1000  # rows: fewer are sorted in less time than it takes to pack their keys
FEW_RUNS = 100  # ascending ones, which a merge sorts faster


def gives_rows(released: AnswerSource) -> TypeGuard[Model | RowSource]:
    """Whether synthetic rows can be made from a released result; otherwise it only answers."""
    return isinstance(released, Model | RowSource)


def sample(domain: Domain, model: Model, rows: int, rng: np.random.Generator) -> Records:
    """Draw `rows` independent records from the model: clique by clique from a junction tree's root, or by weight."""

    def columns(A: Single, rows: int) -> Sequence[np.ndarray]:
        if isinstance(A, WeightedRecords):
            chosen = A.drawn(rows, rng)
            return [column[chosen] for column in A.codes]
        return drawn_columns(A, rows, independent_draws(rng))

    return _records(domain, model, rows, rng, columns)


def nearest_rows(Q: Workload, model: Model | RowSource, rows: int, rng: np.random.Generator) -> Records:
    """`rows` records whose answers to Q are near the model's own: from up to 20 roundings.

    Rows of the first rounding are exchanged for those of the others (`exchange_rows`), as long as counting the rows
    takes tenths of a second: by whole marginals, predicates, and halvings of ranges beside others (`Groups`). Of
    marginals, the others are of redrawn rows where weighted rows are too few for them. If they have more than 2·10⁶
    cells, the largest are left out. Of other queries, it is the rounding with the nearest answers, in L1 of shares.
    Only released values are read, so this costs no privacy. A rounding writes d values per row and counts the rows
    for each part of Q. There are as many roundings as 2·10⁶ values allow, and two at least where rows are
    exchanged. They matter where one rounding errs as much as the model does, at large budgets.
    """
    values = rows * (len(Q.domain) + Q.parts) + Q.cells
    roundings = max(1, min(MAX_ROUNDINGS, MAX_VALUES // values))
    groups = _groups(Q, rows)
    first = round_rows(Q.domain, model, rows, rng)
    if groups is not None:
        source = _for_exchange(groups.workload, model, rng) if Q.tabular else model
        others = (round_rows(Q.domain, source, rows, rng) for _ in range(max(1, roundings - 1)))
        wanted, steps = groups.wanted(model) * (rows / model.total), STEPS if source is model else REDRAWN_STEPS
        made = [groups.with_columns(each) for each in (first, *others)]
        kept = exchange_rows(groups.workload, wanted, made, rng, importance=groups.importance, steps=steps)
        return groups.without_columns(kept)
    if roundings == 1:
        return first
    made = [first, *(round_rows(Q.domain, model, rows, rng) for _ in range(roundings - 1))]
    shares = model.answers(Q) / model.total
    return min(made, key=lambda records: np.abs(Q.answers(records) / rows - shares).sum())


def exchange_limit(Q: Workload, rows: int) -> str:
    """What `nearest_rows` gives up as it would take long, in a sentence; empty if nothing. By sizes alone."""
    if not gains(Q):
        return ""
    groups = _groups(Q, rows)
    if groups is None:
        return "The rows were not exchanged towards the answers: that would take long."
    if groups.left_out:
        return f"The rows were not exchanged towards the {groups.left_out:,} largest tables: that would take long."
    return ""


def _groups(Q: Workload, rows: int) -> Groups | None:
    """What rows are exchanged for; None if they are not, as counting them would take long or Q gains nothing."""
    groups = Groups.of(Q, MAX_VALUES) if rows * Q.parts <= MAX_COUNTED else None
    return groups if groups and rows * groups.workload.parts <= MAX_COUNTED else None


def _for_exchange(tables: Workload, model: Model | RowSource, rng: np.random.Generator) -> Model | RowSource:
    """The model of the other roundings: `model` itself, or its rows redrawn where they are too few for the tables.

    Two roundings of the same weighted rows have nearly the same rows. A redraw brings other rows of the same log-linear
    model, and reads that model alone. Where rows can hold the tables, it would gain nothing.
    """
    A = model.A if isinstance(model, CorrectedModel) else model
    if isinstance(A, WeightedRecords) and A.draws and not rows_hold(tables):
        return redrawn(A, rng)
    return model


def round_rows(domain: Domain, model: Model | RowSource, rows: int, rng: np.random.Generator) -> Records:
    """Make `rows` records whose marginals are roundings of the model's, so they have far less error than random draws.

    In each clique, a cell's number of rows is its expected number, rounded; rounding errors carry over to the next
    group. The rows of a group have the same values of the separator. New values are spread evenly over the rows of a
    group, sorted by the values they already have: of all attributes, or of some at random where all would take long
    (`keys_for`). So attributes of different cliques are as independent as in the model. Weighted records are rounded by
    `WeightedRecords.rounded`. A result that draws its own rows does so here.
    """
    check_kind(rng, np.random.Generator, RNG)
    if isinstance(model, RowSource):
        return model.draw(rows, rng)
    most = keys_for(rows, len(domain))

    def draw(groups: np.ndarray, shares: np.ndarray, sizes: Sequence[int], drawn: Sequence[np.ndarray]) -> np.ndarray:
        counts = _whole_counts(np.bincount(groups, minlength=len(shares)), shares, sizes, rng)
        key_type = np.min_scalar_type(len(shares))  # keys of a small type sort faster
        group, cell = np.nonzero(counts)
        times = counts[group, cell]
        first = np.cumsum(times) - times
        nth = np.arange(len(groups)) - np.repeat(first, times)
        place = (nth + np.repeat(rng.random(len(times)), times)) / np.repeat(times, times)  # even within the group
        even = np.argsort(place, kind="stable" if len(times) <= FEW_RUNS else None)
        spread = np.repeat(cell, times)[_sorted_by([np.repeat(group.astype(key_type), times)], even)]
        keys = [drawn[i] for i in rng.permutation(len(drawn))[-most:]]
        shuffled = np.argsort(rng.random(len(groups))) if len(keys) == len(drawn) else rng.permutation(len(groups))
        cells = np.empty(len(groups), np.intp)
        cells[_sorted_by([*keys, groups.astype(key_type)], shuffled)] = spread
        return cells

    def columns(A: Single, rows: int) -> Sequence[np.ndarray]:
        if isinstance(A, WeightedRecords):
            chosen = A.rounded(rows, rng)
            return [column[chosen] for column in A.codes]
        return drawn_columns(A, rows, draw)

    return _records(domain, model, rows, rng, columns)


def keys_for(rows: int, attributes: int) -> int:
    """The most attributes that rows are sorted by before an attribute's values are spread over them, by sizes alone.

    >>> keys_for(20_000, 100), keys_for(100_000, 1000)
    (100, 32)
    """
    return max(MIN_KEYS, MAX_SORTED // max(1, rows * attributes))


def decode(records: Records, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """A column for each attribute, in the user's own values: labels, or a value drawn inside the bin.

    Where the schema states decimals, and for dates, values lie in a bin as the numbers of rows in the bins beside it
    suggest. Only the records themselves are read, so this costs no privacy.
    """
    check_kind(rng, np.random.Generator, RNG)
    return {a.name: a.decode(codes, rng) for a, codes in zip(records.domain.attributes, records.codes, strict=True)}


def _records(
    domain: Domain,
    model: Model,
    rows: int,
    rng: np.random.Generator,
    columns: Callable[[Single, int], Sequence[np.ndarray]],
) -> Records:
    """Records of the model's `columns`, in random order; those of an average come from each of its models in turn."""
    check_kind(rng, np.random.Generator, RNG)
    check_kind(rows, (int, np.integer), ROWS)
    if isinstance(model, CorrectedModel):
        model = model.A
    if isinstance(model, Average):
        counts = np.diff(np.round(np.linspace(0, rows, len(model.models) + 1)).astype(int))
        by_model = [columns(part, count) for part, count in zip(model.models, counts, strict=True)]
        made: Sequence[np.ndarray] = [np.concatenate(column) for column in zip(*by_model, strict=True)]
    else:
        made = columns(model, rows)
    order = rng.permutation(rows)
    return Records(domain, tuple(column[order] for column in made))


def _sorted_by(keys: Sequence[np.ndarray], order: np.ndarray) -> np.ndarray:
    """The same numbers sorted by `keys`, the last one first; numbers of equal keys stay in `order`."""
    keys = _pack(keys) if len(order) >= MIN_PACKED_ROWS else keys
    return order[np.lexsort([key[order] for key in keys])]


def _pack(keys: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Fewer keys that sort the same, the last one first: neighbours are one where it has at most `MAX_KEY` values."""
    packed: list[np.ndarray] = []
    size = MAX_KEY  # values of the last one
    for key in keys:
        values = int(key.max(initial=0)) + 1
        if 1 < values <= MAX_KEY // size:
            packed[-1] += key.astype(np.uint16) * np.uint16(size)
            size *= values
        else:
            packed.append(key.astype(np.uint16) if values <= MAX_KEY else key)
            size = values
    return packed


def _whole_counts(rows: np.ndarray, shares: np.ndarray, sizes: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Round rows[g] · shares[g, c] to whole numbers that sum to rows[g] in each group g: (groups, cells).

    A root clique (without `sizes`) rounds its cumulative sums, so the total of any range of cells is off by less than
    one row. In any other clique, each group takes the floor of every cell. The remaining rows go to the cells that are
    owed most: the sum of the rounding errors so far, for each value of each separator attribute. So the marginals of
    each separator attribute with the new cells stay close too. Expected numbers are rounded to a step, so that whole
    ones are whole on every processor.
    """
    if not sizes:
        cumulative = np.floor(rows[0] * np.cumsum(shares, axis=1) / shares.sum() + rng.random())
        cumulative[0, last_positive(shares)[0] :] = rows[0]
        return np.diff(cumulative, prepend=0.0).astype(np.int64)
    expected = in_steps(rows[:, None] * shares, STEP)
    counts = np.floor(expected)
    fraction, remaining = expected - counts, (rows - counts.sum(axis=1)).astype(int).tolist()
    whole, last = fraction <= 0, np.where(expected <= 0, -np.inf, -NEVER_FIRST)
    owed = [np.zeros((size, shares.shape[1])) for size in sizes]
    values = np.indices(sizes).reshape(len(sizes), -1).T.tolist()
    tie_break = rng.random(shares.shape[1]) * 1e-6
    for g in np.flatnonzero(rows).tolist():
        if remaining[g] > 0:
            priority = fraction[g] + tie_break + sum(errors[v] for errors, v in zip(owed, values[g], strict=True))
            priority = np.where(whole[g], last[g], priority)
            counts[g, np.argpartition(-priority, remaining[g] - 1)[: remaining[g]]] += 1
        for errors, v in zip(owed, values[g], strict=True):
            errors[v] += expected[g] - counts[g]
    return counts.astype(np.int64)

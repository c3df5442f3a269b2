"""Propose a range, categories or bins for a column of numbers, and find the marks among them. It reads the data."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from mwem_core.schemas.proposed_forms import Numbers
from mwem_core.values import BINS, BITS, Edges, Inside, Range, Values, ValueSet, equal_edges, log_edges, number_form

DECADES = 100  # the ratio of the largest number to the smallest, from which bins are logarithmic
MIN_SPIKE, MIN_SPIKE_ROWS = 0.001, 10  # a share of all rows, and rows, of a number with a bin of its own
MAX_MARKS = 10  # different texts of a column of numbers that are no numbers
FAR = 10  # a number so many times further away than the others are from each other is a mark
SENTINELS = {"-1", "-2", "-7", "-8", "-9", "-77", "-88", "-99", "-777", "-888", "-999", "-9999", "-99999"}
MAX_RANGE = 100  # whole numbers of a range


def marks_among(numbers: Numbers) -> list[str]:
    """The texts of numbers that stand for no number: -9 where no other is negative, or one far from all others."""
    negative = [numbers.texts[i] for i in np.flatnonzero(numbers.parsed < 0)]
    if negative and set(negative) <= SENTINELS and len(negative) <= MAX_MARKS < len(numbers.texts):
        return negative
    order = np.argsort(numbers.parsed, kind="stable")
    if len(order) <= MAX_MARKS:
        return []
    ordered = numbers.parsed[order]
    for far, near, last in ((-1, -2, 0), (0, 1, -1)):
        span = abs(ordered[near] - ordered[last])
        if span and abs(ordered[far] - ordered[near]) > FAR * span:
            return [numbers.texts[order[far]]]
    return []


def value_set_of(numbers: Numbers, *, listed: bool = True) -> ValueSet:
    """A range, categories or bins for numbers: bits, a short range, categories in order, or bins with round edges.

    Numbers are only made categories where they may be `listed`. The ends of a range and of bins are the lowest and the
    highest number. Raises ValueError for numbers beyond 10^15.
    """
    parsed, rows = numbers.parsed, numbers.rows
    low, high, whole = numbers.low, numbers.high, numbers.whole
    if max(-low, high) >= 10**15:
        raise ValueError("has numbers beyond 10^15: an identifier, or in need of bins chosen by hand")
    if whole and (low, high) == (0, 1) and not numbers.form:
        return BITS
    inside = Inside(numbers.decimals, form=numbers.form)
    if whole and high - low < min(MAX_RANGE, 4 * len(parsed)):  # over a quarter of its numbers occur
        return Range(int(low), int(high), inside=inside if numbers.form else None)
    if listed and len(parsed) <= 2 * BINS:
        return Values(tuple(numbers.texts[i] for i in np.argsort(parsed, kind="stable")))
    unit = Decimal(1).scaleb(-numbers.decimals)
    scale = _scale(numbers.form, float(high - low))
    round_edges = [edge * scale for edge in _edges(parsed / scale, rows, float(unit) / scale)]
    spikes = _spikes(round_edges, parsed, rows, numbers.decimals)
    inner = sorted({*round_edges, *spikes})
    for first, last in ((low, high), (low.quantize(unit, ROUND_FLOOR), high.quantize(unit, ROUND_CEILING))):
        end = last + unit / 2 if float(high) in spikes else last  # so that the highest number has a bin of its own
        edges = (first, *(edge for edge in inner if first < Decimal(str(edge)) < end), end)
        with suppress(ValueError):  # a bin at an end of more decimals than most numbers have holds none of these
            return Edges(tuple(int(edge) if edge == int(edge) else float(edge) for edge in edges), inside)
    return Edges(tuple(map(float, edges)))


def _scale(form: str, span: float) -> int:
    """What round numbers are counted in: hours or minutes of durations that span several of them, 1 of others."""
    if not form or not number_form(form).units:
        return 1
    return next((unit for unit in (3600, 60) if span >= BINS * unit), 1)


def _edges(parsed: np.ndarray, rows: np.ndarray, unit: float) -> tuple[float, ...]:
    """Round edges, at multiples of the unit: equal bins, finer where most rows are, or logarithmic over decades."""
    low, high = float(parsed.min()), float(parsed.max())
    edges = [edge for edge in equal_edges(low, high) if _is_multiple(edge, unit)]
    if _fullest(edges, parsed, rows)[1] <= rows.sum() / 2:
        return tuple(edges)
    sizes = np.abs(parsed[parsed != 0])
    if sizes.max() >= DECADES * sizes.min():
        return log_edges(low, high, smallest=max(unit, float(sizes.min())), unit=unit)
    rows = np.where(rows > rows.sum() / 4, 0, rows)  # such a number gets a bin of its own
    while len(edges) < 3 * BINS:
        i, most = _fullest(edges, parsed, rows)
        finer = equal_edges(edges[i], edges[i + 1])[1:-1]
        finer = [edge for edge in finer if edges[i] < edge < edges[i + 1] and _is_multiple(edge, unit)]
        if most <= rows.sum() / 2 or not finer:
            break
        edges = [*edges[: i + 1], *finer, *edges[i + 1 :]]
    return tuple(edges)


def _fullest(edges: Sequence[float], parsed: np.ndarray, rows: np.ndarray) -> tuple[int, float]:
    """The bin with most rows, and how many it has."""
    counted = np.histogram(parsed, np.array(edges, float), weights=rows)[0]
    return int(counted.argmax()), float(counted.max())


def _is_multiple(number: float, unit: float) -> bool:
    return abs(number / unit - round(number / unit)) < 1e-6


def _spikes(edges: Sequence[float], parsed: np.ndarray, rows: np.ndarray, decimals: int) -> set[float]:
    """Edges that give a number with most of a bin's rows a bin of its own, such as that of a top code."""
    bin_of, spikes = np.digitize(parsed, edges[1:-1]), set[float]()
    for code in np.unique(bin_of):
        own = bin_of == code
        number, most = float(parsed[own][rows[own].argmax()]), rows[own].max()
        if most > rows[own].sum() / 2 and most >= max(MIN_SPIKE_ROWS, MIN_SPIKE * rows.sum()):
            unit = round(number * 10**decimals)
            spikes |= {end / 10**decimals for end in (unit, unit + 1)}  # no more edges if it is alone already
    return spikes

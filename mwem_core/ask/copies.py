"""Copies: tables of rows that might have given the same release, and any statistic of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mwem_core.ask.answers import (
    SHIFT,
    TOO_NOISY,
    Answer,
    Of,
    largest_tilt,
    not_fitted,
    not_measured,
    unmeasured_interaction,
)
from mwem_core.ask.estimates import COPIES, T, spread_of_copies
from mwem_core.ask.unshrunk_fits import MAX_CELLS, Fits
from mwem_core.base import is_whole
from mwem_core.domain import Domain, Records, nonempty_subsets
from mwem_core.intervals import Estimates
from mwem_core.output import data_frame, round_rows, sample

if TYPE_CHECKING:
    import pandas as pd

BINS_NOTE = "Numbers in bins are drawn there, so what is said of them is of the rows and not of the table."
MAX_COPIES = 1_000
MAX_ROWS = 10**6  # of a copy


def copies(known: Estimates, attributes: Sequence[str], m: int, of: Of) -> tuple[pd.DataFrame, ...]:
    """m tables of rows of these attributes, each of a fit to redrawn noise: `copy_records` in the user's values."""
    if not is_whole(m) or not 1 <= m <= MAX_COPIES:
        raise ValueError(f"m is a whole number of copies from 1 to {MAX_COPIES:,}, got {m!r}")
    rng = Fits(known, known.domain.attrs(*attributes)).rng()
    return tuple(data_frame(each, rng) for each in copy_records(known, attributes, m, of, rows=_rows(known), rng=rng))


def copy_records(
    known: Estimates, attributes: Sequence[str], m: int, of: Of, *, rows: int, rng: np.random.Generator
) -> Iterator[Records]:
    """m tables of so many rows of these attributes, each of a fit to redrawn noise, one after another.

    Where the attributes' table is small enough and is fitted, each has random interactions of what was not measured.
    Else what was not measured is as a model of the measured tables has it (`Fits.large`). Raises ValueError for an
    attribute of which nothing was measured.
    """
    U = known.domain.attrs(*attributes)
    fits, own = Fits(known, U), known.domain.project([known.domain.names[a] for a in U])
    if unknown := [(a,) for a in U if (a,) not in known.residuals]:
        raise ValueError(not_measured(known.domain, unknown))
    make = sample if of == "population" else round_rows
    small = known.domain.cells(U) <= MAX_CELLS and fits.misfit(fits.table()[0]) <= SHIFT
    missing = fits.unmeasured_sets(U) if small else []
    for _ in range(m):
        if small:
            yield _records(own, fits.tilt(fits.table(rng)[0], missing, rng), rows, of, rng)
        else:
            yield make(own, fits.large(rng), rows, rng)


def interval(known: Estimates, function: Callable[[pd.DataFrame], float], attributes: Sequence[str], of: Of) -> Answer:
    """The value of a function of rows of these attributes, and its interval by copies; or why it is refused."""
    domain, name = known.domain, getattr(function, "__name__", "statistic")
    U = domain.attrs(*attributes)
    fits = Fits(known, U)
    rng = fits.rng()

    def refuse(reason: str) -> Answer:
        return Answer(name=name, of=of, refused=reason)

    if unknown := [A for A in nonempty_subsets(U) if len(A) <= 2 and A not in known.residuals]:
        return refuse(not_measured(domain, unknown))
    if domain.cells(U) > MAX_CELLS:
        return refuse(
            f"The table of {domain.label(U)} has {domain.cells(U):,} cells, and at most {MAX_CELLS:,} are fitted: name"
            " fewer attributes."
        )
    (center, _), own, missing = fits.table(), domain.project([domain.names[a] for a in U]), fits.unmeasured_sets(U)
    if (off := fits.misfit(center)) > SHIFT:
        return refuse(not_fitted(domain.label(U), off))

    def value(table: np.ndarray, of: Of) -> float:
        return float(function(data_frame(_records(own, table, _rows(known), of, rng), rng)))

    tables = [fits.table(rng)[0] for _ in range(COPIES)]
    values = np.array([[value(table, "table")] for table in tables])
    moved = np.array([[value(fits.tilt(table, missing, rng), "table")] for table in tables]) if missing else values
    middle = value(center, "table")
    (noise,), (tilt,), (shift,) = spread_of_copies(np.array([middle]), values, moved)
    sampling = np.std([value(center, "population") for _ in range(COPIES)], ddof=1) if of == "population" else 0.0
    half = T * float(np.hypot(noise, sampling))
    if not np.isfinite([middle, half]).all() or shift > SHIFT:
        return refuse(TOO_NOISY)
    if tilt > largest_tilt():
        return refuse(unmeasured_interaction(domain, missing))
    low, high, remark = middle - half, middle + half, BINS_NOTE if any(a.number_set for a in own.attributes) else ""
    return Answer(name=name, of=of, value=middle, low=low, high=high, rests_on="by the model", note=remark)


def _rows(known: Estimates) -> int:
    return int(np.clip(round(known.total[0]), 1, MAX_ROWS))


def _records(domain: Domain, table: np.ndarray, rows: int, of: Of, rng: np.random.Generator) -> Records:
    """So many rows of a table in shares: a random sample, or each cell as often as expected to within one."""
    shares = np.maximum(table.ravel(), 0.0) / np.maximum(table, 0.0).sum()
    if of == "population":
        counts = rng.multinomial(rows, shares)
    else:
        ends = np.floor(np.cumsum(shares) * rows + rng.random())
        ends[-1] = rows
        counts = np.diff(np.minimum(ends, rows), prepend=0.0).astype(int)
    codes = np.unravel_index(rng.permutation(np.repeat(np.arange(table.size), counts)), table.shape)
    sizes = [np.min_scalar_type(size - 1) for size in domain.shape]
    return Records(domain, tuple(code.astype(size) for code, size in zip(codes, sizes, strict=True)))

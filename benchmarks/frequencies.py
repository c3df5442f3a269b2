"""Which column of a table that the benchmarks run on holds the number of records of each row."""

from pathlib import Path

COUNTED = {"czech", "rochdale", "mildew_cells", "nltcs_cells", "mildew", "nltcs"}


def count_of(file: Path | str) -> str | None:
    """`count`, for `encode`, of a table of frequencies; None of any other table."""
    return "count" if Path(file).stem in COUNTED else None

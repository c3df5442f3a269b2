"""Which column of a bundled table holds the number of records of each row."""

from pathlib import Path

COUNTED = {"czech", "rochdale"}


def count_of(file: Path | str) -> str | None:
    """`count`, for `encode`, of a table of frequencies; None of any other table."""
    return "count" if Path(file).stem in COUNTED else None

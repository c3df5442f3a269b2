"""A file of trials: their results as CSV, one line per trial."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import astuple, fields
from typing import Any

from mwem_core.judge.metrics import Errors
from mwem_core.judge.trials import Result, Trial
from mwem_core.values import csv_text, from_cell

Reader = Callable[[str], Any]


def _optional(reader: Reader) -> Reader:
    return lambda cell: reader(cell) if cell else None


def _pairs(cell: str) -> tuple[tuple[str, Any], ...]:
    return tuple(json.loads(cell).items()) if cell else ()


# The columns, each with the function that reads its cells: fields of `Trial`, fields of `Result`, fields of `Errors`.
TRIAL_COLUMNS = {
    **{"system": from_cell, "epsilon": float, "delta": float, "T": _optional(int), "seed": int},
    "changed": _pairs,  # as JSON
}
RESULT_COLUMNS = {
    **{"workload": from_cell, "n": int, "domain_size": int, "problem": from_cell, "ran": from_cell},
    **{"seconds": float, "rounds": int},
    **{"epsilon_spent": float, "delta_used": float, "relative_entropy": _optional(float)},
}
ERROR_COLUMNS = {
    kind: {f"{kind}_{field.name}": _optional(float) for field in fields(Errors)} for kind in ("answers", "rows")
}
COLUMNS = [*TRIAL_COLUMNS, *RESULT_COLUMNS, *ERROR_COLUMNS["answers"], *ERROR_COLUMNS["rows"]]


def to_csv(results: Iterable[Result]) -> str:
    """Results as CSV. Numbers are exact; None is an empty cell."""
    return csv_text(COLUMNS, map(_line, results))


def _line(result: Result) -> list[Any]:
    line = [getattr(result.trial, name) for name in TRIAL_COLUMNS if name != "changed"]
    line.append(json.dumps(dict(result.trial.changed)) if result.trial.changed else None)
    line += [getattr(result, "delta" if name == "delta_used" else name) for name in RESULT_COLUMNS]
    for kind, columns in ERROR_COLUMNS.items():
        errors = getattr(result, kind)
        line += astuple(errors) if errors else [None] * len(columns)
    return line


def from_csv(text: str) -> list[Result]:
    """The results that `to_csv` wrote.

    Raises ValueError, with the line number, for other text.
    """
    reader, columns = csv.reader(io.StringIO(text)), None
    with suppress(csv.Error):
        columns = next(reader, None)
    if columns != COLUMNS:
        raise ValueError(
            f"this is not a file of trials: its first line must name {len(COLUMNS)} columns, system,epsilon,…"
        )
    results = []
    try:
        for cells in reader:
            results.append(_result(dict(zip(COLUMNS, cells, strict=True))))
    except (ValueError, TypeError, csv.Error):
        raise ValueError(f"line {reader.line_num} of the trials cannot be read: delete it") from None
    return results


def _result(line: Mapping[str, str]) -> Result:
    def read(columns: Mapping[str, Reader]) -> dict[str, Any]:
        return {name: reader(line[name]) for name, reader in columns.items()}

    values = read(RESULT_COLUMNS)
    values["delta"] = values.pop("delta_used")
    for kind, columns in ERROR_COLUMNS.items():
        errors = read(columns)
        values[kind] = Errors(*errors.values()) if any(line[name] for name in columns) else None
    return Result(trial=Trial(**read(TRIAL_COLUMNS)), **values)

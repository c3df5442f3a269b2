"""Results of trials as CSV, one line each."""

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import astuple, fields
from typing import Any

from mwem_core.evaluation.metrics import Errors
from mwem_core.evaluation.trials import Result, Trial


def _maybe(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: kind(text) if text else None


# the columns of a file of results, and how each is read
ASKED = {"system": str, "epsilon": float, "delta": float, "T": _maybe(int), "seed": int}
FOUND = {
    **{"workload": str, "n": int, "domain_size": int, "problem": str, "seconds": float, "rounds": int},
    **{"epsilon_spent": float, "delta_used": float, "relative_entropy": _maybe(float)},
}
MEASURED = {of: [f"{of}_{field.name}" for field in fields(Errors)] for of in ("answers", "rows")}
COLUMNS = [*ASKED, *FOUND, *MEASURED["answers"], *MEASURED["rows"]]


def to_csv(results: Iterable[Result]) -> str:
    """A line a result, numbers to their last digit; None is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for result in results:
        asked = [getattr(result.trial, name) for name in ASKED]
        found = [getattr(result, "delta" if name == "delta_used" else name) for name in FOUND]
        measured = [astuple(of) if (of := getattr(result, name)) else [None] * len(MEASURED[name]) for name in MEASURED]
        writer.writerow([*asked, *found, *measured[0], *measured[1]])
    return out.getvalue()


def from_csv(text: str) -> list[Result]:
    """What `to_csv` wrote. Raises ValueError, naming the line, for anything else."""
    reader = csv.reader(io.StringIO(text))
    if next(reader, None) != COLUMNS:
        raise ValueError(
            f"this is no file of trials: its first line must name {len(COLUMNS)} columns, system,epsilon,…"
        )
    results = []
    for cells in reader:
        try:
            results.append(_read(dict(zip(COLUMNS, cells, strict=True))))
        except (ValueError, TypeError):
            raise ValueError(f"line {reader.line_num} of the trials cannot be read: take it out") from None
    return results


def _read(line: dict[str, str]) -> Result:
    def read(kinds: dict[str, Callable[[str], Any]]) -> dict[str, Any]:
        return {name: kind(line[name]) for name, kind in kinds.items()}

    found = read(FOUND)
    found["delta"] = found.pop("delta_used")
    for of, names in MEASURED.items():
        numbers = read(dict.fromkeys(names, _maybe(float)))
        found[of] = Errors(*numbers.values()) if any(line[name] for name in names) else None
    return Result(trial=Trial(**read(ASKED)), **found)

"""The manifest and the transcript of a run."""

import json
import math
import platform
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.release.run import Run


def transcript(run: Run) -> list[dict[str, Any]]:
    """Round by round, what was measured and what it cost: differentially private, nothing in it read the truth."""
    return [_line(run, entry) for entry in run.rounds]


def manifest(run: Run) -> dict[str, Any]:
    """What was done: schema, workload, settings, budget spent, versions, and whether it may be called private."""
    measured, promise = getattr(run.settings, "measured_total", 0), run.settings.guarantee
    total = "a noisy total, measured" if measured else "total taken as public, as in the paper"
    return {
        "statement": run.statement,
        "seeded": run.seed is not None,
        "neighbours": f"add or remove one record, {total}",
        "epsilon": promise.epsilon,
        "delta": promise.delta,
        "epsilon_spent": run.epsilon_spent,
        "rounds": run.rounds[-1].index,
        "total": run.model.total,
        "workload": run.workload.spec,
        "queries": run.workload.size,
        "domain_size": str(run.domain.size),
        "algorithm": type(run.settings).__name__,
        "preset": run.preset,
        "settings": settings_of(run.settings),
        "table": run.table,
        "schema": run.domain.to_toml(),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Python's version, and those of the packages that a result depends on."""
    from importlib.metadata import PackageNotFoundError, version  # a tenth of the import's time, for those who ask

    found = {"python": platform.python_version()}
    for name in ("mwem-explorer", "numpy", "opendp"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def to_json(value: Any) -> str:
    """JSON, indented."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False)


def plain(value: Any) -> Any:
    """What JSON can hold: arrays as lists, and null for numbers that are not finite, such as the ε of no privacy."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def settings_of(settings: Any) -> dict[str, Any]:
    """What a dataclass of settings was made with, by name."""
    return {field.name: getattr(settings, field.name) for field in fields(settings) if field.init}


def _line(run: Run, entry: Round) -> dict[str, Any]:
    line: dict[str, Any] = {
        "round": entry.index,
        "spent": {
            "unit": entry.ledger.budget.unit,
            "start": entry.ledger.start,
            "select": entry.ledger.select,
            "measure": entry.ledger.measure,
        },
    }
    if entry.label:
        line["chosen"] = entry.label
    if entry.measurement is None:
        return line
    m, unit = entry.measurement, entry.ledger.budget.unit
    names: Sequence[str] = [run.domain.names[a] for a in m.attrs]
    return line | {
        "attributes": names,
        "whole_marginal": m.q is None,
        "measured": np.asarray(m.value),
        "noise": "none" if m.scale == 0 else "laplace" if unit == "ε" else "gaussian",
        "noise_scale": m.scale,
        "residual": entry.residual,
        "moved": entry.moved,
        "declined": entry.declined.reason if entry.declined else "",
    }

"""A run's manifest and transcript as JSON, and the seal that tells a damaged or edited release."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from mwem_core.algorithm import Algorithm, AnswerSource, Round
from mwem_core.domain import PublicTable
from mwem_core.encoding import count_of
from mwem_core.model import Measurement
from mwem_core.output.run import Run
from mwem_core.privacy import Budget
from mwem_core.weighted import WeightedRecords

READING = "encoding", "sheet", "delimiter", "decimal", "header", "footer"


def transcript(run: Run) -> list[dict[str, Any]]:
    """What each round released and what it cost. Nothing in it is computed from the private table."""
    return [_transcript_line(run, entry) for entry in run.rounds]


def manifest(run: Run) -> dict[str, Any]:
    """A summary of the run: statement of privacy, schema, workload, settings, budget spent, versions."""
    promise = run.guarantee
    total = "a noisy total, measured" if run.measured_total else "total taken as public, as in the paper"
    return {
        **run.publication.fields(),
        "schema_provenance": run.provenance,
        "seeded": run.seed is not None,
        "neighbours": f"{promise.unit.neighbours}, {total}",
        **({"rows": count_of(run.count)} if run.count else {}),
        "epsilon": promise.epsilon,
        "delta": promise.delta,
        "epsilon_spent": run.epsilon_spent,
        "early_end": run.early_end,
        **run_facts(run),
        "schema": run.domain.to_toml(),
        "table": run.table,
        **{name: getattr(run.reading, name) for name in READING},  # null for what the file says, and for the usual
        "unit": f"{run.unit.column}:{run.unit.records}" if run.unit.column else None,  # null for a record
        "count": run.count,  # the column with the number of records of each row; null if a row is a record
    }


def run_facts(run: Run) -> dict[str, Any]:
    """What was run, of a release too: the system, what it did, the workload, the settings of the rounds, versions."""
    chosen = run.chosen
    return {
        "system": run.system,
        "ran": run.ran,
        "rounds": run.rounds[-1].index,
        "total": run.model.total,
        "workload": run.workload.spec,
        "queries": run.workload.size,
        "domain_size": str(run.domain.size),
        "algorithm": type(chosen).__name__,
        "settings": {field.name: getattr(chosen, field.name) for field in settings_fields(chosen)},
        **measured_bins(run),
        "versions": versions(),
    }


def measured_bins(run: Run) -> dict[str, Any]:
    """The bins and offsets that the run has measured, and what they cost; empty if it has measured none.

    Beside bins stands the schema before them.
    """
    settings, found = run.measured_bins, dict[str, Any]()
    if settings and settings.share:
        bins = {"edges": edges_measured(run), "share": settings.share, "spent": _cost(settings.for_bins)}
        found["measured_bins"] = bins | {"declared": run.declared.to_toml()}
    if settings and settings.offsets:
        of = [run.domain.names[m.attrs[0]] for m in run.rounds[0].offsets]
        found["offsets"] = {"of": of, "share": settings.offsets, "spent": _cost(settings.for_offsets)}
    return found


def _cost(cost: Budget) -> dict[str, Any]:
    return {"amount": cost.amount, "unit": cost.unit}


def edges_measured(run: Run) -> dict[str, Any]:
    """The edges of the bins that the run has measured, by attribute."""
    names = (run.declared.names[a] for a in run.declared.unbinned)
    value_sets = {attribute.name: attribute.value_set for attribute in run.domain.attributes}
    return {name: value_sets[name].declaration()["edges"] for name in names}


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that a result depends on."""
    from importlib.metadata import PackageNotFoundError, version  # imported only when used: it slows the start by 10 %

    by_name = {"python": platform.python_version()}
    for name in ("mwem-explorer", "numpy", "opendp"):
        try:
            by_name[name] = version(name)
        except PackageNotFoundError:
            by_name[name] = "not installed"
    return by_name


def settings_fields(settings: Algorithm) -> list[Field]:
    """The dataclass fields that an algorithm's settings are constructed from."""
    assert is_dataclass(settings)
    return [field for field in fields(settings) if field.init]


def json_text(value: Any) -> str:
    """`json_values(value)` as indented JSON."""
    return json.dumps(json_values(value), indent=2, ensure_ascii=False)


def json_values(value: Any) -> Any:
    """The value with arrays and tuples as lists, None for numbers that JSON lacks, and a public table described."""
    if isinstance(value, dict):
        return {key: json_values(item) for key, item in value.items()}
    if isinstance(value, PublicTable):
        return value.summary()
    if is_dataclass(value) and not isinstance(value, type):
        own = {field.name: getattr(value, field.name) for field in fields(value)}
        return {"type": type(value).__name__, **json_values(own)}
    if isinstance(value, np.ndarray | np.generic):
        return json_values(value.tolist())
    if isinstance(value, list | tuple):
        return [json_values(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _transcript_line(run: Run, entry: Round[AnswerSource]) -> dict[str, Any]:
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
    if not entry.index and run.declared.unbinned and run.measured_bins:
        line["bins"] = edges_measured(run)
    if not entry.index and entry.offsets:
        line["offsets"] = [_measurement(run, m) for m in entry.offsets]
    if not entry.measurements:
        return line
    measured = [_measurement(run, m) for m in entry.measurements]
    if entry.tables:
        line["tables"] = [_measurement(run, m) for m in entry.tables]  # as drawn; what follows are their residuals
    if isinstance(entry.A, WeightedRecords):
        line["weighted_rows"] = entry.A.rows  # of a domain too large for a tree, or fitted to predicates
    return line | {
        "noise": "none"
        if measured[0]["noise_scale"] == 0
        else "laplace"
        if entry.ledger.budget.unit == "ε"
        else "gaussian",
        **({f"{entry.planned_unit}s": measured} if entry.planned else measured[0]),
        "residual": entry.residual,
        "moved": entry.moved,
        "declined": entry.declined.reason if entry.declined else "",
    }


def _measurement(run: Run, m: Measurement) -> dict[str, Any]:
    return {
        "attributes": [run.domain.names[a] for a in m.attrs],
        "whole_marginal": m.whole,
        **({"levels": m.levels} if m.levels else {}),  # of the intervals whose halves differ by what was measured
        "measured": np.asarray(m.value),
        "noise_scale": m.scale,
    }


FORMAT = 2  # docs/releases.md says what each file holds
MAX_ROWS = 10**6  # synthetic rows; more would not be more accurate


def seal(facts: Mapping[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """The manifest with the format, the SHA-256 of every other file, and its own."""
    digests = {name: sha256(content).hexdigest() for name, content in files.items()}
    whole = {**facts, "format": FORMAT, "files": digests}
    return whole | {"digest": digest(whole)}


def digest(facts: Mapping[str, Any]) -> str:
    """The SHA-256 of a manifest's facts but the digest itself, whatever the order and the blanks of its JSON."""
    own = {name: fact for name, fact in facts.items() if name != "digest"}
    return sha256(json.dumps(json_values(own), sort_keys=True).encode()).hexdigest()


def check_seal(facts: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Raise ValueError where a file is missing, or is not the one that was released."""
    if facts.get("digest") != digest(facts):
        raise ValueError("manifest.json has been changed since the release: take the file that was published")
    for name, expected in facts["files"].items():
        if name not in files:
            raise ValueError(f"the release has no {name}: take it as it was published, with all of its files")
        if sha256(files[name]).hexdigest() != expected:
            raise ValueError(f"{name} is not the file that was released: take the one that was published")

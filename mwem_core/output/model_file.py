"""A model as JSON, and back: log-weights of a log-linear model, or rows with weights, or several of these."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from mwem_core.domain import Domain
from mwem_core.model import LogLinear, triangulate
from mwem_core.weighted import Average, CorrectedModel, Model, Single, WeightedRecords

MAX_CELLS = 2 * 10**7  # of the tables of a model that is read, beyond those in its file


def model_json(model: Model) -> bytes:
    """The model as compact JSON. Attributes are numbered from 0 in the order of the schema; numbers are in records."""
    return json.dumps(_to_json(model), separators=(",", ":")).encode()


def read_model(content: bytes, domain: Domain) -> Model:
    """The model of a file that `model_json` has written. Raises an exception of whatever kind for any other."""
    described = json.loads(content)
    parts = described.get("models", [described.get("model", described)])
    if sum(_cells(part, domain) for part in parts) > MAX_CELLS:
        raise ValueError(f"the model has more than {MAX_CELLS:,} cells")
    return _model(described, domain)


def _cells(part: dict[str, Any], domain: Domain) -> int:
    sets = [tuple(map(int, each["attributes"])) for each in part.get("log_weights", [])]
    cliques = triangulate([*sets, *domain.possible], domain.shape, range(len(domain)))
    return sum(domain.cells(clique) for clique in cliques)


def _to_json(model: Model) -> dict[str, Any]:
    if isinstance(model, Average):
        return {"kind": "average", "models": [_to_json(each) for each in model.models]}
    if isinstance(model, CorrectedModel):
        return {"kind": "corrected", "tables": _tables(model.tables), "model": _to_json(model.A)}
    if isinstance(model, WeightedRecords):
        rows = {"codes": [code.tolist() for code in model.codes], "weights": model.weights.tolist()}
        return {"kind": "weighted rows", "total": model.total, **rows}
    return {"kind": "log-linear", "total": model.total, "log_weights": _tables(model.theta)}


def _tables(tables: Any) -> list[dict[str, Any]]:
    return [{"attributes": list(S), "table": table.tolist()} for S, table in tables.items()]


def _read_tables(described: list[dict[str, Any]], domain: Domain) -> dict[tuple[int, ...], np.ndarray]:
    tables = {tuple(map(int, each["attributes"])): np.array(each["table"], float) for each in described}
    if any(S != tuple(sorted({*S})) or table.shape != domain.sizes(S) for S, table in tables.items()):
        raise ValueError("a table has not the shape of its attributes")
    if any(min(S, default=0) < 0 or not (table < np.inf).all() for S, table in tables.items()):
        raise ValueError("a table has no such attribute, or a cell without a number")
    return tables


def _model(described: dict[str, Any], domain: Domain) -> Model:
    kind = described["kind"]
    if kind == "average":
        return Average(tuple(_single(each, domain) for each in described["models"]))
    if kind == "corrected":
        return CorrectedModel(_single(described["model"], domain), _read_tables(described["tables"], domain))
    return _single(described, domain)


def _single(described: dict[str, Any], domain: Domain) -> Single:
    kind, total = described["kind"], float(described["total"])
    if not 0 <= total < np.inf:
        raise ValueError(f"a model of {total} records")
    if kind == "log-linear":
        theta = _read_tables(described["log_weights"], domain)
        return LogLinear.of(domain.shape, total, theta, possible=domain.possible)
    if kind != "weighted rows":
        raise ValueError(f"there is no model of kind {kind!r}")
    codes = tuple(
        np.array(code, np.min_scalar_type(size - 1))
        for code, size in zip(described["codes"], domain.shape, strict=True)
    )
    weights = np.array(described["weights"], float)
    if weights.ndim != 1 or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("its weights are not numbers from 0 up")
    if any(code.shape != weights.shape or (code >= size).any() for code, size in zip(codes, domain.shape, strict=True)):
        raise ValueError("its rows do not fit the schema")
    return WeightedRecords(domain.shape, total, codes, weights, {}, 0, domain.possible)

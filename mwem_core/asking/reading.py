"""The files of a release, read and checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mwem_core.asking.release import LoadedRelease
from mwem_core.data.encoding import encode
from mwem_core.data.files import read_table
from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs
from mwem_core.model.measurement import Measurement
from mwem_core.privacy.guarantee import Guarantee
from mwem_core.privacy.unit import RECORD, Unit
from mwem_core.release.model_file import read_model
from mwem_core.release.seal import FORMAT, check_seal
from mwem_core.workload.spec import parse_workload
from mwem_core.workload.workload import Workload

MANIFEST = "manifest.json"
NEEDED = ("measurements.json", "schema.toml", "rows.csv")
MAX_NAMED = 10**5  # queries of a workload that are looked up by their names
OLD = (
    "This release was written before releases held digests, whole tables and a model: that its files are unchanged is"
    " not checked, what cells alone would tell cannot be asked, and the model is not there."
)

OTHERS = (
    "Ranges and predicates that were measured together have their intervals in intervals.csv; questions of other kinds"
    " cannot read them."
)


def load_release(folder: Path | str) -> LoadedRelease:
    """What a release published, from its folder and nothing else.

    Raises ValueError, in a sentence, for a folder that is none, of a later format, damaged or edited; OSError where a
    file cannot be read.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is no folder: name the folder that the release was written to")
    return loaded({file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()})


def loaded(files: Mapping[str, bytes]) -> LoadedRelease:
    """The release of these files, by name. Raises ValueError as `load_release` does."""
    if MANIFEST not in files:
        raise ValueError(f"there is no {MANIFEST}, so this is no release: name the folder of a release, or its zip")
    manifest = _json(MANIFEST, files, dict)
    version = manifest.get("format", 1)
    if version not in range(1, FORMAT + 1):
        raise ValueError(
            f"the release has the format {version!r}, and this version reads up to {FORMAT}: install a later version"
        )
    if "spent" not in manifest:
        raise ValueError(f"{MANIFEST} is of a run that explores, so this is no release: make one by `mwem release`")
    for name in NEEDED:
        if name not in files:
            raise ValueError(f"the release has no {name}: take it as it was published, with all of its files")
    if version > 1:
        check_seal(manifest, files)
    try:
        return _release(manifest, files, version)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(
            f"the files of the release contradict each other, so they were damaged or edited: {error}"
        ) from error


def _json(name: str, files: Mapping[str, bytes], kind: type) -> Any:
    try:
        found = json.loads(files[name])
    except ValueError:
        raise ValueError(f"{name} is not JSON, so it was damaged or edited: take the one that was published") from None
    if not isinstance(found, kind):
        raise ValueError(f"{name} is not the file of a release: take the one that was published")
    return found


def _release(manifest: dict[str, Any], files: Mapping[str, bytes], version: int) -> LoadedRelease:
    domain = Domain.from_toml(files["schema.toml"].decode())
    rounds = _json("measurements.json", files, list)
    try:
        workload = parse_workload(manifest["workload"], domain)
    except ValueError:
        workload = None  # of a file that this machine lacks
    named = {key for line in rounds for key in line}
    measurements = tuple(_measurements(rounds, domain, workload))
    measured_total = bool(rounds) and rounds[0].get("attributes") == []
    table = read_table(files["rows.csv"], name="rows.csv", min_rows=0, decimal=manifest.get("decimal"))
    unit = Unit.parse(manifest["unit"]) if "unit" in manifest else RECORD
    return LoadedRelease(
        domain=domain,
        guarantee=Guarantee(float(manifest["epsilon"]), float(manifest["delta"]), unit),
        manifest=manifest,
        measurements=measurements,
        public_total=None if measured_total else float(manifest["total"]),
        laplace=manifest["spent"]["unit"] == "ε",
        model=read_model(files["model.json"], domain) if version > 1 else None,
        rows=encode(table, domain),
        notes=(*([OLD] if version == 1 else []), *([OTHERS] if {"predicates", "levels"} & named else [])),
    )


def _measurements(rounds: list[dict[str, Any]], domain: Domain, workload: Workload | None) -> Iterator[Measurement]:
    """What the rounds measured: whole tables rather than their residuals. Predicates measured together are left out."""
    named: dict[str, tuple[Attrs, np.ndarray]] = {}
    if workload is not None and not workload.tabular and workload.size <= MAX_NAMED:
        named = {name: (S, q) for S, q, name in map(workload.query, range(workload.size))}
    of_tables = False  # the residuals of this round and of those after it are of tables that were read
    for line in rounds:
        of_tables = of_tables or "tables" in line
        residuals = [] if of_tables else line.get("residuals", [])
        for each in (*line.get("tables", ()), *line.get("marginals", ()), *residuals, *line.get("levels", ())):
            yield _measurement(each, domain)
        if "attributes" in line and (np.ndim(line["measured"]) or not line["attributes"]):
            yield _measurement(line, domain)
        elif "attributes" in line and line["chosen"] in named:
            S, q = named[line["chosen"]]
            yield Measurement(S, np.asarray(float(line["measured"])), float(line["noise_scale"]), q)


def _measurement(each: dict[str, Any], domain: Domain) -> Measurement:
    S = domain.attrs(*each["attributes"])
    value, scale, levels = np.array(each["measured"], float), float(each["noise_scale"]), tuple(each.get("levels", ()))
    if not levels and value.shape != domain.sizes(S):
        raise ValueError(f"the measurement of {domain.label(S)} has not the shape of its attributes")
    if not (np.isfinite(value).all() and scale > 0):
        raise ValueError(f"the measurement of {domain.label(S)} is not a number, or has no noise")
    return Measurement(S, value, scale, centred=bool(S) and not each["whole_marginal"] and not levels, levels=levels)

"""The files of a release, or of the zip archive in which they were sent, read and checked."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mwem_core.ask.loaded_release import LoadedRelease
from mwem_core.domain import Attrs, Domain
from mwem_core.encoding import encode
from mwem_core.intervals import with_means
from mwem_core.model import Measurement
from mwem_core.output import FORMAT, MAX_ROWS, check_seal, read_model
from mwem_core.privacy import RECORD, Guarantee, Unit
from mwem_core.tables import DAMAGE, ZIP, Reading, open_archive, read_delimited
from mwem_core.workload import parse_workload

MAX_BYTES = 500 * 10**6  # of all files
SMALL, RATIO = 5 * 10**7, 50  # bytes that any archive may unpack to, and those for each byte of a larger one


def unpack(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files themselves, or those in the one that is a zip archive, by their names without a folder.

    Raises ValueError, in a sentence, for an archive that is damaged, has a password, or is too large.
    """
    if len(files) == 1:
        ((name, content),) = files.items()
        if content.startswith(ZIP):
            return _members(name, content)
    return dict(files)


def _members(name: str, content: bytes) -> dict[str, bytes]:
    try:
        with open_archive(content, name) as archive:
            members = {each.filename.rpartition("/")[2]: each for each in archive.infolist() if not each.is_dir()}
            if len(members) < sum(not each.is_dir() for each in archive.infolist()):
                raise ValueError(f"{name} holds two files of one name: pack one release, as it was published")
            if any(member.flag_bits & 1 for member in members.values()):
                raise ValueError(f"{name} has a password: unpack it, and give its files")
            if sum(member.file_size for member in members.values()) > min(MAX_BYTES, max(SMALL, RATIO * len(content))):
                raise ValueError(
                    f"{name} unpacks to more than a release of its size does: unpack it, and give its files"
                )
            return {own: archive.read(member) for own, member in members.items()}
    except (struct.error, UnicodeError, RuntimeError, *DAMAGE):
        raise ValueError(f"{name} is a damaged archive: take the one that was published") from None


MANIFEST = "manifest.json"
REQUIRED_FILES = ("measurements.json", "model.json", "schema.toml", "rows.csv")
FACTS = {"epsilon": int | float, "delta": int | float, "total": int | float, "queries": int, "files": dict}
FACTS |= dict.fromkeys(("dataset", "statement", "guarantee", "workload", "method", "digest"), str)
MAX_JSON = 10**7  # values of a file: they fill half a gigabyte
MAX_LISTS = 2 * 10**6  # and objects, which take more room
MAX_LABELS = 2 * 10**6  # values of all attributes
MAX_QUERY_CELLS = 10**7  # of the queries of a workload that are looked up by their names
MAX_RESIDUAL_CELLS = 5 * 10**7  # of all marginals of the tables that were measured
LARGEST = 2.0**60  # a measurement or its noise; noise is also above its inverse
OTHER_INTERVALS = (
    "Ranges and predicates that were measured together have their intervals in intervals.csv; questions of other kinds"
    " cannot read them."
)


def load_release(folder: Path | str) -> LoadedRelease:
    """What a release published, from its folder and nothing else.

    Raises ValueError, in a sentence, for a folder that is none, of another format, damaged or edited; OSError where a
    file cannot be read.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is no folder: name the folder that the release was written to")
    files = [file for file in folder.iterdir() if file.is_file()]
    if sum(file.stat().st_size for file in files) > MAX_BYTES:
        raise ValueError(f"the folder holds more than {MAX_BYTES // 10**6} MB: keep a release alone in its folder")
    return load_files({file.name: file.read_bytes() for file in files})


def load_files(files: Mapping[str, bytes]) -> LoadedRelease:
    """The release of these files, by name. Raises ValueError as `load_release` does, whatever they hold."""
    if MANIFEST not in files:
        raise ValueError(f"there is no {MANIFEST}, so this is no release: name the folder of a release, or its zip")
    manifest = _json(MANIFEST, files, dict)
    if (version := manifest.get("format")) is None and "spent" not in manifest:
        raise ValueError(f"{MANIFEST} is of a run that explores, so this is no release: make one by `mwem release`")
    if version != FORMAT:
        shown = f"the format {version}" if isinstance(version, int) and abs(version) < 10**9 else "no format"
        raise ValueError(f"the release has {shown}, and this version reads {FORMAT}: install the version that made it")
    for name, kind in FACTS.items():
        if not isinstance(fact := manifest.get(name), kind) or (kind is str and not fact.isprintable()):
            raise ValueError(f"{MANIFEST} does not say the {name} of a release: take the one that was published")
    for name in REQUIRED_FILES:
        if name not in files:
            raise ValueError(f"the release has no {name}: take it as it was published, with all of its files")
        if name not in manifest["files"]:
            raise ValueError(f"{MANIFEST} has no digest of {name}: take the one that was published")
    try:
        check_seal(manifest, files)
    except RecursionError:
        raise ValueError(f"{MANIFEST} is nested too deeply: take the one that was published") from None
    try:
        return _release(manifest, files)
    except Exception as error:  # of whatever reads what somebody else wrote
        raise ValueError(
            "the files of the release contradict each other, so they were damaged or edited: take what was published"
        ) from error


def _json(name: str, files: Mapping[str, bytes], kind: type) -> Any:
    lists, commas = files[name].count(b"[") + files[name].count(b"{"), files[name].count(b",")
    if lists > MAX_LISTS or lists + commas > MAX_JSON:
        raise ValueError(f"{name} has more than {MAX_JSON:,} values, or too many lists: no release is that large")
    try:
        found = json.loads(str(files[name], "utf-8"))
    except (ValueError, RecursionError):
        raise ValueError(f"{name} is not JSON, so it was damaged or edited: take the one that was published") from None
    if not isinstance(found, kind):
        raise ValueError(f"{name} is not the file of a release: take the one that was published")
    return found


def _release(manifest: dict[str, Any], files: Mapping[str, bytes]) -> LoadedRelease:
    domain = Domain.from_toml(files["schema.toml"].decode())
    if sum(domain.shape) > MAX_LABELS:
        raise ValueError(f"the schema has more than {MAX_LABELS:,} values")
    rounds, total, charged = _json("measurements.json", files, list), manifest["total"], manifest["spent"]["charged"]
    named = {key for line in rounds for key in line}
    measurements = tuple(_measurements(rounds, domain, manifest["workload"]))
    offsets = tuple(_offsets(each, domain) for each in (rounds[0].get("offsets", ()) if rounds else ()))
    measured_total = bool(rounds) and rounds[0].get("attributes") == []
    if files["rows.csv"].count(b"\n") > MAX_ROWS + 1:
        raise ValueError(f"rows.csv has more than {MAX_ROWS:,} rows")
    table = read_delimited(files["rows.csv"], "rows.csv", Reading(decimal=manifest.get("decimal")))
    unit = Unit.parse(manifest["unit"]) if "unit" in manifest else RECORD
    if not 0 <= total <= LARGEST or not isinstance(charged, str) or not charged.isprintable():
        raise ValueError("the manifest does not say how many records there are, or what was spent")
    _json("model.json", files, dict)
    release = LoadedRelease(
        domain=domain,
        guarantee=Guarantee(float(manifest["epsilon"]), float(manifest["delta"]), unit),
        manifest=manifest,
        measurements=measurements,
        offsets=offsets,
        public_total=None if measured_total else float(total),
        laplace=manifest["spent"]["unit"] == "ε",
        model=read_model(files["model.json"], domain),
        rows=encode(table, domain),
        notes=(OTHER_INTERVALS,) if {"predicates", "levels"} & named else (),
    )
    values = release.bin_values  # all that can be asked follows from it: what contradicts itself is refused now
    return replace(release, domain=with_means(domain, values)) if offsets else release


def _measurements(rounds: list[dict[str, Any]], domain: Domain, spec: str) -> Iterator[Measurement]:
    """What the rounds measured: whole tables rather than their residuals. Predicates measured together are left out."""
    single = [line for line in rounds if line.get("attributes") and not np.ndim(line["measured"])]
    named = _queries({line["chosen"] for line in single}, domain, spec) if single else {}
    of_tables = False  # the residuals of this round and of those after it are of tables that were read
    cells = 0
    for line in rounds:
        of_tables = of_tables or "tables" in line
        residuals = [] if of_tables else line.get("residuals", [])
        own = "attributes" in line and (np.ndim(line["measured"]) or not line["attributes"])
        parts = [*line.get("tables", ()), *line.get("marginals", ()), *residuals, *line.get("levels", ())]
        for each in [*parts, *([line] if own else [])]:
            cells += math.prod(size + 1 for size in domain.sizes(domain.attrs(*each["attributes"])))
            if cells > MAX_RESIDUAL_CELLS:
                raise ValueError(f"the tables that were measured have more than {MAX_RESIDUAL_CELLS:,} cells")
            yield _measurement(each, domain)
        if not own and "attributes" in line and line["chosen"] in named:
            yield _measurement(line, domain, *named[line["chosen"]])


def _queries(names: set[str], domain: Domain, spec: str) -> dict[str, tuple[Attrs, np.ndarray]]:
    """The queries of a workload that have these names; none of one that is too large to look through."""
    try:
        terms = 1 + spec.count(" + ") + spec.count(";")
        workload = parse_workload(spec, domain, limit=MAX_QUERY_CELLS // terms)
    except (ValueError, RecursionError):
        return {}
    if workload.tabular or workload.query_counts @ workload.part_cells > MAX_QUERY_CELLS:
        return {}
    return {name: (S, q) for S, q, name in map(workload.query, range(workload.size)) if name in names}


def _measurement(
    each: dict[str, Any], domain: Domain, S: Attrs | None = None, q: np.ndarray | None = None
) -> Measurement:
    S = domain.attrs(*each["attributes"]) if S is None else S
    levels = tuple(each.get("levels", ()))
    value, scale = _numbers(each, domain, S, None if q is not None or levels else domain.sizes(S))
    centred = q is None and bool(S) and not each["whole_marginal"] and not levels
    return Measurement(S, value, scale, q, centred=centred, levels=levels)


def _offsets(each: dict[str, Any], domain: Domain) -> Measurement:
    """The sums of offsets of an attribute, a value a bin."""
    (a,) = domain.attrs(*each["attributes"])
    return Measurement((a,), *_numbers(each, domain, (a,), (domain.attributes[a].value_set.size,)))


def _numbers(each: dict[str, Any], domain: Domain, S: Attrs, shape: tuple[int, ...] | None) -> tuple[np.ndarray, float]:
    value, scale = np.array(each["measured"], float), float(each["noise_scale"])
    if shape is not None and value.shape != shape:
        raise ValueError(f"the measurement of {domain.label(S)} has not the shape of its attributes")
    if not (abs(value).max(initial=0) <= LARGEST and 1 / LARGEST <= scale <= LARGEST):
        raise ValueError(f"the measurement of {domain.label(S)} is not a number, or has no noise")
    return value, scale

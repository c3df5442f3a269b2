"""One Parquet file per experiment: a row per trial, with its settings, seed and metrics, and the tables' digests."""

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mwem_core.base import SAMPLES, join_names
from mwem_core.experiments.claim import Frame, JudgedResult
from mwem_core.judge import Result, Trial

FOLDER = SAMPLES / "paper"
IDENTITY = ["table", "workload", "method", "system", "changed", "epsilon", "delta", "T", "seed"]
TEXTS, WHOLE = ["table", "workload", "method", "system", "changed", "problem"], ["T", "seed"]
KEY = b"mwem"
ROWS = "rows_"
SAME = 1e-5  # relative: metrics are stored as 32-bit floats
PROCESSOR_NOTE = (
    "On another kind of processor, or with other versions, the last bits of floating-point numbers differ, and fits, "
    "selections and classifiers amplify that"
)

Row = dict[str, Any]


def row_of_trial(trial: Trial, *, table: str, workload: str, method: str) -> Row:
    """What identifies a trial within an experiment."""
    row: Row = {"table": table, "workload": workload, "method": method, "system": trial.system}
    row |= {"changed": json.dumps(dict(trial.changed)) if trial.changed else "", "epsilon": trial.epsilon}
    return row | {"delta": trial.delta, "T": trial.T, "seed": trial.seed}


def row_of(result: Result, *, table: str, method: str, metrics: Iterable[str]) -> Row:
    """A trial's identity, its metrics, and its problem if it could not run."""
    row = row_of_trial(result.trial, table=table, workload=result.workload, method=method)
    return row | {name: metric(result, name) for name in metrics} | {"problem": result.problem}


def metric(result: Result, name: str) -> float | None:
    """A metric of a trial by its name: a number of the result itself, or of its answers' errors; None without one.

    A name that begins with rows_ is of the errors of its synthetic rows.
    """
    if name.startswith(ROWS):
        return getattr(result.rows, name.removeprefix(ROWS), None)
    if isinstance(result, JudgedResult) and name in result.more:
        return result.more[name]
    own = getattr(result, name, None)
    return own if own is not None else getattr(result.answers, name, None)


def frame_of(rows: Sequence[Row], metrics: Iterable[str]) -> Frame:
    """Rows as a frame; a metric that a row lacks is NaN."""
    frame = pd.DataFrame(rows, columns=[*IDENTITY, *metrics, "problem"])
    for name in TEXTS:
        frame[name] = frame[name].astype(object).where(frame[name].notna(), "").astype("category")
    for name in WHOLE:
        frame[name] = frame[name].astype("Int32")
    for name in metrics:
        frame[name] = frame[name].astype("float32")
    return frame


def about(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What a frame's `attrs` say of results of today: each table's number of records and digest, versions, the day."""
    return {"tables": tables, "versions": _versions(), "day": str(date.today())}


def write(path: Path, frame: Frame, tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Write a frame with the versions, the day, and each table's number of records and digest.

    A process killed meanwhile leaves the file as it was. Raises ValueError, which says where the results are, if the
    file cannot be replaced: on Windows, none that another program has open can.
    """
    table = pa.Table.from_pandas(frame, preserve_index=False)
    metadata = {**(table.schema.metadata or {}), KEY: json.dumps(about(tables)).encode()}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    pq.write_table(table.replace_schema_metadata(metadata), partial, compression="zstd", compression_level=19)
    try:
        partial.replace(path)
    except PermissionError:
        raise ValueError(
            f"{str(path)!r} cannot be replaced, perhaps as another program has it open: the results are in"
            f" {str(partial)!r}"
        ) from None


def read(path: Path) -> Frame:
    """The frame of a file; `frame.attrs` has its versions, day and tables. Raises ValueError if it is no such file."""
    try:
        table = pq.read_table(path)
        attrs = json.loads((table.schema.metadata or {})[KEY])
    except (OSError, pa.ArrowException, KeyError, ValueError):
        raise ValueError(f"{path} is not a file of this command's results: name another file") from None
    frame = table.to_pandas()
    frame.attrs = attrs
    return frame


def read_committed(name: str) -> Frame:
    """The committed results of an experiment."""
    return read(FOLDER / f"{name}.parquet")


def gaps(frame: Frame, before: Frame, metrics: Sequence[str]) -> np.ndarray:
    """How far the trials that both frames have are apart: (trials,), the largest relative gap of a metric.

    Seconds are left out.
    """
    judged = [name for name in metrics if name != "seconds"]
    plain = [f.astype(dict.fromkeys(TEXTS, str))[[*IDENTITY, *judged]] for f in (frame, before)]
    pairs = plain[0].merge(plain[1], on=IDENTITY, suffixes=("", " before"))
    a, b = pairs[judged].to_numpy(float), pairs[[f"{name} before" for name in judged]].to_numpy(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b) / np.maximum(np.abs(a), np.abs(b)))
    return np.where(np.isnan(gap), np.inf, gap).max(axis=1, initial=0.0)


def difference(frame: Frame, before: Frame, metrics: Sequence[str]) -> str:
    """How the trials that both frames have differ, in words.

    Two trials differ if their gap is above `SAME`. The words say what may cause that besides a change of code.
    """
    gap = gaps(frame, before, metrics)
    differing = int((gap > SAME).sum())
    if not differing:
        return f"0 of {len(gap):,} committed trials differ."
    ran = join_names([f"{name} {version}" for name, version in before.attrs["versions"].items()])
    return (
        f"{differing:,} of {len(gap):,} committed trials differ by more than {SAME:g} of a number, at most by "
        f"{gap.max():.1e}. {PROCESSOR_NOTE}. The committed trials ran with {ran}."
    )


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    try:
        return {"mwem-explorer": version("mwem-explorer"), **versions}
    except PackageNotFoundError:  # run from a folder without an installation
        return versions

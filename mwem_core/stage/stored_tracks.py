"""Tracks in files, and those of the bundled tables, which come with the program.

`benchmarks/stored_results.py` writes them, to `sample_data/runs/`.
"""

from __future__ import annotations

import io
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from zipfile import ZIP_LZMA, ZipFile, ZipInfo

import numpy as np

from mwem_core.base import SAMPLES
from mwem_core.domain import Records, digest
from mwem_core.stage.tracks import Track
from mwem_core.workload import Workload

FOLDER = SAMPLES / "runs"
INDEX = "index.toml"
SEED = 1  # of the committed runs; their δ is 0, and T is the system's own


def stored(records: Records, workload: Workload, system: str, folder: Path = FOLDER) -> dict[float, Track] | None:
    """The committed tracks of a system on exactly this table and workload, by ε; None if there are none.

    Raises ValueError for a damaged file.
    """
    entries = [entry for entry in _index(folder) if entry["workload"] == workload.spec]
    table = digest(records) if entries else ""
    file = next((entry["file"] for entry in entries if entry["table"] == table), None)
    tracks = _tracks(folder / file) if file else ()
    return {each.epsilon: each for each in tracks if each.system == system} or None


def to_npz(tracks: Sequence[Track]) -> bytes:
    """Tracks of the same tables as a file of arrays: all rounds end to end, and answers as differences of rounds."""
    columns = {
        "system": np.array([each.system for each in tracks]),
        "epsilon": np.array([each.epsilon for each in tracks]),
        "rounds": np.array([len(each.spent) for each in tracks]),
        "index": np.concatenate([each.index for each in tracks]),
        "spent": np.concatenate([each.spent for each in tracks]),
        "max_error": np.concatenate([each.max_error for each in tracks]),
        "mean_error": np.concatenate([each.mean_error for each in tracks]),
        "labels": np.concatenate([np.array(each.labels) for each in tracks]),
        "answers": np.concatenate([np.diff(each.answers, axis=0, prepend=np.int32(0)) for each in tracks]),
    }
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_LZMA) as archive:  # half the size of `np.savez_compressed`, which deflates
        for name, column in columns.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, column, allow_pickle=False)
            archive.writestr(ZipInfo(f"{name}.npy"), content.getvalue(), ZIP_LZMA)  # without the time: the same bytes
    return packed.getvalue()


def from_npz(content: bytes) -> list[Track]:
    """The tracks of a file that `to_npz` wrote. Raises ValueError for any other, in one sentence."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return _read(file)
    except Exception:  # whatever it is, the file is not one of these
        raise ValueError(
            "this is no file of runs, or it is damaged: write it again with benchmarks/stored_results.py"
        ) from None


def _read(file: np.lib.npyio.NpzFile) -> list[Track]:
    ends = np.cumsum(file["rounds"])
    by_round = {name: file[name] for name in ("index", "spent", "max_error", "mean_error", "labels", "answers")}
    if {len(column) for column in by_round.values()} != {int(ends[-1])}:
        raise ValueError("the columns differ in length")
    index, spent, largest, mean, labels, answers = (np.split(column, ends[:-1]) for column in by_round.values())
    return [
        Track(
            system=system,
            epsilon=epsilon,
            index=index[i],
            spent=spent[i],
            max_error=largest[i],
            mean_error=mean[i],
            labels=tuple(labels[i].tolist()),
            answers=np.cumsum(answers[i], axis=0, dtype=np.int32),
        )
        for i, (system, epsilon) in enumerate(zip(file["system"].tolist(), file["epsilon"].tolist(), strict=True))
    ]


@cache
def _index(folder: Path) -> list[dict]:
    file = folder / INDEX
    return tomllib.loads(file.read_text(encoding="utf-8"))["runs"] if file.exists() else []


@cache
def _tracks(file: Path) -> tuple[Track, ...]:
    try:
        return tuple(from_npz(file.read_bytes()))
    except (OSError, ValueError) as problem:
        raise ValueError(f"{file} cannot be read: {problem}") from None

"""A run as a picture needs it, round by round, and such runs in files. Errors are NOT PRIVATE."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar
from zipfile import ZIP_LZMA, ZipFile, ZipInfo

import numpy as np

from mwem_core.algorithm import Algorithm, AnswerSource, Round
from mwem_core.base import SAMPLES
from mwem_core.domain import Records
from mwem_core.judge import Trial, errors, settings_of
from mwem_core.model import LogLinear
from mwem_core.privacy import Ledger, Seeded
from mwem_core.stage.tables import MAX_RECORDS, counts, tables_of
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

EPSILONS = (0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)  # among the marks of the Run page's slider
MAX_ROUNDS = 25  # of a track, the start and the last one among them
X = TypeVar("X")
FOLDER = SAMPLES / "runs"
INDEX = "index.toml"
SEED = 1  # of the committed runs; their δ is 0, and T is the system's own


@dataclass(frozen=True, eq=False)
class Track:
    """A run of one system at one ε, at its start and after each round, or after `MAX_ROUNDS` - 1 of them.

    Of (rounds,) each: `index`, the numbers of the rounds, 0 for the start; `spent`, the share of the budget, from 0 to
    1; `max_error` and `mean_error` of the workload's answers, in shares of n; `labels`, what each round measured, ""
    for the start. `answers` are the cells of `tables_of(workload)`, (rounds, cells) int32 in tenths of a record.
    """

    system: str
    epsilon: float
    index: np.ndarray
    spent: np.ndarray
    max_error: np.ndarray
    mean_error: np.ndarray
    labels: tuple[str, ...]
    answers: np.ndarray


def track(
    records: Records,
    workload: Workload,
    system: str,
    epsilon: float,
    *,
    delta: float = 0.0,
    seed: int = 0,
    T: int | None = None,
) -> tuple[Track, list[Round[AnswerSource]]]:
    """Run a system by its name, and give the run as a picture and all of its rounds, the start first.

    The run takes n as public and is (ε, δ)-differentially private; the track's errors are not.
    Raises ValueError where the system refuses the settings or the data, where it adds no noise, where it answers the
    workload and has no table to draw, and for more than `MAX_RECORDS` records.
    """
    _check_records(records)
    tables = tables_of(workload)
    settings = settings_of(Trial(system=system, epsilon=epsilon, delta=delta, seed=seed, T=T), workload, records.total)
    if settings.guarantee.epsilon == np.inf:
        title = SYSTEMS[system].title
        raise ValueError(f"{title} adds no noise, so it has no budget to show: choose a private system")
    B = records.distinct()
    rounds = _from_start(settings, B, settings.rounds(B, workload, noise=Seeded(seed)))
    shown, truth = thin_out(rounds), workload.answers(B)
    found = [errors(workload, each.model.answers(workload), truth, B.total, total=each.model.total) for each in shown]
    return Track(
        system=system,
        epsilon=epsilon,
        index=np.array([each.index for each in shown], np.int32),
        spent=np.array([_share(each.ledger) for each in shown]),
        max_error=np.array([each.max_error for each in found]),
        mean_error=np.array([each.mean_error for each in found]),
        labels=tuple(each.label if each.index else "" for each in shown),
        answers=np.array([counts(tables, each.model) for each in shown]),
    ), rounds


def truth_of(records: Records, workload: Workload) -> np.ndarray:
    """The true cells of `tables_of(workload)`: (cells,) int32 in tenths of a record. NOT PRIVATE."""
    _check_records(records)
    return counts(tables_of(workload), records.distinct())


def thin_out(rounds: Sequence[X]) -> list[X]:
    """Of all rounds those that a track has: at most `MAX_ROUNDS`, the first, the last, and evenly between."""
    if len(rounds) <= MAX_ROUNDS:
        return list(rounds)
    return [rounds[i] for i in np.rint(np.linspace(0, len(rounds) - 1, MAX_ROUNDS)).astype(int)]


def _check_records(records: Records) -> None:
    """Raise ValueError for more records than a picture can hold."""
    if records.total > MAX_RECORDS:
        raise ValueError(
            f"the table has {records.total:,} records, but at most {MAX_RECORDS:,} can be drawn: show a sample of them"
        )


def _from_start(settings: Algorithm, B: Records, rounds: Iterable[Round[AnswerSource]]) -> list[Round[AnswerSource]]:
    """The rounds, with the uniform table before them where the first of them has already spent something."""
    found = list(rounds)
    if found[0].ledger.exact or found[0].index:
        A_0 = LogLinear.uniform(B.domain.shape, B.total, B.domain.possible)
        found.insert(0, Round(0, Ledger(settings.guarantee.budget), A_0))
    return found


def _share(ledger: Ledger) -> float:
    """What is spent of the budget, from 0 to 1; 0 of a system that reads no data."""
    return float(ledger.exact / ledger.budget.exact) if ledger.budget.exact else 0.0


# ---- in files: `benchmarks/stored_results.py` writes those of the bundled tables ----
def stored_tracks(
    records: Records, workload: Workload, system: str, folder: Path = FOLDER
) -> dict[float, Track] | None:
    """The committed tracks of a system on exactly this table and workload, by ε; None if there are none.

    Raises ValueError for a damaged file.
    """
    entries = [entry for entry in _index(folder) if entry["workload"] == workload.spec]
    table = records.digest if entries else ""
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

"""What runs of MWEM and of Automatic say of all pairs of a bundled table's attributes, in a file that browsers read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mwem_app.base import SERVED_FOLDER
from mwem_core.domain import Records
from mwem_core.judge import Trial, settings_of
from mwem_core.privacy import Seeded
from mwem_core.workload import Workload

EPSILONS = (0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 3.0, 5.0, 10.0)
SYSTEMS = "mwem", "automatic"
SEEDS = range(1, 21)  # of the runs, for each ε; the errors by round are those of the first
FOLDER = SERVED_FOLDER / "static" / "answers"
LARGEST = np.iinfo(np.int16).max  # records that an answer may be off


@dataclass(frozen=True, eq=False)
class Answers:
    """Stored answers of a public table. They are of fixed seeds, beside the truth: NOT PRIVATE.

    `truth` are the true answers, (cells,) in whole records, and `off` how far each run's answers are from them, to the
    nearest record: (systems, cells, ε, seeds) int16. `rounds` are, by system and ε, the largest and the mean error
    before the first round and after each, in records: ((rounds + 1,), (rounds + 1,)).
    """

    truth: np.ndarray
    off: np.ndarray
    rounds: dict[str, list[tuple[list[float], list[float]]]]


def run_answers(records: Records, workload: Workload) -> Answers:
    """Run each system with every seed at every ε. Raises ValueError for an answer off by more than `LARGEST`."""
    B, truth = records.distinct(), workload.answers(records)
    found = np.empty((len(SYSTEMS), len(truth), len(EPSILONS), len(SEEDS)))
    rounds: dict[str, list[tuple[list[float], list[float]]]] = {name: [] for name in SYSTEMS}
    for s, name in enumerate(SYSTEMS):
        for e, epsilon in enumerate(EPSILONS):
            for k, seed in enumerate(SEEDS):
                by_round = list(_answers_by_round(B, workload, name, epsilon, seed))
                found[s, :, e, k] = by_round[-1]
                if not k:
                    off = [np.abs(answers - truth) for answers in by_round]
                    rounds[name].append(([_short(each.max()) for each in off], [_short(each.mean()) for each in off]))
    off = np.rint(found) - truth[:, None, None]
    if np.abs(off).max() > LARGEST:
        raise ValueError(f"an answer is off by {np.abs(off).max():,.0f} records, more than {LARGEST:,} can be stored")
    return Answers(np.rint(truth).astype(int), np.rint(off).astype(np.int16), rounds)


def _answers_by_round(B: Records, workload: Workload, name: str, epsilon: float, seed: int) -> Iterator[np.ndarray]:
    settings = settings_of(Trial(system=name, epsilon=epsilon, delta=0.0, seed=seed), workload, B.total)
    for each in settings.rounds(B, workload, noise=Seeded(seed)):
        yield each.model.answers(workload)


def _short(error: float) -> float:
    """An error to three digits, which no line on a screen tells from all of them."""
    return float(f"{error:.3g}")


def to_gz(answers: Answers) -> bytes:
    """The file: the truth and the errors as JSON, with its length before it, and the low and high bytes of `off`."""
    head = json.dumps({"truth": answers.truth.tolist(), "rounds": answers.rounds}, separators=(",", ":")).encode()
    planes = np.frombuffer(answers.off.astype("<i2").tobytes(), np.uint8).reshape(-1, 2).T.tobytes()
    return gzip.compress(len(head).to_bytes(4, "little") + head + planes, 9, mtime=0)


def from_gz(content: bytes) -> Answers:
    """The answers in a file that `to_gz` wrote."""
    data = gzip.decompress(content)
    low = 4 + int.from_bytes(data[:4], "little")
    head = json.loads(data[4:low])
    off = np.frombuffer(np.frombuffer(data[low:], np.uint8).reshape(2, -1).T.tobytes(), "<i2")
    shape = len(SYSTEMS), len(head["truth"]), len(EPSILONS), len(SEEDS)
    rounds = {name: [(high, mean) for high, mean in curves] for name, curves in head["rounds"].items()}
    return Answers(np.array(head["truth"]), off.reshape(shape), rounds)


def file_of(title: str, folder: Path = FOLDER) -> Path:
    """Where the answers of a bundled table are: "answers/class_survey.gz"."""
    return folder / f"{title.lower().replace(' ', '_')}.gz"

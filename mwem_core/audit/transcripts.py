"""A run as the audit sees it: its draws, and the rounds that it released, each with the number of draws before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mwem_core.algorithm import Algorithm, Round
from mwem_core.audit.draws import Draw, Recorder, Repeater
from mwem_core.domain import Table
from mwem_core.privacy import NoiseSource
from mwem_core.workload import Workload


@dataclass(frozen=True, eq=False)
class Transcript:
    """All draws and all rounds of a run. `ends` has for each round the number of draws made when it was released.

    `failure` is the error that ended the run early, if one did.
    """

    draws: Sequence[Draw]
    rounds: Sequence[Round[Any]]
    ends: Sequence[int]
    failure: str = ""


def transcript(settings: Algorithm, B: Table, Q: Workload, noise: NoiseSource) -> Transcript:
    """Run to the end, or to an error: the audit must see an error that only one of two neighbours meets."""
    recorder, rounds, ends, failure = Recorder(noise), [], [], ""
    try:
        for released in settings.rounds(B, Q, noise=recorder):
            rounds.append(released)
            ends.append(len(recorder.draws))
    except Exception as problem:
        failure = f"{type(problem).__name__}: {problem}"
    return Transcript(recorder.draws, rounds, ends, failure)


def repeated(settings: Algorithm, neighbour: Table, Q: Workload, ours: Transcript) -> Transcript:
    """The run on a neighbour, with the outputs of every draw forced to be those of our run."""
    return transcript(settings, neighbour, Q, Repeater(ours.draws))

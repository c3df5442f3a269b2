"""Badges: whether what one sees, or takes away, may leave the room."""

from dataclasses import dataclass
from typing import Literal

from mwem_core.release.run import STATEMENT_EXPLORING, STATEMENT_SEEDED, Run


@dataclass(frozen=True)
class Badge:
    """A verdict in words; its kind says which colour and icon go with it."""

    text: str
    kind: Literal["private", "exploring", "released"]


PRIVATE = Badge("made from the private data: do not publish", "private")
SEEDED = Badge("not private: the seed takes the noise away", "private")
EXPLORING = Badge("exploratory: not a vetted release", "exploring")
RELEASED = Badge("differentially private: may leave the room", "released")


def of_chart(run: Run) -> Badge:
    """What may be said of a chart drawn from a run's rounds alone."""
    return RELEASED if run.seed is None else SEEDED


def of_file(run: Run) -> Badge:
    """What may be said of a file made from a run's rounds alone: no more than the run's statement, which goes along."""
    return {STATEMENT_SEEDED: SEEDED, STATEMENT_EXPLORING: EXPLORING}.get(run.statement, RELEASED)

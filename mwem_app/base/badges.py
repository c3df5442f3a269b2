"""Badges: whether a chart or a file may be published. What is not known to be less than private is private."""

import math
from dataclasses import dataclass
from typing import Literal

from mwem_core.output import SCHEMA_REASONS, Provenance, Run


@dataclass(frozen=True)
class Badge:
    """A short text about privacy; its kind chooses colour and icon."""

    text: str
    kind: Literal["private", "exploring", "released"]

    @property
    def sentence(self) -> str:
        """The text as a sentence, for an alternative text."""
        return f"{self.text[0].upper()}{self.text[1:]}."


PRIVATE = Badge("made from the records: do not publish unless they are public", "private")
STAND_IN = Badge("read no record: as public as the schema and n", "exploring")
SEEDED = Badge("not private: the seed reveals the noise", "private")
EXAMPLE = Badge("example data, seeded: no release", "exploring")
SIMULATED = Badge("simulated: nobody's data, nothing spent", "exploring")
ON_PUBLIC = Badge("a public table: nothing spent", "exploring")
RELEASED = Badge("may leave the room", "released")
EXPLORING = Badge("exploratory: do not publish", "exploring")


def run_badge(run: Run) -> Badge:
    """The badge of a chart or a file made from a run's rounds alone: its verdict in a few words."""
    return rounds_badge(seeded=run.seed is not None, epsilon=run.guarantee.epsilon)


def rounds_badge(*, seeded: bool, epsilon: float) -> Badge:
    """The badge of everything made from rounds of this ε alone, while they run and after: charts and files agree."""
    if not math.isfinite(epsilon):
        return PRIVATE  # rounds without noise hold the truth
    return SEEDED if seeded else EXPLORING


def stand_in_badge(provenance: Provenance) -> Badge:
    """The badge of what was made without a record, from the schema and n: it is as public as the schema."""
    return PRIVATE if provenance in SCHEMA_REASONS else STAND_IN

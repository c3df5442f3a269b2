"""Badges: whether a chart or a file may be published."""

from dataclasses import dataclass
from typing import Literal

from mwem_core.release.run import Run


@dataclass(frozen=True)
class Badge:
    """A short text about privacy; its kind chooses colour and icon."""

    text: str
    kind: Literal["private", "exploring"]

    @property
    def sentence(self) -> str:
        """The text as a sentence, for an alternative text."""
        return f"{self.text[0].upper()}{self.text[1:]}."


PRIVATE = Badge("made from the private data: do not publish", "private")
STAND_IN = Badge("read no record: as public as the schema and n", "exploring")
SEEDED = Badge("not private: the seed reveals the noise", "private")
EXAMPLE = Badge("example data, seeded: no release", "exploring")
EXPLORING = Badge("exploratory: do not publish", "exploring")


def run_badge(run: Run) -> Badge:
    """The badge of a chart or a file made from a run's rounds alone: its verdict in a few words."""
    return EXPLORING if run.publication.private else SEEDED

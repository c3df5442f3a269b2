"""Badges: whether a chart or a file may be published."""

from dataclasses import dataclass
from typing import Literal

from mwem_core.release.run import STATEMENT_EXPLORING, STATEMENT_SEEDED, Run


@dataclass(frozen=True)
class Badge:
    """A short text about privacy; its kind chooses colour and icon."""

    text: str
    kind: Literal["private", "exploring", "released"]


PRIVATE = Badge("made from the private data: do not publish", "private")
SEEDED = Badge("not private: the seed reveals the noise", "private")
EXPLORING = Badge("exploratory: not a vetted release", "exploring")
RELEASED = Badge("differentially private: may be published", "released")


def chart_badge(run: Run) -> Badge:
    """The badge of a chart that is drawn from a run's rounds alone."""
    return RELEASED if run.seed is None else SEEDED


def file_badge(run: Run) -> Badge:
    """The badge of a file made from a run's rounds alone. It claims no more than the run's statement in the file."""
    return {STATEMENT_SEEDED: SEEDED, STATEMENT_EXPLORING: EXPLORING}.get(run.statement, RELEASED)

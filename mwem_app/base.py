"""What all rooms share: where files are, how numbers read, and badges.

A badge says whether a chart or a file may be published. What is not known to be less than private is private.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mwem_core.base import find_folder
from mwem_core.output import SCHEMA_REASONS, Provenance, Run

APP = Path(__file__).parent
BENCHMARKS = find_folder("benchmarks", APP)  # as far as pages read them


def served_folder(app: Path = APP) -> Path:
    """The folder of `app.py`, `pages`, `static` and `.streamlit`, which Streamlit looks for together."""
    within = app / "served"
    return within if within.exists() else app.parent


SERVED_FOLDER = served_folder()


def share(value: float) -> str:
    """A share of n with two significant digits: "0.018", "0.00034"."""
    if not math.isfinite(value) or abs(value) < 1e-5:
        return f"{value:.2g}"
    return f"{value:.{max(2, 1 - math.floor(math.log10(abs(value))))}f}"


def percent(value: float) -> str:
    """A share in per cent with two significant digits: "0.030%"."""
    return f"{share(100 * value)}%" if value < 0.01 else f"{100 * value:.{1 if value < 0.1 else 0}f}%"


def records(value: float) -> str:
    """A number of records: whole from 10 up, one decimal from 0.1 up, else two significant digits."""
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}" if abs(value) >= 0.1 else f"{value:.2g}"


def count(number: int, singular: str, plural: str = "") -> str:
    """ "1 query", "3,982 queries"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def queue_in_words(before: int, what: str = "run") -> str:
    """ "1 run is before yours.", "12 runs are before yours." """
    plural = f"{what}es" if what.endswith("ch") else f"{what}s"
    return f"{count(before, what, plural)} {'is' if before == 1 else 'are'} before yours."


def duration(seconds: float) -> str:
    """A rough time: whole seconds, from 10 s in steps of 5 s, from 100 s in minutes."""
    if seconds < 100:
        return f"{max(1, round(seconds)) if seconds < 10 else 5 * round(seconds / 5)} s"
    return f"{round(seconds / 60)} min"


def size(cells: int) -> str:
    """A number of cells: in full below 10⁹, else as "2.3·10¹⁵"."""
    if cells < 10**9:
        return f"{cells:,}"
    power = math.floor(math.log10(cells))
    return f"{cells / 10**power:.1f}·10{str(power).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def three_digits(value: float) -> str:
    """Three significant digits, for numbers to compare: "0.0182", "1.04", "12,345"."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


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
SEEDED_RUN = Badge("not private: the seed reveals the noise", "private")
EXAMPLE = Badge("example data, seeded: no release", "exploring")
SIMULATION = Badge("simulated: nobody's data, nothing spent", "exploring")
ON_PUBLIC = Badge("public table", "exploring")
PRIVATE_TABLE = Badge("private table: do not publish", "private")
RELEASE_FILE = Badge("may leave the room", "released")
EXPLORATION = Badge("exploratory: do not publish", "exploring")


def run_badge(run: Run) -> Badge:
    """The badge of a chart or a file made from a run's rounds alone: its verdict in a few words."""
    return rounds_badge(seeded=run.seed is not None, epsilon=run.guarantee.epsilon)


def rounds_badge(*, seeded: bool, epsilon: float) -> Badge:
    """The badge of everything made from rounds of this ε alone, while they run and after: charts and files agree."""
    if not math.isfinite(epsilon):
        return PRIVATE  # rounds without noise hold the truth
    return SEEDED_RUN if seeded else EXPLORATION


def stand_in_badge(provenance: Provenance) -> Badge:
    """The badge of what was made without a record, from the schema and n: it is as public as the schema."""
    return PRIVATE if provenance in SCHEMA_REASONS else STAND_IN

"""Whether what a run made may be published: one verdict, with its reasons and the way out of each.

Every page, file and script that says something about publishing reads it here. What is not known counts against it.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

Provenance = Literal["built in", "file", "proposed and edited", "proposed", "unknown"]  # of a schema


@dataclass(frozen=True)
class Reason:
    """A reason not to publish, and how the user can remove it."""

    text: str
    remedy: str


@dataclass(frozen=True)
class Publication:
    """The verdict. A run explores, so there is always a reason: floating-point samplers, or no privacy at all."""

    reasons: tuple[Reason, ...]
    private: bool  # whether the run is differentially private at all

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        return "EXPLORATORY: do not publish." if self.private else "NOT PRIVATE: for teaching, tests and public data."

    def fields(self) -> dict[str, Any]:
        """The verdict for JSON."""
        reasons = [{"reason": reason.text, "remedy": reason.remedy} for reason in self.reasons]
        return {"statement": self.headline, "reasons": reasons}

    @property
    def statement(self) -> str:
        """The verdict with its reasons, as text for files."""
        return " ".join([self.headline, *(f"{reason.text}: {reason.remedy}." for reason in self.reasons)])


def publication(
    *,
    epsilon: float,
    seeded: bool,
    provenance: Provenance,
    total_measured: bool,
    runs: int | None,
    table_epsilon: float | None,
) -> Publication:
    """The verdict on a run of this ε, given the source of its schema and what other runs on the table cost.

    `runs` and `table_epsilon` count all known runs on the table, this one included; None if they are not known.
    """
    reasons = []
    if math.isinf(epsilon):
        reasons.append(Reason("The run reads exact answers and adds no noise", "choose a private system"))
    if seeded:
        reasons.append(Reason("Whoever knows the seed can remove the noise", "run without a seed"))
    if provenance in SCHEMA_REASONS:
        reasons.append(SCHEMA_REASONS[provenance])
    if not total_measured:
        reasons.append(TOTAL)
    if 0 < epsilon < math.inf:
        reasons += [SAMPLERS, _composition(runs, table_epsilon)]
    return Publication(tuple(reasons), private=not (seeded or math.isinf(epsilon)))


SCHEMA_REASONS: dict[Provenance, Reason] = {
    "proposed": Reason(
        "The schema was proposed from the data, so its values and ranges reveal something about the records",
        "declare it from a public source, such as a code book",
    ),
    "proposed and edited": Reason(
        "The schema was proposed from the data, and some of its values may come from the records, whatever was edited",
        "declare it from a public source, such as a code book",
    ),
    "unknown": Reason(
        "The source of the schema is not known, so it may come from the data", "declare it from a public source"
    ),
}
# In the manifest of a release; another schema has none, and is refused.
PROVENANCE_OF_A_RELEASE: dict[Provenance, str] = {
    "built in": "declared",
    "file": "declared",
    "proposed and edited": "proposed from the data and edited",
}


def provenance_of_a_release(provenance: Provenance) -> str:
    """Where a release's schema comes from, for its manifest.

    Raises ValueError for one that was proposed from the data and not edited since, or comes from nobody knows where.
    """
    if provenance not in PROVENANCE_OF_A_RELEASE:
        refused = SCHEMA_REASONS[provenance]
        raise ValueError(f"{refused.text}: {refused.remedy}")
    return PROVENANCE_OF_A_RELEASE[provenance]


SAMPLERS = Reason(
    "The noise comes from floating-point samplers, whose low bits can reveal the exact values",
    "make a release, whose noise comes from vetted exact samplers",
)
TOTAL = Reason(
    "The number of records is released exactly, as in the paper, so replacing one record costs up to 2ε",
    "measure it, with MeasuredTotal",
)


def _composition(runs: int | None, table_epsilon: float | None) -> Reason:
    remedy = "choose settings by a public rule, or on public data, and run once"
    if runs is None or table_epsilon is None:
        return Reason("Other runs on the table, and settings chosen by their errors, are not counted in ε", remedy)
    if runs <= 1:
        return Reason("Settings chosen by looking at errors are not counted in ε", remedy)
    return Reason(
        f"{runs} runs on this table together cost ε = {table_epsilon:.3g}, and settings chosen by their errors are not "
        "counted",
        remedy,
    )

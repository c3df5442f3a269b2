"""The audit: replays on random neighbours, lower bounds on every mechanism, and broken twins to be caught.

Its findings are one table, a line for each mechanism, system and twin, and the verdict in one sentence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from mwem_core.audit.attacks import TIGHT, Target, lower_bound, targets
from mwem_core.audit.cases import SETTINGS, Case, case
from mwem_core.audit.neighbour_replay import Replay, replay_case
from mwem_core.audit.twins import twins
from mwem_core.privacy import Seeded

MAX_VIOLATIONS = 5  # violations of a line that are written out
HEADS = ("check", "of", "stated", "holds", "found")


@dataclass(frozen=True)
class Line:
    """One check: what was checked, what it states, what was found, and whether it holds. `problems` say where not."""

    check: Literal["replay", "lower bound", "broken twin"]
    subject: str
    stated: str
    holds: bool
    found: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """All lines, and the verdict."""

    lines: tuple[Line, ...]
    pairs: int  # of tables, replayed
    coverage: str

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(line.holds for line in self.lines)

    @property
    def verdict(self) -> str:
        """What the audit found, for someone who has not read this code."""
        failing, checks = sum(not line.holds for line in self.lines), len(self.lines)
        if failing:
            return (
                f"NOT SAFE: {failing} of {checks} checks fail, marked NO above. "
                "Do not publish anything that this version makes."
            )
        return (
            f"All {checks} checks hold. In {self.pairs:,} tries, one person's record changed what could be released by"
            " no more than the stated ε allows. No attack proved a larger ε than a mechanism states. The audit caught"
            " every version that was broken on purpose."
        )


def replay_lines(results: Sequence[Replay]) -> tuple[Line, ...]:
    """A line for each system. A system of which no draw ever moved was not tested, and does not pass."""
    by_system: dict[str, list[Replay]] = {}
    for result in results:
        by_system.setdefault(result.case.subject, []).append(result)
    lines = list[Line]()
    for subject, own in sorted(by_system.items()):
        problems = [f"{_place(r.case)}, {r.neighbour.change}: {violation}" for r in own for violation in r.violations]
        used = max(result.used for result in own)
        if not used:
            problems.append("no draw moved, so that nothing was tested")
        found = f"at most {used:.3f} ε tells {len(own):,} pairs apart"
        lines.append(Line("replay", subject, "at most ε", not problems, found, tuple(problems)))
    return tuple(lines)


def bound_line(attacked: Target, bound: float) -> Line:
    """The line of a mechanism under attack: the bound is at most ε, and near it where some event costs all of ε."""
    if bound > attacked.epsilon:
        problems = [f"the outputs prove that ε is at least {bound:.3f}"]
    elif attacked.tight and bound < TIGHT * attacked.epsilon:
        problems = [f"the attack found less than {TIGHT:.0%} of ε, so that it could miss an error"]
    else:
        problems = []
    delta = f", δ = {attacked.delta:g}" if attacked.delta else ""
    stated, found = f"ε = {attacked.epsilon:.3f}{delta}", f"ε ≥ {bound:.3f}"
    return Line("lower bound", attacked.name, stated, not problems, found, tuple(problems))


def twin_line(name: str, caught: str) -> Line:
    """The line of a broken twin: it must be caught."""
    if caught:
        return Line("broken twin", name, "must be caught", True, f"caught by {caught}")
    return Line("broken twin", name, "must be caught", False, "not caught", ("the audit did not notice the error",))


def coverage(results: Sequence[Replay]) -> str:
    """What these replays cover, in a sentence."""
    cases = {result.case.number: result.case for result in results}.values()
    used = {setting for case in cases for setting in case.chosen.items()}
    planned = {(name, value) for name, values in SETTINGS.items() for value in values}
    measured = sum(result.case.measures_n for result in results)
    return (
        f"Replayed: {len(results):,} pairs of tables, {measured:,} of them with n measured and different, for"
        f" {len({case.system for case in cases})} systems, {len({case.workload.family for case in cases})} families of"
        f" workloads, and {len(planned & used)} of {len(planned)} listed values of MWEM's {len(SETTINGS)} settings."
    )


def text(report: Report) -> str:
    """The table, the problems, what was covered, and the verdict."""
    cells = ([x.check, x.subject, x.stated, "yes" if x.holds else "NO", x.found] for x in report.lines)
    rows = [HEADS, *cells]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    problems = [f"{line.subject}: {problem}" for line in report.lines for problem in line.problems[:MAX_VIOLATIONS]]
    return "\n".join([*table, *problems, report.coverage, report.verdict])


def _place(case: Case) -> str:
    return f"case {case.number}, {case.workload.spec} on {case.table.total} records"


@dataclass(frozen=True)
class Extent:
    """How much to check: pairs of tables, and draws of a mechanism on each side, fewer of those made one at a time."""

    pairs: int
    draws: int
    slow_draws: int


FULL, QUICK = Extent(10_000, 10**6, 10**5), Extent(380, 10**5, 25_000)

Finding = Replay | Line


def findings(extent: Extent) -> Iterator[Finding]:
    """All that the audit finds, one by one: every pair replayed, every mechanism attacked, every twin."""
    yield from _pairs(extent.pairs)
    for mechanism in targets():
        draws = extent.slow_draws if mechanism.slow else extent.draws
        ours, theirs = (mechanism.outputs(side, draws) for side in (0, 1))
        yield bound_line(mechanism, lower_bound(ours, theirs, delta=mechanism.delta))
    for twin in twins():
        yield twin_line(twin.name, twin.caught())


def count_findings(extent: Extent) -> int:
    """The number of findings."""
    return extent.pairs + len(targets()) + len(twins())


def report(found: Iterable[Finding]) -> Report:
    """The table and verdict of all findings."""
    replays, lines = [], []
    for finding in found:
        (replays if isinstance(finding, Replay) else lines).append(finding)
    return Report((*replay_lines(replays), *lines), len(replays), coverage(replays))


def _pairs(wanted: int) -> Iterator[Replay]:
    done = 0
    for number in count():
        for result in replay_case(case(number), Seeded(number)):
            yield result
            done += 1
            if done == wanted:
                return

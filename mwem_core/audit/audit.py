"""The audit: replays on random neighbours, lower bounds on every mechanism, and broken twins to be caught."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from mwem_core.audit.audit_report import Line, Report, bound_line, coverage, replay_lines, twin_line
from mwem_core.audit.bounds import lower_bound
from mwem_core.audit.catching import twins
from mwem_core.audit.mechanisms import attacked
from mwem_core.audit.pairs import case
from mwem_core.audit.replay import Replayed, replayed
from mwem_core.privacy import Seeded


@dataclass(frozen=True)
class Extent:
    """How much to check: pairs of tables, and draws of a mechanism on each side, fewer of those made one at a time."""

    pairs: int
    draws: int
    slow_draws: int


FULL, QUICK = Extent(10_000, 10**6, 10**5), Extent(380, 10**5, 25_000)

Finding = Replayed | Line


def findings(extent: Extent) -> Iterator[Finding]:
    """All that the audit finds, one by one: every pair replayed, every mechanism attacked, every twin."""
    yield from _pairs(extent.pairs)
    for mechanism in attacked():
        draws = extent.slow_draws if mechanism.slow else extent.draws
        ours, theirs = (mechanism.outputs(side, draws) for side in (0, 1))
        yield bound_line(mechanism, lower_bound(ours, theirs, delta=mechanism.delta))
    for twin in twins():
        yield twin_line(twin.name, twin.caught())


def planned(extent: Extent) -> int:
    """The number of findings."""
    return extent.pairs + len(attacked()) + len(twins())


def report(found: Iterable[Finding]) -> Report:
    """The table and verdict of all findings."""
    replays, lines = [], []
    for finding in found:
        (replays if isinstance(finding, Replayed) else lines).append(finding)
    return Report((*replay_lines(replays), *lines), coverage(replays))


def _pairs(wanted: int) -> Iterator[Replayed]:
    done = 0
    for number in count():
        for result in replayed(case(number), Seeded(number)):
            yield result
            done += 1
            if done == wanted:
                return

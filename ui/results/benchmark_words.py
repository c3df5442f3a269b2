"""The benchmarks in words: titles, numbers of seeds, dates and machines."""

import re
from collections.abc import Iterable, Sequence

from ui.results.benchmarks import GROWTHS, OURS, Comparison, Competitor, Growth, Record, in_seconds

AMOUNTS = ((0.22, 0.28, "a quarter"), (0.3, 0.37, "a third"), (0.45, 0.55, "half"), (0.95, 1.05, ""))


def headline(comparison: Comparison) -> str:
    """Ours beside the first peer: "… is 130 times as fast as MWEM+PGM and errs half as much"."""
    if not comparison.peers:
        return f"{OURS} takes {in_seconds(comparison.ours.seconds.middle)}; no peer has finished here"
    ours, peer = comparison.ours, comparison.peers[0]
    time, error = peer.seconds.middle / ours.seconds.middle, ours.error.middle / peer.error.middle
    speed = f"is {times(time)} as fast as" if time >= 1 else f"takes {times(1 / time)} as long as"
    speed = "is as fast as" if 0.95 <= time <= 1.05 else speed
    joined = "and" if (time >= 1) == (error <= 1) else "but"
    return f"{OURS} {speed} {peer.name} {joined} errs {_as_much(error)}"


def pace(growth: Growth) -> str:
    """The exponent in words: "Counting grows in proportion to n"."""
    work, size = GROWTHS[growth.name]
    if growth.exponent < 0.1:
        return f"{work} hardly grows with {size}"
    if growth.exponent < 0.85:
        return f"{work} grows more slowly than {size}"
    return f"{work} grows in proportion to {size}" if growth.exponent <= 1.15 else f"{work} grows faster than {size}"


def provenance(records: Iterable[Record]) -> str:
    """Dates and machines: "2026-11-21, Intel Xeon Processor @ 2.50GHz, 2 cores, pinned to one core"."""
    records = list(records)
    days, machines = sorted({r["date"] for r in records}), [r["machine"] for r in records if "machine" in r]
    names = {f"{re.sub(r'[(](R|TM)[)]', '', m['cpu'])}, {m['cores']} cores, {m['pinned']}" for m in machines}
    return "; ".join([" to ".join(dict.fromkeys((days[0], days[-1]))), *sorted(names)])


def seeds_behind(competitors: Sequence[Competitor]) -> str:
    """The number of seeds behind the points, and the meaning of the bars."""
    fewest, most = min(c.seeds for c in competitors), max(c.seeds for c in competitors)
    if most == 1:
        return "One seed"
    return f"Medians of {most if fewest == most else f'{fewest} to {most}'} seeds, bars from minimum to maximum"


def times(ratio: float) -> str:
    """ "2.5 times", "130 times"."""
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:,.0f} times"


def _as_much(ratio: float) -> str:
    for low, high, words in AMOUNTS:
        if low <= ratio <= high:
            return f"{words} as much".strip()
    return f"{times(ratio) if ratio > 1 else f'{ratio:.0%}'} as much"

"""What the benchmarks' figures come to in words: titles, how many seeds, when and on what."""

import re
from collections.abc import Iterable, Sequence

from ui.results.benchmarks import OURS, WHAT, Comparison, Growth, Record, System, seconds


def headline(found: Comparison) -> str:
    """How ours stands to the first of the peers: "… is 130 times as fast as MWEM+PGM and errs half as much"."""
    if not found.peers:
        return f"{OURS} takes {seconds(found.ours.seconds.middle)}; no peer has finished here"
    ours, peer = found.ours, found.peers[0]
    time, error = peer.seconds.middle / ours.seconds.middle, ours.error.middle / peer.error.middle
    speed = f"is {times(time)} as fast as" if time >= 1 else f"takes {times(1 / time)} as long as"
    speed = "is as fast as" if 0.95 <= time <= 1.05 else speed
    joined = "and" if (time >= 1) == (error <= 1) else "but"
    return f"{OURS} {speed} {peer.name} {joined} errs {_as_much(error)}"


def pace(growth: Growth) -> str:
    """An exponent in words: "Counting grows in proportion to n"."""
    what, name = WHAT[growth.name]
    if growth.exponent < 0.1:
        return f"{what} hardly grows with {name}"
    if growth.exponent < 0.85:
        return f"{what} grows more slowly than {name}"
    return f"{what} grows in proportion to {name}" if growth.exponent <= 1.15 else f"{what} grows faster than {name}"


def provenance(records: Iterable[Record]) -> str:
    """When and on what: "2026-11-21, Intel Xeon Processor @ 2.50GHz, 2 cores, pinned to one core"."""
    some = list(records)
    days, machines = sorted({r["date"] for r in some}), [r["machine"] for r in some if "machine" in r]
    told = {f"{re.sub(r'[(](R|TM)[)]', '', m['cpu'])}, {m['cores']} cores, {m['pinned']}" for m in machines}
    return "; ".join([" to ".join(dict.fromkeys((days[0], days[-1]))), *sorted(told)])


def seeds(systems: Sequence[System]) -> str:
    """Of how many the points are made."""
    few, many = min(s.seeds for s in systems), max(s.seeds for s in systems)
    if many == 1:
        return "One seed"
    return f"Medians of {many if few == many else f'{few} to {many}'} seeds, bars from least to most"


def times(ratio: float) -> str:
    """ "2.5 times", "130 times"."""
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:,.0f} times"


def _as_much(ratio: float) -> str:
    for low, high, words in ((0.22, 0.28, "a quarter"), (0.3, 0.37, "a third"), (0.45, 0.55, "half"), (0.95, 1.05, "")):
        if low <= ratio <= high:
            return f"{words} as much".strip()
    return f"{times(ratio) if ratio > 1 else f'{ratio:.0%}'} as much"

"""The benchmarks in words: titles, numbers of seeds, dates and machines."""

import re
from collections.abc import Iterable, Sequence

from mwem_app.evidence.benchmarks import GROWTHS, OURS, Comparison, Competitor, Growth, Record, in_seconds

AMOUNTS = ((0.22, 0.28, "a quarter"), (0.3, 0.37, "a third"), (0.45, 0.55, "half"), (0.95, 1.05, ""))


def headline(comparison: Comparison) -> str:
    """Seconds and error of ours and of the first peer: the whole process, and the mechanism alone.

    The whole process favours ours, because peers import and compile more. The mechanism alone, once compiled, favours
    the peer.
    """
    ours = comparison.ours
    whole = f"{OURS} takes {in_seconds(ours.seconds.middle)}"
    if not comparison.peers:
        return (
            f"{whole} for a whole process with imports; the mechanism alone takes {in_seconds(ours.mechanism)}. "
            "No peer has finished here"
        )
    peer = comparison.peers[0]
    whole += f" and {peer.name} {in_seconds(peer.seconds.middle)} for a whole process with imports and compilation"
    of_ours = in_seconds(ours.mechanism)
    if peer.warm is None:
        alone = (
            f"the mechanism alone takes {of_ours} and {in_seconds(peer.mechanism)} "
            f"(a compiled run of {peer.name} was not measured)"
        )
    else:
        alone = f"once compiled, the mechanism alone takes {of_ours} and {in_seconds(peer.warm)}"
    return f"{whole}; {alone}. Our error is {_beside(ours.error.middle / peer.error.middle)}"


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


def _beside(ratio: float) -> str:
    for low, high, words in AMOUNTS:
        if low <= ratio <= high:
            return f"{words} of theirs" if words else "as large as theirs"
    if ratio < 1:
        return f"{ratio:.0%} of theirs"
    return f"{ratio:.1f} times theirs" if ratio < 10 else f"{ratio:,.0f} times theirs"

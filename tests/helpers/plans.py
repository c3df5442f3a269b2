"""What an algorithm of ours measures, in a word."""

from mwem_core import MWEM, Apart, Counts, Halvings, Nothing, Planned, Staged

NAMES = {MWEM: "select", Staged: "staged", Halvings: "halvings", Counts: "counts", Nothing: "nothing"}


def plan_of(settings):
    """The plan's name, or "select" for rounds; of parts measured apart, that of the first."""
    if isinstance(settings, Apart):
        return plan_of(settings.first)
    return settings.plan if isinstance(settings, Planned) else NAMES[type(settings)]

"""What a run will take, told before it starts: from closed forms with measured constants, and public numbers alone."""

from dataclasses import dataclass

from mwem_core.algorithm import Spender
from mwem_core.automatic.composed.apart import Apart, rounds_in
from mwem_core.automatic.planned.planned import Planned
from mwem_core.automatic.planned.sizes import goes_beyond, rows_to_fit
from mwem_core.automatic.rules import rounds_apart
from mwem_core.workload import Workload, tables_of

ARRAYS = 6  # of one number per query or cell that are in memory at once: the truth, the answers and their errors
MAX_ROWS = 10**6  # that are written: the table may be larger than memory, and more rows would not be more accurate
KEPT_CELLS = 10**6  # at most, in the model of a round; all of them stay
# Seconds of CPU time on one core of 2.5 GHz or so, each with its unit. Measured on tables of a hundred to 300,000
# records and of up to 300 columns; a run takes from a third to three times of what they add up to.
COUNTED = 6e-9  # per record and marginal, to count the truth
COUNTED_BITS = 3e-11  # per record and pair of bits, where one matrix product counts all pairs
SCORED = 2e-8  # per round and cell of the candidates
AVERAGED = 2e-7  # per pair of rounds and cell of the candidates, where the output averages the rounds
PRICED = 3e-4  # per round and candidate, once the rounds have connected the attributes
FITTED = 2e-7  # per weighted row and marginal that a plan is fitted by
WRITTEN = 1e-6  # per value of the synthetic rows, drawn and written
WRITTEN_BIT = 3e-7  # the same, of an attribute of two values: many of them sort as one
WRITTEN_BYTES = 75  # per value of the synthetic rows, while they are written as text


@dataclass(frozen=True)
class Effort:
    """CPU seconds on one core, and bytes of memory beside the program and what reads the table."""

    seconds: float
    bytes: int

    @property
    def in_words(self) -> str:
        """Two rounded numbers: "about 20 seconds and up to 0.3 GB of memory beside the program and its table".

        >>> Effort(200.0, 3 * 10**8).in_words
        'about 3 minutes and up to 0.3 GB of memory beside the program and its table'
        """
        seconds = float(f"{max(1.0, self.seconds):.1g}")
        time = f"{seconds:.0f} second{'s' * (seconds > 1)}" if seconds < 100 else f"{self.seconds / 60:.0f} minutes"
        return f"about {time} and up to {max(0.1, self.bytes / 1e9):.1f} GB of memory beside the program and its table"


def effort(settings: Spender, Q: Workload, n: float) -> Effort:
    """What a run on n records will take, until its synthetic rows are written. Reads public numbers alone."""
    T, bits, rows = settings.planned_rounds(n, Q) or 1, Q.domain.shape.count(2), min(n, MAX_ROWS)
    tables, seconds = tables_of(Q), rows * (WRITTEN * (len(Q.domain) - bits) + WRITTEN_BIT * bits)
    for block in tables.blocks:
        seconds += n * len(block.sets) * (COUNTED_BITS if tables.domain.multiplies(block.sets) else COUNTED)
    alone = settings.first if isinstance(settings, Apart) else settings
    if rounds := rounds_in(settings):
        selecting = max(1, T - rounds.first_rounds(Q))
        seconds += SCORED * selecting * Q.size + PRICED * max(0.0, selecting - rounds_apart(Q)) * Q.parts
        if rounds.output == "average":
            seconds += AVERAGED * T**2 / 2 * Q.size
    elif isinstance(alone, Planned) and goes_beyond(alone.plan, Q):
        seconds += FITTED * rows_to_fit(Q) * tables.parts
    return Effort(seconds, bytes_of_run(Q, rounds=T) + round(WRITTEN_BYTES * rows * len(Q.domain)))


def bytes_of_run(workload: Workload, *, rounds: int) -> int:
    """An estimate of the memory that a run of this many rounds takes."""
    model = min(KEPT_CELLS, workload.domain.size, workload.cells)
    return 8 * (ARRAYS * (workload.cells + workload.size) + rounds * model)

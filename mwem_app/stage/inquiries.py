"""What a demonstration computes in the background: its runs' answers to a question."""

from collections.abc import Iterable, Mapping
from weakref import WeakKeyDictionary

import numpy as np

from mwem_app.ask import RESTS_ON, of_rounds
from mwem_app.session import Grid, GridRun, Key, Task
from mwem_app.stage.runs_message import Interval, Question
from mwem_core.ask import LoadedRelease
from mwem_core.domain import Predicate, Records, parse_question
from mwem_core.output import sample
from mwem_core.privacy import Guarantee
from mwem_core.stage import EPSILONS, TENTHS, Place, Table, Track, count, estimates, place_of, tables_of, thin_out
from mwem_core.weighted import Model
from mwem_core.workload import Workload

MAX_CELLS = 10**6  # of the marginal that a question reads
ROWS = 10_000  # of each release that is asked
NO_INTERVAL = "What this system releases has no measurements that an interval can rest on."
Answers = dict[Key, tuple[np.ndarray, Interval]]
_releases: WeakKeyDictionary[Grid, dict[Key, LoadedRelease]] = WeakKeyDictionary()


class Inquiry:
    """A question about the records, and what runs have answered so far. NOT PRIVATE: it has the truth.

    Raises ValueError, in a sentence, for a text that is no question about these attributes.
    """

    def __init__(self, text: str, records: Records, workload: Workload):
        self.predicate = parse_question(text, workload.domain, max_cells=MAX_CELLS)
        self.place: Place = place_of(self.predicate.attrs, workload)
        self.truth = count(records, self.predicate)
        self.answers: Answers = {}
        self._tables, self._begun = tables_of(workload), set[Key]()
        self._work: Task[Answers] | None = None

    def go_on(self, grid: Grid) -> bool:
        """Take over what is answered, and ask the runs that have ended since; returns whether more is to come."""
        if self._work is not None and not self._work.active:
            self.answers |= self._work.result or {}
            self._work = None
        new = {key: made for key, made in grid.made.items() if key not in self._begun}
        if new and self._work is None:
            self._begun |= new.keys()  # whatever comes of it: what failed once is not asked again
            self._work = Task("question", self.predicate.text, lambda: answers_of(new, grid, self.predicate))
        return self._work is not None or grid.active

    def question(self, tracks: Mapping[Key, Track]) -> Question:
        """What the browser shows: also of tracks without rounds, as far as a table of theirs has the answer."""
        by_tables = {key: by_table(each, self._tables, self.predicate) for key, each in tracks.items()}
        found = {key: estimate for key, estimate in by_tables.items() if estimate is not None}
        found |= {key: estimate for key, (estimate, _) in self.answers.items()}
        return Question(
            text=self.predicate.text,
            place=self.place,
            truth=self.truth,
            estimates={name_of(key): estimate.tolist() for key, estimate in found.items()},
            intervals={name_of(key): interval for key, (_, interval) in self.answers.items()},
        )


def name_of(key: Key) -> str:
    """How the browser names a run."""
    return f"{key.system}/{key.at}"


def answers_of(runs: Mapping[Key, GridRun], grid: Grid, predicate: Predicate) -> Answers:
    """What these runs of a grid say after each round, in records, and their intervals."""
    return {
        key: (estimates(thin_out(made.rounds), predicate), interval_of(key, made, grid, predicate))
        for key, made in runs.items()
    }


def interval_of(key: Key, made: GridRun, grid: Grid, predicate: Predicate) -> Interval:
    """The 95% interval for the table's own number, as a release of this run would be asked for it."""
    domain, model = grid.workload.domain, made.rounds[-1].model
    if not isinstance(model, Model):
        return Interval(refused=NO_INTERVAL)
    known = _releases.setdefault(grid, {})
    if key not in known:
        rows = sample(domain, model, ROWS, np.random.default_rng(0))
        guarantee, n = Guarantee(EPSILONS[key.at]), made.rounds[0].model.total
        known[key] = of_rounds(domain, guarantee, made.rounds, rows, public_total=n)
    (answer,) = known[key].ask("share", predicate.text, of="table")
    if answer.refused:
        return Interval(refused=answer.refused)
    n = grid.records.total
    return Interval(n * answer.low, n * answer.high, RESTS_ON[str(answer.rests_on)])


def by_table(track: Track, tables: Iterable[Table], predicate: Predicate) -> np.ndarray | None:
    """What a track's tables say, (rounds,) in records, if one of them has the question's attributes, unmerged."""
    start = 0
    for table in tables:
        if set(predicate.attrs) <= set(table.attrs) and table.shape == table.domain.sizes(table.attrs):
            cells = track.answers[:, start : start + table.size].reshape(-1, *table.shape)
            others = tuple(1 + i for i, a in enumerate(table.attrs) if a not in predicate.attrs)
            return cells.sum(axis=others)[:, predicate.mask].sum(axis=1) / TENTHS
        start += table.size
    return None

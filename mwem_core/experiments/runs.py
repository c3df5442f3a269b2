"""The experiments by name, and runs of their trials on any executor, without those that are done."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path

from mwem_core.domain import Domain, Records
from mwem_core.experiments import results
from mwem_core.experiments.claim import Batch, Experiment, Frame
from mwem_core.experiments.contingency import FIGURE3, FIGURE4, TABLE1
from mwem_core.experiments.cuboids import FIGURE5
from mwem_core.experiments.experiment_tables import MissingTable, load
from mwem_core.experiments.figure2 import FIGURE2
from mwem_core.experiments.many_attributes import FIGURE6, FIGURE7
from mwem_core.experiments.pieces import DECADE, IMPROVEMENTS
from mwem_core.experiments.privbayes_rows import PRIVBAYES_ROWS
from mwem_core.experiments.projection_growth import PROJECTION_GROWTH
from mwem_core.experiments.results import Row
from mwem_core.experiments.theorem_experiments import LECTURE, THEOREM
from mwem_core.judge import Trial, run_trials
from mwem_core.workload import Workload, parse_workload

OF_THE_PAPER = (FIGURE2, TABLE1, FIGURE3, FIGURE4, FIGURE5, FIGURE6, FIGURE7, THEOREM, LECTURE)
OF_OTHERS = (PRIVBAYES_ROWS, PROJECTION_GROWTH, IMPROVEMENTS, DECADE)
EXPERIMENTS = {experiment.name: experiment for experiment in (*OF_THE_PAPER, *OF_OTHERS)}


def experiment(name: str) -> Experiment:
    """The experiment of this name. Raises ValueError if there is none."""
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}: choose from {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


@dataclass
class Run:
    """A run of an experiment: the rows so far, and the tables and those that were missing, each with its reason."""

    experiment: Experiment
    batches: Sequence[Batch]
    folder: Path | None
    rows: list[Row] = field(default_factory=list)
    tables: dict[str, dict[str, object]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        self._data: dict[str, Records] = {}
        for name in dict.fromkeys(batch.table for batch in self.batches):
            try:
                B = self._data[name] = load(name, self.folder)
                self.tables[name] = {"records": int(B.total), "digest": B.digest}
            except MissingTable as reason:
                self.missing[name] = str(reason)

    def resume(self, frame: Frame) -> None:
        """Take over the trials of an earlier run. Raises ValueError if it was on other data."""
        for name, about in frame.attrs["tables"].items():
            if name in self.tables and self.tables[name] != about:
                raise ValueError(f"the results to resume are of another table {name}: name another file")
            self.tables.setdefault(name, about)
        self.rows += frame.astype(object).where(frame.notna(), None).to_dict("records")

    @property
    def waiting(self) -> list[tuple[Batch, dict[Trial, str]]]:
        """The batches on tables at hand, each with its trials that are not done."""
        done = {tuple(row.get(name) for name in results.IDENTITY) for row in self.rows}
        waiting = []
        for batch in self.batches:
            if batch.table in self._data:
                left = {}
                for trial, method in batch.trials.items():
                    row = results.row_of_trial(trial, table=batch.table, workload=batch.workload, method=method)
                    if tuple(row[name] for name in results.IDENTITY) not in done:
                        left[trial] = method
                waiting.append((batch, left))
        return waiting

    @property
    def left(self) -> int:
        """How many trials wait."""
        return sum(len(trials) for _, trials in self.waiting)

    def go(self, executor: Executor) -> Iterator[Row]:
        """Run what waits, batch by batch; yields each trial's row when it is done, and keeps it in `rows`."""
        for batch, trials in self.waiting:
            B = self._data[batch.table]
            Q = named_workload(batch.workload, B.domain)
            metrics = self.experiment.metrics
            if trials:
                self.rows += _references(self.experiment, B, Q, batch)
            for result in run_trials(B, Q, trials, executor, judge=batch.judge):
                row = results.row_of(result, table=batch.table, method=trials[result.trial], metrics=metrics)
                self.rows.append(row)
                yield row

    @property
    def frame(self) -> Frame:
        """The rows as a frame, in a fixed order."""
        frame = results.frame_of(self.rows, self.experiment.metrics)
        frame = frame.drop_duplicates(results.IDENTITY).sort_values(results.IDENTITY, ignore_index=True)
        frame.attrs = results.about(self.tables)
        return frame


def _references(experiment: Experiment, B: Records, Q: Workload, batch: Batch) -> list[Row]:
    """A row for each reference; those of one name, ε and T share a row."""
    where, rows = {"table": batch.table, "workload": batch.workload}, {}
    for r in experiment.references(B, Q, batch):
        row = rows.setdefault((r.name, r.epsilon, r.T), {**where, "method": r.name, "epsilon": r.epsilon, "T": r.T})
        row[r.metric] = r.value
    return list(rows.values())


def named_workload(text: str, domain: Domain) -> Workload:
    """The workload that a text names: as for `parse_workload`, or a sum of such, each of the first attributes or all.

    >>> from mwem_core.experiments.experiment_tables import load
    >>> named_workload("marginals:3 of 4 + marginals:2", load("czech").domain).parts  # 4 triples and 15 pairs
    19
    """
    terms = [_term(term, domain) for term in text.split(" + ")]
    blocks = tuple(block for Q in terms for block in Q.blocks)
    return terms[0] if len(terms) == 1 else Workload(domain, terms[0].family, text, text, blocks)


def _term(text: str, domain: Domain) -> Workload:
    spec, _, first = text.partition(" of ")
    return parse_workload(spec, domain.project(domain.names[: int(first)]) if first else domain)

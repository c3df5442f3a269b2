"""The default's error over that of the best other private system at each setting, from the runs of `frontier.py`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from report import Record

DEFAULT = "mwem"
EPSILONS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
RESAMPLES = 1000
FLOOR = 0.1  # records: smaller errors count as this one, so that no ratio divides by zero
Setting = tuple[str, str, float, float]  # table, workload, ε, δ


@dataclass(frozen=True, eq=False)
class Sample:
    """The errors of one system at one setting, one per seed; `floor` is the smallest error that counts."""

    system: str
    errors: np.ndarray
    floor: float

    @property
    def mean(self) -> float:
        """The mean over seeds, at least the floor."""
        return max(float(self.errors.mean()), self.floor)

    @property
    def standard_error(self) -> float:
        """The standard error of the mean; 0 for a single seed."""
        return float(self.errors.std(ddof=1) / len(self.errors) ** 0.5) if len(self.errors) > 1 else 0.0

    @cached_property
    def resampled(self) -> np.ndarray:
        """Means over seeds drawn with replacement: (RESAMPLES,). Systems with as many seeds get the same draws."""
        chosen = np.random.default_rng(0).integers(len(self.errors), size=(RESAMPLES, len(self.errors)))
        return np.maximum(self.errors[chosen].mean(axis=1), self.floor)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The default at a setting, and the best other private system there."""

    setting: Setting
    own: Sample
    best: Sample

    @property
    def ratio(self) -> float:
        """The default's mean error over that of the best."""
        return self.own.mean / self.best.mean

    @cached_property
    def resampled(self) -> np.ndarray:
        """The ratio for resampled seeds: (RESAMPLES,)."""
        return self.own.resampled / self.best.resampled


def compare(records: Iterable[Record], label: str, measure: str) -> list[Comparison]:
    """Every setting at which the default of this label and some other system have an error of this measure.

    At δ > 0 the systems that ran at δ = 0 count too, as (ε, 0) implies (ε, δ).
    """
    own: dict[Setting, list[Record]] = {}
    others: dict[tuple[str, str, float], dict[tuple[str, float], list[Record]]] = {}
    for r in records:
        place = (r["table"], r["workload"], r["epsilon"])
        if measure in r and r["system"] != DEFAULT:
            others.setdefault(place, {}).setdefault((r["system"], r["delta"]), []).append(r)
        elif measure in r and r["label"] == label:
            own.setdefault((*place, r["delta"]), []).append(r)
    comparisons = []
    for setting, of_default in own.items():
        table, workload, epsilon, delta = setting
        at = others.get((table, workload, epsilon), {})
        if rivals := [_sample(of, measure) for (_, spent), of in at.items() if spent <= delta]:
            best = min(rivals, key=lambda sample: sample.mean)
            comparisons.append(Comparison(setting, _sample(of_default, measure), best))
    return comparisons


def _sample(records: Sequence[Record], measure: str) -> Sample:
    errors = np.array([r[measure] for r in sorted(records, key=lambda r: r["seed"])])
    return Sample(records[0]["system"], errors, FLOOR / records[0]["n"])

"""Automatic's error over that of the best other private system at each setting, from the runs of `frontier.py`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

import numpy as np
from report import Record

from mwem_core.judge import LEAST_ERROR

AUTOMATIC = "automatic"
WHOLE = "geometric-cells"  # whole noise on every cell: a rival that is no system of the app
EPSILONS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
MEASURES = {
    "mean_tv": "answers: mean TV",
    "max_error": "answers: max error",
    "rows_mean_tv": "rows: mean TV",
    "rows_max_error": "rows: max error",
}
RESAMPLES = 1000
Setting = tuple[str, str, float, float]  # table, workload, ε, δ


@dataclass(frozen=True, eq=False)
class Sample:
    """The errors of one system at one setting, one per seed; `floor` is the smallest error that counts."""

    system: str
    seeds: np.ndarray
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

    def apart(self, seed: int) -> tuple[float, float]:
        """The mean error on the other seeds, and the error on this one; the mean of all stands in for a missing one."""
        this = self.seeds == seed
        others, here = (float(self.errors[some].mean()) if some.any() else self.mean for some in (~this, this))
        return others, here

    @cached_property
    def resampled(self) -> np.ndarray:
        """Means over seeds drawn with replacement: (RESAMPLES,). Systems with as many seeds get the same draws."""
        chosen = np.random.default_rng(0).integers(len(self.errors), size=(RESAMPLES, len(self.errors)))
        return np.maximum(self.errors[chosen].mean(axis=1), self.floor)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Automatic at a setting, the other private systems there, and the best of them."""

    setting: Setting
    own: Sample
    others: Sequence[Sample]

    @cached_property
    def best(self) -> Sample:
        """The system of the least mean error."""
        return min(self.others, key=lambda sample: sample.mean)

    @property
    def ratio(self) -> float:
        """Automatic's mean error over that of the best."""
        return self.own.mean / self.best.mean

    @cached_property
    def held_out(self) -> float:
        """The ratio if each seed's best is chosen on the other seeds.

        The least of several means is below the error of the truly best in the mean, by luck. A system chosen on other
        seeds errs by what it errs in the mean, which is no less. So the ratio to the truly best lies between the two.
        """
        seeds = sorted({seed for sample in self.others for seed in sample.seeds.tolist()})
        chosen = [min((sample.apart(seed) for sample in self.others), key=itemgetter(0))[1] for seed in seeds]
        return self.own.mean / max(float(np.mean(chosen)), self.own.floor)

    @cached_property
    def resampled(self) -> np.ndarray:
        """The ratio for resampled seeds: (RESAMPLES,)."""
        return self.own.resampled / self.best.resampled


def compare(records: Iterable[Record], label: str, measure: str) -> list[Comparison]:
    """Every setting at which Automatic of this label and some other system have an error of this measure.

    At δ > 0 the systems that ran at δ = 0 count too, as (ε, 0) implies (ε, δ).
    """
    own: dict[Setting, list[Record]] = {}
    others: dict[tuple[str, str, float], dict[tuple[str, float], list[Record]]] = {}
    for r in records:
        place = (r["table"], r["workload"], r["epsilon"])
        if measure in r and r["system"] != AUTOMATIC:
            others.setdefault(place, {}).setdefault((r["system"], r["delta"]), []).append(r)
        elif measure in r and r["label"] == label:
            own.setdefault((*place, r["delta"]), []).append(r)
    comparisons = []
    for setting, own_runs in own.items():
        table, workload, epsilon, delta = setting
        at = others.get((table, workload, epsilon), {})
        if rivals := [_sample(of, measure) for (_, spent), of in at.items() if spent <= delta]:
            comparisons.append(Comparison(setting, _sample(own_runs, measure), rivals))
    return comparisons


def _sample(records: Sequence[Record], measure: str) -> Sample:
    records = sorted(records, key=lambda r: r["seed"])
    seeds, errors = (np.array([r[field] for r in records]) for field in ("seed", measure))
    return Sample(records[0]["system"], seeds, errors, LEAST_ERROR / records[0]["n"])

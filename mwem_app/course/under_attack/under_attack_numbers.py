"""What a release gives away: a person's membership, by its counts; a person, by a schema; all counts, by a seed.

The schema was read off the data, so a value that one person alone has is in it, before any noise is drawn.
"""

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from mwem_core.domain import Attrs, Records
from mwem_core.privacy import NoiseSource, Seeded, cap, laplace
from mwem_core.schemas import propose
from mwem_core.tables import read_table

EPSILONS = 0.1, 0.25, 0.5, 2.0, 4.0
FRACTION = 5  # the twin's noise is a fifth of what it states
THRESHOLDS = 31  # of the evidence: points of a ROC curve
ROUNDING = 1e-9  # of the evidence, which is ±ε exactly for many releases
RELEASES = 8000  # with the person and as many without, for each curve
ERRORS = 4.0  # standard errors that are allowed: chance alone exceeds them once in 30,000 attacks


@dataclass(frozen=True, eq=False)
class Attack:
    """An attack on many releases, half of them with the person.

    `false_alarms` and `hits` are the ROC curve: the shares of releases without and with the person for which the
    attacker says "was in it", as the evidence demanded grows. `won` is the share of bets won at evenly matched odds.
    """

    false_alarms: np.ndarray
    hits: np.ndarray
    won: float


def attack(B: Records, person: int, *, epsilon: float, stated: float, noise: NoiseSource) -> Attack:
    """Attack releases of B's whole table by Laplace noise at `epsilon`, which say that they are at `stated`.

    At ε = ∞ the counts are exact. The attacker knows every record but the person's, so one cell is left to look at:
    that of the person's values. The evidence is the log-likelihood ratio of its count, with the person over without, at
    the stated noise.
    """
    cell = int(B.marginal(tuple(range(len(B.domain))))[tuple(column[person] for column in B.codes)])
    with_person, without = (
        _evidence(_noisy_cells(count, epsilon=epsilon, noise=noise), cell, stated) for count in (cell, cell - 1)
    )
    demanded = np.linspace(stated, -stated, THRESHOLDS)[:, None] - ROUNDING
    return Attack(
        false_alarms=_close_curve((without >= demanded).mean(axis=1)),
        hits=_close_curve((with_person >= demanded).mean(axis=1)),
        won=float(((with_person > 0).mean() + (without <= 0).mean()) / 2),
    )


def allowed_share(epsilon: float) -> float:
    """`cap` plus four standard errors of the share of bets won in `attack`."""
    return cap(epsilon) + ERRORS * math.sqrt(0.25 / (2 * RELEASES))


def _noisy_cells(count: int, *, epsilon: float, noise: NoiseSource) -> np.ndarray:
    """The person's cell in each of many releases of the whole table, at ε each: a record is in one cell."""
    exact = np.full(RELEASES, float(count))
    return exact if math.isinf(epsilon) else laplace(exact, epsilon=epsilon, sensitivity=1, noise=noise)[0]


def _evidence(noisy: np.ndarray, cell: int, epsilon: float) -> np.ndarray:
    """ln of how much more probable a noisy count is if the person is among `cell` than if there are `cell` - 1."""
    return epsilon * (np.abs(noisy - (cell - 1)) - np.abs(noisy - cell))


def _close_curve(shares: np.ndarray) -> np.ndarray:
    """A curve from 0 to 1."""
    return np.concatenate([[0.0], shares, [1.0]])


CLASS = """home,age,drink
Rome,19,tea
Rome,20,coffee
Oslo,19,coffee
Lima,21,tea
Oslo,20,mate
Rome,58,coffee
Lima,20,tea
Oslo,21,coffee
"""

Schema = dict[str, tuple[str, ...]]  # attribute -> the texts of its values


@dataclass(frozen=True)
class Proposals:
    """The schema proposed for a class, and for the class without each of its students."""

    rows: list[dict[str, str]]
    whole: Schema
    without: list[Schema]

    def lost_values(self, student: int) -> dict[str, tuple[str, ...]]:
        """The values that the schema loses with a student, of each attribute that loses some."""
        fewer = self.without[student]
        lost = {name: tuple(v for v in values if v not in fewer.get(name, ())) for name, values in self.whole.items()}
        return {name: values for name, values in lost.items() if values}


def proposals() -> Proposals:
    """Propose a schema for `CLASS`, then for each class of one student fewer."""
    table = read_table(CLASS.encode())
    rows = [dict(zip(table.column_names, row, strict=True)) for row in zip(*table.to_pydict().values(), strict=True)]
    others = [[i for i in range(table.num_rows) if i != student] for student in range(table.num_rows)]
    return Proposals(rows, _schema_of(table), [_schema_of(table.take(kept)) for kept in others])


def _schema_of(table: pa.Table) -> Schema:
    return {attribute.name: attribute.labels for attribute in propose(table).attributes}


SEEDS_TRIED = 40  # seeds that the attacker tries
WHOLE = 1e-6  # a count this near to a whole number is one


@dataclass(frozen=True, eq=False)
class SeedAttack:
    """A release with noise from a seed below `SEEDS_TRIED`, and what is left when each seed's noise is subtracted.

    `exact` and `released` are (cells,), `left` is (`SEEDS_TRIED`, cells), all in records.
    """

    exact: np.ndarray
    released: np.ndarray
    left: np.ndarray
    seed: int

    @property
    def whole(self) -> np.ndarray:
        """For each seed, whether nothing but whole numbers is left, as counts are: (`SEEDS_TRIED`,)."""
        return np.abs(self.left - self.left.round()).max(axis=1) < WHOLE


def attack_by_seeds(B: Records, attrs: Attrs, *, epsilon: float, seed: int) -> SeedAttack:
    """Release B's marginal on `attrs` with Laplace noise from `seed`, then subtract the noise of every seed tried."""
    exact = B.marginal(attrs).ravel().astype(float)
    released = _noisy(exact, epsilon, seed)
    nothing = np.zeros_like(exact)
    return SeedAttack(
        exact, released, np.stack([released - _noisy(nothing, epsilon, i) for i in range(SEEDS_TRIED)]), seed
    )


def _noisy(counts: np.ndarray, epsilon: float, seed: int) -> np.ndarray:
    """Counts of a marginal with Laplace noise: ε-DP, if nobody knows the seed."""
    return laplace(counts, epsilon=epsilon, sensitivity=1, noise=Seeded(seed))[0]

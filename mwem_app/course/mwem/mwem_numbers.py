"""The numbers of the lesson MWEM, with the truth beside each run. NOT PRIVATE: example data only.

Of a round's ε/T, the share s measures with noise of scale T/(sε), and the rest selects. A large s leaves the choice to
chance; a small one drowns the answer in noise.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from mwem_app.course.choosing import law
from mwem_core.domain import Domain, Table
from mwem_core.judge import errors
from mwem_core.model import LogLinear, Measurement, replay
from mwem_core.mwem import Replay, paper
from mwem_core.output import round_rows
from mwem_core.privacy import NoiseSource, Seeded, Witness
from mwem_core.weighted import Model
from mwem_core.workload import Workload

EPSILON, T = 8.0, 8  # of the run on single queries that the lesson looks at


@dataclass(frozen=True, eq=False)
class ObservedRun:
    """A run of T rounds among C candidates (the queries, or whole tables), with what it hides. NOT PRIVATE.

    `spent` holds what select and measure have used after each round, in ε.
    """

    epsilon: float
    scale: float  # of the noise, 2T/ε, in records
    answers: np.ndarray  # (T + 1, |Q|): q(A_0) .. q(A_T), in records
    misplaced: np.ndarray  # (T + 1,): share of the records in a wrong cell, mean over the tables (total variation)
    spent: np.ndarray  # (T + 1, 2)
    probabilities: np.ndarray  # (T, C), of the selections
    chosen: np.ndarray  # (T,)
    measurements: tuple[Measurement, ...]
    A: Model  # of the last round

    @property
    def noisy_answers(self) -> tuple[np.ndarray, ...]:
        """The noisy answers, a number each or a table."""
        return tuple(m.value for m in self.measurements)

    @property
    def best_bets(self) -> float:
        """How many choices the best bettor foresees on average, who always names the most probable candidate."""
        return float(self.probabilities.max(axis=1).sum())


def watch(B: Table, Q: Workload, *, epsilon: float, T: int, noise: NoiseSource) -> ObservedRun:
    """Run MWEM as in the paper's experiments (Figure 8), and keep what a round hides.

    ε-DP but for what is kept.
    """
    witness, truth = Witness(noise), Q.answers(B)
    rounds, probabilities = [], []
    for round_ in paper(Q, epsilon=epsilon, T=T).rounds(B, Q, noise=witness):
        rounds.append(round_)
        if round_.chosen is not None:
            probabilities.append(witness.probabilities())
    answers = np.array([round_.model.answers(Q) for round_ in rounds])
    measurements = tuple(m for round_ in rounds for m in round_.measurements)
    return ObservedRun(
        epsilon=epsilon,
        scale=measurements[0].scale,
        answers=answers,
        misplaced=np.array([errors(Q, row, truth, B.total).mean_tv for row in answers]),
        spent=np.array([(round_.ledger.select, round_.ledger.measure) for round_ in rounds]),
        probabilities=np.array(probabilities),
        chosen=np.array([round_.chosen for round_ in rounds[1:]]),
        measurements=measurements,
        A=rounds[-1].model,
    )


SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SEEDS = 40
BAND = 0.1, 0.9  # quantiles over the seeds


@dataclass(frozen=True)
class Trial:
    """One run: the share that measures, and the share of the records that end in a wrong cell."""

    share: float
    seed: int
    error: float


@dataclass(frozen=True, eq=False)
class ShareEffects:
    """What each of `SHARES` gives: the mean size of the noise in records, the chance of the likeliest query in round 1,
    and the error, (shares,) each: the mean, and the band over the seeds.
    """

    noise: np.ndarray
    chance: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def best(self) -> float:
        """The share of the least mean error."""
        return SHARES[int(self.mean.argmin())]


def share_trial(B: Table, Q: Workload, *, share: float, seed: int) -> Trial:
    """Run MWEM with the paper's settings but for this share. ε-DP but for the error."""
    *_, last = replace(paper(Q, epsilon=EPSILON, T=T), split=1 - share).rounds(B, Q, noise=Seeded(seed))
    error = errors(Q, last.model.answers(Q), Q.answers(B), B.total).mean_tv
    assert error is not None  # the queries are cells of whole tables
    return Trial(share, seed, error)


def halves_trials(B: Table, Q: Workload) -> list[Trial]:
    """The trials of every share and seed. They are stored, as they take minutes."""
    return [share_trial(B, Q, share=share, seed=seed) for share in SHARES for seed in range(SEEDS)]


def share_effects(results: Iterable[Trial], B: Table, Q: Workload) -> ShareEffects:
    """What each share gives, from its trials."""
    by_share: dict[float, list[float]] = {share: [] for share in SHARES}
    for result in results:
        by_share[result.share].append(result.error)
    found = np.array(list(by_share.values()))
    low, high = np.quantile(found, BAND, axis=1)
    gaps = np.abs(LogLinear.uniform(Q.domain.shape, B.total).answers(Q) - Q.answers(B))
    return ShareEffects(
        noise=T / (EPSILON * np.array(SHARES)),
        chance=np.array([law(gaps, epsilon=(1 - share) * EPSILON / T).max() for share in SHARES]),
        mean=found.mean(axis=1),
        low=low,
        high=high,
    )


SWEEPS = (0, 1, 3, 10, 30, 100, 300, 1000)


@dataclass(frozen=True, eq=False)
class SweepEffects:
    """A_0 after each of `SWEEPS` over the T measurements of a run. NOT PRIVATE."""

    answers: np.ndarray  # (sweeps, T): of the measured queries, in records
    misplaced: np.ndarray  # (sweeps,): share of the records in a wrong cell


def sweep_effects(run: ObservedRun, B: Table, Q: Workload) -> SweepEffects:
    """Sweep the uniform table over what a run of single queries measured, in its order (Figure 8).

    The table reads the measurements alone, and so costs nothing; `misplaced` compares it with B.
    """
    uniform, update = LogLinear.uniform(Q.domain.shape, B.total), Replay()
    tables = [
        replay(uniform, run.measurements, **replace(update, sweeps=sweeps).sweeping) if sweeps else uniform
        for sweeps in SWEEPS
    ]
    answers, truth = np.array([A.answers(Q) for A in tables]), Q.answers(B)
    misplaced = np.array([errors(Q, row, truth, B.total).mean_tv for row in answers])
    return SweepEffects(answers[:, run.chosen], misplaced)


COUNTS = (10, 20, 50, 100, 200, 400)  # of rows
ROW_DRAWS, ROWS_SHOWN = 4, 4  # for each count; rows of a draw that are shown one by one


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows drawn from a model, for each of `COUNTS` and `ROW_DRAWS`. They read nothing but the model."""

    expected: np.ndarray  # (cells,): A's shares of all cells of the domain, in their order
    counts: np.ndarray  # (counts, draws, cells): rows in each cell
    first: np.ndarray  # (counts, draws, ROWS_SHOWN, attributes): codes of the first rows


def rows(A: Model, domain: Domain, rng: np.random.Generator) -> Rows:
    """Draw rows as a release does, from a model of few cells."""
    made = [[np.array(round_rows(domain, A, n, rng).codes) for _ in range(ROW_DRAWS)] for n in COUNTS]
    expected = A.marginal(tuple(range(len(domain)))).ravel()

    def counts(codes: np.ndarray) -> np.ndarray:
        return np.bincount(np.ravel_multi_index(tuple(codes), domain.shape), minlength=expected.size)

    return Rows(
        expected=expected / expected.sum(),
        counts=np.array([[counts(codes) for codes in draws] for draws in made]),
        first=np.array([[codes[:, :ROWS_SHOWN].T for codes in draws] for draws in made]),
    )

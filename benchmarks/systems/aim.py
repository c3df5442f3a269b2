"""AIM (McKenna, Mullins, Sheldon & Miklau 2022) on mbi's estimator, under zCDP.

As published: one-way marginals first. Then each round measures the subset of a workload's set with the largest expected
improvement: its error less the expected noise, weighted by its overlap with the workload. The noise is halved after a
round that changed the model too little. The budget allows 16 d rounds, and a tenth of each goes to selection. A model
may take 80 MB times the share of the budget spent.
"""

from common import Clock, Task, progress, read_task, write_results

clock, task = Clock(), read_task()

import math  # noqa: E402
import time  # noqa: E402

import mbi  # noqa: E402
import numpy as np  # noqa: E402
import pgm  # noqa: E402
from mbi.clique_utils import downward_closure  # noqa: E402

SELECT, MAX_MB = 0.1, 80
MAX_TABLE_CELLS = 2**20  # of a domain that is kept as one table
clock.lap("import")


def aim(task: Task, seconds: list[float]) -> mbi.MarkovRandomField:
    """Run all rounds; append to `seconds` the time since the start after each round."""
    rng = pgm.seeded(task)
    data, n, began = pgm.dataset(task), len(task.codes), time.perf_counter()
    domain, rho = data.domain, pgm.rho_of(task.epsilon, task.delta)
    candidates = downward_closure(task.cliques)
    weight = {S: float(sum(len(set(S) & set(W)) for W in task.cliques)) for S in candidates}
    truth = {S: np.asarray(data.project(S).datavector(), float) for S in candidates}
    T = 16 * len(task.names)
    sigma, epsilon = math.sqrt(T / (2 * (1 - SELECT) * rho)), math.sqrt(8 * SELECT * rho / T)
    measured = []

    def measure(S: tuple[str, ...]) -> None:
        noisy = truth[S] + rng.normal(scale=sigma, size=len(truth[S]))
        measured.append(mbi.LinearMeasurement(noisy, S, stddev=sigma))

    singles = [S for S in candidates if len(S) == 1]
    for S in singles:
        measure(S)
    spent = len(singles) / (2 * sigma**2)
    model = pgm.estimate(domain, measured, n)
    last = False
    while not last:
        if rho - spent < 2 * (1 / (2 * sigma**2) + epsilon**2 / 8):
            last, left = True, rho - spent
            sigma, epsilon = math.sqrt(1 / (2 * (1 - SELECT) * left)), math.sqrt(8 * SELECT * left)
        spent += 1 / (2 * sigma**2) + epsilon**2 / 8
        noise = math.sqrt(2 / math.pi) * sigma
        inside = set(downward_closure([tuple(S) for S in model.potentials.cliques]))
        fitting = [S for S in candidates if S in inside or _size(model, S) <= MAX_MB * spent / rho]
        answers = dict(zip(fitting, _answers(model, fitting), strict=True))
        scores = [weight[S] * (np.abs(truth[S] - answers[S]).sum() - noise * domain.size(S)) for S in fitting]
        S = fitting[pgm.choose(np.array(scores), epsilon, rng, sensitivity=max(weight[S] for S in fitting))]
        measure(S)
        model = pgm.estimate(domain, measured, n, model)
        moved = np.abs(_answers(model, [S])[0] - answers[S]).sum()
        if moved <= noise * domain.size(S):
            sigma, epsilon = sigma / 2, epsilon * 2
        seconds.append(time.perf_counter() - began)
        progress(f"round {len(seconds)} after {seconds[-1]:.0f} s, {spent / rho:.1%} of the budget spent: {S}")
    return pgm.estimate(domain, measured, n, model)


def _answers(model: mbi.MarkovRandomField, sets: list[tuple[str, ...]]) -> list[np.ndarray]:
    """Flat marginals. Those of a small domain are summed from its one table, so that mbi compiles only once."""
    names = model.domain.attributes
    if model.domain.size() > MAX_TABLE_CELLS:
        return pgm.marginals(model, sets)
    joint = pgm.marginals(model, [names])[0].reshape(model.domain.shape)
    axes = list(range(len(names)))
    return [np.einsum(joint, axes, [names.index(a) for a in S]).ravel() for S in sets]


def _size(model: mbi.MarkovRandomField, S: tuple[str, ...]) -> float:
    return mbi.junction_tree.hypothetical_model_size(model.domain, [*model.potentials.cliques, S])


round_seconds: list[float] = []
model = aim(task, round_seconds)
clock.lap("run")
synthetic = pgm.rows(model.synthetic_data(), task.names)
clock.lap("rows")


def answers():
    """The model's answers as shares, set after set."""
    return (table / float(model.total) for table in _answers(model, task.cliques))


def again():
    """The same run with the same choices; its code is already compiled."""
    aim(task, [])


write_results(
    task,
    synthetic,
    clock,
    ["mbi", "jax"],
    answers=answers,
    again=again,
    first_round=round_seconds[0],
    rounds=len(round_seconds),
)

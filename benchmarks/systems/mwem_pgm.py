"""MWEM+PGM (McKenna, Sheldon & Miklau 2019): a whole marginal per round, with mbi in place of multiplicative weights.

As published: d rounds, and a tenth of each round's budget goes to selection. A marginal is a candidate only if the
model would stay under 25 MB times the share of rounds done. n is public, as in ours. Laplace noise, or Gaussian noise
where δ > 0. For a workload of ranges, the histogram is measured.
"""

from common import Clock, Task, progress, read_task, write_results

clock, task = Clock(), read_task()

import math  # noqa: E402
import time  # noqa: E402

import mbi  # noqa: E402
import numpy as np  # noqa: E402
import pgm  # noqa: E402

SELECT, MAX_MB = 0.1, 25
clock.lap("import")


def mwem_pgm(task: Task, seconds: list[float]) -> mbi.MarkovRandomField:
    """Run all rounds; append to `seconds` the time since the start after each round."""
    rng = pgm.seeded(task)
    data, n, cliques = pgm.dataset(task), len(task.codes), task.cliques or [task.names]
    T = min(task.options.get("rounds", len(task.names)), len(cliques))
    if task.delta:
        rho = pgm.rho_of(task.epsilon, task.delta) / T
        scale, epsilon = math.sqrt(0.5 / ((1 - SELECT) * rho)), math.sqrt(8 * SELECT * rho)
    else:
        scale, epsilon = T / ((1 - SELECT) * task.epsilon), SELECT * task.epsilon / T
    draw = rng.normal if task.delta else rng.laplace
    truth = [data.project(S).datavector() for S in cliques]
    domain, measurements, chosen = data.domain, [], []
    model, began = pgm.estimate(domain, [], n), time.perf_counter()
    for i in range(1, T + 1):
        size = mbi.junction_tree.hypothetical_model_size
        fitting = [j for j, S in enumerate(cliques) if size(domain, [*chosen, S]) <= MAX_MB * i / T]
        answers = pgm.marginals(model, [cliques[j] for j in fitting])
        errors = [
            np.abs(truth[j] - answer).sum() - domain.size(cliques[j])
            for j, answer in zip(fitting, answers, strict=True)
        ]
        j = fitting[pgm.choose(np.array(errors), epsilon, rng)]
        noisy = np.asarray(truth[j], float) + draw(scale=scale, size=len(truth[j]))
        measurements.append(mbi.LinearMeasurement(noisy, cliques[j]))
        chosen.append(cliques[j])
        model = pgm.estimate(domain, measurements, n, model)
        seconds.append(time.perf_counter() - began)
        progress(f"round {i} of {T} after {seconds[-1]:.0f} s: {cliques[j]}")
    return model


round_seconds: list[float] = []
model = mwem_pgm(task, round_seconds)
clock.lap("run")
synthetic = pgm.rows(model.synthetic_data(), task.names)
clock.lap("rows")
cliques = task.cliques or [task.names]


def answers():
    """The model's answers as shares, set after set; for ranges, the histogram."""
    return (table / float(model.total) for table in pgm.marginals(model, cliques))


def again():
    """The same run with the same choices; its code is already compiled."""
    mwem_pgm(task, [])


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

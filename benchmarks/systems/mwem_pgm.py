"""MWEM+PGM (McKenna, Sheldon & Miklau 2019): a whole marginal a round, with mbi in place of multiplicative weights.

As published: d rounds, a tenth of each to select, candidates only while the model stays under 25 MB times the share of
rounds done; n is public, as it is in ours. Laplace noise, or Gaussian where δ > 0. A workload of ranges is measured as
its one histogram.
"""

from common import Clock, Task, give, progress, task

clock, given = Clock(), task()

import math  # noqa: E402
import time  # noqa: E402

import mbi  # noqa: E402
import numpy as np  # noqa: E402
import pgm  # noqa: E402

SELECT, MAX_MB = 0.1, 25
clock.lap("import")


def mwem_pgm(task: Task, first: list[float]) -> mbi.MarkovRandomField:
    """All rounds; the first one's seconds go into `first`."""
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
    domain, measured, chosen = data.domain, [], []
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
        measured.append(mbi.LinearMeasurement(noisy, cliques[j]))
        chosen.append(cliques[j])
        model = pgm.estimate(domain, measured, n, model)
        first.append(time.perf_counter() - began)
        progress(f"round {i} of {T} after {first[-1]:.0f} s: {cliques[j]}")
    return model


rounds: list[float] = []
model = mwem_pgm(given, rounds)
clock.lap("run")
synthetic = pgm.rows(model.synthetic_data(), given.names)
clock.lap("rows")
asked = given.cliques


def answers():
    """Shares, set after set; of ranges, the histogram."""
    return (table / float(model.total) for table in pgm.marginals(model, asked or [given.names]))


def again():
    """The same choices, compiled by now."""
    mwem_pgm(given, [])


give(given, synthetic, clock, ["mbi", "jax"], answers=answers, again=again, first_round=rounds[0], rounds=len(rounds))

"""MST (McKenna, Miklau & Sheldon 2021) on mbi's estimator, under zCDP: one-way marginals and a tree of pairs.

As published: one third of ρ goes to one-way marginals, one third to choosing the tree, one third to its pairs. Values
whose noisy count is below three standard deviations share one cell until the rows are made.
"""

from common import Clock, Task, read_task, write_results

clock, task = Clock(), read_task()

import itertools  # noqa: E402
import math  # noqa: E402

import mbi  # noqa: E402
import networkx as nx  # noqa: E402
import numpy as np  # noqa: E402
import pgm  # noqa: E402

clock.lap("import")


def mst(task: Task) -> tuple[mbi.MarkovRandomField, dict[str, np.ndarray]]:
    """The model over the compressed domain, and for each attribute the map from its codes to compressed codes."""
    rng = pgm.seeded(task)
    rho, data, n = pgm.rho_of(task.epsilon, task.options["delta"]), pgm.dataset(task), len(task.codes)
    sigma = math.sqrt(3 / (2 * rho))
    singles = _measure(data, [(name,) for name in task.names], sigma, rng)
    mapping = {m.clique[0]: _merged(np.asarray(m.noisy_measurement) >= 3 * m.stddev) for m in singles}
    measured = [m.compress(mapping, data.domain) for m in singles]
    data = data.compress(mapping)
    pairs = list(itertools.combinations(task.names, 2))
    independent = pgm.estimate(data.domain, measured, n)
    answers = pgm.marginals(independent, pairs)
    errors = {
        S: np.abs(np.asarray(data.project(S).datavector()) - answer).sum()
        for S, answer in zip(pairs, answers, strict=True)
    }
    tree, epsilon = nx.Graph(), math.sqrt(8 * rho / 3 / max(1, len(task.names) - 1))
    tree.add_nodes_from(task.names)
    while not nx.is_connected(tree):
        apart = [S for S in pairs if not nx.has_path(tree, *S)]
        tree.add_edge(*apart[pgm.choose(np.array([errors[S] for S in apart]), epsilon, rng)])
    chosen = [S for S in pairs if tree.has_edge(*S)]
    measured += _measure(data, chosen, sigma, rng)
    return pgm.estimate(data.domain, measured, n, iterations=5 * pgm.ITERATIONS), mapping


def _measure(
    data: mbi.Dataset, cliques: list[tuple[str, ...]], sigma: float, rng: np.random.Generator
) -> list[mbi.LinearMeasurement]:
    """Measure all cliques, at the total cost of one measurement with this σ."""
    scale = sigma * math.sqrt(len(cliques))
    exact = [np.asarray(data.project(S).datavector(), float) for S in cliques]
    return [
        mbi.LinearMeasurement(x + rng.normal(scale=scale, size=len(x)), S, stddev=scale)
        for x, S in zip(exact, cliques, strict=True)
    ]


def _merged(kept: np.ndarray) -> np.ndarray:
    """Compressed codes: the kept values in order, then one code for all others."""
    return np.where(kept, np.cumsum(kept) - 1, kept.sum())


model, mapping = mst(task)
clock.lap("run")
synthetic = pgm.rows(model.synthetic_data().decompress(mapping), task.names)
clock.lap("rows")


def again():
    """The same run with the same choices; its code is already compiled."""
    mst(task)


write_results(task, synthetic, clock, ["mbi", "jax"], again=again)

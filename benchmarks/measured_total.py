"""What it costs to measure n: the error of the noisy n, and the share of the budget that it takes.

    nice python benchmarks/measured_total.py --rows 1000 --seeds 60

Runs of Automatic on the pairs of a bundled table, or of so many of its records: with n public, with a noisy n, and
with the same share of the budget taken but n exact (not private). The difference of the last two is what the noise in n
costs.
"""

import argparse

import numpy as np
from frequencies import count_of
from rows import SAMPLES

from mwem_core import Domain, MeasuredTotal, Records, Seeded, encode, parse_workload, read_table
from mwem_core.evaluation.metrics import errors
from mwem_core.systems import system


class ExactFirst(Seeded):
    """A noise source whose first draw, that of n, adds nothing."""

    first = True

    def _noisy(self, exact: np.ndarray, noisy: np.ndarray) -> np.ndarray:
        first, self.first = self.first, False
        return exact if first else noisy

    def laplace(self, exact: np.ndarray, *arguments: float) -> np.ndarray:
        """Laplace noise, but for the first draw."""
        return self._noisy(exact, super().laplace(exact, *arguments))

    def gaussian(self, exact: np.ndarray, *arguments: float) -> np.ndarray:
        """Gaussian noise, but for the first draw."""
        return self._noisy(exact, super().gaussian(exact, *arguments))


def main() -> None:
    """Print the mean total variation of each share, and what n costs of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default="adult.parquet", help="a file of sample_data/, with a schema of its name")
    parser.add_argument("--rows", type=int, help="records drawn from it; all of them by default")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--delta", type=float, default=0.0)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--shares", default="0.03,0.05,0.06,0.07,0.1")
    arguments = parser.parse_args()
    table = SAMPLES / arguments.table
    domain = Domain.from_toml(table.with_suffix(".toml").read_text(encoding="utf-8"))
    B = encode(read_table(table), domain, count=count_of(table))
    if arguments.rows:
        chosen = np.random.default_rng(5).choice(B.total, arguments.rows, replace=False)
        B = Records(domain, tuple(column[chosen] for column in B.codes))
    Q, seeds = parse_workload("marginals:2", domain), range(arguments.seeds)
    truth = Q.answers(B)

    def mean_tvs(settings, source) -> np.ndarray:
        finished = [list(settings.rounds(B, Q, noise=source(seed)))[-1].model for seed in seeds]
        tvs = [errors(Q, model.answers(Q), truth, B.total, total=model.total).mean_tv for model in finished]
        return np.array(tvs, float)

    guarantee = {"epsilon": arguments.epsilon, "delta": arguments.delta}
    public = mean_tvs(system("automatic").settings(Q, n=B.total, **guarantee, noisy_n=True), Seeded).mean()
    print(f"{B.total:,} records, {arguments.seeds} seeds, n public: mean total variation {public:.4f}", flush=True)
    for share in map(float, arguments.shares.split(",")):
        settings = MeasuredTotal(**guarantee, share=share)
        noisy, exact = mean_tvs(settings, Seeded), mean_tvs(settings, ExactFirst)
        cost = 100 * (noisy - exact) / exact.mean()
        error = cost.std(ddof=1) / np.sqrt(len(cost))
        whole = 100 * (noisy.mean() / public - 1)
        print(
            f"share {share:g}: {noisy.mean():.4f}; the noise in n costs {cost.mean():.2f}% ± {error:.2f}, "
            f"with its share {whole:.2f}%",
            flush=True,
        )


if __name__ == "__main__":
    main()

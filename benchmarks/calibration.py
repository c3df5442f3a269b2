"""How far the expected errors are from what came out, by Automatic's runs of `frontier.py`.

    python benchmarks/calibration.py --reference FOLDER --tables FOLDER/{fit,judge,watch}

For each group of tables: of the forecast over the mean error over seeds, the median and the 5% and 95% quantiles; and
the share of settings within 1.5. Settings without any error are counted apart. Nothing runs but the forecasts, which
read public numbers. `forecasts.py` judges the range that Run shows, on other tables.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from frontier import KEPT, ks, tables
from frontier_ratios import AUTOMATIC, Setting
from frontier_runs import load
from frontier_tables import GROUPS, group

from mwem_core import default, parse_workload
from mwem_core.automatic import forecast


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", type=Path, metavar="FOLDER", help="with mildew_cells.csv and nltcs_cells.csv")
    parser.add_argument("--tables", type=Path, nargs="*", default=[], metavar="FOLDER", help="NAME.csv with NAME.toml")
    errors = outcomes()
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for table in tables(parser.parse_args()):
        B = table.load()
        for k in ks(B):
            Q = parse_workload(f"marginals:{k}", B.domain)
            for (name, spec, epsilon, delta), error in errors.items():
                if (name, spec) == (table.name, Q.spec):
                    settings = default(Q, n=B.total, epsilon=epsilon, delta=delta)
                    expected = forecast(settings, Q, B.total)
                    assert expected is not None
                    found[group(name)].append((expected, error))
                    found[f"ε up to 3, {group(name)}" if epsilon <= 3 else "ε = 10, all"].append((expected, error))
    found["all"] = [pair for name in GROUPS for pair in found[name]]
    print("| settings | number (exact) | median | 5% to 95% | within 1.5 |\n|---|---|---|---|---|")
    for name, pairs in found.items():
        print(line(name, np.array(pairs)))


def outcomes() -> dict[Setting, float]:
    """Automatic's mean total variation over seeds, at each setting; of its newest version."""
    runs: dict[Setting, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for r in load(KEPT):
        if r["system"] == AUTOMATIC and "mean_tv" in r:
            runs[r["table"], r["workload"], r["epsilon"], r["delta"]][r["label"]].append(r["mean_tv"])
    return {setting: float(np.mean(list(by_label.values())[-1])) for setting, by_label in runs.items()}


def line(name: str, pairs: np.ndarray) -> str:
    """A row of the table, from forecasts and errors, (settings, 2)."""
    exact = pairs[:, 1] == 0
    expected, error = pairs[~exact].T
    ratio = expected / error
    within = np.mean(np.abs(np.log(ratio)) <= np.log(1.5))
    a, b, c = np.quantile(ratio, [0.5, 0.05, 0.95])
    return f"| {name} | {len(pairs)} ({exact.sum()}) | {a:.2f} | {b:.2f} to {c:.2f} | {within:.0%} |"


if __name__ == "__main__":
    main()

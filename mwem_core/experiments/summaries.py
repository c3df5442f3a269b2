"""The points of a figure of trials: means or medians over seeds, at a fixed number of rounds or at the best one."""

from functools import partial

import numpy as np
import pandas as pd

from mwem_core.experiments.claim import Frame, Series

FIXED_T, BEST_T = "T = 10", "best T"
HEIGHTS = ["y", "low", "high"]
ROUNDS = {"rounds": (BEST_T, FIXED_T)}


def points(frame: Frame, metric: str, *, x: str = "epsilon", panel: str = "table") -> Frame:
    """Mean, lowest and highest over seeds of a metric, for every panel, method, x and T.

    Trials without the metric are left out. A reference that holds at every x stands at each x of its panel.
    """
    return _summary(frame, metric, x, panel, {"y": "mean", "low": "min", "high": "max"})


def medians(frame: Frame, metric: str, *, x: str = "epsilon", panel: str = "table") -> Frame:
    """`points` by median and quartiles, for a metric that is infinite in some trials."""
    quartiles = {"low": partial(_quantile, share=0.25), "high": partial(_quantile, share=0.75)}
    return _summary(frame, metric, x, panel, {"y": partial(_quantile, share=0.5), **quartiles})


def _quantile(values: Series, share: float) -> float:
    return float(values.quantile(share, interpolation="lower"))


def _summary(frame: Frame, metric: str, x: str, panel: str, numbers: dict) -> Frame:
    known = frame[frame[metric].notna()].rename(columns={panel: "panel", x: "x"})
    everywhere = known[known["x"].isna()]
    known = known[known["x"].notna()]
    spread = known[["panel", "x"]].drop_duplicates().merge(everywhere.drop(columns="x"), on="panel")
    known = pd.concat([known, spread]) if len(spread) else known
    known = known.astype({"panel": str, "method": str, "x": float, metric: float})
    grouped = known.groupby(["panel", "method", "x", "T"], dropna=False)[metric]
    return grouped.agg(**numbers, seeds="count").reset_index()


def best_T(summary: Frame) -> Frame:
    """For every panel, method and x, the T of the smallest mean: chosen in hindsight, as the paper chose it by hand."""
    best = summary.groupby(["panel", "method", "x"])["y"].idxmin()
    return summary.loc[best].reset_index(drop=True)


def fixed_T(summary: Frame, T: int = 10) -> Frame:
    """The points at T, and those of methods that take no T."""
    return summary[summary["T"].isna() | (summary["T"] == T)].reset_index(drop=True)


def of_rounds(summary: Frame, rounds: str) -> Frame:
    """The points at the reader's choice of rounds, one of `BEST_T` and `FIXED_T`."""
    return (best_T if rounds == BEST_T else fixed_T)(summary)


def at(summary: Frame, method: str) -> Series:
    """A method's y by panel and x."""
    return summary[summary["method"] == method].set_index(["panel", "x"])["y"]


def wins(a: Series, b: Series) -> int:
    """The number of points at which `a` is below `b`."""
    return int((a < b).sum())


def span(values: Series) -> str:
    """The smallest and the largest, to two digits: "0.5 to 2"."""
    return f"{values.min():.2g} to {values.max():.2g}"


def geometric_mean(values: Series) -> str:
    """The geometric mean of positive values, to two digits."""
    return f"{np.exp(np.log(values).mean()):.2g}"

"""A comparison's results, as a table of means over seeds with 95% intervals, and the verdict on them."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mwem_core.domain import Records
from mwem_core.judge import Result, title_of, verdict_sentences
from mwem_core.systems import system
from mwem_core.workload import Workload

STATEMENT = "NOT PRIVATE: the errors are measured against the truth. For teaching, tests and public data."
Group = tuple[str, float, int | None]  # system, ε, T


def summarize(B: Records, Q: Workload, results: Sequence[Result]) -> dict[str, Any]:
    """A comparison for programs to read: one row per system, ε and T, with the mean and interval of each metric."""
    groups: dict[Group, list[Result]] = {}
    for result in sorted((r for r in results if not r.problem), key=lambda r: r.trial.epsilon):
        groups.setdefault((result.trial.system, result.trial.epsilon, result.trial.T), []).append(result)
    problems = dict.fromkeys((r.trial.system, r.problem) for r in results if r.problem)
    return {
        "statement": STATEMENT,
        "n": B.total,
        "domain_size": str(Q.domain.size),
        "workload": Q.spec,
        "queries": Q.size,
        "systems": [_row(*group, members, _metric(Q)) for group, members in groups.items()],
        "problems": [{"system": name, "problem": problem} for name, problem in problems],
        "verdict": _verdicts(groups, Q),
        **({"rules_not_kept": notes} if (notes := _rules_not_kept(groups, Q)) else {}),
    }


def _rules_not_kept(groups: Iterable[Group], Q: Workload) -> list[str]:
    """A sentence for each system that does not keep the schema's rules."""
    names = dict.fromkeys(name for name, *_ in groups)
    return [note for name in names if (note := system(name).unkept_rules(Q.domain))]


def _metric(Q: Workload) -> str:
    return "mean_tv" if Q.tabular else "mean_error"


def _row(name: str, epsilon: float, T: int | None, results: Sequence[Result], metric: str) -> dict[str, Any]:
    answers = [r.answers for r in results if r.answers]
    rows = [r.rows for r in results if r.rows]
    return {
        "system": name,
        "ran": results[0].ran,
        "epsilon": epsilon,
        "delta": results[0].delta,
        "T": T,
        "seeds": len(results),
        metric: _over_seeds([getattr(errors, metric) for errors in answers]),
        "max_error": _over_seeds([errors.max_error for errors in answers]),
        f"rows_{metric}": _over_seeds([getattr(errors, metric) for errors in rows]),
        "relative_entropy": _over_seeds([r.relative_entropy for r in results if r.relative_entropy is not None]),
        "seconds": _over_seeds([r.seconds for r in results]),
        "gives": system(name).gives,
        "privacy": system(name).privacy_at(results[0].delta),
    }


def _over_seeds(values: Sequence[float]) -> dict[str, float] | None:
    """The mean and half of its 95% t interval, infinite for a single seed; None without values."""
    if not values:
        return None
    mean, seeds = float(np.mean(values)), len(values)
    if seeds == 1 or not math.isfinite(mean):
        return {"mean": mean, "within": math.inf}
    from scipy.special import stdtrit  # imported late: it takes a fifth of a second

    return {"mean": mean, "within": float(stdtrit(seeds - 1, 0.975) * np.std(values, ddof=1) / math.sqrt(seeds))}


def _verdicts(groups: dict[Group, list[Result]], Q: Workload) -> list[str]:
    """The verdict at each ε. A system with several T is ranked by the T of its smallest mean error."""
    metric = "mean total variation" if Q.tabular else "mean error"
    verdicts = []
    for epsilon in dict.fromkeys(epsilon for _, epsilon, _ in groups):
        best: dict[str, list[float]] = {}
        titles: dict[str, str] = {}
        for (name, group_epsilon, _), results in groups.items():
            errors = [float(getattr(r.answers, _metric(Q))) for r in results]
            if group_epsilon == epsilon and (name not in best or np.mean(errors) < np.mean(best[name])):
                best[name], titles[name] = errors, title_of(name, [r.ran for r in results])
        verdicts.append(f"ε = {epsilon:g}: {' '.join(verdict_sentences(best, metric=metric, titles=titles))}")
    return verdicts


def summary_text(summary: dict[str, Any], Q: Workload) -> str:
    """A summary as a table and sentences, for people."""
    metric = _metric(Q)
    titles = {"mean_tv": "mean TV", "mean_error": "mean error"}
    columns = {
        **{"system": "system", "epsilon": "ε", "T": "T", metric: titles[metric], "max_error": "max error"},
        **{f"rows_{metric}": "of rows", "relative_entropy": "nats", "seconds": "seconds"},
        **{"gives": "gives", "privacy": "privacy", "ran": "ran"},
    }
    if not any(row["ran"] for row in summary["systems"]):
        del columns["ran"]
    if all(row["T"] is None for row in summary["systems"]):
        del columns["T"]
    lines = [list(columns.values()), *([_cell(name, row[name]) for name in columns] for row in summary["systems"])]
    workload = f"{summary['queries']:,} queries ({Q.name}) over {Q.domain.size:,} cells, n = {summary['n']:,}"
    return "\n".join(
        [
            f"{workload}; mean ± 95% interval over seeds",
            *aligned(lines),
            *(f"{system(entry['system']).title}: {entry['problem']}" for entry in summary["problems"]),
            *summary["verdict"],
            *summary.get("rules_not_kept", ()),
            summary["statement"],
        ]
    )


def _cell(name: str, value: Any) -> str:
    if isinstance(value, dict):
        digits = 2 if name == "seconds" else 4
        interval = "" if math.isinf(value["within"]) else f" ± {value['within']:.{digits}f}"
        return f"{value['mean']:.{digits}f}{interval}"
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]

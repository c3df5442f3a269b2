"""What several systems came to on one table, tabulated: means over seeds with their 95% intervals, and who wins."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mwem_core.data.records import Records
from mwem_core.evaluation.trials import Result
from mwem_core.evaluation.verdict import verdict_sentences
from mwem_core.systems import system
from mwem_core.workload.workload import Workload

STATEMENT = "NOT PRIVATE: the errors are measured against the truth. For teaching, tests and public data."


def summary(B: Records, Q: Workload, results: Sequence[Result]) -> dict[str, Any]:
    """What is told, for a program to read: a row a system, ε and T, each figure a mean over seeds with its interval."""
    groups: dict[tuple[str, float, int | None], list[Result]] = {}
    for result in sorted((r for r in results if not r.problem), key=lambda r: r.trial.epsilon):
        groups.setdefault((result.trial.system, result.trial.epsilon, result.trial.T), []).append(result)
    problems = dict.fromkeys((r.trial.system, r.problem) for r in results if r.problem)
    return {
        "statement": STATEMENT,
        "n": B.total,
        "domain_size": str(Q.domain.size),
        "workload": Q.spec,
        "queries": Q.size,
        "systems": [_row(*asked, same, _metric(Q)) for asked, same in groups.items()],
        "problems": [{"system": name, "problem": problem} for name, problem in problems],
        "verdict": _verdict(groups, Q),
    }


def _metric(Q: Workload) -> str:
    return "mean_tv" if Q.tabular else "mean_error"


def _row(name: str, epsilon: float, T: int | None, results: Sequence[Result], metric: str) -> dict[str, Any]:
    answers = [r.answers for r in results if r.answers]
    rows = [r.rows for r in results if r.rows]
    return {
        "system": name,
        "epsilon": epsilon,
        "delta": results[0].delta,
        "T": T,
        "seeds": len(results),
        metric: _over_seeds([getattr(each, metric) for each in answers]),
        "max_error": _over_seeds([each.max_error for each in answers]),
        f"rows_{metric}": _over_seeds([getattr(each, metric) for each in rows]),
        "relative_entropy": _over_seeds([r.relative_entropy for r in results if r.relative_entropy is not None]),
        "seconds": _over_seeds([r.seconds for r in results]),
        "gives": system(name).gives,
        "privacy": system(name).privacy_at(results[0].delta),
    }


def _over_seeds(values: Sequence[float]) -> dict[str, float] | None:
    """The mean, and half of its 95% t interval, infinite for one seed alone; None where there is nothing."""
    if not values:
        return None
    mean, k = float(np.mean(values)), len(values)
    if k == 1 or not math.isfinite(mean):
        return {"mean": mean, "within": math.inf}
    from scipy.special import stdtrit  # a fifth of a second: not before it is needed

    return {"mean": mean, "within": float(stdtrit(k - 1, 0.975) * np.std(values, ddof=1) / math.sqrt(k))}


def _verdict(groups: dict[tuple[str, float, int | None], list[Result]], Q: Workload) -> list[str]:
    """Who wins, at each ε; of the rounds tried, a system is judged by its best."""
    what = "mean total variation" if Q.tabular else "mean error"
    said = []
    for epsilon in dict.fromkeys(epsilon for _, epsilon, _ in groups):
        best: dict[str, list[float]] = {}
        for (name, at, _), results in groups.items():
            errors = [float(getattr(r.answers, _metric(Q))) for r in results]
            if at == epsilon and (name not in best or np.mean(errors) < np.mean(best[name])):
                best[name] = errors
        said.append(f"ε = {epsilon:g}: {' '.join(verdict_sentences(best, metric=what))}")
    return said


def text(found: dict[str, Any], Q: Workload) -> str:
    """The same as a table and sentences, for people."""
    metric = _metric(Q)
    titles = {"mean_tv": "mean TV", "mean_error": "mean error"}
    columns = {
        **{"system": "system", "epsilon": "ε", "T": "T", metric: titles[metric], "max_error": "max error"},
        **{f"rows_{metric}": "of rows", "relative_entropy": "nats", "seconds": "seconds"},
        **{"gives": "gives", "privacy": "privacy"},
    }
    if all(row["T"] is None for row in found["systems"]):
        del columns["T"]
    lines = [list(columns.values()), *([_cell(name, row[name]) for name in columns] for row in found["systems"])]
    asked = f"{found['queries']:,} queries ({Q.name}) over {Q.domain.size:,} cells, n = {found['n']:,}"
    return "\n".join(
        [
            f"{asked}; mean ± 95% interval over seeds",
            *_aligned(lines),
            *(f"{system(each['system']).title}: {each['problem']}" for each in found["problems"]),
            *found["verdict"],
            found["statement"],
        ]
    )


def _cell(name: str, value: Any) -> str:
    if isinstance(value, dict):
        digits = 2 if name == "seconds" else 4
        spread = "" if math.isinf(value["within"]) else f" ± {value['within']:.{digits}f}"
        return f"{value['mean']:.{digits}f}{spread}"
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]

"""FRONTIER.md and frontier.csv: Automatic beside the best other private system, for every version on record."""

import csv
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fresh import machine
from frontier_ratios import AUTOMATIC, EPSILONS, MEASURES, RESAMPLES, WHOLE, Comparison, Setting, compare
from frontier_tables import FITTED, GROUPS, JUDGED, WATCHED, group
from report import Record, markdown, short

from mwem_core.systems import SYSTEMS

ROUNDING = 1e-12  # of n: what sums of floating-point weights leave of an exact answer
MARKS = {FITTED: "", JUDGED: " (judged)", WATCHED: " (watched)"}  # beside a table, by its group
CLOSE = 1.05
WORST = 2  # settings listed for each table
Found = dict[str, dict[str, list[Comparison]]]  # by label and measure

LEGEND = f"""\
A setting is a table, all of its k-way marginals, an ε and a δ. Its ratio is Automatic's error over that of the best
other private system at the same privacy: below 1 Automatic is the best. Errors are means over seeds, 6 to 100, and 2 of
version 0.3. TV is half the L1 norm of a marginal's error in shares, in the mean of the marginals; the max error is that
of the worst cell; less than a tenth of a record counts as a tenth. Brackets are 95% intervals from {RESAMPLES:,}
resamplings of the seeds, with the best system fixed: the best of many on a few seeds is partly luck, so a ratio is
slightly too large. `held out` chooses each seed's best on the other seeds, and is slightly too small. `at most s` is
the CPU time of Automatic's slowest run. Automatic's numbers were fitted to the tables "{FITTED}"; changes were judged
on those "{JUDGED}" several times; results on those "{WATCHED}" were seen eighteen times: so no group is held out.
[FITTED.md](FITTED.md) has each number and the history of looks, [README.md](README.md) how to repeat the runs,
`frontier_runs.jsonl.gz` all of them, and `frontier_tables.py` where the tables come from."""


WHOLE_NOISE = """\
Where Automatic counts cells, its noise is whole (the geometric mechanism). The other systems' noise is continuous, as
published, so the ratios above would be larger if one of them had whole noise too. Here whole noise on every cell, up to
10⁷ of them, counts among the others. Its answers need not add up to n, and Automatic's do: where one record is wrong,
that doubles the total variation.

"""


def report(records: Sequence[Record]) -> str:
    """The page."""
    labels = list(dict.fromkeys(r["label"] for r in records if r["system"] == AUTOMATIC))
    counted = [r for r in records if r["epsilon"] in EPSILONS and r["system"] != WHOLE]
    found = {label: {measure: compare(counted, label, measure) for measure in MEASURES} for label in labels}
    newest = found[labels[-1]]
    sections = {
        "All settings": _overall(found),
        "By table": "Geometric mean · share within 1.05 · worst.\n\n" + _by_table(found, records),
        "By ε and δ, answers: mean TV": "Geometric mean · share within 1.05 · worst.\n\n" + _by_epsilon(found),
        f"How often a system is the best other (and beats {labels[-1]} by more than 5%)": _rivals(newest),
        "Whole noise among the others": _beside_whole_noise(records, labels[-1]),
        "Beside reading no data": "\n".join(_beside_uniform(records, label) for label in labels),
        f"The worst settings of {labels[-1]} on each table, answers: mean TV": _worst(newest["mean_tv"]),
    }
    m = machine()
    origin = f"{time.strftime('%Y-%m-%d')}; {m['cpu']}, {m['cores']} cores, {m['pinned']}, Python {m['python']}."
    text = [f"## {title}\n\n{body}" for title, body in sections.items()]
    return "\n\n".join(["# Frontier", origin, LEGEND, *text]) + "\n"


def write_ratios(records: Sequence[Record], path: Path) -> None:
    """Write the ratio of mean TV at every setting, as the page "How it scales" draws it."""
    labels = dict.fromkeys(r["label"] for r in records if r["system"] == AUTOMATIC)
    counted = [r for r in records if r["epsilon"] in EPSILONS and r["system"] != WHOLE]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("version", "tables", "table", "workload", "epsilon", "delta", "ratio", "best"))
        for label in labels:
            for c in compare(counted, label, "mean_tv"):
                writer.writerow((label, group(c.setting[0]), *c.setting, f"{c.ratio:.6g}", c.best.system))


def _overall(found: Found) -> str:
    return _markdown(
        {"error": title, "tables": tables, "version": label, **_summary(chosen)}
        for measure, title in MEASURES.items()
        for tables in GROUPS
        for label, of in found.items()
        if (chosen := [c for c in of[measure] if group(c.setting[0]) == tables])
    )


def _summary(comparisons: Sequence[Comparison]) -> dict[str, str]:
    """The geometric mean, the share within 1.05 and the worst ratio, with their intervals."""
    drawn = np.log([c.resampled for c in comparisons])
    worst = max(comparisons, key=lambda c: c.ratio)
    mean = np.exp(np.mean([np.log(c.ratio) for c in comparisons]))
    within = 100 * np.mean([c.ratio <= CLOSE for c in comparisons])
    return {
        "settings": str(len(comparisons)),
        "geometric mean": f"{mean:.3f}" + _interval(np.exp(drawn.mean(axis=0)), "{:.3f}"),
        f"within {CLOSE}": f"{within:.0f}%" + _interval(100 * (drawn <= np.log(CLOSE)).mean(axis=0), "{:.0f}"),
        "worst": f"{worst.ratio:.2f}" + _interval(worst.resampled, "{:.2f}"),
        "where": _place(worst.setting),
        "held out": _three([c.held_out for c in comparisons], 3),
    }


def _interval(values: np.ndarray, form: str) -> str:
    """The interval in brackets; empty if there was one seed, which says nothing about it."""
    low, high = np.quantile(values, (0.025, 0.975))
    return f" ({form.format(low)}–{form.format(high)})" if low < high else ""


def _place(setting: Setting) -> str:
    table, workload, epsilon, delta = setting
    return f"{table} {workload.removeprefix('marginals:')}-way, ε = {epsilon:g}" + (f", δ = {delta:g}" if delta else "")


def _by_table(found: Found, records: Sequence[Record]) -> str:
    own_runs = [r for r in records if r["system"] == AUTOMATIC]
    sizes = {r["table"]: r for r in own_runs}
    lines = []
    for name in sorted(sizes, key=lambda name: (GROUPS.index(group(name)), sizes[name]["cells"])):
        line = {"table": name + MARKS[group(name)], "records": f"{sizes[name]['n']:,}"}
        line |= {"attributes": str(sizes[name]["attributes"]), "cells": f"{sizes[name]['cells']:.3g}"}
        for label, of in found.items():
            runs = [r for r in own_runs if (r["table"], r["label"]) == (name, label) and "seconds" in r]
            ratios = {title: _three([c.ratio for c in of[m] if c.setting[0] == name]) for m, title in MEASURES.items()}
            if runs:
                cost = {"at most s": short(max(r["seconds"] for r in runs))}
                seeds = {"seeds": str(len({r["seed"] for r in runs}))}
                lines.append({**line, "version": label, **seeds, **ratios, **cost})
    return _markdown(lines)


def _three(ratios: Sequence[float], decimals: int = 2) -> str:
    """The geometric mean, the share within 1.05 and the worst, without intervals; empty without settings."""
    if not ratios:
        return ""
    mean, within = np.exp(np.log(ratios).mean()), 100 * (np.array(ratios) <= CLOSE).mean()
    return f"{mean:.{decimals}f} · {within:.0f}% · {max(ratios):.2f}"


def _by_epsilon(found: Found) -> str:
    lines = []
    for tables in GROUPS:
        for epsilon in EPSILONS:
            for label, of in found.items():
                chosen = [c for c in of["mean_tv"] if group(c.setting[0]) == tables and c.setting[2] == epsilon]
                deltas = {f"δ = {delta:g}": delta for delta in sorted({c.setting[3] for c in chosen})}
                ratios = {head: _three([c.ratio for c in chosen if c.setting[3] == at]) for head, at in deltas.items()}
                if chosen:
                    lines.append({"tables": tables, "ε": f"{epsilon:g}", "version": label, **ratios})
    return _markdown(lines)


def _rivals(by_measure: dict[str, list[Comparison]]) -> str:
    best = {measure: Counter(c.best.system for c in of) for measure, of in by_measure.items()}
    beats = {measure: Counter(c.best.system for c in of if c.ratio > CLOSE) for measure, of in by_measure.items()}
    names = sorted(set().union(*best.values()), key=lambda name: (-best["mean_tv"][name], name))
    return _markdown(
        {"system": SYSTEMS[name].title}
        | {title: f"{best[m][name]} ({beats[m][name]})" for m, title in MEASURES.items() if best[m][name]}
        for name in names
    )


def _beside_whole_noise(records: Sequence[Record], label: str) -> str:
    """The ratios if whole noise on every cell counts among the others; on all settings, and on those of ε >= 1."""
    counted = [r for r in records if r["epsilon"] in EPSILONS]
    measures = {measure: compare(counted, label, measure) for measure in ("mean_tv", "max_error")}
    return WHOLE_NOISE + _markdown(
        {"error": MEASURES[measure], "tables": tables, "ε": name, **_summary(chosen)}
        for measure, of in measures.items()
        for tables in GROUPS
        for name, least in (("all", 0.0), ("1 to 10", 1.0))
        if (chosen := [c for c in of if group(c.setting[0]) == tables and c.setting[2] >= least])
    )


def _beside_uniform(records: Sequence[Record], label: str) -> str:
    """How often Automatic errs more than uniform, by more than the standard error of its mean; at every ε run."""
    beside = compare([r for r in records if r["system"] in (AUTOMATIC, "uniform")], label, "mean_tv")
    above = [c for c in beside if c.own.mean - c.best.mean > c.own.standard_error + ROUNDING]
    text = f"- {label}: above uniform, by more than its standard error, in {len(above)} of {len(beside)} settings"
    if not above:
        return text + "."
    worst = max(above, key=lambda c: c.ratio)
    return text + f"; at most {worst.ratio:.2f} times ({_place(worst.setting)})."


def _worst(comparisons: Sequence[Comparison]) -> str:
    by_table: dict[str, list[Comparison]] = {}
    for c in sorted(comparisons, key=lambda c: -c.ratio):
        by_table.setdefault(c.setting[0], []).append(c)
    return _markdown(
        {
            "setting": _place(c.setting),
            "ratio": f"{c.ratio:.2f}" + _interval(c.resampled, "{:.2f}"),
            "Automatic": f"{c.own.mean:.4f}",
            "best other": f"{c.best.mean:.4f}",
            "by": SYSTEMS[c.best.system].title,
        }
        for of_table in by_table.values()
        for c in of_table[:WORST]
    )


def _markdown(lines: Iterable[dict[str, Any]]) -> str:
    lines = list(lines)
    return markdown(lines, list(dict.fromkeys(head for line in lines for head in line)))

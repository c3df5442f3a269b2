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

from mwem_core.evaluation.metrics import ROUNDING
from mwem_core.systems import SYSTEMS

MARKS = {FITTED: "", JUDGED: " (judged)", WATCHED: " (watched)"}  # beside a table, by its group
CLOSE = 1.05
WORST = 2  # settings listed for each table
Found = dict[str, dict[str, list[Comparison]]]  # by label and measure

LEGEND = f"""\
A setting is a table, all of its k-way marginals, an ε and a δ. Its ratio is Automatic's error over that of the best
other private system at the same privacy; below 1 Automatic is the best. Errors are means over seeds: 30 on tables of
fewer than 1,000 cells, 24 on adult and flights, 6 or 9 on others, and 2 of version 0.3. Of other systems, those with
some error within 1.3 times the least have as many, and the others two or more. Two tables judged on had a ratio of 1.15
at one ε, by fewer seeds; they have 40 and 100. TV is half the L1 norm of a marginal's error in shares, averaged over
the marginals; the max error is that of the worst cell. At δ > 0 systems of pure ε count too, as (ε, 0) implies (ε, δ).
Uniform, which reads no data, counts as a system. Rows are compared with the rows of systems that give rows. An error
below a tenth of a record counts as a tenth of a record.

Brackets are 95% intervals from {RESAMPLES:,} resamplings of the seeds, the same for all settings, with the best system
fixed. A run of more than 5 s has one seed, which adds nothing to an interval. The best of many systems on a few seeds
is partly luck, so a ratio is slightly too large. `held out` has the geometric mean, the share and the worst where each
seed's best is chosen on the other seeds: these ratios are slightly too small, so the truth lies between. `at most s` is
the CPU time of Automatic's slowest run, two at a time. The runs of now that select were made on an Intel Xeon, the
others on an AMD EPYC, in a fast hour; at others the same runs took up to twice as long, and then those of 0.3, of plans
on weighted rows, and the later seeds of adult and flights were made. Left out are systems that are slow and never near
the best, and three-way marginals of more than 16 attributes.

Numbers of Automatic were fitted to the tables under "{FITTED}", and to others only where this paragraph says so.
Changes were judged on the tables under "{JUDGED}", several times. The results on those under "{WATCHED}" were seen
eighteen times, each after changes, and some of what was seen led to the next change. So neither group is held out. At
the first look, the mean TV of answers was .899 on the watched tables in the geometric mean, within 1.05 in 91%, and
1.38 at worst. Since then the seconds that triples of wives-hours take at ε = 10 helped to decide how many cells a tree
has. That changed one of these settings, and its mean TV rose by 2%. Before the sixth look, a table judged on made us
ask whether one-way marginals should have the larger of two shares that are expected to err alike; the tables fitted on
decided. Before the seventh, settings of all three groups showed that rounds err more than expected beside plans that
fit one table; by how much was found on the tables fitted on, mostly at other ε. Since the seventh, the seconds of one
of these settings at one seed helped to decide how long weighted rows are fitted: its rows changed, by .2% of their mean
TV, and no answers. Whole noise on cells was then tried on settings of all three groups at once. It needs no constant.
That such cells are the rows of the model, with no prior, was decided on 20 tables of all groups; the bound, a variance
of 1, is a round number, and what it does was measured on seven tables fitted on. That nothing is measured where it is
expected to gain less than half a percent was decided after a look at ε = .01 and .03 on all groups; it changed four of
these settings, all of mildew. The worst cells of all groups led to the last three changes. Two rounds in place of one
have their numbers from the tables fitted on. Triples of Adult and flights are measured at once; no table judges that.
The fit that knows how frequent values are has no constant, but we looked for it because of fertility, a table judged
on. All runs, also those of 0.3 and of the other systems, were then made again for this page. Before the eighth look,
measurements of rounds came to cost by their cells. What they cost is as for plans; its bounds, how many fewer rounds
there are, and that large tables are left out were chosen on 50 settings of tables fitted on, and tried once on those
judged on. Before the ninth, the last fit of rounds came to make fewer sweeps: how many was chosen on the tables fitted
on and on all of Adult's 14 attributes, with the errors of two seeds on all groups in view; none of the numbers tried at
the end moves the mean of a group by more than .4%. Before the tenth, answers of plans on weighted rows came to lie
halfway between the tables known and the rows. That such a mean errs less was found on 95 settings of all groups at
once, with two seeds; of three values of its one constant, the one taken errs least on the tables fitted on, and .1%
more than the others on the rest. How rows are swept between rounds was chosen on triples of wives-hours at ε = 10, the
only setting that has such rows; when rows take over, on Adult's triples and on the seconds of those. After this look a
change was taken back: large tables had had a tenth fewer rounds, by triples of Adult and flights, and all of Adult's 14
attributes erred more. Before the eleventh, a fault was mended, with no constant: after a leap of a fit, the first table
of a junction tree did not sum to 1. Before the twelfth, the updates of rounds became implicit. How near a model stays
to the one before follows from the prior of plans, and the number of sweeps was chosen on the tables fitted on and on
all of Adult's 14 attributes. It stayed as near in all cells: triples of a table judged on then erred by 1.17 at ε =
.03, and of one fitted on by 1.11 at .3. So before the thirteenth it came to go further where much was counted. All
settings of now that select ran again at all their seeds. Before the fourteenth, adult and flights got more seeds, as
some of their max errors were near a bound. Triples of adult came to be measured at once from ε = 3 on, by that table
alone. Plans of lower marginals came to need the gain that those on weighted rows need. We looked for that because of
class-size, a watched table, and of these settings it changed one, of that table. Triples of fertility, a table judged
on, err since then by 1.12 at (.4, 1e-9), which is not among them, and by .65 in the worst cell. Both changed settings
ran again. Before the fifteenth, plans on weighted rows came to fit attributes by themselves once instead of twice, with
no constant. Before the sixteenth, a redraw of weighted rows came to weigh only the rows that are offered another value,
with no constant. Before the seventeenth, pairs of adult came to be measured at once at ε = 1, by that table alone, and
weighted rows to be redrawn only above .6 of the noise, for .5. That rows err as before with fewer redraws was found on
settings of all groups at once. The 191 settings with such rows, or with noisy cells as rows, ran again at all their
seeds. Before the eighteenth, last rounds came to correct answers alone. We looked for that because of the worst cells
of flights. Its numbers were chosen on flights and on tables that are not here. That small tables have no such rounds
was decided by triples of wives-hours and of crashes too. Of the settings here only five of flights have them. Then
tables with an attribute that was not measured yet came to cost less when candidates are scored, because of the worst
cells of adult; the factor, one of four, was chosen on the tables fitted on. The 102 settings that this changed ran
again at all their seeds, and triples of flights from ε = 3 on for their seconds. Last, the rounds that correct answers
alone were taken out, for a loop that is the paper's: the five settings of flights ran again, and err by .99 to 1.05, in
the worst cell by .98 to 2.16, and their rows by .98 to 1. All other runs are the earlier ones.
`frontier_runs.jsonl.gz` has all.
`frontier_tables.py` says where the tables come from, and [README.md](README.md) how to repeat the runs."""


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

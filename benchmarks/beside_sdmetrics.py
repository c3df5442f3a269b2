"""The quality report beside SDMetrics' on the same tables: where both give a number, the numbers must agree.

    mwem report --table adult.parquet --rows rows.csv --schema adult.toml --json > report.json
    python benchmarks/beside_sdmetrics.py adult.parquet rows.csv report.json

Compared are the total variation of columns of texts and of their pairs (its TVComplement and ContingencySimilarity),
and the correlations of numbers. It bins numbers by the data, where the schema bins them here, and gives no score to
pairs that are weakly related.
"""

import json
import sys
from pathlib import Path

import pandas as pd
from sdmetrics.reports.single_table import QualityReport

TOLERANCE = 1e-9


def read(path: Path, columns: list[str]) -> pd.DataFrame:
    """A table with these columns, texts without blanks around them."""
    table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, keep_default_na=False)
    texts = [name for name in columns if table[name].dtype == object]
    return table[columns].assign(**{name: table[name].astype(str).str.strip() for name in texts})


def main(original: str, rows: str, report: str) -> None:
    """Compare and print; fails if a number differs."""
    ours = json.loads(Path(report).read_text(encoding="utf-8"))
    columns = {column["name"]: column["distance"]["synthetic"] for column in ours["columns"]}
    pairs = {pair["name"]: pair for pair in ours["pairs"]}
    first, second = (read(Path(path), list(columns)) for path in (original, rows))
    texts = {name for name in columns if first[name].dtype == object}
    kinds = {name: {"sdtype": "categorical" if name in texts else "numerical"} for name in columns}
    theirs = QualityReport()
    theirs.generate(first, second, {"columns": kinds}, verbose=False)
    gaps: dict[str, list[float]] = {"columns": [], "pairs": [], "correlations": []}
    for _, line in theirs.get_details("Column Shapes").iterrows():
        if line["Column"] in texts:
            gaps["columns"].append(abs(1 - line["Score"] - columns[line["Column"]]))
    for _, line in theirs.get_details("Column Pair Trends").iterrows():
        one, other = line["Column 1"], line["Column 2"]
        pair = pairs[f"{one} × {other}"]
        if line["Metric"] == "CorrelationSimilarity":
            gaps["correlations"].append(abs(line["Real Correlation"] - pair["related"]))
        elif {one, other} <= texts and pd.notna(line["Score"]):
            gaps["pairs"].append(abs(1 - line["Score"] - pair["distance"]["synthetic"]))
    for what, found in gaps.items():
        print(f"{len(found)} {what}: they differ by at most {max(found, default=0.0):.1e}")
    if max(gap for found in gaps.values() for gap in found) > TOLERANCE:
        raise SystemExit("the reports differ")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Whether other programs accept what a release writes: Frictionless, Croissant's checker and SDMetrics.

    mwem release --table adult --attributes age,education,hours-per-week,sex --workload marginals:2 --epsilon 1 \
      --ledger releases.db --name adult --copies 2 --out release
    python -m venv others && others/bin/pip install frictionless mlcroissant sdmetrics pyarrow
    others/bin/python benchmarks/accepted.py release sample_data/adult.parquet

Croissant's checker brings stubs that change what pyright says of pandas, and SDMetrics needs pandas below 3. So they
have an environment of their own, which `tests/release/test_accepted.py` makes. The second argument is the table that
was released: SDMetrics compares the rows with it. Ends with an error where one of the three refuses.
"""

import json
import os
import sys
from pathlib import Path

import mlcroissant
import pandas as pd
from frictionless import validate
from sdmetrics.reports.single_table import DiagnosticReport, QualityReport


def main(folder: Path, original: Path) -> None:
    """Print what each says."""
    found = validate(str(folder / "datapackage.json"))
    print(f"Frictionless: valid = {found.valid}, {len(found.tasks)} tables, {found.stats['errors']} errors")
    if not found.valid:
        raise SystemExit(str(found.flatten(["rowNumber", "fieldName", "note"])[:5]))

    os.chdir(folder)  # paths of Croissant are beside it
    dataset = mlcroissant.Dataset(jsonld="croissant.json")
    issues, records = dataset.metadata.ctx.issues, sum(1 for _ in dataset.records("rows"))
    rows = pd.read_csv("rows.csv", keep_default_na=False)
    print(f"Croissant: {len(issues.errors)} errors, {len(issues.warnings)} warnings, {records:,} of {len(rows):,} rows")
    for warning in sorted(issues.warnings):
        print("  ", warning)
    if issues.errors or records != len(rows):
        raise SystemExit(str(issues.errors))

    metadata = json.loads(Path("sdmetrics.json").read_text(encoding="utf-8"))
    table = pd.read_parquet(original)[list(metadata["columns"])]
    for report in (DiagnosticReport(), QualityReport()):
        report.generate(table, rows, metadata, verbose=False)
        print(f"SDMetrics, {type(report).__name__}: {report.get_score():.4f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())

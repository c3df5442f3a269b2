"""Write tables of statsmodels, with schemas, for `asking_coverage.py`: `python benchmarks/asking_tables.py FOLDER`.

It needs `pip install statsmodels==0.15.0`, best in an environment of its own. Nothing was fitted on these four tables.
Visits have a heavy tail, and so has the size of towns; years of marriage, times and incomes are heaped at ends of their
bins. The bins are what one would choose from a code book.
"""

import argparse
from importlib.resources import files
from pathlib import Path

import pandas as pd


def read(name: str, separator: str = ",") -> pd.DataFrame:
    """A data set of statsmodels as its file has it."""
    path = str(files("statsmodels.datasets") / name / f"{name}.csv")
    return pd.read_csv(path, sep=separator, quotechar="'" if separator == "\t" else '"')


def visits() -> pd.DataFrame:
    """The health insurance experiment of RAND: visits to a doctor in a year, chronic diseases, a plan's terms."""
    return read("randhie")[["idp", "hlthg", "hlthf", "mdvis", "disea", "lpi"]].round(2)


def marriages() -> pd.DataFrame:
    """Answers of readers of Redbook, 1974: affairs, and the years and children of a marriage."""
    table = read("fair")
    table["affair"], table["graduate"] = (table.affairs > 0).astype(int), (table.educ >= 16).astype(int)
    table["devout"] = (table.religious >= 3).astype(int)
    return table[["affair", "graduate", "devout", "age", "yrs_married", "children", "affairs"]].round(2)


def voters() -> pd.DataFrame:
    """The American election study of 1996: the size of the town in thousands, news on television, age and income."""
    table = read("anes96", "\t")
    table["college"], table["republican"] = (table.educ >= 6).astype(int), (table.PID >= 4).astype(int)
    return table[["vote", "college", "republican", "popul", "age", "income", "TVnews"]]


def travel() -> pd.DataFrame:
    """Ways to travel from Sydney to Melbourne: times, costs and incomes of households."""
    table = read("modechoice", ";")
    table["alone"], table["own"] = (table.psize == 1).astype(int), (table["mode"] == 4).astype(int)
    return table[["choice", "alone", "own", "hinc", "ttme", "invc", "invt"]]


TABLES = {
    visits: {
        "mdvis": "edges = [0, 1, 3, 6, 10, 20, 78], decimals = 0",
        "disea": "edges = [0, 5, 10, 15, 20, 30, 60], decimals = 2",
        "lpi": "edges = [0, 1, 5, 6, 7, 8], decimals = 2",
    },
    marriages: {
        "age": "edges = [17, 25, 30, 40, 43], decimals = 1",
        "yrs_married": "edges = [0, 3, 7, 14, 24], decimals = 1",
        "children": "edges = [0, 1, 3, 6], decimals = 1",
        "affairs": "edges = [0, 0.01, 1, 2, 5, 10, 60], decimals = 2",
    },
    voters: {
        "popul": "edges = [0, 1, 10, 50, 200, 1000, 7500], decimals = 0",
        "age": "edges = [18, 30, 45, 60, 75, 100], decimals = 0",
        "income": "edges = [1, 7, 13, 17, 21, 25], decimals = 0",
        "TVnews": "edges = [0, 1, 4, 7, 8], decimals = 0",
    },
    travel: {
        "hinc": "edges = [0, 15, 25, 35, 50, 75], decimals = 0",
        "ttme": "edges = [0, 1, 30, 60, 100], decimals = 0",
        "invc": "edges = [0, 20, 40, 60, 100, 200], decimals = 0",
        "invt": "edges = [0, 120, 300, 600, 900, 1500], decimals = 0",
    },
}


def main() -> None:
    """Write every table with its schema."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for make, numbers in TABLES.items():
        table = make()
        table.to_csv(folder / f"{make.__name__}.csv", index=False)
        lines = (f'{{ name = "{name}", {numbers.get(name, "bits = true")} }}' for name in table.columns)
        schema = "attribute = [\n" + "".join(f"  {line},\n" for line in lines) + "]\n"
        (folder / f"{make.__name__}.toml").write_text(schema, encoding="utf-8")
        print(f"{make.__name__}: {len(table):,} records of {len(table.columns)} attributes")


if __name__ == "__main__":
    main()

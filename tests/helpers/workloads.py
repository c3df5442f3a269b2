"""Workloads of every family on small domains, as text."""

from mwem_core.domain import Attribute, Domain
from mwem_core.values import BITS, Edges, Range, Values
from mwem_core.workload import Workload, parse_workload

AGE = Attribute("age", Edges((17, 25, 35, 90)), missing="?", other=True)
HOURS = Attribute("hours", Range(1, 25, width=10), missing="?")
COLOUR = Attribute("colour", Values(("red", "green", "blue")))
SMOKER = Attribute("smoker", BITS)
MIXED = Domain((AGE, HOURS, COLOUR, SMOKER))
YES_NO = Domain(tuple(Attribute(name, Values(("no", "yes"))) for name in "abcde"))

TABLES = [f"{family}:{order}" for family in ("marginals", "cuboids") for order in ("1", "2", "3", "4", "<=2", "<=4")]
RANGES = [
    "ranges:age:1",
    "ranges:age:40",  # random, with repeated ones
    "ranges:age:all",
    "ranges:age:prefixes",
    "ranges:age:17..25;25..90;17..90",
    "ranges:age,hours:30@5",
    "ranges:age,hours:all",
    "ranges:age,hours:prefixes",
    "ranges:age,hours:17..35x1..10;25..90x11..25",
    "ranges:age,hours,smoker:50",
    "ranges:age,hours,smoker:all",
    "ranges:age,hours,smoker:17..35x1..10x0..0",
]
PREDICATES = ["where:age >= 25", 'where:age < 35 and colour == "red"; not (smoker == 1 or hours <= 10); smoker == 0']
PARITIES = [f"parities:{k}" for k in range(1, 6)]
SPECS = [*TABLES, *RANGES, *PREDICATES, *PARITIES]


def workload(spec: str) -> Workload:
    """On YES_NO for parities, on MIXED for the other families."""
    return parse_workload(spec, YES_NO if spec.startswith("parities") else MIXED)


def bits(d: int) -> Domain:
    """d attributes of the values 0 and 1."""
    return Domain(tuple(Attribute(f"b{i}", BITS) for i in range(d)))

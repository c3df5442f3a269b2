from .audit import (
    FULL as FULL,
    QUICK as QUICK,
    Extent as Extent,
    findings as findings,
    planned as planned,
    report as report,
)
from .audit_report import text as text
from .catching import Twin as Twin
from .draws import Recorder as Recorder
from .mechanisms import attacked as attacked
from .moves import cost as cost
from .pairs import case as case
from .tables import domain_of as domain_of, neighbours as neighbours, random_records as random_records
from .workloads import FAMILIES as FAMILIES, random_workload as random_workload

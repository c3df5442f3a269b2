from .attacks import targets as targets
from .audit import (
    FULL as FULL,
    QUICK as QUICK,
    Extent as Extent,
    count_findings as count_findings,
    findings as findings,
    report as report,
    text as text,
)
from .cases import case as case
from .draws import Recorder as Recorder, cost as cost
from .random_inputs import (
    FAMILIES as FAMILIES,
    domain_of as domain_of,
    neighbours as neighbours,
    random_records as random_records,
    random_workload as random_workload,
)
from .twins import Twin as Twin

from . import badges as badges
from .badges import (
    EXAMPLE as EXAMPLE,
    EXPLORING as EXPLORING,
    ON_PUBLIC as ON_PUBLIC,
    PRIVATE as PRIVATE,
    RELEASED as RELEASED,
    SEEDED as SEEDED,
    SIMULATED as SIMULATED,
    Badge as Badge,
    rounds_badge as rounds_badge,
    run_badge as run_badge,
    stand_in_badge as stand_in_badge,
)
from .number_words import (
    count as count,
    duration as duration,
    percent as percent,
    records as records,
    share as share,
    size as size,
    three_digits as three_digits,
    waiting as waiting,
)
from .places import APP as APP, BENCHMARKS as BENCHMARKS, SERVED as SERVED, served as served

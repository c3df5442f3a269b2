from . import benchmarks as benchmarks, frontier as frontier
from .benchmark_charts import error_against_time as error_against_time
from .benchmark_words import provenance as provenance, seeds_behind as seeds_behind
from .benchmarks import (
    PUBLIC as PUBLIC,
    Spread as Spread,
    benchmark_records as benchmark_records,
    comparisons as comparisons,
    growths as growths,
    large_table as large_table,
)
from .frontier import frontier_settings as frontier_settings
from .frontier_charts import ratios_by_table as ratios_by_table
from .growth_charts import growth_panel as growth_panel, whiskers as whiskers
from .rerun import show_rerun as show_rerun
from .section import (
    SIGNS as SIGNS,
    committed as committed,
    show_claim as show_claim,
    show_figure as show_figure,
    show_overview as show_overview,
    show_verdict as show_verdict,
)

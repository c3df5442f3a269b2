from . import benchmarks as benchmarks, frontier as frontier
from .benchmark_charts import (
    error_against_time as error_against_time,
    growth_panel as growth_panel,
    whiskers as whiskers,
)
from .benchmarks import (
    PUBLIC as PUBLIC,
    Spread as Spread,
    benchmark_records as benchmark_records,
    comparisons as comparisons,
    growths as growths,
    provenance as provenance,
    seeds_behind as seeds_behind,
)
from .frontier import frontier_settings as frontier_settings, ratios_by_table as ratios_by_table
from .paper_section import (
    SIGNS as SIGNS,
    overview as overview,
    show_command as show_command,
    show_figure as show_figure,
    show_title as show_title,
    show_verdict as show_verdict,
    stored_outcome as stored_outcome,
)

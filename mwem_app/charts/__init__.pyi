from .chart import (
    AMBER as AMBER,
    BLUE as BLUE,
    GREY as GREY,
    RED as RED,
    TEAL as TEAL,
    Chart as Chart,
    break_label as break_label,
    cut as cut,
    log_axis as log_axis,
    on_paper as on_paper,
    rgba as rgba,
    row_axis as row_axis,
    safe as safe,
)
from .drawing import (
    HTML as HTML,
    PIECES as PIECES,
    PLOTLY as PLOTLY,
    as_lists as as_lists,
    digest_of as digest_of,
    embed as embed,
    script_of as script_of,
    show as show,
    style_of as style_of,
    theme_properties as theme_properties,
)
from .heat import (
    distance_map as distance_map,
    measured_pairs as measured_pairs,
    pair_heat as pair_heat,
    pair_map as pair_map,
)
from .merged_values import (
    Groups as Groups,
    groups as groups,
    low_end as low_end,
    merge_starts as merge_starts,
    merged_labels as merged_labels,
    sum_groups as sum_groups,
    sum_merged as sum_merged,
    widths as widths,
)
from .palette import COLORS as COLORS, STROKES as STROKES, Stroke as Stroke
from .sketch import sketch as sketch

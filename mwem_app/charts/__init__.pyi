from .chart import (
    AMBER as AMBER,
    BLUE as BLUE,
    GREY as GREY,
    RED as RED,
    TEAL as TEAL,
    Chart as Chart,
    cut as cut,
    log_axis as log_axis,
    on_paper as on_paper,
    rgba as rgba,
    safe as safe,
    wrapped as wrapped,
)
from .data import as_lists as as_lists
from .heat import (
    distance_map as distance_map,
    measured_pairs as measured_pairs,
    pair_heat as pair_heat,
    pair_map as pair_map,
)
from .mounted import mounted as mounted, show as show
from .one_file import digest_of as digest_of, embedded as embedded
from .palette import COLORS as COLORS, STROKES as STROKES, Stroke as Stroke
from .scripts import HTML as HTML, PIECES as PIECES, PLOTLY as PLOTLY, script_of as script_of, style_of as style_of
from .sketch import sketch as sketch
from .theme import theme_properties as theme_properties

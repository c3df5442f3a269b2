from . import downloads as downloads
from .downloads import files as files, rows_of as rows_of
from .inside_round import turn as turn
from .live import show_run as show_run
from .method import (
    BEST as BEST,
    Outlook as Outlook,
    automatic_differs as automatic_differs,
    choose_method as choose_method,
    describe_effort as describe_effort,
    describe_noise as describe_noise,
    outlooks as outlooks,
    suggest_best as suggest_best,
)
from .picture import (
    Picture as Picture,
    first_measured as first_measured,
    suggested_attrs as suggested_attrs,
)
from .round_frames import (
    frames as frames,
    message_of as message_of,
    reference_lines as reference_lines,
    total_rounds as total_rounds,
)
from .run_charts import marginal_bars as marginal_bars
from .run_summary import choose_result as choose_result, show_ledger as show_ledger, show_summary as show_summary
from .takeaway import show_quality as show_quality, take_away as take_away

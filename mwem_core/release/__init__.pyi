from .bundle import (
    Bundle as Bundle,
    bundle as bundle,
    check_empty as check_empty,
    rows_to_make as rows_to_make,
    write_folder as write_folder,
)
from .quality import (
    QUANTILES as QUANTILES,
    Quality as Quality,
    quality as quality,
    quantiles as quantiles,
    summarise as summarise,
)
from .quality_pages import (
    MADE_FROM_RECORDS as MADE_FROM_RECORDS,
    quality_page as quality_page,
    quality_report as quality_report,
    sections_of as sections_of,
    summary as summary,
)
from .rehearsal import (
    RUNS as RUNS,
    QuestionForecast as QuestionForecast,
    Rehearsal as Rehearsal,
    forecast as forecast,
    likely_tables as likely_tables,
    rehearse as rehearse,
    simulated_tables as simulated_tables,
)
from .release import make_release as make_release, release as release
from .release_run import ReleaseRun as ReleaseRun
from .terms import (
    MAX_COPIES as MAX_COPIES,
    ROWS_FOR as ROWS_FOR,
    RowsFor as RowsFor,
    Terms as Terms,
    TotalPolicy as TotalPolicy,
    declared_columns as declared_columns,
)
from .words import (
    FILES as FILES,
    PLAIN_ROWS as PLAIN_ROWS,
    STATEMENT as STATEMENT,
    cap_in_words as cap_in_words,
    guarantee_in_words as guarantee_in_words,
    public_facts as public_facts,
    total_in_words as total_in_words,
)

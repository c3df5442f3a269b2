"""Questions to a release, from its files alone: values with intervals, or a refusal with its reason.

`load_release(folder)` gives a `LoadedRelease` with

    domain, guarantee, manifest, measurements, model, rows, notes   what was published
    ask(question)                SQL, or a formula of R for the coefficients of a regression
    copies(m, attributes=[...])  tables of rows that might have given the same release

Every question gives a tuple of `Answer`: `group`, `name`, `value`, `low`, `high`, `of` ("population" or "table"),
`rests_on` ("measured together", "by the model", "bounded"), `note` on bins and missing values, and `refused`, which
says why and what to measure next time.

`release_reader` checks and reads the files, also of a zip, into a `loaded_release`. `sql` reads a text into a
`question`, which has examples. `descriptive_statistics` and `regressions`, by `conditions`, make a `statistic` of a
question: functions of linear queries. `estimates` estimates it from the measurements alone, or else by `unshrunk_fits`
to noise that is drawn again, of which copies are rows. `answers` holds an answer, or says why there is none.
`analysis_workload` makes, before a release, the workload that questions will need. Nothing here reads private data: all
of it is post-processing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

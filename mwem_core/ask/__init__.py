"""Questions to a release, from its files alone: values with intervals, or a refusal with its reason.

`load_release(folder)` gives a `LoadedRelease` with

    domain, guarantee, manifest, measurements, model, rows, notes   what was published
    ask(kind, what, ...)         "share", "mean", "quantile", "difference", "odds ratio", "correlation", "table"
    ols(formula), logit(formula) the coefficients of "y ~ a + b"
    copies(m), interval(function, attributes=[...])   any other statistic of rows

Every question gives a tuple of `Answer`: `name`, `value`, `low`, `high`, `of` ("population" or "table"), `rests_on`
("measured together", "by the model", "bounded"), `note` on bins and missing values, and `refused`, which says why and
what to measure next time.

`reading` reads the files, which `archive` takes out of a zip, into a `release`. `language` reads a question in words,
such as `mean age by sex`, and `examples` makes some. `questions` and `regressions`, by `formulas` and `conditions`,
make a `statistic` of what is asked, functions of linear queries. `estimates` estimates it from what was `measured`
alone, or else by `fits` to noise that is drawn again; `influence` says what a record changes. `copies` does so for any
function of rows. `refusals` says when there is no answer; `answers` holds one. `analysis` makes, before a release, the
workload that questions will need. Nothing here reads private data: all of it is post-processing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

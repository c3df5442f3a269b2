"""Questions to a release, from its files alone: values with intervals, or a refusal with its reason.

`load_release(folder)` gives a `LoadedRelease` with

    domain, guarantee, manifest, measurements, model, rows, notes   what was published
    ask(kind, what, ...)         "share", "mean", "quantile", "difference", "odds ratio", "correlation", "table"
    ols(formula), logit(formula) the coefficients of "y ~ a + b"
    copies(m), interval(function, attributes=[...])   any other statistic of rows

Every question gives a tuple of `Answer`: `name`, `value`, `low`, `high`, `of` ("population" or "table"), `rests_on`
("measured together", "by the model", "bounded"), and `refused`, which says why and what to measure next time.

`reading` reads the files; `statistics` and `regressions` make functions of linear queries of a question, `formulas`
reads "y ~ a + b"; `measured` estimates them from what was measured alone, `fits` and `copies` by models refitted to
redrawn noise; `estimates` chooses between both and refuses; `answers` says it. Reads no private data: post-processing.
"""

"""The private table as records. `files` reads a file as columns of text (`texts`) by `delimited`, `json_lines`,
`workbooks` (their sheets: `sheets`), and `statistics_files`, also out of archives (`packed`);
`apart` reads what may end a process; `reading` is what a user may choose; `numerals` reads 1.234,5; `unicode` reads
bytes as UTF-8, and `legacy` guesses encodings from before it. `encoding` turns texts into codes; `persons` keeps a few
records of each person; `problem` says what is wrong, in a release without a value; `records` counts marginals; `table`
is any private table. `proposal` suggests a schema, by what columns hold (`proposed`); `code_books` reads and writes
public ones, as `frictionless` and `json_schema` describe columns (`described`). `frame` says what stands around a table
(`said`): `headers`, `lines`, `ends`, `nameless`; `counts` is the column of a row's number of records; `dataframes`
takes tables of pandas, Polars and Arrow."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

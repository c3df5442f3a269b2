"""Files and DataFrames as columns of text.

`table_files` reads a file by what it holds: `delimited_text`, `json_records`; `workbooks` and
`library_files` by libraries in a process of their own; `archives` unpacks archives and starts such processes.
`dataframes` takes tables of pandas, Polars and Arrow. `texts` are the columns; `encodings` reads bytes as UTF-8. What
stands around a table is found by `headers`, `text_lines` and `table_frame`; `table_reading` is what a user may choose,
what is said of a table, and what is wrong with it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

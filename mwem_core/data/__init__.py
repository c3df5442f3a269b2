"""The private table as records. `files` and `delimited` read Parquet and CSV as columns of text (`texts`); `legacy`
guesses encodings from before Unicode; `encoding` turns texts into codes; `persons` keeps a few records of each person;
`problem` says what is wrong, in a release without a value; `records` counts marginals; `table` is any private table;
`proposal` suggests a schema."""

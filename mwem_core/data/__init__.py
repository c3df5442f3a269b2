"""The private table as records. `files` reads CSV and Parquet; `encoding` maps texts to codes; `records` counts
marginals; `table` says what every private table offers; `proposal` suggests a schema for public data."""

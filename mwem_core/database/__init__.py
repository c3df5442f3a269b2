"""Tables larger than memory, counted in place: files by DuckDB, tables of a database through Ibis."""

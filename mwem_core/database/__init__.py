"""Tables larger than memory, counted where they lie: files by DuckDB, databases by Ibis."""

"""A table as records: files read, encoded under a schema, and counted."""

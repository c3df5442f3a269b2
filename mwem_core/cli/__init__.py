"""The command line, a command a file; `mwem_core.__main__` says what may be given."""

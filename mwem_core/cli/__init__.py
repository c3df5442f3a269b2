"""The command line, one command per file; `mwem_core.__main__` defines the arguments."""

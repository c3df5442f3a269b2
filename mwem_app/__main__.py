"""`python -m mwem_app ADDRESS [PORT]` serves the app; `mwem app` starts it."""

import sys

from mwem_app.server import serve


def main(address: str, port: str | None = None) -> None:
    """Serve the app until it is stopped. Exits with a sentence where it cannot listen."""
    try:
        serve(address, None if port is None else int(port))
    except OSError as problem:
        sys.exit(f"mwem: error: the app cannot listen at {address!r}: {problem.strerror}")


if __name__ == "__main__":
    main(*sys.argv[1:])

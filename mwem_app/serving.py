"""Serving the app: what `mwem app` does."""

from streamlit.web import cli

from mwem_app.places import SERVED


def serve(address: str, port: int | None = None) -> None:
    """Serve the app at an address until it is stopped; without a port at 8501, or the next one that is free.

    It ends by SystemExit, as Streamlit's own command does. On a first start, that command would ask for an e-mail
    address.
    """
    options = {"server.address": address, "server.showEmailPrompt": "false"}
    options |= {} if port is None else {"server.port": f"{port}"}
    cli.main(["run", str(SERVED / "app.py"), *(f"--{name}={value}" for name, value in options.items())])

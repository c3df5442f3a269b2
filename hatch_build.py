"""Puts what a wheel needs and a checkout has beside the packages within them: see `places.py` of both."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WITHIN = {
    "sample_data": "mwem_core/sample_data",
    "benchmarks/frontier.csv": "mwem_app/benchmarks/frontier.csv",
    "benchmarks/results.jsonl": "mwem_app/benchmarks/results.jsonl",
    "app.py": "mwem_app/served/app.py",
    "pages": "mwem_app/served/pages",
    "static": "mwem_app/served/static",
    ".streamlit/config.toml": "mwem_app/served/.streamlit/config.toml",
}


class Within(BuildHookInterface):
    """Copies nothing into an editable installation, where copies would go stale."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Hatchling calls this before it builds a wheel: "standard", or "editable"."""
        if version == "standard":
            build_data["force_include"] |= WITHIN

"""The format of a release's files, and what tells a damaged or edited one: digests in the manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from mwem_core.output.manifest import json_values

FORMAT = 2  # docs/releases.md says what each file holds
MAX_ROWS = 10**6  # synthetic rows; more would not be more accurate


def sealed(facts: Mapping[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """The manifest with the format, the SHA-256 of every other file, and its own."""
    digests = {name: sha256(content).hexdigest() for name, content in files.items()}
    whole = {**facts, "format": FORMAT, "files": digests}
    return whole | {"digest": digest(whole)}


def digest(facts: Mapping[str, Any]) -> str:
    """The SHA-256 of a manifest's facts but the digest itself, whatever the order and the blanks of its JSON."""
    own = {name: fact for name, fact in facts.items() if name != "digest"}
    return sha256(json.dumps(json_values(own), sort_keys=True).encode()).hexdigest()


def check_seal(facts: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Raise ValueError where a file is missing, or is not the one that was released."""
    if facts.get("digest") != digest(facts):
        raise ValueError("manifest.json has been changed since the release: take the file that was published")
    for name, expected in facts["files"].items():
        if name not in files:
            raise ValueError(f"the release has no {name}: take it as it was published, with all of its files")
        if sha256(files[name]).hexdigest() != expected:
            raise ValueError(f"{name} is not the file that was released: take the one that was published")

"""Terms of a release on small tables, and what a release under them draws."""

import json
from hashlib import sha256

from mwem_core.output import digest
from mwem_core.release import ReleaseRun, Terms
from mwem_core.workload import parse_workload


def terms_of(spec, domain, **more) -> Terms:
    return Terms(dataset="people", workload=parse_workload(spec, domain), provenance="file", **more)


def released(terms, B, noise) -> ReleaseRun:
    settings = terms.settings(B.total)
    return ReleaseRun.of(terms, settings, settings.rounds(B, terms.workload, noise=noise))


def resealed(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files with digests that fit them, as their author can make them, as far as the manifest takes them."""
    manifest = json.loads(files["manifest.json"])
    if isinstance(manifest, dict):
        if isinstance(manifest.get("files"), dict):
            others = {name: sha256(content).hexdigest() for name, content in files.items() if name in manifest["files"]}
            manifest["files"] = manifest["files"] | others
        manifest |= {"digest": digest(manifest)} if isinstance(manifest.get("digest"), str) else {}
    return files | {"manifest.json": json.dumps(manifest).encode()}

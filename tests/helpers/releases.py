"""Terms of a release on small tables, what a release under them draws, and its files."""

import json
from functools import cache
from hashlib import sha256

import numpy as np
from oracles import random_records
from workloads import MIXED

from mwem_core.output import digest
from mwem_core.privacy import Seeded
from mwem_core.release import Bundle, ReleaseRun, Terms, bundle
from mwem_core.workload import parse_workload


def terms_of(spec="marginals:2", domain=MIXED, **more) -> Terms:
    more = {"dataset": "people", "provenance": "file", "epsilon": 1.0} | more
    return Terms(workload=parse_workload(spec, domain), **more)


def released(terms, B, noise) -> ReleaseRun:
    settings = terms.settings(B.total)
    return ReleaseRun.of(terms, settings, settings.rounds(B, terms.workload, noise=noise))


@cache
def random_release(spec="marginals:2", domain=MIXED, *, seed=0, **terms) -> ReleaseRun:
    """What a release of 300 random records draws."""
    return released(
        terms_of(spec, domain, **terms), random_records(domain, 300, np.random.default_rng(0)), Seeded(seed)
    )


@cache
def files_of(spec="marginals:2", domain=MIXED, *, seed=0, **terms) -> Bundle:
    """The files of that release."""
    return bundle(random_release(spec, domain, seed=seed, **terms), np.random.default_rng(1))


def manifest_of(*task, **terms) -> dict:
    """Their manifest."""
    return json.loads(files_of(*task, **terms)["manifest.json"])


def page_of(name: str, *task, **terms) -> str:
    """One of their pages."""
    return files_of(*task, **terms)[name].decode()


def resealed(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files with digests that fit them, as their author can make them, as far as the manifest takes them."""
    manifest = json.loads(files["manifest.json"])
    if isinstance(manifest, dict):
        if isinstance(manifest.get("files"), dict):
            others = {name: sha256(content).hexdigest() for name, content in files.items() if name in manifest["files"]}
            manifest["files"] = manifest["files"] | others
        manifest |= {"digest": digest(manifest)} if isinstance(manifest.get("digest"), str) else {}
    return files | {"manifest.json": json.dumps(manifest).encode()}

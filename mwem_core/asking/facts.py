"""What a release is, in a few lines for people."""

from mwem_core.asking.release import LoadedRelease


def facts(release: LoadedRelease) -> dict[str, str]:
    """What was released, by what it is about: the data set, the guarantee, the number of records and what was asked."""
    manifest, domain = release.manifest, release.domain
    public = " (public)" if release.public_total is not None else " (measured with noise)"
    return {
        "Data set": str(manifest.get("dataset", "")),
        "Guarantee": f"{manifest['spent']['charged']}. {manifest.get('guarantee', '')}",
        "Records": f"{release.known.total[0]:,.0f}{public}",
        "Attributes": f"{len(domain)}: {', '.join(domain.names)}",
        "Questions": f"{manifest.get('workload', '')} ({int(manifest.get('queries', 0)):,} in all)",
        "Method": str(manifest.get("method", "")),
    }

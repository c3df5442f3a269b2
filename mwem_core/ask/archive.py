"""The files of a release out of the zip archive in which they were sent."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from mwem_core.tables import DAMAGE, ZIP, open_archive

MAX_BYTES = 500 * 10**6  # of all files
SMALL, RATIO = 5 * 10**7, 50  # bytes that any archive may unpack to, and those for each byte of a larger one


def unpacked(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files themselves, or those in the one that is a zip archive, by their names without a folder.

    Raises ValueError, in a sentence, for an archive that is damaged, has a password, or is too large.
    """
    if len(files) == 1:
        ((name, content),) = files.items()
        if content.startswith(ZIP):
            return _members(name, content)
    return dict(files)


def _members(name: str, content: bytes) -> dict[str, bytes]:
    try:
        with open_archive(content, name) as archive:
            members = {each.filename.rpartition("/")[2]: each for each in archive.infolist() if not each.is_dir()}
            if len(members) < sum(not each.is_dir() for each in archive.infolist()):
                raise ValueError(f"{name} holds two files of one name: pack one release, as it was published")
            if any(member.flag_bits & 1 for member in members.values()):
                raise ValueError(f"{name} has a password: unpack it, and give its files")
            if sum(member.file_size for member in members.values()) > min(MAX_BYTES, max(SMALL, RATIO * len(content))):
                raise ValueError(
                    f"{name} unpacks to more than a release of its size does: unpack it, and give its files"
                )
            return {own: archive.read(member) for own, member in members.items()}
    except (struct.error, UnicodeError, RuntimeError, *DAMAGE):
        raise ValueError(f"{name} is a damaged archive: take the one that was published") from None

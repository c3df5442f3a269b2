"""The files of a release out of the zip archive in which they were sent."""

from __future__ import annotations

from collections.abc import Mapping

from mwem_core.data.packed import DAMAGE, ZIP, open_archive

MAX_BYTES = 500 * 10**6  # of all files


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
            members = [member for member in archive.infolist() if not member.is_dir()]
            if any(member.flag_bits & 1 for member in members):
                raise ValueError(f"{name} has a password: unpack it, and give its files")
            if sum(member.file_size for member in members) > MAX_BYTES:
                raise ValueError(f"{name} holds more than {MAX_BYTES // 10**6} MB: unpack it, and use `mwem ask`")
            return {member.filename.rpartition("/")[2]: archive.read(member) for member in members}
    except DAMAGE:
        raise ValueError(f"{name} is a damaged archive: take the one that was published") from None

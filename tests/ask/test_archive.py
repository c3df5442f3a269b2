"""The files of a release come out of a zip as they went in, and a zip that is none is refused."""

import io
import zipfile

import pytest

from mwem_core.ask.release_reader import unpack

FILES = {"rows.csv": b"a\n1\n", "manifest.json": b"{}"}


def packed(folder: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        if folder:
            archive.mkdir(folder)
        for name, content in FILES.items():
            archive.writestr(folder + name, content)
    return buffer.getvalue()


@pytest.mark.parametrize("folder", ["", "published/"])
def test_a_zip_of_the_files_or_of_their_folder_is_as_good_as_the_files(folder):
    assert unpack({"release.zip": packed(folder)}) == unpack(FILES) == FILES


def test_an_archive_that_is_damaged_has_a_password_or_is_too_large_is_refused(monkeypatch):
    with pytest.raises(ValueError, match=r"release\.zip is a damaged archive"):
        unpack({"release.zip": packed()[:-30]})
    locked = packed().replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    with pytest.raises(ValueError, match=r"release\.zip has a password"):
        unpack({"release.zip": locked})
    monkeypatch.setattr("mwem_core.ask.release_reader.MAX_BYTES", 5)
    with pytest.raises(ValueError, match=r"release\.zip unpacks to more than a release of its size does"):
        unpack({"release.zip": packed()})

"""Archives are bounded by what they hold, whatever their directory says."""

import gzip
import io
import zipfile

import pytest
from formats import PEOPLE_CSV, archive

from mwem_core.data import packed
from mwem_core.data.packed import unpack

DAMAGED = "t is a damaged archive; pack the table again, or give the table itself"


def test_an_archive_that_declares_less_than_it_holds_is_damaged():
    data = archive(**{"t.csv": b"1,2\n" * 25_000}).replace((100_000).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    with pytest.raises(ValueError, match=DAMAGED):
        unpack(data, "t", 10**6)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_unpacks_before_its_size_can_be_checked_is_refused(method):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as file:
        file.writestr("t.csv", PEOPLE_CSV)
    with pytest.raises(ValueError, match="t is packed in an unusual way; pack it again as an ordinary zip archive"):
        unpack(made.getvalue(), "t", 10**6)


def test_an_archive_in_many_pieces_is_refused(monkeypatch):
    monkeypatch.setattr(packed, "MAX_FILES", 3)
    for data in (gzip.compress(b"") * 4, archive(a=b"", b=b"", c=b"", d=b"")):
        with pytest.raises(ValueError, match="t is an archive of more than 3 pieces; give the table itself"):
            unpack(data, "t", 10**6)
    assert unpack(gzip.compress(b"a") * 3, "t.gz", 10**6) == (b"aaa", "t")

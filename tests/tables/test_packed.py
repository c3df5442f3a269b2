"""Archives are bounded by what they hold, whatever their directory says."""

import gzip
import io
import math
import zipfile

import pytest
from formats import PEOPLE_CSV, archive

from mwem_core import read_table
from mwem_core.tables import archives, unpack

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
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    for data in (gzip.compress(b"") * 4, archive(a=b"", b=b"", c=b"", d=b"")):
        with pytest.raises(ValueError, match="t is an archive of more than 3 pieces; give the table itself"):
            unpack(data, "t", 10**6)
    assert unpack(gzip.compress(b"a") * 3, "t.gz", 10**6) == (b"aaa", "t")


def test_a_small_archive_unpacks_to_200_megabytes_unless_more_is_meant():
    """By default, as on the command line; what the unlimited one then says is of its content."""
    bomb = gzip.compress(bytes(201 * 10**6))
    with pytest.raises(ValueError, match=r"t unpacks to more than the limit of 200\.0 MB; .* with --unlimited$"):
        read_table(bomb, name="t")
    with pytest.raises(ValueError, match="t is not a table of text: it holds binary data"):
        read_table(bomb, name="t", max_bytes=math.inf)

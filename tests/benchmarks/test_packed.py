"""Small files that unpack to a lot are refused or read within a gigabyte; the script alone measures time."""

import math

import pytest

KINDS = ("release", "ods, a text", "xlsx, 5 million", "Parquet, 50 million", "Parquet, 100,000")  # soon made


@pytest.mark.slow
def test_a_small_file_takes_a_gigabyte_at_most(capsys):
    import packed

    kinds = [kind for kind in packed.KINDS if kind.startswith(KINDS)]
    assert packed.main(kinds, max_seconds=math.inf) == 0, capsys.readouterr().out

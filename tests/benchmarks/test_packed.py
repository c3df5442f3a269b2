"""Small files that unpack to a lot are refused or read within two seconds and a gigabyte."""

import pytest


@pytest.mark.slow
def test_a_small_file_takes_two_seconds_and_a_gigabyte_at_most(capsys):
    import packed

    assert packed.main(list(packed.KINDS)) == 0, capsys.readouterr().out

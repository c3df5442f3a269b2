"""A folder is written as a whole or not at all."""

import pytest

from mwem_core.releasing.folder import whole_folder


@pytest.mark.parametrize("exists", [False, True])
def test_all_files_are_there_at_the_end_and_none_before(tmp_path, exists):
    out = tmp_path / "a" / "b"
    if exists:
        out.mkdir(parents=True)
    with whole_folder(out) as folder:
        (folder / "x").write_text("1")
        (folder / "y").write_text("2")
        assert not (out / "x").exists()
    assert sorted(path.name for path in out.iterdir()) == ["x", "y"]
    assert [path.name for path in out.parent.iterdir()] == ["b"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_left_of_what_failed(tmp_path, error):
    def fail(folder):
        (folder / "x").write_text("1")
        raise error

    with pytest.raises(error), whole_folder(tmp_path / "out") as folder:
        fail(folder)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_a_file_and_a_file_are_refused_and_stay(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("kept")
    for taken in (tmp_path / "out", tmp_path / "out" / "mine"):
        with pytest.raises(ValueError, match=r"is not an empty folder: name another one$"), whole_folder(taken):
            pytest.fail("it must be refused before anything is done")
    assert (tmp_path / "out" / "mine").read_text() == "kept"

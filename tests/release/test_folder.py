"""A folder is written as a whole or not at all, and whoever is killed before leaves nothing."""

import signal
import subprocess
from pathlib import Path

import pytest
from ledgers import command, environment

from mwem_core.release.bundle import write_folder

FILES = {"x": b"1", "y": b"2"}
HALTING = """
import sys, time
from mwem_core.release.bundle import write_folder

def make():
    print("making", flush=True)
    time.sleep(600)

write_folder(Path(sys.argv[1]), make)
"""


def check_kept(folder: Path, refusal: str, but: Path | None = None) -> None:
    """All files are in the one folder there, but for `but`, and the refusal names it."""
    (kept,) = (path for path in folder.iterdir() if path.is_dir() and path != but)
    assert str(kept) in refusal
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == FILES


@pytest.mark.parametrize("exists", [False, True])
def test_all_files_are_there_at_the_end_and_none_before(tmp_path, exists):
    out = tmp_path / "a" / "b"
    if exists:
        out.mkdir(parents=True)

    def make():
        assert list(tmp_path.rglob("*")) == [out.parent, *([out] if exists else [])]
        return FILES

    write_folder(out, make)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == FILES
    assert [path.name for path in out.parent.iterdir()] == ["b"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_left_of_what_failed(tmp_path, error):
    def fail():
        raise error

    with pytest.raises(error):
        write_folder(tmp_path / "out", fail)
    with pytest.raises(OSError, match="No such file"):
        write_folder(tmp_path / "out", lambda: {"x": b"1", "no/such/folder": b"2"})
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_is_killed_while_it_makes_the_files_leaves_nothing(tmp_path):
    words = command(HALTING, str(tmp_path / "out"))
    with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "making\n"
        process.send_signal(signal.SIGKILL)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("place", "error", "message"),
    [
        ("out", ValueError, "is not an empty folder: name another one$"),
        ("out/mine", ValueError, "is not an empty folder: name another one$"),
        ("out/mine/out", OSError, "mine"),
    ],
)
def test_what_is_no_new_or_empty_folder_is_refused_before_anything_is_made_and_stays(tmp_path, place, error, message):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("kept")
    with pytest.raises(error, match=message):
        write_folder(tmp_path / place, lambda: pytest.fail("it must be refused before anything is done"))
    assert (tmp_path / "out" / "mine").read_text() == "kept"


def test_files_that_are_made_are_kept_where_another_process_has_taken_the_place(tmp_path):
    out = tmp_path / "out"

    def make():
        write_folder(out, lambda: {"theirs": b"0"})
        return FILES

    with pytest.raises(
        ValueError, match=r"^another program has written to '.*' meanwhile, or has it open: the files are in '.*'$"
    ) as refused:
        write_folder(out, make)
    check_kept(tmp_path, str(refused.value), but=out)
    assert [path.name for path in out.iterdir()] == ["theirs"]


def test_files_that_are_made_are_kept_where_a_program_has_the_folder_open(tmp_path, monkeypatch):
    """On Windows, no folder of which a file is open can be renamed."""

    def in_use(self, target):
        raise PermissionError(13, "Access is denied", str(self))

    monkeypatch.setattr(Path, "rename", in_use)
    with pytest.raises(ValueError, match=r"or has it open: the files are in '.*'$") as refused:
        write_folder(tmp_path / "out", lambda: FILES)
    check_kept(tmp_path, str(refused.value))


DISK = """
import sys
from mwem_core.release.bundle import write_folder

disk, kind = Path(sys.argv[1]), sys.argv[2]
files = {"x": b"1" * (80 << 20 if kind == "large" else 2 << 20), "y": b"2"}


def make():
    print("made", flush=True)
    if kind == "filled":
        with (disk / "theirs").open("wb", buffering=0) as other:
            while True:
                try:
                    other.write(bytes(1 << 16))
                except OSError:
                    return files
    return files


try:
    write_folder(disk / "out", make)
except (ValueError, OSError) as refusal:
    print(refusal)
print({path.name: path.stat().st_size for path in disk.rglob("*") if path.is_file()})
"""


def on_a_disk(tmp_path, megabytes: int, kind: str) -> list[str]:
    """What such a process prints whose folder lies on a disk of so many megabytes, where the system can make one."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "elsewhere").mkdir()
    mount = f'mount -t tmpfs -o size={megabytes}m none "$0" && exec "$@"'
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, str(tmp_path / "disk")]
    try:
        subprocess.run([*words, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system mounts no disk for a test")
    words += command(DISK, str(tmp_path / "disk"), kind)
    elsewhere = environment() | {"TMPDIR": str(tmp_path / "elsewhere")}
    return subprocess.run(words, env=elsewhere, check=True, capture_output=True, text=True).stdout.splitlines()


def test_a_disk_that_is_full_is_noticed_before_anything_is_made(tmp_path):
    refusal, left = on_a_disk(tmp_path, 20, "small")
    assert "No space left on device" in refusal
    assert left == "{}"


def test_files_are_written_where_the_disk_was_filled_while_they_were_made(tmp_path):
    made, left = on_a_disk(tmp_path, 60, "filled")
    assert made == "made"
    assert f"'x': {2 << 20}" in left
    assert "'y': 1" in left


def test_files_that_the_disk_cannot_hold_are_kept_elsewhere(tmp_path):
    made, refusal, left = on_a_disk(tmp_path, 60, "large")
    assert (made, left) == ("made", "{}")
    (kept,) = (tmp_path / "elsewhere").iterdir()
    assert refusal.endswith(f"cannot be written: No space left on device; the files are in '{kept}'")
    assert {path.name: path.stat().st_size for path in kept.iterdir()} == {"x": 80 << 20, "y": 1}


def test_files_are_kept_elsewhere_where_their_place_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    out = tmp_path / "place" / "out"

    def make():
        out.parent.rmdir()
        out.parent.write_text("a file")
        return FILES

    with pytest.raises(ValueError, match=r"cannot be written: .*; the files are in '.*'") as refused:
        write_folder(out, make)
    check_kept(tmp_path, str(refused.value))

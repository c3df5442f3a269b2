"""Whatever somebody writes into the files of a release, it is read or refused in one sentence, soon and in little."""

import io
import json
import os
import subprocess
import zipfile
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from ledgers import command, environment
from releases import resealed

from mwem_core import load_release
from mwem_core.ask.loaded_release import LoadedRelease
from mwem_core.ask.question import examples
from mwem_core.ask.release_reader import load_files, unpack
from mwem_core.output import digest

STORED = Path(__file__).parent / "stored" / "format-2"
FILES = {path.name: path.read_bytes() for path in STORED.iterdir()}
JSON = ("manifest.json", "measurements.json", "model.json")
DEEP = "[" * 100_000 + "]" * 100_000
ODD = [
    *(None, True, -1, 0, 1.5, 2**63, 10**400, 1e308, -1e308, 1e-320, float("nan"), float("inf"), -float("inf"), ""),
    *("age", "ε", "\ud800", "\x1b[2J", "a\nb", "../../etc/passwd", "/etc/passwd", "x" * 10_000, [], {}, [[]], [None]),
    *([1e308, 1e308], {"a": {}}, ["age", "age"], ["age"], [[1, 2], [3]], {"unit": "ε"}, {"kind": "average"}),
]


def outcome(files: dict[str, bytes]) -> str:
    """What becomes of the files: a sentence, or nothing if they are a release that can be shown and asked."""
    try:
        release = load_files(unpack(files))
    except ValueError as refusal:
        sentence = str(refusal)
        assert sentence.isprintable()
        assert 10 < len(sentence) < 500
        return sentence
    assert isinstance(release, LoadedRelease)
    assert all(text.isprintable() for text in release.facts.values())
    for text in examples(release.domain, release.known.residuals)[:1]:
        for answer in release.ask(text, of="table"):
            assert str(answer).isprintable()
    return ""


def places(value, place=()):
    """The places of all values within a value, itself first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *chain.from_iterable(places(each, (*place, key)) for key, each in inner)]


def changed(document, place, change):
    """A document with another value at a place, or without it where `change` raises KeyError."""
    if not place:
        return change(document)
    copied = document.copy()
    try:
        copied[place[0]] = changed(document[place[0]], place[1:], change)
    except KeyError:
        del copied[place[0]]
    return copied


def gone(value):
    raise KeyError


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize(("seed", "sample"), [(0, 40), pytest.param(1, 400, marks=pytest.mark.slow)])
def test_a_release_with_any_value_replaced_is_read_or_refused_in_one_sentence(name, seed, sample):
    """Every field of the manifest, and a sample of the places of the other files, with digests that fit them."""
    document, rng = json.loads(FILES[name]), np.random.default_rng(seed)
    known = sorted(places(document), key=len)
    chosen = known if name == "manifest.json" else [known[i] for i in rng.choice(len(known), sample)]
    for place in chosen:
        for i in rng.choice(len(ODD) + 2, 2):
            change = gone if i >= len(ODD) else lambda _, i=i: ODD[i]
            if not place and i >= len(ODD):
                continue
            text = json.dumps(changed(document, place, change))
            outcome(resealed(FILES | {name: text.encode()}))


def test_a_replaced_digest_is_noticed_and_no_format_leaves_digests_out():
    manifest = json.loads(FILES["manifest.json"])
    assert outcome(FILES) == ""
    for version in (1, 0, 3, None, "2", [], True, 10**400, -2):
        edited = manifest | {"format": version, "epsilon": 0.1}
        assert "and this version reads 2" in outcome(FILES | {"manifest.json": json.dumps(edited).encode()})
    edited = FILES | {"rows.csv": FILES["rows.csv"].replace(b"1", b"2", 1)}
    assert outcome(edited) == "rows.csv is not the file that was released: take the one that was published"
    unlisted = manifest | {"files": {k: v for k, v in manifest["files"].items() if k != "rows.csv"}}
    unlisted |= {"digest": digest(unlisted)}
    assert "no digest of rows.csv" in outcome(edited | {"manifest.json": json.dumps(unlisted).encode()})


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("text", [DEEP, '{"a":' * 100_000 + "1" + "}" * 100_000, "[" + "9" * 10**6 + "]", "\0" * 100])
def test_nested_and_endless_json_is_not_json_of_a_release(name, text):
    files = FILES | {name: text.encode()}
    assert outcome(files if name == "manifest.json" else resealed(files))


@pytest.mark.parametrize("depth", [50, 200, 400, 700, 900, 990, 2000])
def test_a_manifest_nested_to_any_depth_is_read_or_refused(depth):
    more = '"dataset": "people", "more": ' + "[" * depth + "]" * depth
    nested = FILES["manifest.json"].replace(b'"dataset": "people"', more.encode())
    assert outcome(FILES | {"manifest.json": nested})


def packed(*members: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize("folder", ["", "published/"])
def test_a_zip_of_the_files_or_of_their_folder_is_as_good_as_the_files(folder):
    members = [(folder, b"")] if folder else []
    archive = packed(*members, *((folder + name, content) for name, content in FILES.items()))
    assert unpack({"release.zip": archive}) == unpack(FILES) == FILES


def test_an_archive_that_is_damaged_has_a_password_or_is_too_large_is_refused():
    archive = packed(("rows.csv", b"a\n1\n"))
    locked = archive.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    assert outcome({"r.zip": archive[:-30]}).startswith("r.zip is a damaged archive")
    assert outcome({"r.zip": locked}).startswith("r.zip has a password")
    too_large = packed(("rows.csv", bytes(60 << 20)))
    assert outcome({"r.zip": too_large}).startswith("r.zip unpacks to more than a release of its size does")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_in_an_archive_lead_nowhere_and_stand_once():
    climbing = packed(*((f"/../../{name}", content) for name, content in FILES.items()))
    assert outcome({"r.zip": climbing}) == ""
    for other in ("rows.csv", "b/rows.csv", "/rows.csv"):
        twice = packed(*FILES.items(), (other, b"a,b\n"))
        assert outcome({"r.zip": twice}).startswith("r.zip holds two files of one name")


def test_a_folder_of_links_is_read_as_what_they_lead_to(tmp_path):
    for name in FILES:
        (tmp_path / name).symlink_to(STORED / name)
    assert load_release(tmp_path).domain == load_release(STORED).domain
    (tmp_path / "rows.csv").unlink()
    (tmp_path / "rows.csv").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match=r"the release has no rows\.csv"):
        load_release(tmp_path)
    (tmp_path / "rows.csv").unlink()
    with (tmp_path / "rows.csv").open("wb") as file:
        file.truncate(10**11)  # which takes no room on the disk
    with pytest.raises(ValueError, match="the folder holds more than 500 MB"):
        load_release(tmp_path)


SCHEMA = FILES["schema.toml"].decode()
WIDE = "".join(f'[[attribute]]\nname = "w{i}"\nrange = [0, 8999999]\n' for i in range(40))
BITS = "".join(f'[[attribute]]\nname = "b{i}"\nbits = true\n' for i in range(24))
KNOWN_BITS = {"attributes": [f"b{i}" for i in range(20)], "whole_marginal": True, "noise_scale": 1.0}


def measured(**line) -> bytes:
    rounds = json.loads(FILES["measurements.json"])
    return json.dumps([*rounds, {"round": 9, **line}]).encode()


def manifest(**facts) -> bytes:
    return json.dumps(json.loads(FILES["manifest.json"]) | facts).encode()


def model(sets: list[list[int]]) -> bytes:
    weights = [{"attributes": S, "table": [[0.0, 0.0], [0.0, 0.0]]} for S in sets]
    return json.dumps({"kind": "log-linear", "total": 300.0, "log_weights": weights}).encode()


def long_rows() -> bytes:
    """A million rows, with columns that the schema does not name."""
    return (
        b"age,hours,colour,smoker"
        + b"".join(b",%d" % i for i in range(40))
        + b"\n"
        + (b"1,2,red,1" + b",1" * 40 + b"\n") * 999_999
    )


CHOSEN = {"chosen": "x", "attributes": ["age"], "measured": 1.0, "noise_scale": 1.0, "whole_marginal": False}


def changes(*, schema: str = "", **files: bytes) -> dict[str, bytes]:
    """The files with others in place of `manifest`, `measurements` or `model`, and with more attributes."""
    more = {"schema.toml": (SCHEMA + schema).encode()} if schema else {}
    return FILES | more | {f"{name}.json": content for name, content in files.items()}


BOMBS = {
    "a zip of a manifest of 400 MB": lambda: {"r.zip": packed(("manifest.json", b"[" * (400 << 20)))},
    "a zip of rows of 400 MB": lambda: {"r.zip": packed(*FILES.items(), ("rows.CSV", b"1,2\n" * (100 << 20)))},
    "rows that are an archive": lambda: FILES | {"rows.csv": packed(("rows.csv", b"1,2\n" * (50 << 20)))},
    "rows without end": lambda: FILES | {"rows.csv": b"age,hours,colour,smoker\n" + b"1,2,3,4\n" * (8 << 20)},
    "rows as long as may be": lambda: {"r.zip": packed(*resealed(FILES | {"rows.csv": long_rows()}).items())},
    "a manifest of as many values as may be": lambda: changes(
        manifest=b'{"files": [' + b'{"":0},' * 1_990_000 + b'"' + "\U0001f600".encode() * 10**6 + b'"]}'
    ),
    "a manifest of lists": lambda: changes(manifest=b"[" + b"[]," * (30 << 20) + b"[]]"),
    "a manifest of objects": lambda: changes(manifest=b"[" + b'{"":0},' * (9 << 20) + b"0]"),
    "measurements of lists": lambda: changes(measurements=b"[" + b"[]," * (30 << 20) + b"[]]"),
    "attributes of 360 million values": lambda: changes(schema=WIDE),
    "a table of 20 attributes": lambda: changes(
        schema=BITS, measurements=measured(tables=[KNOWN_BITS | {"measured": np.zeros([2] * 20).tolist()}])
    ),
    "a model of one clique": lambda: changes(
        schema=BITS, model=model([[i, j] for i in range(3, 28) for j in range(i + 1, 28)])
    ),
    "a model of many models": lambda: changes(
        schema='[[attribute]]\nname = "w"\nrange = [0, 999999]\n',
        model=json.dumps({"kind": "average", "models": [json.loads(model([]))] * 5_000}).encode(),
    ),
    "ranges without end": lambda: changes(
        manifest=manifest(workload="ranges:age:99000000"), measurements=measured(**CHOSEN)
    ),
    "predicates without end": lambda: changes(
        manifest=manifest(workload="where:" + ";".join(["w0 < 9 and w1 < 9"] * 5_000)),
        schema=WIDE.replace("8999999", "1999"),
        measurements=measured(**CHOSEN),
    ),
    "terms without end": lambda: changes(
        manifest=manifest(workload=" + ".join(["ranges:age:9000000"] * 3_000)), measurements=measured(**CHOSEN)
    ),
}
MEASURE = """
import re, sys
from releases import resealed
from test_hostile import BOMBS, outcome

files = BOMBS[sys.argv[1]]()
files = resealed(files) if files.get("manifest.json", b"")[:1] == b"{" else files
sentence = outcome(files)
peak = int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])  # of this process alone
print(peak / 1024, sentence)
"""


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_release_is_read_or_refused_within_a_gigabyte(bomb):
    """The peak holds the files, which are made there too; `benchmarks/packed.py` measures seconds."""
    path = os.pathsep.join([environment()["PYTHONPATH"], str(Path(__file__).parent)])
    words = command(MEASURE, bomb)
    done = subprocess.run(words, env=environment() | {"PYTHONPATH": path}, capture_output=True, text=True, check=True)
    assert float(done.stdout.split()[0]) < 1000

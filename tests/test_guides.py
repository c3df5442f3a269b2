"""The guides and the reference: the guides' commands and blocks run and print what stands below, no name is missing."""

import html
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

import mwem_core
from mwem_app import notebook

ROOT = Path(__file__).parents[1]
GUIDES = {page.stem: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("guide-*.md"))}


def steps(text: str) -> list[tuple[str, str, str]]:
    """(language, block, what it prints, or nothing where that differs from run to run) of each block that runs."""
    blocks = re.findall(
        r"^```(sh|python)\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", text, flags=re.DOTALL | re.MULTILINE
    )
    assert len(blocks) + sum(bool(printed) for *_, printed in blocks) == len(re.findall(r"^```\w", text, re.MULTILINE))
    return blocks


def run(name: str) -> None:
    """Run a guide in this folder: its Python blocks share their names."""
    names: dict[str, object] = {}
    for language, block, printed in steps(GUIDES[name]):
        if language == "sh":
            for line in block.replace("\\\n", " ").splitlines():
                _, *words = shlex.split(line)
                subprocess.run([sys.executable, "-m", "mwem_core", *words], check=True, capture_output=True)
            continue
        with redirect_stdout(StringIO()) as out:
            exec(compile(block, f"{name}.md", "exec"), names)
        assert out.getvalue() == printed or not printed, block


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch) -> None:
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["guide-first-run", "guide-new-system"])
def test_a_guide_prints_what_it_says(name):
    run(name)


@pytest.mark.slow
def test_the_guide_to_a_release_releases_and_reads_it():
    run("guide-release")


def test_there_are_three_short_guides():
    assert list(GUIDES) == ["guide-first-run", "guide-new-system", "guide-release"]
    assert max(len(text.splitlines()) for text in GUIDES.values()) <= 130


def test_the_reference_has_every_public_name_once():
    """`.ci/run` builds it, as a command of the README."""
    text = (ROOT / "docs" / "reference" / "index.md").read_text(encoding="utf-8")
    names = re.findall(r"^   (\w+)$", text, flags=re.MULTILINE)
    assert sorted(names) == sorted([*mwem_core.__all__, *notebook.__all__])


@pytest.mark.slow
def test_the_reference_shows_no_backslash_of_its_source(tmp_path):
    """Names with underscores stand as they are, in examples too."""
    pytest.importorskip("sphinx")
    shutil.copytree(ROOT / "docs" / "reference", tmp_path / "of", ignore=shutil.ignore_patterns("generated"))
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "of", "pages"], cwd=tmp_path, check=True)
    pages = list(tmp_path.glob("pages/generated/*.html"))
    shown = {page.stem: html.unescape(re.sub("<[^>]+>", "", page.read_text(encoding="utf-8"))) for page in pages}
    assert ">>> from mwem_core.values.numbers import Edges" in shown["mwem_core.Domain"]
    assert len(shown) == len({*mwem_core.__all__, *notebook.__all__})
    assert not {name: found for name, text in shown.items() if (found := re.findall(r"\\[_*|`].{20}", text))}

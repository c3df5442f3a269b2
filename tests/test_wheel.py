"""A wheel has all of the program: away from the checkout it runs, repeats the paper and serves the whole app."""

import socket
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
from pathlib import Path
from urllib.request import urlopen
from zipfile import ZipFile

import pytest
from browser import NO_BROWSER, NOTHING_TESTED, Visitors, button, main, serving
from playwright.sync_api import expect

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def test_the_citation_is_of_this_version():
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def build(project: Path, kind: str, out: Path) -> Path:
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", out], cwd=project, check=True)
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> tuple[Path, Path]:
    """The wheel of the checkout, and the wheel of its source distribution."""
    pytest.importorskip("hatchling", reason="hatchling builds the wheel: pip install -e '.[test]'")
    folder = tmp_path_factory.mktemp("built")
    source = build(ROOT, "sdist", folder / "source")
    with tarfile.open(source) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    unpacked = folder / source.name.removesuffix(".tar.gz")
    return build(ROOT, "wheel", folder / "wheel"), build(unpacked, "wheel", folder / "again")


@pytest.fixture(scope="module")
def installed(wheels, tmp_path_factory) -> Path:
    """The programs of an environment that has the wheel, and from this one all else but the project."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True)
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    python = Path(paths["scripts"], "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--disable-pip-version-check", wheels[0]], check=True)
    Path(paths["purelib"], "others.pth").write_text(sysconfig.get_paths()["purelib"], encoding="utf-8")
    return Path(paths["scripts"])


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)


def printed(*command: str | Path) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.slow
def test_a_wheel_has_two_packages_and_is_the_same_from_a_source_distribution(wheels):
    records = [ZipFile(file).read(f"mwem_explorer-{VERSION}.dist-info/RECORD").decode() for file in wheels]
    assert records[0] == records[1]
    names = {line.partition("/")[0] for line in records[0].splitlines()}
    assert names == {"mwem_core", "mwem_app", f"mwem_explorer-{VERSION}.dist-info"}
    assert "\nmwem_core/py.typed," in records[0]
    read = [file.relative_to(ROOT).as_posix() for kind in ("jinja", "css") for file in ROOT.glob(f"mwem_*/**/*.{kind}")]
    assert len(read) > 20
    assert [name for name in read if f"\n{name}," not in records[0]] == []


@pytest.mark.slow
def test_the_command_runs_bundled_tables_and_repeats_the_paper(installed):
    mwem = installed / "mwem"
    where = printed(
        installed / "python", "-c", "import mwem_app, mwem_core; print(mwem_app.__file__, mwem_core.__file__)"
    )
    assert where.count(str(installed.parent)) == 2
    assert printed(mwem, "--version") == f"mwem {VERSION}\n"
    assert printed(mwem, "--help").startswith("usage: mwem [-h]")
    ran = printed(mwem, "run", "--table", "czech", "--workload", "marginals:2", "--epsilon", "1")
    assert ran.startswith("60 queries (all 2-way marginals) over 64 cells")
    page = "from mwem_app.stage import player_page as page; from mwem_app.base import PRIVATE as badge"
    assert "<title>a run</title>" in printed(installed / "python", "-c", f"{page}; print(ascii(page('a run', badge)))")
    assert "no committed trials" not in printed(mwem, "paper")
    assert " of 72 committed trials differ" in printed(mwem, "paper", "theorem", "--quick")


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_the_command_serves_the_whole_app_on_this_computer_alone(installed, chromium, tmp_path):
    with serving(folder=tmp_path, command=[installed / "mwem", "app", "--port"]) as app:
        with pytest.raises(OSError, match=r"refused|unreachable|assign"):
            socket.create_connection(("127.0.0.2", int(app.strip("/").rpartition(":")[2])), timeout=5)
        (plotly,) = (ROOT / "static").glob("plotly*")
        assert urlopen(f"{app}app/static/{plotly.name}").read() == plotly.read_bytes()
        visitors = Visitors([chromium.new_context() for _ in range(2)], app)
        page = visitors.open()
        paper = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
        assert paper == "rgb(251, 250, 246)"
        for name, text in {"scale": "Beside other programs", "paper": "What would flip it", "learn": "Noise"}.items():
            main(visitors.visit(app + name)).get_by_text(text).first.wait_for()
        compare = visitors.visit(f"{app}compare?table=Class+survey")
        committed = main(compare).get_by_text("come with the program")
        committed.wait_for()
        button(compare, "Run").click()  # in processes of their own
        expect(committed).to_have_count(0)
        visitors.leave()

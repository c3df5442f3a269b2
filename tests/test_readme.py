"""The README and docs/ are true: their commands run, their names exist, their tables are complete."""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mwem_core import Domain
from mwem_core.judge import from_csv
from mwem_core.systems import RELEASABLE, SYSTEMS
from mwem_core.workload import parse_workload

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = {page.stem: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}
ALL = "\n".join([README, *DOCS.values()])


def blocks(language: str, text: str = ALL) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def rows(page: str) -> list[str]:
    """The rows of the table on a page of docs/."""
    return [line for line in DOCS[page].splitlines() if line.startswith("| `")]


def test_the_two_commands_stand_alone_on_their_lines():
    assert "\npip install -e . && streamlit run app.py\n" in README
    assert "\npip install -e '.[test]' && pytest\n" in README


def test_the_python_examples_run(monkeypatch, capsys, tmp_path):
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)
    (first,), (of_frames,) = blocks("python", README), blocks("python", DOCS["tables"])
    (of_releases,) = blocks("python", DOCS["releases"])
    exec(compile(first, "README.md", "exec"), {})
    *rounds, one, two, three = capsys.readouterr().out.splitlines()
    assert len(rounds) == 3
    assert all(line.startswith("share of drink = 'tea' where year = ") for line in (one, two, three))
    exec(compile(blocks("python", DOCS["code"])[0], "code.md", "exec"), made := {})
    assert capsys.readouterr().out
    assert made["A"].sum() == pytest.approx(100)
    made = {}
    exec(compile(of_frames, "tables.md", "exec"), made)
    assert (made["synthetic"].dtypes == made["people"].dtypes).all()
    shutil.copytree(ROOT / "tests" / "ask" / "stored" / "format-2", tmp_path / "release")
    exec(compile(of_releases, "releases.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.sweep
def test_the_command_line_examples_run(tmp_path):
    """All run in the same folder. The first run writes a folder, and the comparison its trials."""
    text = (
        "".join(blocks("sh", DOCS["command-line"])).replace("\\\n", " ").replace("sample_data/", f"{ROOT}/sample_data/")
    )
    commands = [shlex.split(line) for line in text.splitlines() if re.match("mwem (run|compare)", line)]
    assert [words[1] for words in commands] == ["run", "run", "compare"]
    for words in commands:
        process = subprocess.run(
            [sys.executable, "-m", "mwem_core", *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert process.returncode == 0, process.stderr
        assert "mean total variation" in process.stdout
    assert sorted(path.name for path in (tmp_path / "adult-run").iterdir()) == [
        "manifest.json",
        "rows.csv",
        "rows.plain.csv",
        "script.py",
        "transcript.json",
    ]
    assert len(from_csv((tmp_path / "trials.csv").read_text(encoding="utf-8"))) == 4 * 2 * 10


def test_every_method_of_a_release_is_named():
    assert set(re.findall(r"`--algorithm ([\w-]+)`", ALL)) == set(RELEASABLE) - {"automatic"}


def test_the_forms_of_workloads_are_parsed_on_the_schema_of_the_readme():
    (schema,) = blocks("toml")
    domain, bits = Domain.from_toml(schema), Domain.from_toml('[[attribute]]\nname = "a"\nbits = true')
    (sentence,) = re.findall(r"^Workloads are .*?`\. ", ALL, flags=re.DOTALL | re.MULTILINE)
    texts = re.findall(r"`([^`]+)`", sentence)
    forms = {text.partition(":")[0]: text for text in texts if ":" in text}
    assert list(forms) == ["marginals", "cuboids", "parities", "ranges", "where"]
    for family, form in forms.items():
        spec = form.replace("COLUMN[,COLUMN]", "age,capital-loss").replace("COUNT", "5").replace("K", "1")
        assert parse_workload(spec, bits if family == "parities" else domain).size > 0
    ranges_of_age = [text for text in texts if text in ("all", "prefixes") or ".." in text]
    assert [parse_workload(f"ranges:age:{text}", domain).size for text in ranges_of_age] == [15, 5, 2]


def test_every_system_is_in_its_table():
    names = re.findall(r"`([^`]+)`", "".join(line.split("|")[1] for line in rows("systems")))
    assert {*names, "laplace-clean", "gaussian-clean", "laplace-cells", "planner-clean"} == set(SYSTEMS)


def test_the_table_of_systems_says_what_each_gives_and_its_privacy():
    """A row of several systems has one entry for all, or one for each, in order, with "; " between them."""
    for line in rows("systems"):
        _, names, _, privacy, gives, _ = (cell.strip() for cell in line.split("|"))
        systems = [SYSTEMS[name] for name in re.findall(r"`([^`]+)`", names)]
        notions = privacy.split("; ") if "; " in privacy else [privacy] * len(systems)
        assert [system.privacy for system in systems] == notions
        assert {system.gives for system in systems} == {gives}


def test_the_schema_example_is_a_schema():
    (example,) = blocks("toml")
    assert tomllib.loads(example)
    assert Domain.from_toml(example).names == ("age", "sex", "capital-loss", "workclass")


def test_every_extra_that_the_readme_installs_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(re.findall(r"pip install -e '\.\[(\w+)\]'", ALL)) == set(project["optional-dependencies"])


def test_every_link_and_image_is_a_file_of_the_project():
    for folder, text in ((ROOT, README), *((ROOT / "docs", page) for page in DOCS.values())):
        links = re.findall(r"\]\(([^)]+)\)|src=\"([^\"]+)\"", text)
        for file in (path or source for path, source in links if not path.startswith("https://")):
            assert (folder / file).is_file(), file


def test_the_readme_is_short_and_leads_to_every_document():
    assert len(README.splitlines()) <= 150
    assert {f"docs/{name}.md" for name in DOCS} <= set(re.findall(r"\]\(([^)]+)\)", README))


def test_the_readme_counts_the_systems():
    assert f": {len(SYSTEMS)} systems by name" in README


def test_every_file_on_the_map_exists():
    for line in rows("code"):
        for name in re.findall(r"`([^`]+)`", line.split("|")[1]):
            assert (ROOT / name).exists() or (ROOT / "mwem_core" / name).exists(), name


def test_the_map_has_every_room_of_the_house_from_the_top_floor_down():
    floors = runpy.run_path(str(ROOT / "tests" / "test_house.py"))["FLOORS"]
    names = re.findall(r"`([^`]+)`", "".join(line.split("|")[1] for line in rows("code")))
    for package, plan in floors.items():
        height = {room: i for i, rooms in enumerate(plan) for room in rooms if not room.startswith("__")}
        ours = [name.removeprefix(f"{package}/").rstrip("/").removesuffix(".py") for name in names]
        on_map = [room for room in ours if room in height]
        assert sorted(on_map) == sorted(height)
        assert [height[room] for room in on_map] == sorted((height[room] for room in on_map), reverse=True)

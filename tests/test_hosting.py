"""The files by which others serve the app: the image has all that a wheel needs, and nobody's secrets; no root."""

import os
import re
import runpy
import shlex
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "hosting" / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
STAGES = re.split(r"^FROM .*\n", DOCKERFILE, flags=re.MULTILINE)[1:]
BUILD, IMAGE = ([line.split(None, 1) for line in stage.splitlines() if line and line[0] != "#"] for stage in STAGES)
PYTHON = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]


def words(stage: list[list[str]], instruction: str) -> list[list[str]]:
    return [shlex.split(rest) for name, rest in stage if name == instruction]


def command(instruction: str) -> list[str]:
    """The words of a CMD or of the health check, without its options."""
    (rest,) = [rest for name, rest in IMAGE if name == instruction]
    return re.findall(r'"([^"]*)"', rest)


def test_the_image_is_built_from_what_a_wheel_is_made_of_and_from_nothing_else():
    copied = {source for *sources, _ in words(BUILD, "COPY") for source in sources}
    within = set(runpy.run_path(str(ROOT / "hatch_build.py"))["WITHIN"])
    assert copied == within | {"pyproject.toml", "README.md", "hatch_build.py", "mwem_core", "mwem_app"}
    assert all((ROOT / source).exists() for source in copied)
    for *sources, target in words(BUILD, "COPY"):  # each to where it was: COPY puts what a folder holds into its target
        folders = {str(Path(source).parent) for source in sources if (ROOT / source).is_file()}
        assert sources == [target] or (folders == {str(Path(target))} and target.endswith("/"))


def test_the_image_runs_as_nobody_in_packages_of_root_and_is_a_demo_unless_told():
    names = [name for name, _ in IMAGE]
    assert words(IMAGE, "USER") == [["10001:10001"]]
    assert words(IMAGE, "COPY") == [["--from=build", "/opt/mwem", "/opt/mwem"]]  # without --chown: root's
    assert names.index("COPY") < names.index("USER") < names.index("CMD")
    assert "RUN" not in names
    assert "MWEM_DEMO=1" in words(IMAGE, "ENV")[0]
    assert not re.search(r"ADD |:latest|curl|wget|apt-get|chmod|sudo", DOCKERFILE)
    base = re.findall(r"^FROM (\S+)", DOCKERFILE, flags=re.MULTILINE)
    assert base == ["python:3.11-slim"] * 2
    assert PYTHON == ">=3.11"
    assert command("CMD")[:3] == ["python", "-m", "mwem_app"]


@pytest.mark.parametrize("answers", [True, False])
def test_the_health_check_is_of_the_port_that_is_served_and_fails_if_nothing_answers(answers, tmp_path):
    python, *arguments = command("HEALTHCHECK")
    assert python == "python"
    port = command("CMD")[-1]
    assert words(IMAGE, "EXPOSE") == [[port]]
    (tmp_path / "_stcore").mkdir()
    (tmp_path / "_stcore" / "health").write_text("ok")
    with socket.create_server(("127.0.0.1", 0)) as free:
        other = f"{free.getsockname()[1]}"
    check = [sys.executable, *(word.replace(f":{port}/", f":{other}/") for word in arguments)]
    assert check[-1].count(other) == 1
    if not answers:
        assert subprocess.run(check, capture_output=True, check=False).returncode == 1
        return
    serve = [sys.executable, "-u", "-m", "http.server", other, "--bind", "127.0.0.1"]
    with subprocess.Popen(serve, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout
        server.stdout.readline()
        assert subprocess.run(check, check=False).returncode == 0
        server.terminate()


def test_a_space_shows_the_port_of_the_image():
    front = (ROOT / "hosting" / "space" / "README.md").read_text(encoding="utf-8").split("---\n")[1]
    settings = dict(line.split(": ", 1) for line in front.splitlines())
    assert settings["sdk"] == "docker"
    assert settings["app_port"] == command("CMD")[-1]
    assert len(settings["short_description"]) <= 60


def test_streamlits_cloud_and_binder_are_demos_and_binders_port_is_the_documented_one():
    secrets = tomllib.loads((ROOT / "hosting" / "streamlit" / "secrets.toml").read_text(encoding="utf-8"))
    assert secrets == {"MWEM_DEMO": "1"}
    start = ROOT / ".binder" / "start"
    assert os.access(start, os.X_OK)
    (port,) = re.findall(
        r"^MWEM_DEMO=1 python -m mwem_app 127\.0\.0\.1 (\d+) &$", start.read_text("utf-8"), re.MULTILINE
    )
    assert f"urlpath=proxy/{port}/" in (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")


def test_the_table_of_limits_is_that_of_the_demo():
    from mwem_app.session import demo, work_limits

    table = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    for sentence in (
        f"{demo.BYTES / 1e9:g} GB for the server and its worker; below {work_limits.RESERVE_BYTES / 1e9:g} GB of it",
        f"{demo.RUN_BYTES / 1e6:g} MB as estimated, {demo.ROUNDS} rounds, {demo.SECONDS_OF_WORK:g} CPU seconds;"
        f" {demo.HELD_BYTES / 1e6:g} MB as counted round by round",
        f"{demo.SECONDS:g} CPU seconds begun in ten minutes; what a tab has made is kept for {demo.KEPT_MINUTES}",
        f"{demo.LINE} runs, of which as many compute as there are processors; {demo.BATCHES} batches of trials",
    ):
        assert sentence in table
    assert demo.MINUTES == 10
    assert demo.VISITORS == 30

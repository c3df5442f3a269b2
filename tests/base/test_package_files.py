"""The package's files are found in a checkout and in a wheel; templates escape, and are read when they are named."""

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from mwem_app.base import APP, BENCHMARKS, SERVED_FOLDER, served_folder
from mwem_core.base import CORE, SAMPLES, find_folder, template

ROOT = Path(__file__).parents[2]


def test_in_a_checkout_files_are_beside_the_packages():
    assert (CORE, APP) == (ROOT / "mwem_core", ROOT / "mwem_app")
    assert (SAMPLES, BENCHMARKS, SERVED_FOLDER) == (ROOT / "sample_data", ROOT / "benchmarks", ROOT)


def test_in_a_wheel_files_are_within_the_packages_whatever_is_beside_them(tmp_path):
    """Beside them are other packages: one may be called benchmarks."""
    for folder in ("mwem_core/sample_data", "mwem_app/benchmarks", "mwem_app/served", "benchmarks", "sample_data"):
        (tmp_path / folder).mkdir(parents=True)
    core, app = tmp_path / "mwem_core", tmp_path / "mwem_app"
    assert find_folder("sample_data", core) == core / "sample_data"
    assert find_folder("benchmarks", app) == app / "benchmarks"
    assert served_folder(app) == app / "served"


@pytest.fixture
def written(tmp_path):
    """The template of a text."""

    def write(text, name="page.html.jinja"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return template(tmp_path / name)

    return write


def test_a_text_is_escaped_once_also_through_another_template(written):
    inner = written("<b>{{ name }}</b>")(name="<i>&")
    assert written('<p title="{{ text }}">{{ inner }}</p>')(inner=inner, text='"x"') == (
        '<p title="&#34;x&#34;"><b>&lt;i&gt;&amp;</b></p>'
    )


def test_a_name_without_a_value_is_an_error(written):
    with pytest.raises(UndefinedError, match="'size' is undefined"):
        written("{{ name }} {{ size }}")(name="x")


def test_a_number_is_formatted_as_in_python(written):
    assert written("{{ n | number(',.1f') }}")(n=12345.67) == "12,345.7"


def test_the_core_has_the_parts_that_templates_elsewhere_take(written):
    page = written('{% from "release/parts.html.jinja" import table %}{{ table(["a", "b"], [("<", "2")], numbers=1) }}')
    assert '<tr><th>a</th><th class="number">b</th></tr>' in page()
    assert '<tr><td>&lt;</td><td class="number">2</td></tr>' in page()


def test_no_file_is_read_when_a_template_is_filled(written, tmp_path):
    """A file that is missing, or is of another version by then, would cost a release that has drawn its noise."""
    written("p { color: red; }", "page.css")
    page = written('<style>{% include "page.css" %}</style>{{ text }}')
    for file in tmp_path.iterdir():
        file.unlink()
    assert page(text="x") == "<style>p { color: red; }</style>x"


def test_a_missing_file_is_missed_when_the_template_is_named(written):
    with pytest.raises(FileNotFoundError, match=r"missing\.css"):
        written('{%- include "missing.css" %}')

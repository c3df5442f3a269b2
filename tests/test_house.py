"""How the project is laid out: imports point down, from pages to mwem_app to the core, and in each from floor to floor.

Run it as a script for the figures: `python tests/test_house.py`.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Floors from the ground up. A room imports from itself and from rooms on lower floors, from no other room.
CORE = (
    ("base",),
    ("forms", "privacy"),
    ("values",),
    ("accounts", "domain", "tables"),
    ("encoding", "model"),
    ("prior", "schemas", "weighted"),
    ("workload",),
    ("algorithm",),
    ("mwem",),
    ("automatic", "relatives"),
    ("intervals", "systems"),
    ("output",),
    ("ask", "audit", "judge"),
    ("experiments", "release"),
    ("cli",),
    ("__init__", "__main__"),
)
APP = (
    ("base",),
    ("charts", "server", "session"),
    ("guards",),
    ("page",),
    ("evidence", "inputs"),
    ("ask", "compare", "course", "release"),
    ("stage",),
    ("front", "run"),
    ("notebook",),
    ("__main__",),
)
HOUSE = (("mwem_core",), ("mwem_app",), ("pages",), ("app",))
FLOORS = {"mwem_core": CORE, "mwem_app": APP}
AUTOMATIC = (  # floors within `automatic`, from the ground up: what measures once, what composes; the others are above
    {"public_model", "plans", "sizes", "correction", "plan_fit", "hierarchy", "refinement", "counts"},
    {"nearest_model", "compositions"},
)


def files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def module(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


def imports(file: Path) -> Iterator[str]:
    """The dotted names of the project's modules that a file imports, also inside functions and for types alone."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports hide which room they come from"
            assert node.module
            for name in node.names:
                whole = f"{node.module}.{name.name}"
                yield whole if (ROOT / (whole.replace(".", "/") + ".py")).exists() else node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def room(name: str) -> str:
    """The room of a module of a package: "mwem_core.values.values" is in "domain", "mwem_core" itself in "__init__"."""
    return name.split(".")[1] if "." in name else "__init__"


@cache
def arrows(package: str) -> list[tuple[str, str]]:
    """(module, module it imports) within a package."""
    return [
        (module(file), name)
        for file in files(package)
        for name in imports(file)
        if name == package or name.startswith(f"{package}.")
    ]


def upward(package: str) -> list[tuple[str, str]]:
    """Imports between rooms that do not point to a lower floor."""
    floor = {name: height for height, names in enumerate(FLOORS[package]) for name in names}
    return [(a, b) for a, b in arrows(package) if room(a) != room(b) and floor[room(a)] <= floor[room(b)]]


def circles(edges: Sequence[tuple[str, str]]) -> list[str]:
    """The modules left when those that import no other, and those that no other imports, are taken away repeatedly."""
    left = {(a, b) for a, b in edges if a != b}
    while ends := {a for a, _ in left} ^ {b for _, b in left}:
        left = {(a, b) for a, b in left if a not in ends and b not in ends}
    return sorted({a for a, _ in left})


def test_no_room_has_the_name_of_something_public():
    """Once it is imported, `from mwem_core import paper` would give the room and not the preset."""
    import mwem_core

    assert not {room for rooms in CORE for room in rooms} & set(mwem_core.__all__)


def test_the_core_loads_no_library_but_numpy_until_one_is_needed():
    """Arrow takes a third as long to import as the core, and OpenDP longer than all of it."""
    later = {"jinja2", "opendp", "pandas", "plotly", "pyarrow", "scipy", "sqlalchemy", "streamlit"}
    script = f"import sys, mwem_core; print(*{later} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", script], cwd=ROOT, text=True).strip() == ""


@pytest.mark.parametrize("package", FLOORS)
def test_every_room_is_on_the_plan_and_has_a_charter(package):
    planned = {name for names in FLOORS[package] for name in names}
    entries = {file.relative_to(ROOT / package).parts[0].removesuffix(".py") for file in files(package)}
    assert entries - {"__init__"} == planned - {"__init__"}
    for file in (ROOT / package).rglob("__init__.py"):
        assert ast.get_docstring(parsed(file)), f"{file} has no charter"


@pytest.mark.parametrize("package", FLOORS)
def test_imports_point_to_lower_floors(package):
    assert upward(package) == []


@cache
def face(of: str) -> set[str]:
    """The names of a room's face: what its `__init__.pyi` imports."""
    body = parsed(ROOT / of.replace(".", "/") / "__init__.pyi").body
    return {name.asname or name.name for node in body if isinstance(node, ast.ImportFrom) for name in node.names}


@cache
def is_room(name: str) -> bool:
    return (ROOT / name.replace(".", "/")).is_dir()


def own_room(file: Path) -> str:
    """The room that a file belongs to; the tests of a room belong to it."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    package = "mwem_app" if parts[:2] == ("tests", "mwem_app") else "mwem_core" if parts[0] == "tests" else parts[0]
    inner = parts[2:] if package == "mwem_app" and parts[0] == "tests" else parts[1:]
    return f"{package}.{inner[0]}" if len(inner) > 1 else package


def past_faces(file: Path) -> list[str]:
    """What a file imports from within rooms that are not its own, past their faces."""
    found, own = [], own_room(file)
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in FLOORS:
            names = [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Import):
            names = [name.name for name in node.names if name.name.split(".")[0] in FLOORS]
        else:
            continue
        for name in names:
            of = ".".join(name.split(".")[:2])
            if of == own or not is_room(of):
                continue
            if name != of and name.removeprefix(f"{of}.") not in face(of):
                found.append(name)
    return found


def test_no_file_imports_past_the_face_of_a_room_that_is_not_its_own():
    for folder in ("mwem_core", "mwem_app", "pages", "tests", "benchmarks", "docs", ".ci"):
        for file in files(folder):
            assert past_faces(file) == [], file


@pytest.mark.parametrize("package", FLOORS)
def test_a_face_has_at_most_40_names(package):
    rooms = [file.parent.name for file in (ROOT / package).glob("*/__init__.pyi")]
    sizes = {room: len(face(f"{package}.{room}")) for room in rooms}
    assert {room: size for room, size in sizes.items() if size > 40} == {}


@pytest.mark.parametrize("package", FLOORS)
def test_no_file_hides_a_name_of_its_room_s_face(package):
    """Once it is loaded, `from room import name` would give the file and not what another file has by that name."""
    for stub in (ROOT / package).glob("*/__init__.pyi"):
        of = {
            name.name: node.module
            for node in parsed(stub).body
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        }
        assert [
            name for name, module in of.items() if module not in (None, name) and (stub.parent / f"{name}.py").exists()
        ] == []


def test_what_measures_once_knows_no_composition_and_neither_knows_the_choice():
    def floor(name):
        return next((i for i, files in enumerate(AUTOMATIC) if name.split(".")[2] in files), len(AUTOMATIC))

    within = [(a, b) for a, b in arrows("mwem_core") if a.count(".") > 1 and room(a) == room(b) == "automatic"]
    assert len(within) > 50
    assert [(a, b) for a, b in within if floor(a) < floor(b)] == []


@pytest.mark.parametrize("package", FLOORS)
def test_no_modules_import_each_other_in_a_circle(package):
    assert circles(arrows(package)) == []


def test_the_core_knows_no_ui_and_the_ui_no_page():
    height = {name: i for i, names in enumerate(HOUSE) for name in names}
    for package, own in height.items():
        for file in [ROOT / "app.py"] if package == "app" else files(package):
            above = [name for name in imports(file) if height.get(name.split(".")[0], -1) > own]
            assert not above, f"{file} imports {above}"


# What gives results that were computed before, perhaps on another processor; what compares floats to the last bit.
STORED = {"stored", "committed", "COMMITTED"}
EXACT = {"array_equal", "assert_array_equal", "assert_frame_equal", "equals", "tobytes"}
FLOATS = {"answers", "error", "max_error", "mean_error", "relative_entropy", "rows", "spent", "values"}


def equal_floats(tree: ast.Module) -> list[str]:
    """The functions of a test file that compare floats of a stored result for equality, themselves or by a helper."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

    def names(function: ast.FunctionDef) -> set[str]:
        inner = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        return inner | {argument.arg for argument in function.args.args}

    def exact(node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and not any(word.arg == "rtol" for word in node.keywords):
            return ast.unparse(node.func).split(".")[-1] in EXACT
        if isinstance(node, ast.Compare) and "approx" not in ast.unparse(node):
            sides = [part for side in (node.left, *node.comparators) for part in getattr(side, "elts", [side])]
            return any(isinstance(part, ast.Attribute) and part.attr in FLOATS for part in sides) and any(
                isinstance(operator, ast.Eq | ast.NotEq) for operator in node.ops
            )
        return False

    bad = {name for name, function in functions.items() if any(map(exact, ast.walk(function)))}
    return [name for name, function in functions.items() if STORED & names(function) and bad & {name, *names(function)}]


def test_no_test_compares_stored_floats_for_equality():
    """Another processor computes other last bits. Compare what is whole exactly, and floats to 1e-9."""
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        assert equal_floats(parsed(file)) == [], file


@pytest.mark.parametrize(
    "found",
    [
        "def same(a, b):\n    return np.array_equal(a.spent, b.spent)\n\n"
        "def test_it():\n    assert same(track(B), stored(B)[1])",
        "def test_it(committed):\n    before = committed[0]\n    assert (now.T, now.error) == (before.T, before.error)",
        "def test_it():\n    before = committed(B)\n    pd.testing.assert_frame_equal(now, before)",
    ],
)
def test_a_comparison_of_stored_floats_is_seen(found):
    assert equal_floats(ast.parse(found)) == ["test_it"]


CODE = (".py", ".js", ".css", ".html", ".jinja", ".toml")
FOLDERS = (".ci", ".streamlit", "benchmarks", "docs", "hosting", "mwem_app", "mwem_core", "pages", "tests")
STORED_RELEASES = ROOT / "tests" / "ask" / "stored"  # as an earlier version wrote them


def test_no_line_of_code_has_more_than_120_characters():
    here = [file for file in ROOT.iterdir() if file.suffix in CODE]
    for file in [*here, *(file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.suffix in CODE)]:
        if STORED_RELEASES not in file.parents:
            lines = file.read_text(encoding="utf-8").split("\n")
            assert [number for number, line in enumerate(lines, 1) if len(line) > 120] == [], file


# A participle or an adverb names no thing. These nouns look like one.
NOUNS = (
    "annealing apply boosting cooling counting crossing damping doubling drawing embed encoding family finding "
    "halving heading listing need nothing padding plotly pricing projecting raking ranking rating reading recoding "
    "reply resampling reweighting ring rounding sampling seed setting smoothing speed standing string thing "
    "tilting wording"
)
PARTICIPLE = re.compile(r"[a-z]{2,}(ed|ing|ly)")
IRREGULAR = (
    "again alone already also always apart aside begun beside beforehand born bought broken brought built caught "
    "chosen done drawn elsewhere felt found given gone grown held here hidden instead kept known laid led lost "
    "made met nearest never once paid said seen sent shown sold sought spent still sunk swept taken taught there "
    "thrown together told understood won written"
)
STORED_CLASSES = {"Apart", "Planned", "Seeded", "Staged"}  # their names stand in manifests and scripts


def is_bare(name: str) -> bool:
    """Whether a name is a participle or an adverb alone. One of two words is not: `fitted_model`, `FittedModel`."""
    word = name.lower().rstrip("s")
    one = "_" not in name and (name.isupper() or name[1:].islower())
    return one and word not in NOUNS.split() and (word in IRREGULAR.split() or bool(PARTICIPLE.fullmatch(word)))


def bare_names(file: Path) -> list[str]:
    """The module's own name, and those of its classes, public functions and public constants, if they are bare."""
    names = [file.stem]
    for node in parsed(file).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    return [name for name in names if not name.startswith("_") and name not in STORED_CLASSES and is_bare(name)]


@pytest.mark.parametrize("package", FLOORS)
def test_no_name_is_a_bare_participle_or_adverb(package):
    assert {str(file.relative_to(ROOT)): bare for file in files(package) if (bare := bare_names(file))} == {}


def test_no_two_files_have_one_name():
    names = [file.name for package in FLOORS for file in files(package) if not file.name.startswith("__")]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_a_bare_participle_is_seen_and_a_noun_is_not():
    assert all(map(is_bare, ("drawn", "Once", "MEASURED", "mostly", "covering")))
    assert not any(map(is_bare, ("drawing", "settings", "drawn_rows", "DrawnRows", "string", "Reply", "nearest_rows")))


def test_a_circle_and_an_upward_import_are_seen():
    assert circles([("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("c", "e")]) == ["a", "b", "c"]
    assert circles([("a", "b"), ("b", "c"), ("a", "c")]) == []
    assert room("mwem_core.values.values") == "values"
    assert room("mwem_core") == "__init__"


if __name__ == "__main__":
    for name, floors in FLOORS.items():
        print(
            f"{name}: {sum(map(len, floors))} rooms on {len(floors)} floors, {len(files(name))} files, "
            f"{len(arrows(name))} imports, {len(upward(name))} of them upward, {len(circles(arrows(name)))} in circles"
        )

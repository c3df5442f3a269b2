"""What is printed of records, workloads, rounds and releases: one line of shapes, never what an array holds."""

import dataclasses
import typing
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import UnionType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from runs import run_of

import mwem_core
from mwem_app.inputs import Upload
from mwem_app.release import Source
from mwem_app.session import Plan, Step
from mwem_app.stage import Frame, View
from mwem_core import Domain, Records, Seeded, Witness, encode, make_release, paper, parse_workload
from mwem_core.automatic import PublicStart
from mwem_core.domain import PublicTable
from mwem_core.encoding import rows_of_values
from mwem_core.systems import SYSTEMS

SAMPLES = Path(__file__).parents[1] / "sample_data"
ARRAYS = (np.ndarray, pa.Table, pd.DataFrame, bytes)
MAX_LINE = 1000  # characters: a run has as many settings
PUBLIC = [each for each in (getattr(mwem_core, name) for name in mwem_core.__all__) if isinstance(each, type)]
INNER = [Upload, Frame, View, Source, Plan, Step, PublicTable, PublicStart]  # they hold a table, or counts
DATACLASSES = [each for each in (*PUBLIC, *INNER) if dataclasses.is_dataclass(each)]


def of_ours(thing: object) -> bool:
    return getattr(thing, "__module__", "").startswith("mwem_")


def hints(thing: object) -> dict[str, object]:
    """The type hints of a class or function; {} where a name is known to type checkers alone."""
    try:
        return typing.get_type_hints(thing)
    except (NameError, TypeError):
        return {}


def classes_named(hint: object) -> Iterator[type]:
    """All classes in a type hint, and those that a type variable stands for; none of a function's arguments."""
    inner = () if typing.get_origin(hint) is Callable else typing.get_args(hint)
    if isinstance(hint, typing.TypeVar):
        inner = (hint.__bound__, *hint.__constraints__)
    if isinstance(hint, list | tuple):
        inner = tuple(hint)
    for each in inner:
        yield from classes_named(each)
    origin = typing.get_origin(hint)
    yield from (each for each in (hint, origin) if isinstance(each, type) and each is not UnionType)


@pytest.mark.parametrize("cls", DATACLASSES, ids=lambda cls: cls.__name__)
def test_no_class_shows_an_array_or_a_table_among_its_fields(cls):
    """A dataclass prints its fields unless it says otherwise, here or in a class that it comes from."""
    if "__repr__" in vars(cls) and hasattr(cls.__repr__, "__wrapped__"):
        shown = {field.name: hints(cls).get(field.name) for field in dataclasses.fields(cls) if field.repr}
        for name, hint in shown.items():
            assert not {*ARRAYS} & set(classes_named(hint)), f"{cls.__name__}.{name}: field(repr=False)"


def held(thing: object, seen: dict[int, object]) -> Iterator[object]:
    """All that an object of this project, or a container, holds: depth first, each once."""
    if id(thing) in seen:
        return
    seen[id(thing)] = thing
    yield thing
    inner: Iterable[object] = ()
    if isinstance(thing, dict):
        inner = thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        inner = thing
    elif of_ours(type(thing)):
        inner = getattr(thing, "__dict__", {}).values()
    for each in inner:
        yield from held(each, seen)


def assert_prints_one_line_of_shapes(root: object) -> int:
    """Each object of this project within prints one line that has none of the numbers in the arrays it holds.

    Numbers of fewer than six digits may stand there by chance. Returns how many objects hold arrays.
    """
    count = 0
    for thing in list(held(root, {})):
        if not of_ours(type(thing)):
            continue
        arrays = [each for each in held(thing, {}) if isinstance(each, np.ndarray)]
        printed = [repr(thing), str(thing), *([thing._repr_html_()] if hasattr(thing, "_repr_html_") else [])]
        count += bool(arrays)
        for text in printed if arrays else ():
            assert "array(" not in text
            assert "\n" not in text
            assert len(text) <= MAX_LINE
            numbers = {str(x) for array in arrays for x in array.ravel()[:1000].tolist()}
            assert not {each for each in numbers if sum(map(str.isdigit, each)) >= 6 and each in text}
    return count


def test_records_print_how_many_they_are_and_no_code():
    codes, texts = np.arange(900_000, 900_040), [str(code) for code in range(900_000, 900_040)]
    schema = f'[[attribute]]\nname = "patient"\nvalues = {texts}\n'.replace("'", '"')
    B = encode(pd.DataFrame({"patient": texts}), Domain.from_toml(schema))
    assert repr(B) == str(B) == "Records(domain=Domain(1: patient), total=40)"
    weighted = Records(B.domain, B.codes, codes)
    rows = rows_of_values(B, {"patient": np.array(texts)})
    witness = Witness(Seeded(1))
    for _ in paper(Q := parse_workload("marginals:1", B.domain), epsilon=1.0, T=1).rounds(B, Q, noise=witness):
        pass
    for holder in (weighted, rows, witness, [B], {"B": B}, ValueError(B), KeyError(weighted)):
        assert not [code for code in codes if str(code) in repr(holder) + str(holder)]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_run_of_every_system_prints_one_line_of_shapes(name):
    """The run with its workload, settings, rounds, models, measurements and ledgers."""
    run = run_of(name)
    assert assert_prints_one_line_of_shapes(run) >= 2


def test_a_release_its_rows_and_its_answers_print_one_line_of_shapes(tmp_path):
    people = pd.read_csv(SAMPLES / "class_survey.csv")
    schema, ledger = SAMPLES / "class_survey.toml", tmp_path / "releases.db"
    release = make_release(
        people, schema, "marginals:2", epsilon=1.0, ledger=ledger, name="class", out=tmp_path / "out"
    )
    release.ask("avg(drink == tea)")  # fills what is cached
    assert assert_prints_one_line_of_shapes(release) > 3

"""The tables of the experiments: those that come with the program or that it makes, and those that a person fetches."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from mwem_core.base import SAMPLES
from mwem_core.domain import Attribute, Domain, Records
from mwem_core.encoding import encode
from mwem_core.tables import read_table
from mwem_core.values import BITS

MISSING_VALUE = "?"
CLASSES, CONCENTRATION = 4, 0.5


def independent_bits(records: int, d: int, *, share: float, seed: int) -> Records:
    """So many records of d independent bits, each 1 with probability `share`."""
    rng = np.random.default_rng(seed)
    return _named({f"bit {i}": rng.random(records) < share for i in range(d)})


def bits_in_classes(records: int, d: int, *, seed: int) -> Records:
    """So many records of d bits that are independent within each of four classes of equal probability.

    A bit's share of ones in a class is drawn from Beta(½, ½). More bits leave the first ones as they are.
    """
    rng = np.random.default_rng(seed)
    classes = rng.integers(CLASSES, size=records)
    columns = {}
    for i in range(d):
        shares = rng.beta(CONCENTRATION, CONCENTRATION, size=CLASSES)
        columns[f"bit {i}"] = rng.random(records) < shares[classes]
    return _named(columns)


def binary_records(B: Records) -> Records:
    """The records without missing values, each value's number among the known ones in ⌈log₂⌉ bits, lowest first."""
    rows = unit_rows(B)
    known = [np.array([label != MISSING_VALUE for label in attribute.labels]) for attribute in B.domain.attributes]
    complete = np.logical_and.reduce([mask[column] for mask, column in zip(known, rows, strict=True)])
    bits = {}
    for name, mask, column in zip(B.domain.names, known, rows, strict=True):
        number = (np.cumsum(mask) - 1)[column[complete]]
        width = (int(mask.sum()) - 1).bit_length()
        bits |= {f"{name} bit {i}": number >> i & 1 for i in range(width)}
    return _named(bits)


def subsample(B: Records, records: int, *, seed: int) -> Records:
    """So many of the records, drawn without replacement; of one seed, fewer are among more."""
    chosen = np.random.default_rng(seed).permutation(round(B.total))[:records]
    return Records(B.domain, tuple(column[chosen] for column in unit_rows(B))).distinct()


def unit_rows(B: Records) -> list[np.ndarray]:
    """The columns with a row for every record: (n,) each."""
    times = 1 if B.weights is None else B.weights
    return [np.repeat(column, times) for column in B.codes]


def join_attributes(B: Records, C: Records) -> Records:
    """The attributes of both, for as many records each."""
    return Records(Domain(B.domain.attributes + C.domain.attributes), B.codes + C.codes)


def _named(columns: dict[str, np.ndarray]) -> Records:
    attributes = tuple(Attribute(name, BITS) for name in columns)
    return Records(Domain(attributes), tuple(column.astype(np.uint8) for column in columns.values()))


TRAIN = 32_561  # rows of Adult that UCI gives for training, which come first
UCI_BLOOD = "UCI Machine Learning Repository, Blood Transfusion Service Center (archive.ics.uci.edu/dataset/176)"
EIGHT = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
FOURTEEN = (*EIGHT, "age", "fnlwgt", "capital-gain", "capital-loss", "hours-per-week", "income")  # no education-num
ADULT_BITS, ADULT_BITS_AND_RANDOM = "adult, 27 bits", "adult, 27 bits and 50 random"
MILDEW = ("la10", "locc", "mp58", "c365", "p53a", "a367")
NLTCS = (
    *("eating", "getting_in_out_of_bed", "getting_around_inside", "dressing", "bathing", "using_toilet"),
    *("heavy_house_work", "light_house_work", "laundry", "cooking", "grocery_shopping", "getting_about_outside"),
    *("traveling", "managing_money", "taking_medicine", "telephoning"),
)


@dataclass(frozen=True)
class Source:
    """Where a table comes from: its file, its schema as TOML, and how many of the first rows are taken.

    `attributes` are those of the schema that are kept, all of them where it is empty. `fetch` says where a person gets
    a file that is not bundled; it is empty for one that is.
    """

    file: str
    schema: str
    rows: int | None = None
    attributes: tuple[str, ...] = ()
    fetch: str = ""
    count: str | None = None  # the column with the number of records of each row


@dataclass(frozen=True)
class MadeTable:
    """A table that the program makes."""

    make: Callable[[], Records]
    file = fetch = ""


@dataclass(frozen=True)
class TablePart:
    """So many records of another table, drawn once by a fixed public seed."""

    of: str
    records: int

    @property
    def file(self) -> str:
        """The file of the other table."""
        return SOURCES[self.of].file

    @property
    def fetch(self) -> str:
        """Where a person gets that file; empty for one that is bundled."""
        return SOURCES[self.of].fetch


class MissingTable(ValueError):
    """A table is not bundled, and not in the folder that the user named."""


def whole_numbers(ranges: Mapping[str, tuple[int, int]]) -> str:
    """A schema of attributes that hold every whole number of a range."""
    return "\n".join(f'[[attribute]]\nname = "{name}"\nrange = [{a}, {b}]' for name, (a, b) in ranges.items())


def adult_in_bits(random: int) -> Records:
    """Figure 7's Adult in 27 bits, and random bits beside them."""
    B = binary_records(load("adult"))
    return join_attributes(B, independent_bits(B.total, random, share=1 / 2, seed=99)) if random else B


SOURCES: dict[str, Source | MadeTable | TablePart] = {
    "capital loss": Source("adult.parquet", whole_numbers({"capital-loss": (0, 4356)}), TRAIN),
    "age × hours": Source("adult.parquet", whole_numbers({"age": (0, 90), "hours-per-week": (0, 99)}), TRAIN),
    "recency × frequency": Source(
        "transfusion.csv", whole_numbers({"recency": (0, 74), "frequency": (0, 50)}), fetch=UCI_BLOOD
    ),
    "monetary": Source("transfusion.csv", whole_numbers({"monetary": (0, 12500)}), fetch=UCI_BLOOD),
    "mildew": Source(
        "mildew_cells.csv",
        whole_numbers(dict.fromkeys(MILDEW, (1, 2))),
        fetch="the R package gRbase, data set mildew: one row per cell, with a column count",
        count="count",
    ),
    "czech": Source("czech.csv", "czech.toml", count="count"),
    "rochdale": Source("rochdale.csv", "rochdale.toml", count="count"),
    "nltcs": Source(
        "nltcs_cells.csv",
        whole_numbers(dict.fromkeys(NLTCS, (0, 1))),
        fetch="StatLib (lib.stat.cmu.edu), National Long-Term Care Survey: one row per cell, with a column count",
        count="count",
    ),
    "adult": Source("adult.parquet", "adult.toml", attributes=EIGHT),
    "adult, 14 attributes": Source("adult.parquet", "adult.toml", attributes=FOURTEEN),
    "adult, 15 attributes": Source("adult.parquet", "adult.toml"),
    **{
        f"{d} bits": MadeTable(partial(independent_bits, 100_000, d, share=1 / 3, seed=0))
        for d in (10, 30, 100, 300, 1000)
    },
    ADULT_BITS: MadeTable(partial(adult_in_bits, 0)),
    ADULT_BITS_AND_RANDOM: MadeTable(partial(adult_in_bits, 50)),
    **{f"nltcs, {n:,} records": TablePart("nltcs", n) for n in (100, 300, 1000, 3000, 10_000)},
    **{f"adult, 27 bits, {n:,} records": TablePart("adult, 27 bits", n) for n in (100, 1000, 10_000)},
    **{f"{d} bits in classes": MadeTable(partial(bits_in_classes, 10_000, d, seed=0)) for d in (8, 16, 32, 64)},
}


def load(name: str, folder: Path | None = None) -> Records:
    """A table by its name, from the program's own or from `folder`.

    Raises MissingTable, with where to get it, if its file is in neither; ValueError if the file does not fit.
    """
    source = SOURCES[name]
    if isinstance(source, MadeTable):
        return source.make()
    if isinstance(source, TablePart):
        return subsample(load(source.of, folder), source.records, seed=0)
    path = SAMPLES / source.file
    if source.fetch:
        path = (folder or Path()) / source.file
        if folder is None or not path.exists():
            raise MissingTable(f"{name} is not bundled: get {source.file} from {source.fetch}; name its folder")
    return _read(path, source)


@cache
def _read(path: Path, source: Source) -> Records:
    schema = (SAMPLES / source.schema).read_text(encoding="utf-8") if source.schema.endswith("toml") else source.schema
    domain = Domain.from_toml(schema)
    if source.attributes:
        domain = domain.project(source.attributes)
    B = encode(read_table(path), domain, count=source.count)
    if source.rows is not None:
        B = Records(B.domain, tuple(column[: source.rows] for column in B.codes))
    return B.distinct()

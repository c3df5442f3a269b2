"""The tables of the experiments: those that come with the program or that it makes, and those that a person fetches."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from mwem_core.base import SAMPLES
from mwem_core.domain import Domain, Records
from mwem_core.encoding import encode
from mwem_core.experiments import bits
from mwem_core.tables import read_table

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
class Made:
    """A table that the program makes."""

    make: Callable[[], Records]
    file = fetch = ""


@dataclass(frozen=True)
class Part:
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
    B = bits.in_binary(load("adult"))
    return bits.beside(B, bits.independent(B.total, random, share=1 / 2, seed=99)) if random else B


SOURCES: dict[str, Source | Made | Part] = {
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
    **{f"{d} bits": Made(partial(bits.independent, 100_000, d, share=1 / 3, seed=0)) for d in (10, 30, 100, 300, 1000)},
    ADULT_BITS: Made(partial(adult_in_bits, 0)),
    ADULT_BITS_AND_RANDOM: Made(partial(adult_in_bits, 50)),
    **{f"nltcs, {n:,} records": Part("nltcs", n) for n in (100, 300, 1000, 3000, 10_000)},
    **{f"adult, 27 bits, {n:,} records": Part("adult, 27 bits", n) for n in (100, 1000, 10_000)},
    **{f"{d} bits in classes": Made(partial(bits.in_classes, 10_000, d, seed=0)) for d in (8, 16, 32, 64)},
}


def load(name: str, folder: Path | None = None) -> Records:
    """A table by its name, from the program's own or from `folder`.

    Raises MissingTable, with where to get it, if its file is in neither; ValueError if the file does not fit.
    """
    source = SOURCES[name]
    if isinstance(source, Made):
        return source.make()
    if isinstance(source, Part):
        return bits.part(load(source.of, folder), source.records, seed=0)
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

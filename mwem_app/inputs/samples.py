"""The tables that come with the program. They are public."""

from dataclasses import dataclass

import pyarrow as pa
import streamlit as st

from mwem_core.base import SAMPLES
from mwem_core.domain import Domain, Records
from mwem_core.encoding import encode
from mwem_core.tables import read_table

ADULT_ATTRIBUTES = (
    *("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"),
    "native-country",
)


@dataclass(frozen=True)
class Sample:
    """A table that comes with the program, with the attributes and the query family chosen at first."""

    file: str
    schema: str
    attributes: tuple[str, ...] = ()  # empty: all of them
    family: str = "Marginals"
    count: str | None = None  # the column with the number of records of each row


SAMPLE = {
    "Adult": Sample("adult.parquet", "adult.toml", ADULT_ATTRIBUTES),
    "Adult, whole numbers": Sample(
        "adult.parquet", "adult_unbinned.toml", ("capital-loss", "age", "hours-per-week"), "Ranges"
    ),
    "Czech car workers": Sample("czech.csv", "czech.toml", count="count"),
    "Rochdale households": Sample("rochdale.csv", "rochdale.toml", count="count"),
    "Class survey": Sample("class_survey.csv", "class_survey.toml"),
}


@st.cache_resource(max_entries=len(SAMPLE), show_spinner=False)
def load_sample(title: str) -> Records:
    """Read a sample. Samples are public, so all sessions share them."""
    sample = SAMPLE[title]
    domain = Domain.from_toml((SAMPLES / sample.schema).read_text(encoding="utf-8"))
    return encode(read_sample(sample.file), domain, count=sample.count)


@st.cache_resource(max_entries=len(SAMPLE), show_spinner=False)
def read_sample(file: str) -> pa.Table:
    """Read a sample's file as text."""
    return read_table(SAMPLES / file)

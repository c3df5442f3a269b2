"""Step 1: the table, its public schema, and the questions. No record is shown, and none is counted."""

from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import PurePath

import pyarrow as pa
import streamlit as st

from mwem_app.base import count
from mwem_app.inputs import (
    OWN,
    SAMPLE,
    Upload,
    choose_attributes,
    choose_encoding,
    choose_file,
    choose_kind,
    choose_public_start,
    choose_workload,
    default_attributes,
    describe,
    queries_in_words,
    read_sample,
)
from mwem_app.page import SettingLine, in_sight, plain, problem
from mwem_app.release.public_schema import declare_schema, show_declared
from mwem_app.session import state
from mwem_core.ask import Question, asked_domain, examples, read_questions, workload_of
from mwem_core.base import SAMPLES
from mwem_core.domain import Domain, PublicTable
from mwem_core.encoding import Count, CountPolicy, count_of, likely_count
from mwem_core.forms import POINT
from mwem_core.output import Provenance
from mwem_core.tables import declarations
from mwem_core.workload import Workload, parse_workload

SAMPLE_IS_PUBLIC = "A sample that comes with the program. It is public, so every step can be tried on it."
ANALYSIS_HELP = (
    "The questions that you will put to the release on the page Ask, one a line. The release is made for every table "
    "that they need, those of several questions with more weight. SQL, such as `avg(age) group by sex`; "
    "`share(*) group by income, sex` is a table. Leave it empty to choose the tables yourself."
)

RELEASE_NOTE = (
    "Only the attributes that the questions name are released, whichever are chosen beside. Step 3 says which questions"
    " will be answered, and how wide."
)


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """A private table as text, with what the user has declared public about it."""

    id: str
    name: str  # proposed for the data set
    table: pa.Table
    domain: Domain  # of the chosen attributes
    provenance: Provenance
    decimal: str = POINT  # of the table's numbers
    count: Count = (
        CountPolicy.REFUSED
    )  # the column with the number of records of each row; None if each row is a record
    public: PublicTable | None = None  # a table to start from
    questions: tuple[Question, ...] = ()  # that the workload is made for


Choice = tuple[Source, tuple[str, ...], str]  # and the attributes and the family of questions chosen at first


def choose_source(line: SettingLine) -> tuple[Source | None, Workload | None]:
    """Let the user choose a table, declare its schema, and choose attributes and questions; None while one lacks."""
    with line.part("table") as part:
        title = st.selectbox("Table", [*SAMPLE, OWN], key=state.TABLE, bind=state.BIND, filter_mode=None)
        part.says(title)
        if title in SAMPLE:
            chosen = _sample(title)
        else:
            with in_sight():  # what an own table needs is asked in the open
                upload = choose_file(private=True)
                if upload and upload.content:
                    choose_encoding(upload)
                chosen = _own(upload)
                if upload and chosen is None:
                    declare_schema(upload)
        if chosen is None:
            return None, None
        source, attributes, family = chosen
        attributes = choose_attributes(source.domain, attributes)
        part.says(f"{source.name}, {count(len(attributes), 'attribute')}")
        if not attributes:
            problem("no attribute is chosen: choose at least one")
            return None, None
    ordered = tuple(a.name for a in source.domain.attributes if a.ordered)
    domain, questions = source.domain.project(attributes), tuple[Question, ...]()
    with line.part("queries") as part:
        try:
            with in_sight():
                questions = choose_analysis(source.domain)
                workload = workload_for(questions, source.domain) if questions else None
        except ValueError as error:
            problem(error)
            return None, None
        if workload is None:
            workload = choose_workload(domain, family, ordered=ordered)
            part.says(queries_in_words(workload) if workload else "queries")
        else:
            domain = workload.domain
            st.caption("They follow from your questions.")
            part.says(f"what {count(len(questions), 'question')} need{'s' if len(questions) == 1 else ''}")
    with line.part("table"):
        public = choose_public_start(domain, source.count if isinstance(source.count, str) else None)
    return replace(source, domain=domain, public=public, questions=questions), workload


def _sample(title: str) -> Choice:
    sample = SAMPLE[title]
    st.caption(SAMPLE_IS_PUBLIC)
    domain = Domain.from_toml((SAMPLES / sample.schema).read_text(encoding="utf-8"))
    name = PurePath(sample.file).stem
    source = Source(
        f"{sample.file} {sample.schema}", name, read_sample(sample.file), domain, "built in", count=sample.count
    )
    return source, sample.attributes or domain.names, sample.family


def _own(upload: Upload | None) -> Choice | None:
    declaration = show_declared(upload) if upload else None
    if upload is None or declaration is None:
        return None
    if upload.content and (undeclared := declarations(upload.table, upload.chosen)):
        problem(f"{undeclared.partition(': name')[0]}: answer what is asked below the file")
        return None
    domain = declaration.domain
    stem = PurePath(upload.name).stem
    named = {"decimal": upload.decimal, "count": choose_count(upload, domain)}
    source = Source(upload.id, stem, upload.table, domain, declaration.provenance, **named)
    return source, default_attributes(domain), "Marginals"


def choose_count(upload: Upload, domain: Domain) -> Count:
    """Let the user say what a column is that is called like a number of records and is no attribute.

    Only the names of the columns are read. Nothing is said where the answer is none, or not confirmed.
    """
    name = upload.count_column if upload.count_column in upload.table.column_names else None
    name = name or likely_count(upload.table.column_names, domain.names)
    if name is None or name in domain.names:
        return None
    default = True if upload.count_column == name else False if upload.count is None else None
    counts = choose_kind(name, default, key=f"_release_count {upload.id}")
    if not counts:
        return CountPolicy.REFUSED if counts is None else None
    confirmed = st.checkbox(plain(count_of(name)), key=f"_release_count_said {upload.id}", persist_state="session")
    return name if confirmed else CountPolicy.REFUSED


def choose_analysis(domain: Domain) -> tuple[Question, ...]:
    """Let the user write what the release will be asked. Raises ValueError for a question that cannot be read."""
    text = st.text_area(
        "What will you want to know?",
        key="_release_analysis",
        placeholder="\n".join(examples(domain, list(combinations(range(len(domain)), 2)))[:3]),
        height=110,
        persist_state="session",
        help=ANALYSIS_HELP,
    )
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return tuple(question for line in lines for question in read_questions(line, domain))


def workload_for(questions: tuple[Question, ...], domain: Domain) -> Workload:
    """The workload of these questions, over the attributes that they read; says what it is."""

    def parse() -> Workload:
        asked = asked_domain(questions, domain)
        return parse_workload(workload_of(questions, asked), asked)

    workload = state.remember("analysis", (questions, domain), parse)  # the same one, so that terms stay equal
    st.markdown(describe(workload))
    st.caption(plain(f"These questions need {workload.spec}. {RELEASE_NOTE}"))
    return workload

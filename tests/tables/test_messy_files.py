"""Files as people have them become rows of the same kind, precision and form, with nothing chosen but a sheet."""

import io
import json
import re
from collections.abc import Mapping
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from formats import archive, spss, workbook

from mwem_core import Seeded, default, nearest_rows, parse_workload, rows_csv
from mwem_core.encoding import encode
from mwem_core.forms import decimal_of
from mwem_core.schemas import first_schema
from mwem_core.tables import read_table

RNG = np.random.default_rng(12)
N = 240
AGES = np.clip(RNG.gamma(9, 5, N).round(), 18, 95).astype(int).tolist()
INCOMES = RNG.lognormal(7.6, 0.6, N)
TOWNS = [["Köln", "Saarbrücken", "Görlitz"][i] for i in RNG.integers(3, size=N)]
SEXES = RNG.choice(["F", "M"], N).tolist()
BMI = RNG.normal(26, 4, N).round(1)
DAYS = [date(2023, 1, 1) + timedelta(int(day)) for day in RNG.integers(0, 700, N)]
GERMAN_DAY, ISO_DAY = r"\d\d\.\d\d\.20\d\d", r"20\d\d-\d\d-\d\d"


class Messy(NamedTuple):
    """A file, how the cells of its columns look, why others become no attribute, and what to choose of the file."""

    name: str
    data: bytes
    forms: dict[str, str]
    left_out: Mapping[str, str] = MappingProxyType({})
    choices: Mapping[str, Any] = MappingProxyType({})


def german(number: float) -> str:
    """1.234,50."""
    return f"{number:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")


def rows(header: str, cells, separator: str = ",", line_end: str = "\n") -> str:
    """Lines of cells, one for each record."""
    return line_end.join([header, *(separator.join(map(str, row)) for row in cells)]) + line_end


def _files() -> list[Messy]:
    identifiers = [f"DE-{100000 + 37 * i}" for i in range(N)]
    comments = [f'"Said ""no"",\nthen left at {i}"' for i in range(N)]
    missing = [["", "NA", "?", str(age)][min(i % 20, 3)] for i, age in enumerate(AGES)]
    icd = [f"{'ABCDE'[i % 5]}{i % 7}{i % 10}.{i % 4}" for i in RNG.integers(0, 5000, N).tolist()]
    survey = pd.DataFrame(
        {
            "sex": [1.0 if sex == "F" else 2.0 for sex in SEXES],
            "health": RNG.choice([1.0, 2.0, 3.0, 9.0], N),
            "age": np.array(AGES, float),
            "seen": DAYS,
        }
    )
    labels = {
        "sex": {1: "female", 2: "male"},
        "health": {1: "good", 2: "fair", 3: "bad", 9: "refused"},
    }
    whole, amount = r"-?\d+", r"\d{1,3}(\.\d{3})*,\d\d"
    return [
        Messy(
            "verdienst.csv",  # Excel in German: a title, semicolons, decimal commas, Windows-1252
            rows(
                "Verdienste, Stand 2024\r\n\r\nKennung;Ort;Alter;Verdienst;Datum",
                zip(identifiers, TOWNS, AGES, map(german, INCOMES), (f"{day:%d.%m.%Y}" for day in DAYS), strict=True),
                ";",
                "\r\n",
            ).encode("cp1252"),
            {"Ort": "|".join(set(TOWNS)), "Alter": whole, "Verdienst": amount, "Datum": GERMAN_DAY},
            {"Kennung": "identifier"},
        ),
        Messy(
            "study.xlsx",  # a title above the names, a sheet of notes before, empty rows and cells
            workbook(
                Notes=[["Collected by", "A. Smith"], ["in", 2024]],
                Data=[
                    ["Health study, wave 2"],
                    [],
                    ["id", "age", "bmi", "visit", "smokes"],
                    *(
                        [1000 + i, AGES[i], None if i % 31 == 0 else float(BMI[i]), DAYS[i], i % 3 == 0]
                        for i in range(N)
                    ),
                ],
            ),
            {"age": whole, "bmi": r"\d\d?(\.\d)?|", "visit": ISO_DAY, "smokes": "[01]"},
            {"id": "identifier"},
            {"sheet": "Data"},
        ),
        Messy(
            "panel.sav",  # value labels, a declared missing value, a date
            spss(survey, variable_value_labels=labels, missing_ranges={"health": [9]}),
            {"sex": "female|male", "health": "good|fair|bad|", "age": whole, "seen": ISO_DAY},
        ),
        Messy(
            "events.jsonl",  # nulls, keys that are not everywhere, a list
            "".join(
                json.dumps(
                    {"kind": "ab"[i % 2], "seconds": round(float(INCOMES[i]) / 100, 2), "tags": [i]}
                    | ({"age": AGES[i]} if i % 9 else {"age": None})
                    | ({"mobile": i % 4 == 0} if i % 5 else {})
                )
                + "\n"
                for i in range(N)
            ).encode(),
            {"kind": "a|b", "seconds": r"\d+(\.\d\d?)?", "age": r"\d+|", "mobile": "[01]|"},
            {"tags": "identifier"},
        ),
        Messy(
            "blanks.csv",  # blanks around names and values, three missing markers, an empty line at the end
            (
                rows(
                    " age , sex ,town", ([f" {m} ", f"{s}  ", t] for m, s, t in zip(missing, SEXES, TOWNS, strict=True))
                )
                + "\n"
            ).encode(),
            {"age": r"\d+||other", "sex": "F|M", "town": "|".join(set(TOWNS))},
        ),
        Messy(
            "comments.csv",  # a byte order mark; quoted commas, quotes and line breaks
            b"\xef\xbb\xbf"
            + rows("age,comment,answer", zip(AGES, comments, ['"yes, often"', "no"] * (N // 2), strict=True)).encode(),
            {"age": whole, "answer": "yes, often|no"},
            {"comment": "different texts"},
        ),
        Messy(
            "households.csv",  # several persons of a household; two identifiers
            rows(
                "person,household,age,role",
                (
                    [
                        10_000_000_000_000_000 + i,
                        f"H{i // 3:05d}x{7919 * (i // 3) % 10007}",
                        AGES[i],
                        ["head", "partner", "child"][i % 3],
                    ]
                    for i in range(N)
                ),
            ).encode(),
            {"age": whole, "role": "head|partner|child"},
            {"person": "identifier", "household": "such as households: an identifier"},
        ),
        Messy(
            "codes.zip",  # a bar between cells; codes with zeros in front; codes with a hierarchy
            archive(
                **{
                    "export/codes.txt": rows(
                        "ward|icd|days", ([f"{i % 12:03d}", icd[i], i % 30] for i in range(N)), "|"
                    ).encode()
                }
            ),
            {"ward": r"0\d\d", "icd": r"[A-E]\d\d\.\d", "days": whole},
        ),
    ]


MESSY = _files()


@pytest.mark.parametrize("messy", MESSY, ids=lambda messy: messy.name)
def test_a_messy_file_becomes_rows_of_its_own_kind_precision_and_form(messy):
    table = read_table(messy.data, name=messy.name, **messy.choices)
    first = first_schema(table)
    assert {*first.domain.names} == messy.forms.keys()
    assert {name for name, part in messy.left_out.items() if part in first.left_out[name]} == {*first.left_out}
    B = encode(table, first.domain)
    workload = parse_workload("marginals:2", first.domain)
    *_, last = default(workload, n=B.total, epsilon=1.0).rounds(B, workload, noise=Seeded(0))
    rng = np.random.default_rng(0)
    rows = nearest_rows(workload, last.model, B.total, rng)
    written = rows_csv(rows, rng, decimal=decimal_of(table))
    again = encode(read_table(written, decimal=decimal_of(table)), first.domain)
    assert all((codes == own).all() for codes, own in zip(again.codes, rows.codes, strict=True)), "nothing is lost"
    frame = pd.read_csv(
        io.BytesIO(written), sep=";" if decimal_of(table) == "," else ",", dtype=str, keep_default_na=False
    )
    for name, form in messy.forms.items():
        outside = [cell for cell in frame[name].unique() if not re.fullmatch(form, cell)]
        assert not outside, f"{name}: {outside[:5]}"

"""Fifteen files as people have them: what each program writes, with the mess that comes along.

`forms` says how the cells of each column look, in the file and so in synthetic rows; `left_out` has a part of the
reason for each column that becomes no attribute.
"""

import base64
import gzip
import json
import zlib
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from formats import archive, ods, spss, stata, workbook

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
    """A file, what to choose of it, and what is expected of its rows."""

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
            "population.tsv.gz",  # thousands separators
            gzip.compress(
                rows(
                    "town\tpopulation\tsex",
                    ([t, f"{1000 * x:,.0f}", s] for t, x, s in zip(TOWNS, INCOMES, SEXES, strict=True)),
                    "\t",
                ).encode()
            ),
            {"town": "|".join(set(TOWNS)), "population": r"\d{1,3}(,\d{3})*", "sex": "F|M"},
        ),
        Messy(
            "panel.sav",  # value labels, a declared missing value, a date
            spss(survey, variable_value_labels=labels, missing_ranges={"health": [9]}),
            {"sex": "female|male", "health": "good|fair|bad|", "age": whole, "seen": ISO_DAY},
        ),
        Messy(
            "panel.dta",
            stata(survey.drop(columns="seen"), variable_value_labels=labels),
            {"sex": "female|male", "health": "good|fair|bad|refused", "age": whole},
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
            {"tags": "list"},
        ),
        Messy(
            "dates.csv",  # dates in three forms
            rows(
                "iso,us,stamp,sex",
                (
                    [
                        day,
                        f"{day:%m/%d/%Y}",
                        f"{datetime(day.year, day.month, day.day, i % 24, i % 60):%Y-%m-%d %H:%M:%S}",
                        sex,
                    ]
                    for i, (day, sex) in enumerate(zip(DAYS, SEXES, strict=True))
                ),
            ).encode(),
            {"iso": ISO_DAY, "us": r"\d\d/\d\d/20\d\d", "stamp": ISO_DAY + r" \d\d:\d\d:\d\d", "sex": "F|M"},
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
            {"comment": "free text"},
        ),
        Messy(
            "unicode.txt",  # Excel's "Unicode text": UTF-16 and tabs
            rows("város\tkor\tnem", zip(["Győr", "Pécs"] * (N // 2), AGES, SEXES, strict=True), "\t", "\r\n").encode(
                "utf-16"
            ),
            {"város": "Győr|Pécs", "kor": whole, "nem": "F|M"},
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
            "measures.csv",  # one and two decimals, negative numbers, a top code
            rows(
                "bmi,change,price",
                (
                    [bmi, f"{(x - 2000) / 1000:.2f}", f"{min(x, 3000) / 100:.2f}"]
                    for bmi, x in zip(BMI, INCOMES, strict=True)
                ),
            ).encode(),
            {"bmi": r"\d\d?(\.\d)?", "change": r"-?\d+(\.\d\d?)?", "price": r"\d+(\.\d\d?)?"},
        ),
        Messy(
            "people.xls", zlib.decompress(base64.b85decode(XLS)), {"age": r"\d+", "sex": "F|M", "bmi": r"\d\d(\.\d)?"}
        ),
        Messy(
            "library.ods",
            ods(["Loans of 2024"], ["books", "member", "fee"], *([i % 12, "yn"[i % 2], i % 40 / 4] for i in range(N))),
            {"books": r"\d+", "member": "y|n", "fee": r"\d\d?(\.\d\d?)?"},
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


XLS = (  # written by xlwt 1.3
    "c-rmSX=of}7zglo_R8*NvsX6vwb>+_WV5;Nqunalevp=0p-L4ssjKubEvblBsI|3zP!zEs*osgsf(rG5dQ`*%R8*|ApiohIfFCRfo`|+t-}%4KN}"
    "l?BXh4gFdBe_5X7-o=<eB%`Wit8VXzb*HS87kG3&v9AR`Z2`@-5hA=|`;iO;qXqg@V0WeAb&(!5Np;2>A6`^Lf>gvd>EFb7-IMQ_7`Y_PnQ;N}bk"
    "^8`V~|YRhasc?rjrIEHD<K87WFX{o35mawY9QN^)bk7YTQFX5GMW4R1l9>H>ne(gzXojRIZl^LU1e7!4$ePLz)+}B}FU`xNMP#@c~_`b(1^IEUEV"
    "s69q=Ktr8Mo&l`RQkNF$j|2IrZ=Bd34H<&s$UC9rG6=P>bps2`=#A(DZTx7zP&`)zSreZYNsmPf(gDyPsoqlrU_T)w`|><Kc`YEr@!~=hu$%LdtN"
    "WM<?q(ZnL9S<xv)|{mIw7-)5cNO#$}k^A-%j+MX(;jB#$b;I`{mK$5zg)&fSbHJN1_08+@C6Osb&nw}r-G>{)`PeQ+6wE-ZK9r`BP;7R!V_R{fk_"
    "T|q0$cjGk=U~gLI3}PJ5wJ%uj(Cd57Uh_udo-?^ly?$uLsqKkFU*!(y-#?&_-on>zm9?_gz9;SRX0G^b(VM|HSl0aGjlu7V(y<rlQ!Jv+s~}d*hn"
    "e}#u8#HhcP^@xt*s064p)#q3TNr{7PMU*v(MI7HyiB|v<vzn(&o%~NV}k~Z86#{XgBn8q}?pr4ShqK(H=p2px-C$Vc8z&_3cJ`1?`3Ymb8~;d!aX"
    "V8toIb5Bd+%K9=o+-qvMwiJ(iMD=ni-Sau2Yz1>Fp1?`94NZEdt?Kf3R8XXXH0Qy1F0hS$rUPrSfDCi*cGo*toJ7}ubYILcfOQGK(UCOdcP1Vvyh"
    "XfshK0!LfvO}h79Y&W4x(xa^(q$~W40?CQ=&+!}&~Z9rVU`_+emHA%M9>lF+bBE2vLmKyO-4rr9fjUSI?A%6rfSroF+s<mpC%n+*)dZ!>d?5L<Ir"
    "!Bj<f7I^bF0GazU3ve@VKWWtW?(QHLf3oq+y{bb@6kp!ZUTRtUNRI!tG*f@N1g@23u}6m%u@3}sic>`LfosY9y-T?M^^bQR04GINbOv|7;B(ECVN"
    "v+Qb9wUp5{g06u+OuB|;*O;nNht>+Z7Wx?JT9#dFszx1JC+IrpA4u1+>^kU;G+XKgT@M|kGgi;C>!Dwy4s8&01N2Rl-N3RNpkJd7Z4`7P^mfvXEW"
    "6QEjXJbR&`r=!kZxkxO{Qwpp-Dj}p<gAPWZ6kG*Qi6A1>Fq&Iq7DW-E68xpP?y1r=Y(lonqN3Q#I<)7D2Z_`{<0du<RD-Bh;a-f^LOgN7=0`yA^t"
    "lW=or(+o10v-Nv%ppg*M!O$#~={W$3~%TAlBQHQn*x*hru>2{XgZmLEd+9Bu;=ub#@u<Q;~HR{k#L3cubN4k?`cS3(a9hwnz2HHhuEW@%hrfT#V+"
    "9l{N=(UvH#j?Agk5h+c1)YVSBb{a0S?I5+L%Rjt4gDzTZkF9`szx2!Bj_IJ7fAQ8>>g7!>d;<6_d<V2x|e15nyOKU_6fQV`ZVc2mfdHnMjhHO=zi"
    "#V()}#E-&Bn{bU@Gp&}&E!u<QZoGt{Ajf*xeo27@en5c({Ah7JjOh+P{DvFst}pQ%HK1wG8J4Tf3vF!Wk_cNh`$2)i~IVc8?5YSf{lf*xhp2BR!{"
    ")KrZ+bWG4=?Al<AWsjMvQHPETdYoMwjI-=<Q#I<)2|-V=Yl8`vJpuhEb?Bs^C)u^ZB+H(JcGDS~67&?iHke}BQ>JRVLzlYZ>acy;sFp4GgKSVa!x"
    "_$ShBKVu3}-mQ8P0IVMGp%%yUeXU58Z0CZ`0T}TkKmV0lLhvZ$gA{Q&Hj1`VsoSkMsI5@BACZWjofWE&A(Dl~h-$S^Yex?pf6QsZ?I8__M5wG{yf"
    "Hvd48geNJssGdPY-i=Mx6<+2w3J{Jv>|6U6%Hh+FG$N3-U{{_`b-ed"
)
MESSY = _files()

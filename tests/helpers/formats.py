"""Small tables in the formats of other programs."""

import base64
import gzip
import io
import tempfile
import zipfile
import zlib
from pathlib import Path

import openpyxl
import pandas as pd
import pyreadstat


def workbook(**sheets) -> bytes:
    """An Excel workbook of sheets, each a list of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def archive(**files) -> bytes:
    """A zip archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return packed.getvalue()


def spss(frame: pd.DataFrame, **about) -> bytes:
    """A file of SPSS."""
    return _written(pyreadstat.write_sav, frame, ".sav", about)


def stata(frame: pd.DataFrame, **about) -> bytes:
    """A file of Stata."""
    return _written(pyreadstat.write_dta, frame, ".dta", about)


def sas(frame: pd.DataFrame) -> bytes:
    """A transport file of SAS."""
    return _written(pyreadstat.write_xport, frame, ".xpt", {"table_name": "PEOPLE"})


def _written(write, frame: pd.DataFrame, ending: str, about: dict) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{ending}"
        write(frame, path, **about)
        return path.read_bytes()


def ods(*rows, more: str = "") -> bytes:
    """A workbook of OpenDocument with one sheet of these rows; `more` is XML after them."""
    written = "".join("<table:table-row>" + "".join(map(_cell, row)) + "</table:table-row>" for row in rows)
    names = "".join(f' xmlns:{short}="{OASIS}{short}:1.0"' for short in ("office", "table", "text"))
    content = (
        f'<?xml version="1.0"?><office:document-content{names} office:version="1.2"><office:body><office:spreadsheet>'
        f'<table:table table:name="People">{written}{more}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        f'<?xml version="1.0"?><m:manifest xmlns:m="{OASIS}manifest:1.0"><m:file-entry m:full-path="/" '
        f'm:media-type="{ODS}"/></m:manifest>'
    )
    return archive(**{"mimetype": ODS, "META-INF/manifest.xml": manifest, "content.xml": content})


def _cell(value: float | str | None) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, str):
        return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
    return f'<table:table-cell office:value-type="float" office:value="{value}"/>'


OASIS, ODS = "urn:oasis:names:tc:opendocument:xmlns:", "application/vnd.oasis.opendocument.spreadsheet"
XLS = (  # written by xlwt 1.3
    "c-rk)J!lj`6#i!SF84!n*^3t;QNj^0nwUmx(j=>bNtJM>QAE&-SwhHh7fuVcFn?Yt2v&*+fiyNz8xzsObQVHH3qcU>w6qcwERtK_yq%4g<cb``"
    "pfcYw-@JYEX6EhAo3}r2SL4O`r>!MyK_5(%-3aO`bb?C6Ke0gVt}8{q4pVV8{wYMlw2*Z{yl8k6l4~f}y95JI0xQJ8XDSykiJ@H9N$w#|u@7k>"
    "edr|?ctDyMTG*>5=F80cm>;v{OXd@-xy{^5wncFstM*V=kBZ`RMmx8~Aje(eJ|9_g49$2gqj>6$@N9!PnIBJQ{?3NBKs^>f>o(wIoqRe|M1mG@"
    "0YBU%@ZI03uaa87w|W86|J<w(Rngxy0>CufOB~<@3dj}H+k`16H<@wPaFCW7AS+78NRK(hSDb4U1^rY8qcS1$2DUbB;06xtdg4(uvK;5|wkSof"
    "J^J=;a3p14WX&`uZ7;PSlHS0@jO;<3W84y8mbP8YN111N)B`NHGAGDWsykB6O6Z?sn_Jx4LGv7EytfZm$VW&nd_A+=R`_CflDs%jx{+A?V9%qS"
    "9yO!XUmkPl7Tx0hJ&EVGUkjB6J~6j!O9^4aQog(D`PGPZL|Ke8duQ_Q2xTv}*xxjwtczn<*^7<4Dea9a_6FNORQBH8H<i6v#UFEH#6F`5&!j*p"
    ">^Gv&(9qD((9qD((AXsi^>S~jSN)*+gb1nsI_p%*`Zvjci(%yGxJn<Ur;(*PkLxwX&wd1jKbF{GAOC-$#95j>j|q&h9}_jlFMR@v%In#2M{D=C"
    "P_6TqYw`0B&;JWgpv3_"
)
PEOPLE = [["age", "sex"], [20, "F"], [39.0, "M"], [None, "F"]]
PEOPLE_FRAME = pd.DataFrame({"age": [20.0, 39.0, None], "sex": [1.0, 2.0, 1.0]})
SEX_LABELS = {"variable_value_labels": {"sex": {1: "F", 2: "M"}}}
PEOPLE_CSV = b"age,sex\n20,F\n39,M\n,F\n"
PEOPLE_JSON = b'{"age": 20, "sex": "F"}\n{"age": 39, "sex": "M"}\n{"sex": "F"}\n'
FILES = {
    "people.csv": PEOPLE_CSV,
    "people.csv.gz": gzip.compress(PEOPLE_CSV, mtime=0),
    "people.zip": archive(**{"data/people.csv": PEOPLE_CSV, "__MACOSX/._people.csv": b"\0"}),
    "people.jsonl": PEOPLE_JSON,
    "people.json": b"[" + PEOPLE_JSON.strip().replace(b"\n", b",\n") + b"]",
    "people.xlsx": workbook(People=PEOPLE),
    "people.xls": zlib.decompress(base64.b85decode(XLS)),
    "people.ods": ods(*PEOPLE),
    "people.sav": spss(PEOPLE_FRAME, **SEX_LABELS),
    "people.dta": stata(PEOPLE_FRAME, **SEX_LABELS),
    "people.xpt": sas(PEOPLE_FRAME.assign(sex=["F", "M", "F"])),
    "columns.json": b'{"age": {"0": 20, "1": 39, "2": null}, "sex": {"0": "F", "1": "M", "2": "F"}}',
}

"""Tables have the sizes of the paper; one that is not bundled is named, with where to get it."""

import math

import pytest

from mwem_core.experiments.experiment_tables import SOURCES, MissingTable, load

SIZES = {  # records and cells
    "capital loss": (32_561, 4_357),
    "age × hours": (32_561, 91 * 100),
    "recency × frequency": (748, 75 * 51),
    "monetary": (748, 12_501),
    "mildew": (70, 64),
    "czech": (1_841, 64),
    "rochdale": (665, 256),
    "nltcs": (21_574, 65_536),
    "adult": (48_842, 38_102_400),
    "adult, 14 attributes": (48_842, 7_407_106_560_000),
    "adult, 15 attributes": (48_842, 118_513_704_960_000),
    "100 bits": (100_000, 2**100),
    "adult, 27 bits": (45_222, 2**27),
    "adult, 27 bits and 50 random": (45_222, 2**77),
    "nltcs, 300 records": (300, 65_536),
    "adult, 27 bits, 1,000 records": (1000, 2**27),
    "64 bits in classes": (10_000, 2**64),
}


@pytest.mark.parametrize("name", SIZES)
def test_tables_have_the_sizes_of_the_paper(name, request):
    B = load(name, request.getfixturevalue("reference") if SOURCES[name].fetch else None)
    assert (B.total, math.prod(B.domain.shape)) == SIZES[name]


@pytest.mark.parametrize("folder", [None, "empty"])
def test_a_missing_table_says_where_to_get_it(folder, tmp_path):
    with pytest.raises(MissingTable, match=r"mildew is not bundled: get mildew_cells\.csv from the R package gRbase"):
        load("mildew", folder and tmp_path)

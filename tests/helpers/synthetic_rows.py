"""Original and synthetic records of three awkward attributes: markup in labels, a long name, thousands of values."""

import numpy as np

from mwem_core import Domain, Records

DOMAIN = Domain.from_toml("""
[[attribute]]
name = "<b>income</b>"
values = ["<=50K", ">50K & more", "a & b"]

[[attribute]]
name = "a name so long that no axis on any telephone would have room for the half of it"
range = [0, 99]

[[attribute]]
name = "amount"
range = [0, 4356]
""")
RNG = np.random.default_rng(0)
ORIGINAL = Records(DOMAIN, tuple(RNG.integers(size, size=500).astype(np.uint16) for size in DOMAIN.shape))
SYNTHETIC = Records(DOMAIN, tuple(RNG.integers(size, size=400).astype(np.uint16) for size in DOMAIN.shape))

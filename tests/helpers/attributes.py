"""One attribute of each value set, for the tests of `mwem_core.domain`."""

from mwem_core.domain import Attribute
from mwem_core.forms import NumberStyle
from mwem_core.values import BITS, Codes, Edges, Range, Values

AGE = Attribute("age", Edges((17, 25, 35, 90)), missing="?", other=True)
HOURS = Attribute("hours", Range(1, 25, width=10))
COLOUR = Attribute("colour", Values(("red", "green", "blue")), missing="")
SMOKER = Attribute("smoker", BITS)
FRACTION = Attribute("fraction", Edges((0.0, 0.1, 0.30000000000000004)))
SIGNED = Attribute("signed", Range(-5, 5), missing="x")
PRICE = Attribute("price", Edges((-2.5, 0.0, 0.01, 29.4, 60.0), NumberStyle(2)), missing="")
GROUPS = Attribute("groups", Codes(("A00", "A01.1", "B20"), 1), missing="?", other=True)
EVERY_VALUE_SET = (AGE, HOURS, COLOUR, SMOKER, FRACTION, SIGNED, PRICE, GROUPS)

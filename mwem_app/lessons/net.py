"""The extra lesson A whole table at once: the net mechanism chooses among all small tables."""

from collections.abc import Iterator

import streamlit as st

from mwem_app.inputs.samples import load_sample
from mwem_app.learn.blocks import Block, Caption, Drawing, Exercise, Formula, Heading, Lamp, Once, PredictChoice, Text
from mwem_app.lessons.eight import COLUMNS, ROWS
from mwem_core.lessons import net
from mwem_core.privacy.noise import Seeded
from mwem_core.relatives.net import net_size

EPSILONS = 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0
START, CHECKED = 0.1, 1.0  # ε of the drawing at first, and of the lamp
NEAR = 2  # bins of errors that are called near
WRONG = 150, 1500, 3000  # options of the prediction
TWICE = 2 * net.NET_RECORDS


@st.cache_data(max_entries=100, show_spinner=False)
def table(seed: int) -> net.NetTable:
    """The net mechanism at this seed."""
    return net.net_table(load_sample("Class survey"), EPSILONS, Seeded(seed))


@st.cache_data(show_spinner=False)
def law() -> net.Check:
    """The lamp, which does not depend on a seed."""
    return net.check(load_sample("Class survey"), epsilon=CHECKED)


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the draws of a seed."""
    survey, drawn = load_sample("Class survey"), table(seed)
    every, near = int(drawn.counts.sum()), int(drawn.counts[:NEAR].sum())
    yield Text(
        "The exponential mechanism chooses among anything that has a score. So let a candidate be a whole table. The "
        f"**net mechanism** lists all {every:,} tables of {net.NET_RECORDS} records in eight cells, and scales each to "
        f"the {survey.total} students of a class. The score of a table is its largest error on six questions about the "
        "class, and the smallest error is best."
    )
    yield PredictChoice(
        f"How many of the {every:,} tables are off by less than {NEAR * net.BIN} students on every question?",
        [f"about {each:,}" for each in (near, *WRONG)],
    )
    answer = Text(
        f"**Only {near}.** Grey bars are all tables by their largest error, blue ones the chance to be chosen. Each "
        "good table is likelier than a bad one, but the bad ones are many: at a small ε they win together. **Drag "
        "ε.**"
    )
    drawing = Drawing(
        "net",
        {
            "rows": ROWS,
            "columns": COLUMNS,
            "epsilons": EPSILONS,
            "start": EPSILONS.index(START),
            "width": net.BIN,
            "lowest": drawn.lowest,
            "counts": drawn.counts,
            "probabilities": drawn.probabilities.round(5),
            "chosen": drawn.chosen,
            "error": drawn.error,
            "truth": drawn.truth,
        },
        key="net",
    )
    yield Once([answer, drawing], before=[Caption("The tables and their chances open with your prediction.")])

    yield Heading("Why MWEM needs no list")
    yield Formula(
        "tables = ({m} + {D} − 1)! / ({m}! ({D} − 1)!)",
        {
            "m": f"the records of a table, {net.NET_RECORDS} here. More records come nearer to the class.",
            "D": "the number of cells, 8 here. The class survey has 27, and tables of a census have millions.",
        },
        key="tables",
    )
    yield Text(
        "For a real table this list is too long to write. MWEM finds a good table without listing any: it chooses "
        "among questions, which are few, and lets each answer push its table."
    )

    size, bigger = net_size(net.QUESTIONS, net.NET_RECORDS), net_size(net.QUESTIONS, TWICE)
    yield Exercise(
        f"The net has {size:,} tables of {net.NET_RECORDS} records. How many tables of {TWICE} records are there in "
        "the same eight cells?",
        {
            f"{2 * size:,}": "Twice as many records have more than twice as many tables: every record may be in any "
            "cell.",
            f"{bigger:,}": f"The formula with m = {TWICE}: {TWICE + 7}! / ({TWICE}! 7!). It is {bigger / size:.0f} "
            "times as many, for half the step between two answers.",
            f"{size**2:,}": "That pairs every table with every table. But the order of records does not count, so many "
            "pairs make the same table.",
            f"{8**TWICE:,}": f"That is 8^{TWICE}: it counts every order of the same {TWICE} records as a new table.",
        },
        right=f"{bigger:,}",
    )
    verified = law()
    yield Lamp(
        verified,
        f"The chances of all {every:,} tables were compared at ε = {CHECKED:g} with one student more in each cell in "
        f"turn. No chance changed by a factor of more than {verified.measured:.2f}; e^ε allows {verified.limit:.2f}.",
    )

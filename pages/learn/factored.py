"""The lesson Why a factored model: what a model of a wide table must hold, and why it may hold so little."""

from itertools import combinations

import streamlit as st

from mwem_app.inputs.samples import SAMPLE, load_sample
from mwem_app.learn.checked import checked
from mwem_app.learn.drawing import drawing
from mwem_app.learn.exercise import exercise
from mwem_app.learn.frame import begin, end
from mwem_app.learn.predict import predict_choice
from mwem_app.learn.structure import picture
from mwem_app.learn.symbols import formula
from mwem_app.session import state
from mwem_core.lessons import factored
from mwem_core.lessons.factored import PUZZLE_CELLS, PUZZLE_PAIRS, Goals, Structure
from mwem_core.privacy.noise import Seeded

CHOSEN = "factored_chosen"

state.enter_by_app()
lesson, seed = begin("factored")
adult = load_sample("Adult").project(SAMPLE["Adult"].attributes)
sizes, names = adult.domain.shape, adult.domain.names
attributes = [{"name": name, "size": size} for name, size in zip(names, sizes, strict=True)]


@st.cache_data(max_entries=8, show_spinner=False)
def growth(seed: int) -> tuple[int, list[dict]]:
    """The steps of a run, and the first at which every attribute is connected to every other."""
    steps = factored.grown(adult, Seeded(seed))
    connected = [i for i, step in enumerate(steps) if len(step.structure.components) == 1]
    shown = [{"pair": step.pair, "error": step.error, "structure": picture(step.structure)} for step in steps]
    return connected[0] if connected else len(steps) - 1, shown


st.markdown(
    f"Adult's eight attributes have **{adult.domain.size:,} cells**: too many to hold and to update. MWEM measures one "
    "pair of attributes a round. Its model keeps small tables only, the **cliques** of a tree, and each measured pair "
    "lies in one of them. **Drag** through a run on Adult: a line is a measured pair, the shaded area is the largest "
    "clique."
)
start, steps = growth(seed)
drawing("factored", {"scene": "growth", "attributes": attributes, "steps": steps, "start": start}, key="growth")

st.header("A loop costs more than its pairs", anchor=False)
ring = factored.ring(adult)
diagonal = " × ".join(names[a] for a in ring.added[0])
right, pair, one_table = ring.largest, max(sizes[a] * sizes[b] for a, b in ring.pairs), ring.dense_cells
other = factored.cut_the_other_way(ring).largest
drawn, asked = st.columns(2)
with asked:
    predicted = predict_choice(
        "MWEM measured only these four pairs, which close a loop; the numbers are their cells. "
        "How many cells does the largest clique of the tree hold?",
        [f"{cells:,}" for cells in sorted([pair, right, other, one_table])],
        lesson="factored",
    )
    if predicted is not None:
        st.markdown(
            f"It holds **{right:,}**. The tables of a loop can contradict one another. So the tree cuts the loop into "
            f"triangles by a diagonal (dashed), and each triangle is one table. The diagonal is {diagonal}; the other "
            f"would make a table of {other:,}. One table of all four has {one_table:,} cells. Without a loop, no table "
            f"would be larger than the largest pair: {pair:,}."
        )
with drawn:
    whole = picture(ring)
    structure = whole if predicted is not None else {"pairs": whole["pairs"], "added": [], "cliques": []}
    shown = {"attributes": [attributes[a] for a in ring.attrs], "structure": structure}
    drawing("factored", {"scene": "ring", **shown}, key="ring")
formula(
    "{A}({x}) = {∏}{Aₖ}({x}) / {∏}{Aₛ}({x})",
    {
        "A": "the model: how many of the n records it puts in a cell of the whole domain.",
        "x": "a cell: one value for each attribute.",
        "∏": "the product, above over the cliques k of the tree, below over its separators s.",
        "Aₖ": "the table of clique k: the model's counts for the attributes of k alone.",
        "Aₛ": "the table of separator s: the attributes that two neighbouring cliques share. Both agree on it.",
    },
    key="factors",
)
st.markdown(
    "This is exact, because each update multiplies A by a factor of one measured pair. The loops among the measured "
    "pairs decide how large the tables must be, not the number of attributes."
)

st.header("Puzzle: six pairs on a budget", anchor=False)
st.markdown(
    f"Choose {PUZZLE_PAIRS} pairs that reach every attribute, close a loop, and hold at most {PUZZLE_CELLS} cells. "
    "Tap two attributes to measure their pair, and again to take it back."
)


@st.fragment
def puzzle() -> None:
    """The pairs chosen so far, with the tree that the core builds for them."""
    chosen = Structure.of(st.session_state.get(CHOSEN, ()), sizes)
    goals = Goals.of(chosen)
    listed = [
        {"text": f"{PUZZLE_PAIRS} pairs", "reached": goals.six_pairs},
        {"text": "every attribute in a pair", "reached": goals.every_attribute},
        {"text": "a loop", "reached": goals.loop},
        {"text": f"at most {PUZZLE_CELLS} cells", "reached": goals.within_budget},
    ]
    told = {"structure": picture(chosen), "goals": listed, "asked": PUZZLE_PAIRS, "solved": goals.reached}
    sent = drawing("factored", {"scene": "puzzle", "attributes": attributes, **told}, key="puzzle")
    if sent:
        st.session_state[CHOSEN] = sorted(set(combinations(range(len(sizes)), 2)) & set(map(tuple, sent["pairs"])))
        st.rerun(scope="fragment")


if predicted is not None:
    puzzle()
else:
    st.caption("The puzzle counts the cells of every loop, so it opens once your prediction is locked in.")

star = factored.star(adult)
sex = names.index("sex")
others = " + ".join(f"{size}" for name, size in zip(names, sizes, strict=True) if name != "sex")
exercise(
    f"Sex ({sizes[sex]} values) is measured with each of the other seven attributes: seven pairs, which "
    "connect all eight. How many cells does the model hold?",
    {
        f"{star.cells:,}": f"A star has no loop, so each pair is a clique: {sizes[sex]} × ({others}).",
        f"{star.largest:,}": "That is the largest clique, sex × native-country. The model holds all seven.",
        f"{star.component_cells:,}": "That is one table over everything that is connected. The tree needs no such "
        "table: a star has no loop, so each pair is a clique.",
    },
    right=f"{star.cells:,}",
    key="factored",
)

law = factored.check(adult, Seeded(seed))
checked(
    law,
    "A model of five attributes was fitted to five noisy pairs. All ten pairs were computed twice: from the cliques, "
    f"and from one table of all cells. They differ by at most {law.measured:.0e} of n; rounding allows "
    f"{law.limit:.0e}.",
)
end(lesson)

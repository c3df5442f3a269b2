// Multiplicative weights by hand: pick a question, say how far Ψ will fall, update. The core computes each update; the
// drawing sends the picks, and shows the states that come back.
const SURE = 0.002, MOST = 0.06; // steps and end of the slider of guesses, in nats

function make(root, send) {
  let data = null, pick = null, guesses = [];
  const fall = slider({ label: "Ψ will fall by",
    texts: Array.from({ length: MOST / SURE + 1 }, (_, i) => (i * SURE).toFixed(3)),
    on: () => {} });
  const go = button("Update", update, { primary: true }),
    back = button("Undo", () => picked(data.steps.slice(0, -1).map(({ query }) => query)));
  const said = note(), parts = {};

  function build() {
    parts.questions = questions(data, j => {
      pick = j;
      show();
    });
    parts.curve = plot({ label: "Ψ after each update", x: "updates", y: "How far A is from B",
      height: 170 });
    root.append(
      h("div", { class: "stack" },
        h("div", { class: "beside" }, parts.questions.element,
          h("div", { class: "stack" }, fall.element, h("div", { class: "row" }, go, back),
            parts.curve.element, said.element))),
    );
  }

  function update() {
    guesses = [...guesses.slice(0, data.steps.length), Number(fall.index * SURE)];
    picked([...data.steps.map(({ query }) => query), pick]);
  }
  function picked(picks) {
    go.disabled = back.disabled = true;
    send({ picks });
  }

  function show() {
    const states = [data.start, ...data.steps], now = states.at(-1),
      full = data.steps.length >= data.limit;
    go.disabled = pick === null || full;
    back.disabled = !data.steps.length;
    parts.questions.show(now.answers);
    const floor = states.reduce((line, { promise }) => [...line, line.at(-1) - promise], [
      data.start.potential,
    ]).slice(1);
    parts.curve.show([{ name: "Ψ", points: states.map(({ potential }, i) => [i, potential]),
      colour: "var(--st-blue-color)" }, { name: "promised: at most this",
      points: floor.map((value, i) => [i, value]), colour: "var(--soft)", dash: true }], {
      xs: [0, data.limit],
      ys: [0, 1.05 * data.start.potential],
      text: `Ψ after each update: ${
        states.map(({ potential }) => potential.toFixed(3)).join(", ")
      }`,
    });
    if (!data.steps.length) return said.show("Pick a question.");
    const { query, error, promise, potential } = now, fell = states.at(-2).potential - potential,
      guess = guesses[data.steps.length - 1];
    const yours = !guess ? "" : `You said ${guess.toFixed(3)}. `;
    said.show(
      `“${data.names[query]}”: Ψ fell by ${fell.toFixed(4)}. ${yours}Promised: at least (${
        Math.abs(error).toFixed(0)
      }/${2 * data.n})² = ${promise.toFixed(4)}. ${
        fell >= promise ? "The bound holds." : "The bound is broken!"
      }${full ? " Undo, to try another question." : ""}`,
    );
  }

  return { update(next) {
    data = next;
    if (!root.children.length) build();
    show();
  } };
}

// The questions as a radio group, each with its answers on the class and on the table, and the error as a bar.
function questions({ names, exact, n }, on) {
  const name = newId(), mark = [];
  const lines = names.map((text, j) => {
    const fill = h("i", {}), words = h("span", { class: "figures" });
    mark.push({ fill, words });
    return h("label", { class: "question" },
      h("input", { type: "radio", name, onchange: () => on(j) }),
      h("span", { class: "what" }, text), words, h("span", { class: "error" }, fill));
  });
  const element = h("fieldset", { class: "questions" },
    h("legend", {}, "Which question shall push A?"), lines);
  function show(answers) {
    answers.forEach((answer, j) => {
      const off = Math.abs(answer - exact[j]);
      mark[j].fill.style.width = `${(100 * off) / (0.3 * n)}%`;
      mark[j].words.textContent = `A ${Math.round(answer)} · B ${exact[j]} · off by ${
        Math.round(off)
      }`;
    });
  }
  return { element, show };
}

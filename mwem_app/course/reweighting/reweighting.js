// The first push: the cells that a question counts are multiplied by one factor, then all are scaled back to n. The
// tables of all positions come from the core.
function reweighting(root,
  { rows, columns, truth, mask, name, multiples, start, factors, tables, answers, potentials,
    exact })
{
  const grid = cells({ rows, columns, names: ["B, the class", "A, our table"],
    colours: ["var(--st-orange-color)", "var(--st-blue-color)"] });
  const curve = plot({ label: "Ψ for every push", x: "push, in steps of the paper",
    y: "Ψ, how far A is from B", height: 210 });
  const most = Math.max(...truth, ...tables.flat()), said = h("p", {});
  const points = multiples.map((multiple, i) => [multiple, potentials[i]]),
    ys = [0.9 * Math.min(...potentials), 1.02 * Math.max(...potentials)];
  const knob = slider({ label: "Push", texts: multiples.map(multiple => `${multiple} ×`), start,
    on: show });
  function show(i) {
    grid.show([truth, tables[i]], { most, lit: mask });
    curve.show([{ points, colour: "var(--st-blue-color)" }, { points: [points[i]],
      colour: "var(--st-primary-color)", spots: true }], { xs: [0, multiples.at(-1)], ys,
      text: `At a push of ${multiples[i]} steps Ψ is ${potentials[i].toFixed(3)}` });
    said.replaceChildren(`The framed cells, “${name}”, are multiplied by `,
      h("b", {}, factors[i].toFixed(2)), `. They now hold `, h("b", {}, answers[i].toFixed(0)),
      ` students; in the class they hold ${exact}. Ψ = `, h("b", {}, potentials[i].toFixed(3)),
      ".");
  }
  show(start);
  root.append(
    h("div", { class: "stack" }, knob.element,
      h("div", { class: "beside" }, grid.element, curve.element), said),
  );
}

// Multiplicative weights by hand: pick a question, say how far Ψ will fall, update.
const SURE = 0.002, MOST = 0.06; // steps and end of the slider of guesses, in nats

function reweighting_hand(root, data) {
  let pick = null, guesses = [], states = [uniformState(data)];
  const fall = slider({ label: "Ψ will fall by",
    texts: Array.from({ length: MOST / SURE + 1 }, (_, i) => (i * SURE).toFixed(3)),
    on: () => {} });
  const go = button("Update", update, { primary: true }),
    back = button("Undo", () => ((states = states.slice(0, -1)), show()));
  const said = note(), list = questions(data, j => ((pick = j), show()));
  const curve = plot({ label: "Ψ after each update", x: "updates", y: "How far A is from B",
    height: 170 });

  function update() {
    guesses = [...guesses.slice(0, states.length - 1), fall.index * SURE];
    states = [...states, updated(data, states.at(-1), pick)];
    show();
  }

  function show() {
    const now = states.at(-1), steps = states.length - 1, full = steps >= data.limit;
    go.disabled = pick === null || full;
    back.disabled = !steps;
    list.show(now.answers);
    const start = states[0].potential;
    const floor = states.slice(1).reduce((line, { promise }) => [...line, line.at(-1) - promise], [
      start,
    ]);
    showFall(curve, states.map(({ potential }) => potential), floor, data.limit, 1.05 * start);
    if (!steps) return said.show("Pick a question.");
    const { query, error, promise, potential } = now, fell = states.at(-2).potential - potential,
      guess = guesses[steps - 1];
    const yours = !guess ? "" : `You said ${guess.toFixed(3)}. `;
    said.show(
      `“${data.names[query]}”: Ψ fell by ${fell.toFixed(4)}. ${yours}Promised: at least (${
        Math.abs(error).toFixed(0)
      }/${2 * data.n})² = ${promise.toFixed(4)}. ${
        fell >= promise ? "The bound holds." : "The bound is broken!"
      }${full ? " Undo, to try another question." : ""}`,
    );
  }

  root.append(
    h("div", { class: "stack" },
      h("div", { class: "beside" }, list.element,
        h("div", { class: "stack" }, fall.element, h("div", { class: "row" }, go, back),
          curve.element, said.element))),
  );
  show();
}

// Ψ after each update beside the most that is promised.
function showFall(curve, psi, promised, updates, top) {
  const points = values => values.map((value, i) => [i, value]);
  curve.show([{ name: "Ψ", points: points(psi), colour: "var(--st-blue-color)" }, {
    name: "promised: at most this",
    points: points(promised),
    colour: "var(--soft)",
    dash: true,
  }], { xs: [0, updates], ys: [0, top],
    text: `Ψ after each update: ${psi.map(value => value.toFixed(3)).join(", ")}` });
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

// A table with its answers and its Ψ, and the table after an exact update: `by_hand` of reweighting_numbers.py.
function stateOf({ truth, masks, n }, cells) {
  const answers = masks.map(mask => sumOf(cells.map((count, x) => count * mask[x]))),
    terms = truth.map((count, x) => (count ? (count / n) * Math.log(count / cells[x]) : 0));
  return { cells, answers, potential: sumOf(terms) };
}

function uniformState(data) {
  return stateOf(data, data.truth.map(() => data.n / data.truth.length));
}

function updated(data, { cells, answers }, query) {
  const { masks, exact, n } = data, error = answers[query] - exact[query],
    pushed = cells.map((count, x) => count * Math.exp((-masks[query][x] * error) / (2 * n)));
  const total = sumOf(pushed), next = pushed.map(count => (n * count) / total);
  return { ...stateOf(data, next), query, error, promise: (error / (2 * n)) ** 2 };
}

// The same loop with noisy measurements: Ψ round by round, and what its law promises, for every ε and several draws.
function reweighting_noise(root, data) {
  const { epsilons, start, rounds, potentials, promised, missed } = data;
  let at = start, draw = 0;
  const curve = plot({ label: "Ψ with noisy measurements", x: "updates", y: "How far A is from B",
      height: 280 }), said = h("p", {}), spoken = note();
  const top = 1.4 * potentials[0][0][0];
  const knob = slider({ label: "ε of each measurement",
    texts: epsilons.map(epsilon => `${epsilon} (noise ${short(1 / epsilon)})`), start, on: i => {
      at = i;
      show();
    } });
  const again = button("Draw the noise again", () => {
    draw = (draw + 1) % potentials.length;
    show();
    spoken.show(`Draw ${draw + 1} of ${potentials.length}.`);
  });
  function show() {
    const psi = potentials[draw][at], line = promised[draw][at],
      rises = psi.slice(1).filter((value, i) => value > psi[i]).length,
      broken = psi.some((value, i) => value > line[i] + 1e-9);
    showFall(curve, psi, line, rounds, top);
    said.replaceChildren("The measurements missed by ",
      h("b", {}, missed[draw][at].map(value => Math.abs(value).toFixed(0)).join(", ")),
      ` students. Ψ rose in ${rises} of ${rounds} rounds${
        broken ? ", and the bound is broken!" : "; the bound held in all."
      }`);
  }
  show();
  root.append(
    h("div", { class: "stack" }, knob.element, curve.element, said,
      h("div", { class: "row" }, again, spoken.element)),
  );
}

const DRAWINGS = { reweighting, reweighting_hand, reweighting_noise };

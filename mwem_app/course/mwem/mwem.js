// MWEM, one round at a time, with the candidates to bet on: one round beside the lines of Figure 1,
// or a whole run beside its purse and its errors. A step is a phase of a round: 0 is the start,
// then select, measure and update of each round, and last the end.
const SELECT = 1, MEASURE = 2, UPDATE = 3, END = 4; // lines of the algorithm; 0 is the start
const VIOLET = "var(--st-violet-color)", BLUE = "var(--st-blue-color)";

function mwem(root, data) {
  let run = data.runs[data.start], past = null, at = 0, bets = [], cells = [];
  const lines = data.scene === "run" ? null
    : algorithm(FIGURE_1.map(([name, ...rule]) => h("span", {}, h("b", {}, name), " ", ...rule)));
  const seen = new Map(); // by run, the farthest step that was shown: what was seen is no bet
  const words = note(), score = h("p", { class: "score" }), board = h("div", { class: "board" });
  const budget = purse({ label: "Purse" }),
    curve = plot({ label: "Error by round", x: "rounds finished", y: "In a wrong cell, %",
      height: 136 });
  const steps = stepper({ pace: 1100, on: { step: () => go(at + 1), reset: () => restart() } });

  const rounds = () => run.chosen.length, last = () => 3 * rounds() + (rounds() === data.T ? 1 : 0);
  const phase = () => (at === 0 ? 0 : at > 3 * rounds() ? END : ((at - 1) % 3) + 1);
  // the round that is under way, or the last one finished
  const round = () => (phase() === END ? data.T : Math.ceil(at / 3));
  const over = () => at >= 3 * rounds();
  const betting = () => [0, UPDATE].includes(phase()) && !over() && at >= (seen.get(run) ?? 0);

  function restart() {
    at = 0;
    bets = [];
    draw();
  }
  function go(next) {
    at = Math.min(last(), next);
    seen.set(run, Math.max(at, seen.get(run) ?? 0));
    draw();
    if (at === last()) past = run;
    return at < last();
  }
  function bet(j) {
    if (!betting()) return;
    steps.stop();
    bets[round()] = j;
    go(at + 1);
  }

  function draw() {
    const finished = [SELECT, MEASURE].includes(phase()) ? round() - 1 : round(),
      spent = run.spent.slice(0, round() + 1);
    const parts = spent.slice(1).flatMap(([select, measure],
      i) => [{ name: "select", amount: select - spent[i][0], colour: VIOLET }, { name: "measure",
      amount: measure - spent[i][1], colour: BLUE }]
    );
    budget.show(phase() === SELECT ? parts.slice(0, -1) : parts, run.epsilon);
    lines?.light(phase());
    if (!lines) errors(finished);
    candidates();
    words.show(sentence(finished));
    const made = bets.filter(j => j !== undefined).length,
      won = bets.filter((j, i) => j === run.chosen[i]).length;
    score.textContent = made && !lines ? `Bets won: ${won} of ${made}` : "";
    root.dataset.at = at;
  }
  function errors(finished) {
    const course = ({ misplaced }) => misplaced.map((share, i) => [i, 100 * share]),
      points = course(run).slice(0, finished + 1);
    const text = `Error by round at ε = ${run.epsilon}: ${
      points.map(([, y]) => short(y)).join(", ")
    } % in a wrong cell. ${finished} rounds are finished.`;
    curve.show(
      [{ name: "uniform", points: [[0, points[0][1]], [data.T, points[0][1]]],
        colour: "var(--soft)", dash: true }, past && past !== run
        && { name: `your last run, ε = ${past.epsilon}`, points: course(past),
          colour: `color-mix(in srgb, ${BLUE} 38%, var(--st-background-color))` }, {
        name: `ε = ${run.epsilon}`,
        points,
        colour: BLUE,
      }, { points: [points[finished]], colour: BLUE, spots: true }].filter(Boolean),
      { xs: [0, data.T], ys: [0, 105 * Math.max(...data.runs.flatMap(({ misplaced }) =>
        misplaced
      ))], text },
    );
  }

  // ---- the candidates: a cell of the board for each ----
  function build() {
    const { rows, columns, places } = data.board,
      labels = bands => bands.flatMap(band => band.labels), count = labels(rows).length;
    const place = (kind, row, column) => (name, k) =>
      h("span", { class: kind, style: `grid-area: ${row(k)} / ${column(k)}` }, name);
    let column = 2;
    const names = [h("span", { class: "corner" }, rows[0].title),
      ...columns.map(({ title, labels }) =>
        h("b", { style: `grid-column: ${column} / ${(column += labels.length)}` }, title)
      ), ...labels(columns).map(place("head", () => 2, k => k + 2)),
      ...labels(rows).map(place("side", k => k + 3, () => 1))];
    cells = data.names.map((_, j) => {
      const [r, c] = places[j], model = h("b", {}),
        truth = h("span", { class: "truth" }, data.truth[j]), third = h("span", { class: "third" });
      return { model, third,
        button: h("button", { type: "button", class: "bet", style: `grid-area: ${r + 3} / ${c + 2}`,
          onclick: () => bet(j) }, model, truth, third) };
    });
    board.style.setProperty("--columns", labels(columns).length);
    board.style.setProperty("--free", Math.ceil(count / 2) + 3); // from this row on the first cells are of no query
    board.replaceChildren(...names, ...cells.map(({ button }) => button), legend());
  }
  function candidates() {
    const i = round(), now = phase(), during = now === SELECT || now === MEASURE,
      before = during ? i - 1 : i;
    const asked = new Set(run.chosen.slice(0, i)),
      chosen = during || now === UPDATE ? run.chosen[i - 1] : null;
    const model = (k, j) => run.model[k][j];
    cells.forEach((cell, j) => {
      const p = now === SELECT && run.probabilities ? run.probabilities[i - 1][j] : 0,
        moved = now === UPDATE ? model(i, j) - model(i - 1, j) : 0;
      const before_this = asked.has(j) && j !== chosen;
      cell.model.textContent = model(before, j);
      const [kind, text] = moved ? ["moved", signed(moved)]
        : now === SELECT && run.probabilities && !before_this ? ["chance", percent(p)]
        : now === MEASURE && j === chosen ? ["measured", short(run.measured[i - 1])]
        : asked.has(j) && (j !== chosen || now === UPDATE) ? ["asked", "✓"] : ["", ""];
      cell.third.className = `third ${kind}`;
      cell.third.textContent = text;
      cell.button.style.setProperty("--p", p);
      cell.button.classList.toggle("chosen", j === chosen);
      cell.button.classList.toggle("mine", during && bets[i - 1] === j);
      cell.button.setAttribute("aria-disabled", !betting() || asked.has(j));
      const spoken = `model ${cell.model.textContent}, truth ${data.truth[j]}`;
      cell.button.setAttribute("aria-label",
        `${data.names[j]}: ${spoken}${text && `, ${kind} ${text === "✓" ? "before" : text}`}${
          j === chosen ? ", chosen" : ""
        }`);
    });
  }
  function legend() {
    const chance = run.probabilities && h("span", { class: "chance" }, "9% its chance");
    return h("p", { class: "legend" }, h("span", {}, h("b", {}, "22"), " model A"),
      h("span", { class: "truth" }, "31 truth B"), chance, h("span", {}, "✓ asked"));
  }
  const percent = p => (p < 0.005 ? "<1%" : `${Math.round(100 * p)}%`),
    signed = value => (value > 0 ? `+${value}` : `−${-value}`);

  // ---- in words ----
  function sentence(finished) {
    const i = round(),
      next = betting() ? `Round ${finished + 1} of ${data.T}: bet on a cell, or step.`
        : `Round ${finished + 1} of ${data.T}: you have seen it, so step.`;
    if (at === 0) return next;
    const j = run.chosen[i - 1], p = run.probabilities?.[i - 1], mine = bets[i - 1],
      won = mine === undefined ? "" : mine === j ? " You won." : " You lost.";
    const [before, after] = [i - 1, i].map(each => `${short(100 * run.misplaced[each])}%`);
    if (phase() === SELECT && !p) return `Round ${i} chose ${data.names[j]}.${won}`;
    if (phase() === SELECT) {
      const most = p.indexOf(Math.max(...p));
      return `Round ${i} chose ${data.names[j]}, chance ${percent(p[j])}. ${
        most === j ? "It was the likeliest."
          : `Likeliest: ${data.names[most]}, ${percent(p[most])}.`
      }${won}`;
    }
    if (phase() === MEASURE)
      return `It measured ${short(run.measured[i - 1])}; the truth is ${
        data.truth[j]
      }. The noise is ${short(run.scale)} on average.`;
    if (phase() === UPDATE)
      return `A moved, other cells with it: ${before} of the records were in a wrong cell, now ${after}. No ε spent. ${
        over() ? "" : next
      }`;
    return `The purse is empty. Published is A: ${after} of its records are in a wrong cell, ${
      short(100 * run.misplaced[0])
    }% at the start.`;
  }

  const epsilon = !lines
    && slider({ label: "ε", texts: data.runs.map(each => String(each.epsilon)), start: data.start,
      on: index => ((run = data.runs[index]), steps.end(false), restart()) });
  root.append(
    h("div", { class: "game" },
      h("div", { class: "row top" }, steps.element, epsilon && epsilon.element, score),
      words.element, board,
      h("div", { class: "stack" },
        ...(lines ? [lines.element, budget.element] : [budget.element, curve.element]))),
  );
  build();
  steps.end(false);
  restart();
}

// The lines of Figure 1, for single queries.
const sub = (name, index) => h("i", {}, name, h("sub", {}, index));
const FIGURE_1 = [["Start.", sub("A", "0"), " is even. For i = 1 … T:"], ["Select", sub("q", "i"),
  " by Pr ∝ exp(ε |", sub("q", "i"), "(", sub("A", "i−1"), ") − ", sub("q", "i"), "(B)| / 4T)."], [
  "Measure",
  sub("m", "i"),
  " = ",
  sub("q", "i"),
  "(B) + Laplace noise, scale 2T/ε.",
], ["Update.", sub("A", "i"), "(x) ∝ A(x) · exp(q(x) (m − q(A)) / 2n), swept over ", sub("m", "1"),
  " … ", sub("m", "i"), "."], ["Publish", sub("A", "T"), "."]];

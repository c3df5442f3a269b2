// MWEM, one round at a time: Figure 1 with its current line lit, the error curve, the purse, and the candidates to bet on.
// A step is a phase of a round: 0 is the start, then select, measure and update of each round, and last the end.
const SELECT = 1, MEASURE = 2, UPDATE = 3, END = 4; // lines of the algorithm; 0 is the start

function make(root) {
  let data, run, past = null, at = 0, bets = [], cells = [], lines, legend;
  const place = h("div", { class: "stack" }), words = note(), score = h("p", { class: "score" }), board = h("div", { class: "board" });
  const budget = purse(), curve = plot({ label: "Error by round", x: "rounds finished", y: "In a wrong cell, % of the records", height: 240 });
  const steps = stepper({ pace: 1100, on: { step: () => go(at + 1), reset: () => restart() } });
  root.append(place);

  const last = () => 3 * data.T + 1;
  const phase = () => (at === 0 ? 0 : at === last() ? END : ((at - 1) % 3) + 1);
  const round = () => (phase() === END ? data.T : Math.ceil(at / 3)); // the round that is under way, or the last one finished
  const betting = () => [0, UPDATE].includes(phase()) && at < last() - 1;

  function restart() {
    at = 0;
    bets = [];
    draw();
  }
  function go(next) {
    at = Math.min(last(), next);
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
    const finished = phase() === SELECT || phase() === MEASURE ? round() - 1 : round();
    lines.light(phase());
    const [select] = run.spent[round()], measure = run.spent[phase() === SELECT ? round() - 1 : round()][1];
    budget.show([{ name: "select", amount: select, colour: "var(--st-violet-color)" }, { name: "measure", amount: measure, colour: "var(--st-blue-color)" }], run.epsilon, "ε");
    const course = ({ misplaced }) => misplaced.map((share, i) => [i, 100 * share]), points = course(run).slice(0, finished + 1);
    const text = `Error by round at ε = ${run.epsilon}: ${points.map(([, y]) => short(y)).join(", ")} % in a wrong cell. ${finished} rounds are finished.`;
    curve.show([
      { name: "uniform", points: [[0, points[0][1]], [data.T, points[0][1]]], colour: "var(--soft)", dash: true },
      past && past !== run && { name: `your last run, ε = ${past.epsilon}`, points: course(past), colour: "color-mix(in srgb, var(--st-blue-color) 38%, var(--st-background-color))" },
      { name: `ε = ${run.epsilon}`, points, colour: "var(--st-blue-color)" },
      { points: [points[finished]], colour: "var(--st-blue-color)", spots: true },
    ].filter(Boolean), { xs: [0, data.T], ys: [0, 105 * Math.max(...data.runs.flatMap(({ misplaced }) => misplaced))], text });
    candidates();
    words.show(sentence(finished));
    const made = bets.filter((j) => j !== undefined).length, won = bets.filter((j, i) => j === run.chosen[i]).length;
    score.textContent = made ? `Bets won: ${won} of ${made}` : "";
    place.dataset.at = at;
  }

  // ---- the candidates ----
  function build() {
    cells = data.names.map((name, j) => {
      const model = h("b", {}), truth = h("span", { class: "truth" }), chance = h("span", { class: "chance" });
      return { model, truth, chance, button: h("button", { type: "button", class: "bet", onclick: () => bet(j) }, model, truth, chance) };
    });
    board.classList.toggle("whole", !data.groups);
    board.replaceChildren(...(data.groups ? data.groups.map(table) : cells.map(({ button }, j) => (button.prepend(h("span", { class: "name" }, data.names[j])), button))));
  }
  function table({ rows, columns, title }, k) {
    const first = k * rows.length * columns.length;
    return h("div", { class: "bets", role: "group", "aria-label": title, style: `--columns: ${columns.length}` },
      h("span", { class: "title" }, title), h("i", {}), columns.map((name) => h("span", { class: "head" }, name)),
      rows.map((name, r) => [h("span", { class: "side" }, name), ...columns.map((_, c) => cells[first + r * columns.length + c].button)]).flat());
  }
  function candidates() {
    const i = round(), during = phase() === SELECT || phase() === MEASURE, before = during ? i - 1 : i;
    const asked = new Set(run.chosen.slice(0, during ? i - 1 : i)), chosen = during || phase() === UPDATE ? run.chosen[i - 1] : null;
    cells.forEach(({ model, truth, chance, button }, j) => {
      const p = during && run.probabilities ? run.probabilities[i - 1][j] : 0, seen = asked.has(j) && j !== chosen;
      if (data.groups) (model.textContent = Math.round(run.answers[before][j])), (truth.textContent = data.truth[j]);
      else model.textContent = `${Math.round(run.gaps[before][j] / 2).toLocaleString("en")} wrong`;
      chance.textContent = during && !asked.has(j) ? (run.probabilities ? percent(p) : "") : seen || (asked.has(j) && !during) ? "asked" : "";
      button.style.setProperty("--p", p);
      button.classList.toggle("chosen", j === chosen);
      button.classList.toggle("mine", during && bets[i - 1] === j);
      button.setAttribute("aria-disabled", !betting() || asked.has(j));
      button.setAttribute("aria-label", `${data.names[j]}: ${data.groups ? `model ${model.textContent}, truth ${data.truth[j]}` : model.textContent}${chance.textContent && `, ${chance.textContent}`}${j === chosen ? ", chosen" : ""}`);
    });
  }
  const percent = (p) => (p < 0.005 ? "<1%" : `${Math.round(100 * p)}%`);

  // ---- in words ----
  function sentence(finished) {
    const i = round(), next = `Round ${finished + 1} of ${data.T}: which ${data.one} is chosen next? Bet on one, or step.`;
    if (at === 0) return next;
    const j = run.chosen[i - 1], p = run.probabilities?.[i - 1], mine = bets[i - 1], won = mine === undefined ? "" : mine === j ? " You won this bet." : " You lost this bet.";
    const [before, after] = [i - 1, i].map((each) => `${short(100 * run.misplaced[each])}%`);
    if (phase() === SELECT && !p) return `Round ${i} chose ${data.names[j]}.${won}`;
    if (phase() === SELECT) {
      const most = p.indexOf(Math.max(...p));
      const likeliest = most === j ? "It was the most probable." : `The most probable was ${data.names[most]}, at ${percent(p[most])}.`;
      return `Round ${i} chose ${data.names[j]}, with chance ${percent(p[j])}. ${likeliest}${won}${won && mine !== j ? ` It had ${percent(p[mine])}.` : ""}`;
    }
    if (phase() === MEASURE) return data.groups
      ? `Round ${i} measured ${short(run.measured[i - 1])}; the truth is ${data.truth[j]}. The noise is ${short(run.scale)} on average.`
      : `Round ${i} measured all ${data.cells[j]} cells of ${data.names[j]}, each with noise of ${short(run.scale)} on average.`;
    if (phase() === UPDATE) return `The update took the error from ${before} to ${after} and cost nothing. ${i < data.T ? next : "All rounds are finished."}`;
    return `The purse is empty. Published is the last table: ${after} of its records are in a wrong cell, against ${short(100 * run.misplaced[0])}% at the start.`;
  }

  return {
    update(next) {
      if (data && data.table === next.table && data.seed === next.seed) return told(next);
      data = next;
      past = null;
      run = data.runs[data.start];
      lines = algorithm(figure1(!data.groups).map(([name, ...rule]) => h("span", {}, h("b", {}, name), " ", ...rule)));
      const epsilon = slider({ label: "ε", texts: data.runs.map((each) => String(each.epsilon)), start: data.start, on: (index) => ((run = data.runs[index]), steps.end(false), restart()) });
      place.replaceChildren(epsilon.element, h("div", { class: "beside" }, h("div", { class: "stack" }, lines.element, budget.element), curve.element),
        h("div", { class: "row walk" }, steps.element, words.element, score), board, (legend = key()));
      build();
      steps.end(false);
      restart();
    },
  };

  // The same runs: a prediction was locked in since, and they have their chances now.
  function told(next) {
    run = next.runs[data.runs.indexOf(run)];
    past = next.runs[data.runs.indexOf(past)] ?? null;
    data = next;
    legend.replaceWith((legend = key()));
    draw();
  }
  function key() {
    const chance = h("span", { class: "chance" }, run.probabilities ? "9% chance of being chosen" : "The chances are shown after your prediction below.");
    return data.groups
      ? h("p", { class: "legend" }, h("span", {}, h("b", {}, "22"), " model A"), h("span", { class: "truth" }, "31 truth B, which only you see here"), chance)
      : h("p", { class: "legend" }, h("span", {}, h("b", {}, "people in a wrong cell"), " of the model's table, which only you see here"), chance);
  }
}

// The lines of Figure 1: for single queries, and for whole tables.
const sub = (name, index) => h("i", {}, name, h("sub", {}, index));
const figure1 = (tables) => [
  ["Start.", sub("A", "0"), " spreads n records evenly. For i = 1 … T:"],
  ["Select", sub("q", "i"), " with probability ∝ exp(ε ", ...(tables ? ["(‖", ...gap(), "‖₁ − cells)"] : ["|", ...gap(), "|"]), " / 4T)."],
  ["Measure", sub("m", "i"), " = ", sub("q", "i"), "(B) + Laplace noise of scale 2T/ε", tables ? " in every cell." : "."],
  ["Update.", sub("A", "i"), "(x) ∝ A(x) · exp(q(x) (m − q(A)) / 2n), swept over ", sub("m", "1"), " … ", sub("m", "i"), " until they fit."],
  ["Publish", sub("A", "T"), "."],
];
const gap = () => [sub("q", "i"), "(", sub("A", "i−1"), ") − ", sub("q", "i"), "(B)"];

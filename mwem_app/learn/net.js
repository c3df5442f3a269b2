// The net mechanism: the candidates are whole tables. All numbers come from the core, for every position of the slider.
const LOSING = "color-mix(in srgb, var(--st-text-color) 30%, transparent)", CHOSEN = "var(--st-blue-color)";

function make(root) {
  return { update(data) { if (!root.children.length) root.append(h("div", { class: "stack" }, net(data))); } };
}

function net(data) {
  const grid = cells({ rows: data.rows, columns: data.columns, names: ["the class", "the table chosen"], colours: ["var(--st-orange-color)", CHOSEN] });
  const chart = histogram(data), said = h("p", {});
  const everything = sumOf(data.counts);
  const knob = slider({ label: "ε", texts: data.epsilons.map(String), start: data.start, on: show });
  function show(i) {
    chart.show(data.counts.map((count) => count / everything), data.probabilities[i]);
    grid.show([data.truth, data.chosen[i]]);
    said.textContent = `At ε = ${data.epsilons[i]} it chose a table that errs by at most ${Math.round(data.error[i])} students on the six questions.`;
  }
  show(data.start);
  return [knob.element, h("div", { class: "beside" }, chart.element, h("div", { class: "stack" }, grid.element, said))];
}

function histogram({ lowest, width: bin }) {
  const names = [{ name: "share of all tables", colour: LOSING }, { name: "probability of being chosen", colour: CHOSEN }];
  const drawing = svg("svg", { role: "img" }), TALL = 230, range = [0, lowest.at(-1) + bin];
  let now = null;
  const redraw = fitted(drawing, (width) => now && draw(width, ...now));
  function draw(width, plain, probable) {
    const left = 8, right = width - 14, foot = TALL - BOX.bottom, X = scale(range, [left, right]), Y = scale([0, Math.max(...plain, ...probable)], [foot, BOX.top]), wide = X(bin) - X(0);
    const column = (p, j, inset, fill) => svg("rect", { x: X(lowest[j]) + inset, width: wide - 2 * inset, y: Y(p), height: foot - Y(p), fill });
    drawing.setAttribute("viewBox", `0 0 ${width} ${TALL}`);
    drawing.replaceChildren(axis(X, range, { left, right, height: TALL, title: "largest error of a table, in students" }),
      ...plain.map((p, j) => column(p, j, 1, LOSING)), ...probable.map((p, j) => column(p, j, wide / 4, CHOSEN)));
  }
  function show(plain, probable) {
    now = [plain, probable];
    const mean = sumOf(probable.map((p, j) => p * (lowest[j] + bin / 2)));
    drawing.setAttribute("aria-label", `Errors of all tables, and of the table chosen: about ${Math.round(mean)} students on average`);
    redraw();
  }
  return { element: h("figure", { class: "plot" }, h("div", { class: "legend" }, keys(names)), drawing), show };
}

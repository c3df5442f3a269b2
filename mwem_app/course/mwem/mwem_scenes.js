// What each half of a round buys: the slices of the budget, the noise, the chance of the likeliest
// query, and the error.
function mwem_halves(root, data) {
  let at = data.shares.indexOf(0.5);
  const budget = purse({ label: "Purse" }), words = note();
  const chart = plot({ label: "Error by the share that measures",
    x: "share of a round that measures, %", y: "In a wrong cell, %", height: 200 });
  const noise = meter({ label: "Noise of an answer, on average", colour: "var(--st-red-color)",
    most: Math.max(...data.noise) });
  const chance = meter({ label: "Round 1: chance of the likeliest query",
    colour: "var(--st-violet-color)", most: 0.5 });
  const drag = slider({ label: "Measures",
    texts: data.shares.map(share => `${Math.round(100 * share)}%`), start: at,
    on: index => ((at = index), draw()) });
  root.append(
    h("div", { class: "stack" }, drag.element,
      h("div", { class: "beside" },
        h("div", { class: "stack" }, budget.element, noise.element, chance.element, words.element),
        chart.element)),
  );

  function draw() {
    const share = data.shares[at], round = data.epsilon / data.T, all = 100 * data.uniform,
      of100 = values => data.shares.map((each, i) => [100 * each, 100 * values[i]]);
    budget.show(slices(data.T, (1 - share) * round, share * round), data.epsilon);
    noise.show(data.noise[at], `${short(data.noise[at])} students`);
    chance.element.hidden = !data.chance;
    if (data.chance) chance.show(data.chance[at], `${Math.round(100 * data.chance[at])}%`);
    const text = `If ${Math.round(100 * share)}% of a round measures, ${
      short(100 * data.mean[at])
    }% of the students end in a wrong cell.`;
    chart.show([{ name: "uniform", points: [[10, all], [90, all]], colour: "var(--soft)",
      dash: true }, { name: `mean of ${data.seeds} runs`, points: of100(data.mean),
      band: data.shares.map((each, i) => [100 * each, 100 * data.low[i], 100 * data.high[i]]),
      colour: "var(--st-blue-color)" }, { points: [[100 * share, 100 * data.mean[at]]],
      colour: "var(--st-blue-color)", spots: true }], { xs: [10, 90], ys: [0, 1.1 * all], text });
    words.show(text);
  }
  draw();
  return next => ((data = next), draw());
}

// Why MWEM replays: what A answers to the measured queries, after more and more sweeps over their measurements.
const ROW = 25, NAMES = 130; // heights and widths of the chart

function mwem_sweeps(root, data) {
  let at = data.sweeps.indexOf(1);
  const words = note(), drawing = svg("svg", { role: "img" }), redraw = fitted(drawing, chart);
  const error = meter({ label: "Students in a wrong cell; the whole bar is the uniform table’s",
    colour: "var(--st-blue-color)", most: data.misplaced[0] });

  function chart(width) {
    const height = data.names.length * ROW + BOX.bottom, right = width - BOX.right,
      all = [0, ...data.truth, ...data.measured, ...data.answers.flat()],
      ends = [Math.min(...all), Math.max(...all)], X = scale(ends, [NAMES, right]);
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren(axis(X, ends, { left: NAMES, right, height, title: "students" }),
      ...data.names.map((name, i) => {
        const y = (i + 0.5) * ROW, [from, now] = [data.answers[0][i], data.answers[at][i]].map(X),
          tick = (value, colour) =>
            svg("line", { x1: X(value), x2: X(value), y1: y - 9, y2: y + 9, stroke: colour,
              "stroke-width": 3 });
        return svg("g", {}, svg("line", { class: "grid", x1: NAMES, x2: right, y1: y, y2: y }),
          svg("text", { x: NAMES - 8, y: y + 5, "text-anchor": "end", "font-size": 13 }, name),
          tick(data.truth[i], "var(--st-orange-color)"),
          tick(data.measured[i], "var(--st-blue-color)"),
          svg("line", { x1: from, x2: now, y1: y, y2: y, stroke: "currentColor",
            "stroke-width": 2 }), svg("circle", { cx: now, cy: y, r: 5.5 }));
      }));
  }
  function draw() {
    const gaps = data.answers[at].map((answer, i) => Math.abs(answer - data.measured[i])),
      far = Math.max(...gaps), count = data.sweeps[at];
    redraw();
    error.show(data.misplaced[at], `${short(100 * data.misplaced[at])}%`);
    const text = `After ${count} ${count === 1 ? "sweep" : "sweeps"} A is up to ${
      short(far)
    } students from what was measured.`;
    drawing.setAttribute("aria-label", text);
    words.show(text);
  }
  const drag = slider({ label: "Sweeps", texts: data.sweeps.map(String), start: at,
    on: index => ((at = index), draw()) });
  const legend = h("div", { class: "legend" },
    keys([{ name: "A", colour: "currentColor" }, { name: "measured",
      colour: "var(--st-blue-color)" }, { name: "truth", colour: "var(--st-orange-color)" }]));
  root.append(
    h("div", { class: "stack" }, drag.element, h("figure", { class: "plot" }, legend, drawing),
      error.element, words.element),
  );
  draw();
}

// Rows from the model: what A expects in each cell, as an outline, and the rows that were drawn.
function mwem_rows(root, data) {
  let at = data.rows.indexOf(50), draws = 0;
  const words = note(), list = h("ol", { class: "rows" }), height = 190,
    drawing = svg("svg", { role: "img" }), redraw = fitted(drawing, chart);

  const made = values => values[at][draws % values[at].length];
  function chart(width) {
    const left = BOX.left, right = width - BOX.right, foot = height - BOX.bottom,
      expected = data.expected.map(share => share * data.rows[at]), counts = made(data.counts);
    const top = 1.1 * Math.max(...expected.map(Math.ceil), ...counts),
      Y = scale([0, top], [foot, BOX.top]), step = (right - left) / counts.length,
      third = counts.length / data.groups.length;
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren(
      levels(Y, null, { left, right, values: ticks(0, top).filter(Number.isInteger) }),
      axis(i => left + (i + 0.5) * third * step, null, { left, right, height, title: data.title,
        values: [...data.groups.keys()], text: i => data.groups[i] }),
      ...counts.map((count, j) =>
        svg("rect", { x: left + (j + 0.15) * step, width: 0.7 * step, y: Y(count),
          height: foot - Y(count), fill: "var(--st-blue-color)", opacity: 0.65 })
      ),
      ...expected.map((value, j) =>
        svg("path", { class: "line",
          d: `M${left + j * step + 1} ${Y(value)}H${left + (j + 1) * step - 1}`,
          stroke: "currentColor" })
      ),
    );
  }
  function draw() {
    const counts = made(data.counts),
      off = Math.max(
        ...counts.map((count, j) => Math.abs(count - data.expected[j] * data.rows[at])),
      );
    redraw();
    list.replaceChildren(
      ...made(data.first).map(row =>
        h("li", {}, row.map((code, a) => data.labels[a][code]).join(", "))
      ),
      h("li", {}, "…"),
    );
    const text = `${data.rows[at]} rows: no cell is off by more than ${short(off)}.`;
    drawing.setAttribute("aria-label", text);
    words.show(text);
  }
  const more = button("Draw again", () => ((draws += 1), draw()));
  const drag = slider({ label: "Rows", texts: data.rows.map(String), start: at,
    on: index => ((at = index), draw()) });
  const legend = h("div", { class: "legend" }, h("span", { class: "what" }, "Rows in each cell"),
    keys([{ name: "expected by A", colour: "currentColor" }, { name: "drawn",
      colour: "var(--st-blue-color)" }]));
  root.append(
    h("div", { class: "stack" }, h("div", { class: "row" }, drag.element, more),
      h("div", { class: "sample" }, h("figure", { class: "plot" }, legend, drawing),
        h("div", {}, h("b", {}, "The first rows"), list)), words.element),
  );
  draw();
}

const DRAWINGS = { mwem, mwem_halves, mwem_sweeps, mwem_rows };

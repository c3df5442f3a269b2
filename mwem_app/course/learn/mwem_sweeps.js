// Why MWEM replays: what A answers to the measured queries, after more and more sweeps over their measurements.
const ROW = 25, NAMES = 130; // heights and widths of the chart

function make(root) {
  let data, at, error;
  const words = note(), place = h("div", { class: "stack" }),
    legend = h("div", { class: "legend" });
  const drawing = svg("svg", { role: "img" }),
    redraw = fitted(drawing, width => data && chart(width));
  root.append(place);

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
  return { update(next) {
    if (data?.seed === next.seed) return;
    data = next;
    at = data.sweeps.indexOf(1);
    error = meter({ label: "Students in a wrong cell; the whole bar is the uniform table’s",
      colour: "var(--st-blue-color)", most: data.misplaced[0] });
    const drag = slider({ label: "Sweeps", texts: data.sweeps.map(String), start: at,
      on: index => ((at = index), draw()) });
    legend.replaceChildren(
      ...keys([{ name: "A", colour: "currentColor" }, { name: "measured",
        colour: "var(--st-blue-color)" }, { name: "truth", colour: "var(--st-orange-color)" }]),
    );
    place.replaceChildren(drag.element, h("figure", { class: "plot" }, legend, drawing),
      error.element, words.element);
    draw();
  } };
}

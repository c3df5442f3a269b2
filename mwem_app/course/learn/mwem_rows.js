// Rows from the model: what A expects in each cell, as an outline, and the rows that were drawn.
function make(root) {
  let data, at, draws = 0, more;
  const words = note(), place = h("div", { class: "stack" }),
    legend = h("div", { class: "legend" }), list = h("ol", { class: "rows" }), height = 190;
  const drawing = svg("svg", { role: "img" }),
    redraw = fitted(drawing, width => data && chart(width));
  root.append(place);

  const made = values => values[at][draws % values[at].length];
  function chart(width) {
    const left = BOX.left, right = width - BOX.right, foot = height - BOX.bottom,
      expected = data.expected.map(share => share * data.rows[at]), counts = made(data.counts);
    const top = 1.1 * Math.max(...expected.map(Math.ceil), ...counts),
      Y = scale([0, top], [foot, BOX.top]), step = (right - left) / counts.length,
      third = counts.length / data.groups.length;
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren(
      svg("g", { class: "axis" },
        ticks(0, top).filter(Number.isInteger).flatMap(
          value => [svg("line", { class: "grid", x1: left, x2: right, y1: Y(value), y2: Y(value) }),
            svg("text", { x: left - 6, y: Y(value) + 5, "text-anchor": "end" }, short(value))]
        ), svg("line", { x1: left, x2: right, y1: foot, y2: foot }), data.groups.map((name, i) =>
          svg("text", { x: left + (i + 0.5) * third * step, y: foot + 17, "text-anchor": "middle" },
            name)
        ),
        svg("text", { x: (left + right) / 2, y: height - 5, "text-anchor": "middle" }, data.title)),
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
  return { update(next) {
    if (data?.seed === next.seed) return;
    data = next;
    at = data.rows.indexOf(50);
    more = button("Draw again", () => ((draws += 1), draw()));
    const drag = slider({ label: "Rows", texts: data.rows.map(String), start: at,
      on: index => ((at = index), draw()) });
    legend.replaceChildren(h("span", { class: "what" }, "Rows in each cell"),
      ...keys([{ name: "expected by A", colour: "currentColor" }, { name: "drawn",
        colour: "var(--st-blue-color)" }]));
    place.replaceChildren(h("div", { class: "row" }, drag.element, more),
      h("div", { class: "sample" }, h("figure", { class: "plot" }, legend, drawing),
        h("div", {}, h("b", {}, "The first rows"), list)), words.element);
    draw();
  } };
}

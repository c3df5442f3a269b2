// A chart over named positions, with a curve to draw on it by `strokes`. A series has `values`, of which null is none,
// and may have a `band: [[low, high], …]`. `over` draws more, where a position and the foot of the chart are.
function sketch({ label, what, x, positions, names, high, step, unit, isOpen, on }) {
  const height = 240, foot = height - BOX.bottom, { left } = BOX;
  let width = 640, shown = null;
  const back = svg("g", {}), legend = h("div", { class: "legend" }),
    drawing = svg("svg", { role: "group", "aria-label": label }, back);
  const edge = () => width - BOX.right,
    column = i => left + ((i + 0.5) * (edge() - left)) / positions.length;
  const own = strokes({ chart: drawing, names, high, step, unit, isOpen, on,
    frame: () => ({ left, right: edge(), top: BOX.top, foot, width, height }) });
  drawing.append(own.element);
  own.set(own.values);
  const redraw = fitted(drawing, next => ((width = next), shown && draw()));

  function draw() {
    const { series, range, log, over, open } = shown, Y = scale(range, [foot, BOX.top], log);
    const path = points =>
      pathOf(
        points.filter(([, value]) => value !== null && value >= range[0]).map((
          [i, value],
        ) => [column(i), Y(value)]),
      );
    const every = Math.ceil((36 * positions.length) / (edge() - left)); // name is shown, where not all have room
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    back.replaceChildren(levels(Y, range, { left, right: edge(), log }),
      axis(column, null, { left, right: edge(), height, title: x,
        values: [...positions.keys()].filter(i => (i + 1) % every === 0),
        text: i => positions[i] }), ...series.flatMap(({ values, band, colour, dash }) =>
        [band
          && svg("path", {
            d: `${
              path([...band.map(([low], i) => [i, low]),
                ...band.map(([, up], i) => [i, up]).reverse()])
            }Z`,
            fill: colour,
            opacity: 0.18,
          }),
          svg("path", { class: "line", d: path(values.map((value, i) => [i, value])),
            stroke: colour, "stroke-dasharray": dash ? "6 5" : null })].filter(Boolean)
      ), ...over({ column, edge: edge(), foot }));
    legend.replaceChildren(h("span", { class: "what" }, what), ...keys(series));
    own.element.setAttribute("visibility", open ? "visible" : "hidden");
    if (open) own.place(column, Y);
  }
  function show(series, { range = [0, high], log = false, over = () => [], open = true } = {}) {
    shown = { series, range, log, over, open };
    redraw();
  }
  return { element: h("figure", { class: "plot" }, legend, drawing), show, values: own.values,
    set: own.set };
}

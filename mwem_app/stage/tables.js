// The table in view. A pair of attributes: the truth, the estimate and the difference side by side,
// or the difference of each of several systems. One attribute: bars of the estimate, the truth as
// outlines. All scales are fixed, so that a drag compares. Pointing at cells, or dragging over
// them, selects them; `on.ask(selection)` when it ends.
function tableView({ on }) {
  const drawing = svg("svg", { class: "tables", role: "img" });
  const cursor = h("button", { type: "button", class: "reading",
    title: "Arrow keys move over the cells, Enter asks", onkeydown: key,
    onclick: () => on.ask({ x: [at.x, at.x], y: [at.y, at.y] }) });
  let width = 700, frame = null, last = null, panels = [], place = null, at = { x: 0, y: 0 },
    from = null, selected = null;
  fitted(drawing, next => {
    width = next;
    if (frame) build(), last && move(last);
  });

  // `frame` is { table, systems, truth: (cells,) or null, top, spread, height }: the largest count and difference.
  function show(next) {
    if (next.table !== frame?.table) (at = { x: 0, y: 0 }), (selected = null);
    frame = next;
    build();
  }
  function kinds() {
    const { systems, truth } = frame;
    if (systems.length > 1)
      return systems.map(({ title }, i) => ({ system: i, kind: truth ? "difference" : "estimate",
        title })
      );
    return truth
      ? [{ kind: "truth", title: "Truth", system: 0 }, { kind: "estimate", title: "Estimate",
        system: 0 }, { kind: "difference", title: "Difference", system: 0 }]
      : [{ kind: "estimate", title: "Estimate", system: 0 }];
  }
  function build() {
    const { table } = frame;
    place = table.y === null ? bars() : maps();
    drawing.setAttribute("viewBox", `0 0 ${width} ${place.height}`);
    drawing.replaceChildren(...place.parts);
    drawing.dataset.kind = table.y === null ? "bars" : "maps";
    mark();
    read();
  }

  // ---- two attributes: the longer one across ----
  function maps() {
    const { table } = frame, [rows, columns] = table.shape, turned = columns > rows,
      across = turned ? columns : rows, down = turned ? rows : columns;
    const xs = turned ? table.y : table.x, ys = turned ? table.x : table.y, shown = kinds(),
      stacked = width < 520 && shown.length > 1;
    const gutter = Math.min(stacked ? 104 : 118, 16 + 7 * Math.max(...ys.map(text => text.length))),
      gap = 16, head = 20;
    const columnsOfPanels = stacked ? 1 : shown.length,
      wide = (width - gutter - gap * (columnsOfPanels - 1)) / columnsOfPanels,
      cell = Math.min(wide / across, 150);
    const steep = cell < 72, every = Math.ceil((steep ? 20 : 1) / cell),
      foot = steep ? Math.min(66, 14 + 5 * Math.max(...xs.map(text => Math.min(13, text.length))))
        : 22;
    const tall = stacked ? 130 : frame.height - head - foot, high = Math.min(tall / down, 56),
      each = head + high * down + foot, skip = Math.ceil(13 / high);
    panels = shown.map((panel, p) => {
      const left = gutter + (stacked ? 0 : p * (wide + gap)),
        top = head + (stacked ? p * (each + 6) : 0);
      const rects = Array.from({ length: rows * columns }, (_, c) => {
        const i = Math.floor(c / columns), j = c % columns, [a, b] = turned ? [j, i] : [i, j];
        return svg("rect", { x: (left + a * cell).toFixed(2), y: (top + b * high).toFixed(2),
          width: Math.max(0.5, cell - 1).toFixed(2), height: Math.max(0.5, high - 1).toFixed(2),
          rx: Math.min(2, cell / 8) });
      });
      const numbers = cell >= 8 + 7.5 * whole(frame.top / 10).length && high >= 16
        ? rects.map(rect =>
          svg("text", { class: "number", x: Number(rect.getAttribute("x")) + cell / 2,
            y: Number(rect.getAttribute("y")) + high / 2 + 5, "text-anchor": "middle" })
        ) : null;
      return { ...panel, left, top, rects, numbers, mean: svg("tspan", { class: "soft" }),
        frame: svg("rect", { class: "selected", rx: 2 }) };
    });
    const cut = (text,
      letters) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);
    const names = (panel, p) => [...(p && !stacked ? []
      : ys.map((text, b) => (b % skip ? null
        : svg("text", { x: gutter - 6, y: panel.top + (b + 0.5) * high + 5, "text-anchor": "end" },
          cut(text, Math.floor((gutter - 8) / 6.6))))
      )), ...xs.map((text, a) => {
        const x = panel.left + (a + 0.5) * cell, y = panel.top + high * down + (steep ? 11 : 16);
        return a % every ? null
          : svg("text", steep
            ? { transform: `translate(${(x + 4).toFixed(1)} ${y.toFixed(1)}) rotate(-42)`,
              "text-anchor": "end" } : { x, y, "text-anchor": "middle" },
            cut(text, steep ? 12 : Math.floor(cell / 6.6)));
      })];
    const parts = panels.map((panel, p) =>
      svg("g", { class: `panel ${panel.kind}` },
        svg("text", { class: "name", x: panel.left, y: panel.top - 6 }, panel.title, panel.mean),
        panel.rects, panel.numbers ?? [], panel.frame,
        svg("g", { class: "names" }, names(panel, p)))
    );
    return { parts, height: stacked ? shown.length * (each + 6) : each, cellAt(x, y) { // within the nearest panel
      const panel = panels.reduce((a,
        b) => (Math.hypot(Math.max(0, b.left - x, x - b.left - cell * across),
            Math.max(0, b.top - y, y - b.top - high * down))
            < Math.hypot(Math.max(0, a.left - x, x - a.left - cell * across),
              Math.max(0, a.top - y, y - a.top - high * down)) ? b : a)
      );
      const a = Math.floor((x - panel.left) / cell), b = Math.floor((y - panel.top) / high);
      const inside = a >= 0 && a < across && b >= 0 && b < down,
        bounded = (value, count) => Math.max(0, Math.min(count - 1, value));
      const [i, j] = turned ? [bounded(b, down), bounded(a, across)]
        : [bounded(a, across), bounded(b, down)];
      return { x: i, y: j, inside };
    }, boxes({ x, y }) {
      const [a, b] = turned ? [y, x] : [x, y];
      return panels.map(
        panel => [panel.left + a[0] * cell - 1, panel.top + b[0] * high - 1,
          (a[1] - a[0] + 1) * cell + 1, (b[1] - b[0] + 1) * high + 1]
      );
    }, paint(tables) {
      const { truth, top, spread } = frame;
      for (const panel of panels) {
        const estimate = tables[panel.system], values = panel.kind === "truth" ? truth : estimate;
        if (!values) continue;
        if (panel.kind === "truth" && panel.painted === truth) continue;
        panel.painted = values;
        let off = 0;
        panel.rects.forEach((rect, c) => {
          const value = panel.kind === "difference" ? values[c] - truth[c] : values[c],
            most = panel.kind === "difference" ? spread : top;
          off += Math.abs(value);
          const strength = Math.min(1, Math.cbrt(Math.abs(value) / most)).toFixed(2),
            side = panel.kind === "difference" ? (value > 0 ? "more" : "less") : panel.kind;
          if (rect.strength !== strength)
            rect.setAttribute("fill-opacity", rect.strength = strength);
          if (rect.side !== side) rect.setAttribute("class", rect.side = side);
          if (panel.numbers)
            panel.numbers[c].textContent = panel.kind === "difference" ? signed(value / 10)
              : whole(value / 10);
        });
        panel.mean.textContent = panel.kind === "difference"
          ? `  ${records(off / values.length / 10)} per cell` : "";
      }
    } };
  }

  // ---- one attribute: a panel for each system ----
  function bars() {
    const { table, systems } = frame, count = table.x.length,
      stacked = width < 520 && systems.length > 1, gap = 46, left = 46,
      head = systems.length > 1 ? 22 : 10;
    const wide = stacked ? width - left - 8
        : (width - left - 8 - gap * (systems.length - 1)) / systems.length, step = wide / count,
      steep = step < 78;
    const every = Math.ceil((steep ? 20 : 1) / step), foot = steep
      ? Math.min(72, 16 + 5.2 * Math.max(...table.x.map(text => Math.min(13, text.length)))) : 24,
      tall = (stacked ? 150 : frame.height) - head - foot, each = head + tall + foot;
    const cut = (text,
      letters) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);
    const Y = scale([0, frame.top / 10], [tall, 0]);
    panels = systems.map(({ title }, p) => ({ kind: "estimate", system: p,
      title: systems.length > 1 ? title : "", left: left + (stacked ? 0 : p * (wide + gap)),
      top: head + (stacked ? p * each : 0),
      rects: table.x.map(() =>
        svg("rect", { class: systems.length > 1 ? `system-${p}` : "estimate" })
      ), outlines: table.x.map(() => svg("path", { class: "outline" })),
      frame: svg("rect", { class: "selected", rx: 2 }) })
    );
    const parts = panels.map(panel => {
      const { left, top } = panel, base = top + tall;
      return svg("g", { class: "panel bars" },
        svg("text", { class: "name", x: left, y: top - 8 }, panel.title),
        svg("g", { class: "axis" },
          ticks(0, frame.top / 10).flatMap(
            value => [
              svg("line", { class: "grid", x1: left, x2: left + wide, y1: top + Y(value),
                y2: top + Y(value) }),
              svg("text", { x: left - 6, y: top + Y(value) + 5, "text-anchor": "end" },
                short(value)),
            ]
          )), panel.rects, panel.outlines, panel.frame,
        svg("line", { class: "base", x1: left, x2: left + wide, y1: base, y2: base }),
        svg("g", { class: "names" }, table.x.map((text, i) => {
          const x = left + (i + 0.5) * step, y = base + (steep ? 12 : 17);
          return i % every && i < table.own ? null
            : svg("text", steep
              ? { transform: `translate(${(x + 4).toFixed(1)} ${y}) rotate(-42)`,
                "text-anchor": "end" } : { x, y, "text-anchor": "middle" },
              cut(text, steep ? 13 : Math.floor(step / 6.6)));
        })));
    });
    return { parts, height: stacked ? systems.length * each : each, cellAt(x, y) {
      const panel = panels.find((one, p) => (stacked ? y < one.top + tall + foot
          : x < one.left + wide + gap / 2 || p === panels.length - 1)
        ) ?? panels[0], i = Math.floor((x - panel.left) / step);
      return { x: Math.max(0, Math.min(count - 1, i)), y: 0,
        inside: i >= 0 && i < count && y >= panel.top && y <= panel.top + tall };
    },
      boxes: ({ x }) =>
        panels.map(
          panel => [panel.left + x[0] * step, panel.top - 2, (x[1] - x[0] + 1) * step, tall + 4]
        ), paint(tables) {
      for (const { system, rects, outlines, left, top } of panels) {
        const values = tables[system], thick = Math.max(1, Math.min(110, step * 0.76));
        if (!values) continue;
        rects.forEach((rect, i) => {
          const high = Math.min(tall, tall - Y(Math.max(0, values[i]) / 10));
          if (rect.high === high) return;
          rect.high = high;
          for (const [name, value] of [["x", left + i * step + (step - thick) / 2], ["y",
            top + tall - high], ["width", thick], ["height", high]])
            rect.setAttribute(name, value.toFixed(2));
        });
        if (frame.truth && outlines[0].of !== frame.truth)
          outlines.forEach((outline, i) => {
            outline.of = frame.truth;
            const x = left + i * step + (step - thick) / 2, y = top + Y(frame.truth[i] / 10);
            outline.setAttribute("d",
              step < 14 ? `M${(left + i * step).toFixed(1)} ${y.toFixed(1)}h${step.toFixed(1)}`
                : `M${x.toFixed(1)} ${(top + tall).toFixed(1)}V${y.toFixed(1)}h${
                  thick.toFixed(1)
                }V${(top + tall).toFixed(1)}`);
          });
      }
    } };
  }

  // What every position of the sliders changes: the (cells,) of each system, or null where a run is not there.
  function move(tables) {
    last = tables;
    place.paint(tables);
    read();
  }
  function read() {
    const { table, truth, systems } = frame, index = at.x * table.shape[1] + at.y;
    const said = last
      ? systems.map((_, i) =>
        last[i] && `${systems.length > 1 ? "" : "estimate "}${whole(last[i][index] / 10)}`
      ).filter(Boolean).join(", ") : "";
    cursor.textContent = [nameOf({ x: [at.x, at.x], y: [at.y, at.y] }),
      [said, truth && `truth ${whole(truth[index] / 10)}`].filter(Boolean).join(" · ")].join(": ");
    drawing.setAttribute("aria-label",
      `${table.title}, ${
        truth ? "estimate beside the truth" : "estimate"
      }. The button beside the title reads cell by cell.`);
  }
  function nameOf({ x, y }) {
    const { table } = frame,
      span = (labels,
        [from, to]) => (from === to ? labels[from] : `${labels[from]} to ${labels[to]}`);
    return [span(table.x, x), table.y && span(table.y, y)].filter(Boolean).join(" × ");
  }
  function mark() {
    const boxes = selected ? place.boxes(selected) : [];
    panels.forEach((panel, p) => {
      panel.frame.style.display = boxes[p] ? "" : "none";
      if (boxes[p])
        ["x", "y", "width", "height"].forEach((name, i) =>
          panel.frame.setAttribute(name, boxes[p][i].toFixed(1))
        );
    });
  }
  function select(selection) {
    selected = selection;
    if (frame) mark();
  }

  function key(event) {
    const [rows, columns] = frame.table.shape,
      step =
        { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const [a, b] = columns > rows ? [step[1], step[0]] : step;
    at = { x: Math.max(0, Math.min(rows - 1, at.x + a)),
      y: Math.max(0, Math.min(columns - 1, at.y + b)) };
    read();
    select({ x: [at.x, at.x], y: [at.y, at.y] });
  }
  const pointed = event => {
    const box = drawing.getBoundingClientRect(), ratio = width / box.width;
    return place.cellAt((event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio);
  };
  const between = (a, b) => ({ x: [Math.min(a.x, b.x), Math.max(a.x, b.x)],
    y: [Math.min(a.y, b.y), Math.max(a.y, b.y)] });
  drawing.addEventListener("pointerdown", event => {
    const cell = pointed(event);
    if (!cell.inside || event.button) return;
    from = cell;
    drawing.setPointerCapture(event.pointerId);
    select(between(from, cell));
  });
  drawing.addEventListener("pointermove", event => {
    const cell = pointed(event);
    if (!from && !cell.inside) return;
    at = { x: cell.x, y: cell.y };
    read();
    if (from) select(between(from, cell));
  });
  drawing.addEventListener("pointerup", event => {
    if (!from) return;
    const selection = between(from, pointed(event));
    from = null;
    select(selection);
    on.ask(selection);
  });
  drawing.addEventListener("pointercancel", () => (from = null));
  return { element: drawing, reading: cursor, show, move, select, nameOf };
}

const signed = value => (Math.round(value) > 0 ? `+${whole(value)}`
  : Math.round(value) < 0 ? `−${whole(-value)}` : "0");

// The question that a selection of a table asks: a condition on each attribute that it does not take whole. It is empty
// where no condition can be written for one of its labels.
function questionOf(table, { x, y }) {
  const sides = [[table.x_terms, x], ...(table.y ? [[table.y_terms, y]] : [])],
    taken = sides.map(([terms, [from, to]]) => terms.slice(from, to + 1));
  const narrow = taken.filter((terms, i) => terms.length < sides[i][0].length),
    parts = (narrow.length ? narrow : taken.slice(0, 1)).map(conditionOf);
  if (parts.includes("")) return "";
  return parts.map(part => (parts.length > 1 && / or /.test(part) ? `(${part})` : part)).join(
    " and ",
  );
}

// One condition for the labels of neighbours: an interval or a list where their own conditions allow.
function conditionOf(terms) {
  if (terms.length === 1 || terms.includes("")) return terms.length === 1 ? terms[0] : "";
  const ends = terms.map(endsOf);
  if (ends.every(Boolean))
    return [ends[0].low, ends.at(-1).high].filter(Boolean).map(end => `${ends[0].name} ${end}`)
      .join(" and ");
  const equal = terms.map(term => EQUAL.exec(term));
  if (equal.every(Boolean)) return `${equal[0][1]} in (${equal.map(match => match[2]).join(", ")})`;
  return terms.map(term => (/ (and|or) /.test(term) ? `(${term})` : term)).join(" or ");
}

const NAME = "(`[^`]+`|[^\\s`\"'()]+)", TEXT = "\"[^\"]*\"|'[^']*'";
const EQUAL = new RegExp(`^${NAME} == (${TEXT}|[^\\s"']+)$`),
  NUMBER = new RegExp(`^${NAME} == ([-+.\\deE]+)$`);
const INTERVAL = new RegExp(
  `^${NAME} >= (${TEXT}|[^\\s"']+)(?: and ${NAME} (<=? (?:${TEXT}|[^\\s"']+)))?$`,
);

// The ends of the condition of one ordered label, "" for an end that is open; null for any other condition.
function endsOf(term) {
  const number = NUMBER.exec(term), interval = INTERVAL.exec(term);
  if (number) return { name: number[1], low: `>= ${number[2]}`, high: `<= ${number[2]}` };
  return interval && { name: interval[1], low: `>= ${interval[2]}`, high: interval[4] ?? "" };
}

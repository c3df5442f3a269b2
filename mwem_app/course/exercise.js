// An exercise: a question, and an answer by a number, by sliders or by a drawn curve. Its verdict comes from the core,
// and stays until the answer is changed: a new answer must be checked anew.
const ANSWERED = { number: byNumber, settings: bySettings, curve: byCurve };

function exercise(root, data, send) {
  let shown = null; // the answer that the verdict is about
  const verdict = h("div", { class: "verdict", role: "status" });
  const same = answer => answer !== null && JSON.stringify(part.value) === JSON.stringify(answer);
  function submit() {
    if (check.disabled) return;
    if (part.value === null) return say([[false, part.problem]]);
    check.disabled = true;
    send({ answer: part.value });
  }
  function changed() {
    shown = null;
    check.disabled = false;
    say([]);
    part.reveal?.(null);
  }
  function say(findings) {
    verdict.replaceChildren(
      ...findings.map(([right, text]) =>
        h("p", { class: right ? "right" : "wrong" }, h("b", {}, right ? "Right. " : "Not yet. "),
          text)
      ),
    );
  }
  const part = ANSWERED[data.kind](data, { changed, submit });
  const check = button(part.action ?? "Check", submit, { primary: true });
  if (data.answer !== null) part.set(data.answer);
  check.disabled = part.untouched;
  root.append(
    h("div", { class: "stack" },
      h("fieldset", { class: "stack" }, h("legend", {}, data.question), part.element),
      h("div", { class: "row" }, check), verdict),
  );
  function update(next) {
    if (shown !== null || !same(next.answer)) return;
    shown = next.answer;
    check.disabled = true;
    part.reveal?.(next);
    say(next.verdict);
  }
  update(data);
  return update;
}

// ---- a number, with a decimal point or comma ----
function byNumber({ unit }, { changed, submit }) {
  const id = newId(),
    field = h("input", { id, type: "text", inputmode: "decimal", autocomplete: "off",
      oninput: changed, onkeydown: ({ key }) => key === "Enter" && submit() });
  function read() {
    const text = field.value.trim().replace("−", "-"),
      thousands = /^-?[1-9]\d{0,2}(,\d{3})+(\.|$)/.test(text);
    const value = Number(thousands ? text.replaceAll(",", "") : text.replace(",", "."));
    return text && Number.isFinite(value) ? value : null;
  }
  return {
    element: h("div", { class: "row number" }, h("label", { for: id }, "Your answer"), field,
      h("span", {}, unit)),
    problem: "Write a number, such as 12.5.",
    untouched: true,
    get value() {
      return read();
    },
    set(value) {
      field.value = value;
    },
  };
}

// ---- sliders ----
function bySettings({ settings }, { changed }) {
  const sliders = settings.map(({ label, texts, start }) =>
    slider({ label, texts, start, on: changed })
  );
  return { element: h("div", { class: "stack" }, sliders.map(({ element }) => element)),
    untouched: false, get value() {
    return sliders.map(({ index }) => index);
  }, set(at) {
    at.forEach((index, i) => sliders[i].show(index));
  } };
}

// ---- a curve over positions, and then the right one beside it ----
function byCurve({ x, y, positions, high, step, unit }, { changed }) {
  const height = 240, { left, top } = BOX, foot = height - BOX.bottom;
  let width = 640, right = null;
  const back = svg("g", {}), chart = svg("svg", { role: "group", "aria-label": y }, back),
    legend = h("div", { class: "legend" });
  const edge = () => width - BOX.right,
    column = i => left + ((i + 0.5) * (edge() - left)) / positions.length,
    Y = scale([0, high], [foot, top]);
  const names = positions.map(each => `${x} = ${each}`);
  const own = strokes({ chart, names, high, step, unit,
    frame: () => ({ left, right: edge(), top, foot, width, height }),
    on: () => (changed(), draw()) });
  chart.append(own.element);
  own.set(positions.map(() => 0));
  const redraw = fitted(chart, next => ((width = next), draw()));

  function draw() {
    const path = values =>
      values.map((value, i) => `${i ? "L" : "M"}${column(i).toFixed(1)} ${Y(value).toFixed(1)}`)
        .join("");
    const series = [right && { name: "computed", colour: "var(--st-blue-color)", values: right }, {
      name: "your curve",
      colour: "var(--st-violet-color)",
      values: own.values,
    }].filter(Boolean);
    const levels = ticks(0, high).map(
      value => [svg("line", { class: "grid", x1: left, x2: edge(), y1: Y(value), y2: Y(value) }),
        svg("text", { x: left - 6, y: Y(value) + 5, "text-anchor": "end" },
          `${short(value)}${unit}`)]
    );
    const every = Math.ceil((36 * positions.length) / (edge() - left)); // number is shown, where not all have room
    const numbers = positions.map((each, i) =>
      (i + 1) % every === 0
      && svg("text", { x: column(i), y: foot + 17, "text-anchor": "middle" }, each)
    );
    chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
    back.replaceChildren(
      svg("g", { class: "axis" }, levels.flat(),
        svg("line", { x1: left, x2: edge(), y1: foot, y2: foot }), numbers,
        svg("text", { x: (left + edge()) / 2, y: height - 5, "text-anchor": "middle" }, x)),
      ...series.map(({ values, colour }) =>
        svg("path", { class: "line", d: path(values), stroke: colour })
      ),
    );
    legend.replaceChildren(h("span", { class: "what" }, y), ...keys(series));
    own.place(column, Y);
  }
  redraw();
  return {
    element: h("figure", { class: "plot" },
      h("p", { class: "note" }, "Drag the points, or draw through the chart in one stroke."),
      legend, chart),
    action: "Compare",
    untouched: true,
    get value() {
      return [...own.values];
    },
    set(values) {
      own.set(values), draw();
    },
    reveal(data) {
      (right = data?.curve ?? null), draw();
    },
  };
}

// What is found of an answer to an exercise without a server: `verdict` of exercises.py.
const VERDICTS = { number({ cases }, answer) {
  return [
    cases.find(([low, high]) =>
      (low === null || low <= answer) && (high === null || answer <= high)
    ).slice(2),
  ];
}, settings({ shape, findings, verdicts }, at) {
  return verdicts[at.reduce((before, i, k) => before * shape[k] + i, 0)].map(number =>
    findings[number]
  );
}, curve({ tolerance, parts, typical, curve }, drawn) {
  const found = parts.map(({ start, stop, right, low, high }) => {
    const most = drawn.map((value, i) => value - curve[i]).slice(start, stop).reduce((most,
      each) => (Math.abs(each) > Math.abs(most) ? each : most)
    );
    return Math.abs(most) <= tolerance ? [true, right] : [false, most < 0 ? low : high];
  });
  if (found.every(([right]) => right)) return found;
  const like = typical.find(([wrong]) =>
    drawn.every((value, i) => Math.abs(value - wrong[i]) <= tolerance)
  );
  return like ? [[false, like[1]]] : found;
} };

function exercise_answers({ data, held }) {
  return { take: (_, sent) => sent.answer, tell(answer) {
    if (answer === null) return { answer, verdict: null };
    return { answer, verdict: VERDICTS[data.kind](held, answer),
      ...(held.curve ? { curve: held.curve } : {}) };
  } };
}

const DRAWINGS = { exercise, exercise_answers };

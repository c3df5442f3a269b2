// An exercise: a question, and an answer by a number, by sliders or by a drawn curve. What is found of it
// stays until the answer is changed: a new answer must be checked anew.
const ANSWERED = { number: byNumber, settings: bySettings, curve: byCurve };

function exercise(root, data) {
  const verdict = h("div", { class: "verdict", role: "status" });
  function submit() {
    if (check.disabled) return;
    const { value } = part;
    if (value === null) return say([[false, "Write a number, such as 12.5."]]);
    check.disabled = true;
    part.reveal?.(data.curve);
    say(VERDICTS[data.kind](data, value));
  }
  function changed() {
    check.disabled = false;
    part.reveal?.(null);
    say([]);
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
  check.disabled = data.kind !== "settings";
  root.append(
    h("div", { class: "stack" },
      h("fieldset", { class: "stack" }, h("legend", {}, data.question), part.element),
      h("div", { class: "row" }, check), verdict),
  );
}

// ---- a number, with a decimal point or comma ----
function byNumber({ unit }, { changed, submit }) {
  const id = newId(),
    field = h("input", { id, type: "text", inputmode: "decimal", autocomplete: "off",
      oninput: changed, onkeydown: ({ key }) => key === "Enter" && submit() });
  return {
    element: h("div", { class: "row number" }, h("label", { for: id }, "Your answer"), field,
      h("span", {}, unit)),
    get value() {
      const text = field.value.trim().replace("−", "-"),
        thousands = /^-?[1-9]\d{0,2}(,\d{3})+(\.|$)/.test(text);
      const value = Number(thousands ? text.replaceAll(",", "") : text.replace(",", "."));
      return text && Number.isFinite(value) ? value : null;
    },
  };
}

// ---- sliders ----
function bySettings({ settings }, { changed }) {
  const sliders = settings.map(({ label, texts, start }) =>
    slider({ label, texts, start, on: changed })
  );
  return { element: h("div", { class: "stack" }, sliders.map(({ element }) => element)),
    get value() {
      return sliders.map(({ index }) => index);
    } };
}

// ---- a curve over positions, and then the right one beside it ----
function byCurve({ x, y, positions, high, step, unit }, { changed }) {
  const chart = sketch({ label: y, what: `${y}, ${unit}`, x, positions,
    names: positions.map(each => `${x} = ${each}`), high, step, unit,
    on: () => (changed(), reveal(null)) });
  function reveal(right) {
    chart.show(
      [right && { name: "computed", colour: "var(--st-blue-color)", values: right }, {
        name: "your curve",
        colour: "var(--st-violet-color)",
        values: chart.values,
      }].filter(Boolean),
    );
  }
  chart.element.prepend(
    h("p", { class: "note" }, "Drag the points, or draw through the chart in one stroke."),
  );
  reveal(null);
  return { element: chart.element, action: "Compare", reveal, get value() {
    return [...chart.values];
  } };
}

// What is found of an answer.
const VERDICTS = { number({ cases }, answer) {
  return [
    cases.find(([low, high]) =>
      (low === null || low <= answer) && (high === null || answer <= high)
    ).slice(2),
  ];
}, settings({ settings, findings, verdicts }, at) {
  const place = at.reduce((before, i, k) => before * settings[k].texts.length + i, 0);
  return verdicts[place].map(number => findings[number]);
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

const DRAWINGS = { exercise };

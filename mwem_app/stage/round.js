// Inside the round at the slider: three tables with bars, for what the round selected, measured and updated.
const INSIDE_PAUSE = 150; // milliseconds between two drawings while the rounds move on

function inside(p) {
  const now = performance.now(), round = p.rounds[p.shown] ?? {};
  if (advances(p) && now - (p.insideDrawn ?? 0) < INSIDE_PAUSE) return;
  p.insideDrawn = now;
  const parts = { select: selectStep(p, round), measure: measureStep(p, round),
    update: updateStep(p, round) };
  for (const [name, nodes] of Object.entries(parts))
    p.steps.querySelector(`[data-step=${name}] .facts`).replaceChildren(...nodes.filter(Boolean));
  keepHeight(p);
}

// The tallest round so far sets the height, so that the page below stays in place from round to
// round; but not where the three steps stand one above the other, since that would leave a screen
// empty.
function keepHeight(p) {
  if (p.root.clientWidth < 900) return void (p.steps.style.minHeight = "");
  const content = `${p.data.run} ${p.hasErrors} ${p.root.clientWidth}`;
  if (content !== p.tallFor) (p.tallFor = content), (p.tall = 0), (p.steps.style.minHeight = "");
  if (p.steps.scrollHeight > p.tall)
    p.steps.style.minHeight = `${(p.tall = p.steps.scrollHeight)}px`;
}

function selectStep(p, round) {
  const { select } = p.data.method;
  if (!round.chosen) return [note(`${select}.`)];
  if (round.once) return [note(`${select}.`)];
  if (round.planned) return [note("This round measures what was planned, without a selection.")];
  if (!round.candidates)
    return [
      note(
        "Scores and chances compare the candidates with the records: they are not shown while the truth is hidden.",
      ),
    ];
  const scale = scaleOf(round.candidates.map(([, value]) => value)),
    [others, together] = round.others;
  const rows = round.candidates.map(([name, value, probability, chosen]) =>
    row(name, [meter(amount(value), bar("true", value, scale)),
      meter(chance(probability), bar("select", probability, [0, 1]))], chosen)
  );
  if (others)
    rows.push(
      row(`${others.toLocaleString("en")} more`, [cell(""),
        meter(chance(together), bar("select", together, [0, 1]))]),
    );
  return [note(`${select}, with ε = ${figure(round.selection_epsilon)}.`),
    table("The most probable candidates, with their scores and chances", [head("candidate"),
      head("score", "true"), head("chance", "select")], rows)];
}

function measureStep(p, round) {
  if (!round.cells) return [note(p.data.method.measure)];
  const secret = round.true_cells,
    values = round.cells.map(([name, noisy, before],
      i) => [name, [...(secret ? [secret[i]] : []), noisy, before]]
    );
  const kinds = [...(secret ? ["true"] : []), "noisy", "model"],
    scale = scaleOf(listed(round, values).flatMap(([, numbers]) => numbers));
  const rows = values.map(([name, numbers], i) =>
    row(name, [
      bars3(isRest(round, i) ? [] : numbers.map((value, k) => bar(kinds[k], value, scale))),
      ...numbers.map(value => cell(amount(value))),
    ])
  );
  const hidden = secret ? "" : " True values are not shown while the truth is hidden.";
  return [note(`Mean noise ${round.noise_text}, in records. Model: before the update.${hidden}`),
    table("What was measured, in records", [head(round.cell ? "query" : "cell"), spokenHead("bars"),
      ...kinds.map(kind => head(kind, kind))], rows)];
}

function updateStep(p, round) {
  const { update } = p.data.method, earlier = p.rounds[p.shown - 1] ?? {};
  if (!round.cells) return [note(update)];
  const scale = scaleOf(listed(round, round.cells).flatMap(([, ...numbers]) => numbers)),
    [, m, before] = round.cells[0];
  const rows = round.cells.map(([name, noisy, was, is], i) =>
    row(name, [bars3(isRest(round, i) ? []
      : [bar("before", was, scale), bar("model", is, scale), tick(noisy, scale)]),
      cell(amount(was)), cell(amount(is))])
  );
  const moved = round.cell ? `The answer moved by ${figure(round.moved)} of n.`
    : `The marginal moved by ${figure(round.moved)} (total variation).`;
  const errors = ["max", "mean"].filter(key => round[key] != null && earlier[key] != null).map(
    key => `${key} error ${figure(earlier[key])} → ${figure(round[key])}`
  );
  return [note(update + (round.cell ? ` Here m = ${amount(m)} and q(A) = ${amount(before)}.` : "")),
    table("The model before and after the update, in records", [head(round.cell ? "query" : "cell"),
      spokenHead("bars; a line marks the measurement"), head("before", "before"),
      head("after", "model")], rows), element("p", { className: "moved" }, moved, ...(errors.length
        ? [" All queries: ", element("span", { className: "secret" }, errors.join(", ")), "."]
        : []))];
}

// ---- parts ----
const isRest = (round, i) => round.rest && i === round.cells.length - 1;
const listed = (round, values) => (round.rest ? values.slice(0, -1) : values); // a sum of cells would dwarf the bars
const scaleOf = values => [Math.min(0, ...values), Math.max(0, ...values)];
const at = (value, [low, high]) => (100 * (value - low)) / (high - low || 1);
const note = text =>
  element("p", { className: "note" },
    text.replace(/ ([=∝/−←]) /g, "\u00a0$1\u00a0").replaceAll(" · ", "\u00a0·\u00a0")); // formulas stay on one line
const cell = text => element("td", {}, text);
const spoken = text => element("span", { className: "spoken" }, text);
const column = (...content) => element("th", { scope: "col" }, ...content);
const head = (text, kind) =>
  column(...(kind ? [element("i", { className: `swatch ${kind}` })] : []), text);
const spokenHead = text => column(spoken(text));
const row = (name, cells, chosen) =>
  element("tr", { className: chosen ? "chosen" : "" },
    element("th", { scope: "row", title: name }, name, ...(chosen ? [spoken(" (chosen)")] : [])),
    ...cells);
const table = (caption, heads, rows) =>
  element("table", {}, element("caption", { className: "spoken" }, caption),
    element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
const bars3 = bars => element("td", { className: "bars" }, element("div", {}, ...bars));
const meter = (text, one) => element("td", { className: "meter" }, element("div", {}, one), text);

function bar(kind, value, scale) {
  const [from, to] = [at(Math.min(0, value), scale), at(Math.max(0, value), scale)],
    node = element("i", { className: kind });
  Object.assign(node.style, { marginLeft: `${from}%`, width: `${to - from}%` });
  return node;
}
function tick(value, scale) {
  const node = element("i", { className: "tick" });
  node.style.left = `${at(value, scale)}%`;
  return node;
}
const amount = value =>
  value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) >= 10 ? 0 : 1 }).replace("-",
    "−");

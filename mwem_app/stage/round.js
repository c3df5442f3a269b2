// What the player says of the round at the slider: badges, the sentence, the budget, and inside the
// round three tables with bars, for what it selected, measured and updated.
const INSIDE_PAUSE = 150; // milliseconds between two drawings of the tables while the rounds move on
const BADGES = { seeded: ["not private: the seed reveals the noise", "M7 2h2v8H7zM7 12h2v2H7z"],
  private: ["made from the records: do not publish unless they are public",
    "M5 7V5a3 3 0 0 1 6 0v2h1v6.500H4V7zm1.500 0h3V5a1.500 1.500 0 0 0-3 0z"],
  exploring: ["exploratory: do not publish",
    "M6 2h4v1.200h-.7v3.500L13 13.200 12.400 14H3.600L3 13.200l3.700-6.500V3.200H6z"] };
const TRUTHS = ["probability", "candidates", "others", "true_cells"]; // of a round
const isPrivate = round => !round || TRUTHS.some(name => round[name] != null);

// Private, unless it is known to show no truth, and the run's own badge is known.
function badge(node, showsTruth, own) {
  const known = Object.keys(BADGES).find(name => BADGES[name][0] === own),
    kind = (showsTruth === false && known) || "private";
  if (node.dataset.kind === kind) return;
  const [text, d] = BADGES[kind];
  node.dataset.kind = kind;
  node.replaceChildren(
    svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" },
      svg("path", { "fill-rule": "evenodd", d })),
    text,
  );
}

function words(p) {
  const { data, shown, root } = p, round = p.rounds[shown], end = last(p), { turn } = data.method;
  const [select, measure, bins] = round?.spent ?? [0, 0, 0], span = Math.max(1, data.total),
    places = data.budget >= 0.1 ? 2 : 2 - Math.floor(Math.log10(data.budget || 1));
  const sum = value => value.toFixed(places), position = `${turn} ${shown} of ${data.total}`,
    parts = sentence(round);
  const plain = `${position}. ${parts.map(part => part.textContent).join("; ")}`;
  Object.assign(root.dataset, { status: data.status, run: data.run, moving: moving(p),
    truth: p.hasErrors });
  for (const link of root.querySelectorAll(".why")) {
    const address = data.lessons[link.dataset.why];
    link.hidden = !address;
    if (address) link.href = address;
  }
  root.querySelector(".play").setAttribute("aria-label", moving(p) ? "Pause" : "Play");
  for (const button of root.querySelectorAll("[data-go]")) {
    button.disabled = end < 1;
    for (const name of ["title", "aria-label"])
      button.setAttribute(name, button.getAttribute(name).replace(/round|step/, turn));
  }
  p.slider.setAttribute("aria-label", `${turn === "step" ? "Step" : "Round"} shown`);
  p.slider.setAttribute("aria-valuetext", plain);
  Object.assign(p.slider, { max: span, disabled: end < 1 });
  p.slider.value = shown;
  p.slider.style.setProperty("--shown", shown / span);
  p.slider.style.setProperty("--known", Math.max(0, end) / span);
  p.position.replaceChildren(h("b", {}, position), data.status === "idle" ? ""
    : ` ${data.status === "done" && shown < end ? "replay" : data.status}`);
  const spent = { bins, select, measure };
  p.spent.replaceChildren(
    `spent ${sum(select + measure + bins)} of ${sum(data.budget)} ${data.budget_unit}`,
    ...Object.entries(spent).filter(([part, amount]) => amount || part !== "bins").map((
      [part, amount],
    ) => h("span", { class: part }, `${part} ${sum(amount)}`)),
  );
  Object.values(spent).forEach((amount,
    i) => (p.bar.children[i].style.width = `${(100 * amount) / data.budget}%`)
  );
  p.sentence.replaceChildren(...parts.flatMap((part, i) => [i ? " · " : "", part]));
  badge(p.badge, isPrivate(round), data.badge);
  // Announced to screen readers when the drawing comes to rest, not round by round.
  const rest = moving(p) || data.status === "idle" ? null : `${data.status} ${data.run}`;
  if (rest && rest !== p.spokenFor) p.spoken.textContent = `${data.status}: ${plain}`;
  p.spokenFor = rest;
}

// "chose relationship × sex (probability 0.93) · measured 1,234 with a mean noise of 13 (true
// 1,240) · moved the model by 0.21"
function sentence(round) {
  if (!round?.chosen)
    return [h("span", {}, round?.begun
      ?? (round?.round ? "a round without a selection" : "the start: nothing is measured yet"))];
  const secret = text => [" ", h("span", { class: "secret", title: BADGES.private[0] }, text)],
    rows = round.rows ? `, ${whole(round.rows)} records with weights,` : "";
  return [round.once && h("span", {}, round.once),
    h("span", {}, round.once ? "this step fits " : round.planned ? "planned: " : "chose ",
      h("b", {}, round.cell ?? round.chosen),
      round.probability == null ? [] : secret(`(probability ${chance(round.probability)})`)),
    round.measured
    && h("span", {}, "measured ", h("b", {}, round.measured),
      round.noise_text ? ` with a mean noise of ${round.noise_text}` : "",
      round.cell && round.true_cells ? secret(`(true ${amount(round.true_cells[0])})`) : []),
    round.moved != null && h("span", {}, `moved the model${rows} by ${figure(round.moved)}`)]
    .filter(Boolean);
}
const chance = value => (value < 0.001 ? "< 0.001"
  : value > 0.999 ? "> 0.999" : String(Number(value.toPrecision(2))));

// ---- inside the round ----
function inside(p) {
  const now = performance.now(), round = p.rounds[p.shown] ?? {};
  if (advances(p) && now - (p.insideDrawn ?? 0) < INSIDE_PAUSE) return;
  p.insideDrawn = now;
  const parts = { select: selectStep, measure: measureStep, update: updateStep };
  for (const [name, nodes] of Object.entries(parts))
    p.facts[name].replaceChildren(...nodes(p, round));
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
  if (!round.chosen || round.once) return [rule(`${select}.`)];
  if (round.planned) return [rule("This round measures what was planned, without a selection.")];
  if (!round.candidates)
    return [
      rule(
        "Scores and chances compare the candidates with the records: they are not shown while the truth is hidden.",
      ),
    ];
  const range = rangeOf(round.candidates.map(([, value]) => value)),
    [others, together] = round.others;
  const likely = value => oneBar(chance(value), bar("select", value, [0, 1]));
  const rows = round.candidates.map(([name, value, probability, chosen]) =>
    row(name, [oneBar(amount(value), bar("true", value, range)), likely(probability)], chosen)
  );
  if (others) rows.push(row(`${whole(others)} more`, [h("td"), likely(together)]));
  return [rule(`${select}, with ε = ${figure(round.selection_epsilon)}.`),
    table("The most probable candidates, with their scores and chances", [head("candidate"),
      head("score", "true"), head("chance", "select")], rows)];
}

function measureStep(p, round) {
  if (!round.cells) return [rule(p.data.method.measure)];
  const truths = round.true_cells,
    values = round.cells.map(([name, noisy, before],
      i) => [name, [...(truths ? [truths[i]] : []), noisy, before]]
    );
  const kinds = [...(truths ? ["true"] : []), "noisy", "model"],
    range = rangeOf(listed(round, values).flatMap(([, numbers]) => numbers));
  const rows = values.map(([name, numbers], i) =>
    row(name, [bars(isRest(round, i) ? [] : numbers.map((value, k) => bar(kinds[k], value, range))),
      ...numbers.map(value => h("td", {}, amount(value)))])
  );
  const hidden = truths ? "" : " True values are not shown while the truth is hidden.";
  return [rule(`Mean noise ${round.noise_text}, in records. Model: before the update.${hidden}`),
    table("What was measured, in records", [head(round.cell ? "query" : "cell"),
      head(spoken("bars")), ...kinds.map(kind => head(kind, kind))], rows)];
}

function updateStep(p, round) {
  const { update } = p.data.method, earlier = p.rounds[p.shown - 1] ?? {};
  if (!round.cells) return [rule(update)];
  const range = rangeOf(listed(round, round.cells).flatMap(([, ...numbers]) => numbers)),
    [, m, before] = round.cells[0];
  const rows = round.cells.map(([name, noisy, was, is], i) =>
    row(name, [bars(isRest(round, i) ? []
      : [bar("before", was, range), bar("model", is, range),
        h("i", { class: "tick", style: `left: ${at(noisy, range)}%` })]), h("td", {}, amount(was)),
      h("td", {}, amount(is))])
  );
  const errors = ["max", "mean"].filter(name => round[name] != null && earlier[name] != null).map(
    name => `${name} error ${figure(earlier[name])} → ${figure(round[name])}`
  );
  return [rule(update + (round.cell ? ` Here m = ${amount(m)} and q(A) = ${amount(before)}.` : "")),
    table("The model before and after the update, in records", [head(round.cell ? "query" : "cell"),
      head(spoken("bars; a line marks the measurement")), head("before", "before"),
      head("after", "model")], rows),
    h("p", { class: "moved" }, round.cell ? `The answer moved by ${figure(round.moved)} of n.`
      : `The marginal moved by ${figure(round.moved)} (total variation).`,
      errors.length ? [" All queries: ", h("span", { class: "secret" }, errors.join(", ")), "."]
        : [])];
}

// ---- parts of the tables ----
const isRest = (round, i) => round.rest && i === round.cells.length - 1;
const listed = (round, values) => (round.rest ? values.slice(0, -1) : values); // a sum of cells would dwarf the bars
const rangeOf = values => [Math.min(0, ...values), Math.max(0, ...values)];
const at = (value, [low, high]) => (100 * (value - low)) / (high - low || 1);
const rule = text =>
  h("p", { class: "rule" },
    text.replace(/ ([=∝/−←]) /g, "\u00a0$1\u00a0").replaceAll(" · ", "\u00a0·\u00a0")); // formulas stay on one line
const spoken = text => h("span", { class: "spoken" }, text);
const head = (content, kind) =>
  h("th", { scope: "col" }, kind ? h("i", { class: `swatch ${kind}` }) : [], content);
const row = (name, cells, chosen) =>
  h("tr", { class: chosen && "chosen" },
    h("th", { scope: "row", title: name }, name, chosen ? spoken(" (chosen)") : []), cells);
const table = (caption, heads, rows) =>
  h("table", {}, h("caption", { class: "spoken" }, caption), h("thead", {}, h("tr", {}, heads)),
    h("tbody", {}, rows));
const bars = marks => h("td", { class: "bars" }, h("div", {}, marks));
const oneBar = (text, mark) => h("td", { class: "one-bar" }, h("div", {}, mark), text);
function bar(kind, value, range) {
  const [from, to] = [Math.min(0, value), Math.max(0, value)].map(end => at(end, range));
  return h("i", { class: kind, style: `margin-left: ${from}%; width: ${to - from}%` });
}
const amount = value =>
  value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) >= 10 ? 0 : 1 }).replace("-",
    "−");

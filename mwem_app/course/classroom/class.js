// The predictions of a class, as bars.
function arrivals(root, data) {
  const element = h("div", { class: "arrivals" });
  root.append(element);
  function update({ bars, total, needed }) {
    const most = Math.max(1, ...bars.map(([, count]) => count));
    element.replaceChildren(
      h("p", {}, total ? `${total} ${total === 1 ? "prediction has" : "predictions have"} arrived.`
        : "No prediction has arrived yet.", needed && ` ${needed}`),
      ...bars.map(([name, count]) =>
        h("div", { class: "arrival" }, h("span", {}, name),
          h("i", { style: `--share: ${count / most}` }), h("b", {}, count))
      ),
    );
  }
  update(data);
  return update;
}

// The teacher's screen of a question by coins: the tally, the corrected estimate, and what one answer betrays.
function coins(root, first) {
  const tally = h("div", { class: "tally", role: "img" }), arrived = h("p", {}),
    line = h("div", { class: "estimate", role: "img" });
  const said = h("p", { class: "figure" }), sum = h("p", { class: "note" });
  const strip = odds({ label: "What one answer betrays: the chance that its sender's truth is yes",
    names: ["before", "after a yes", "after a no"] });
  const place = h("div", { class: "stack" }), bound = h("p", { class: "note" });
  root.append(
    h("div", { class: "stack coins" }, arrived, tally, said, line, sum,
      h("div", { class: "card stack" }, strip.element, place, bound)),
  );
  let beliefs = null;

  function update(data) {
    arrived.textContent = `${data.n} of ${data.students} phones have answered.`;
    bound.textContent =
      `Whatever was believed before, one answer moves the odds by a factor of ${data.odds} at most: e^ε.`;
    if (String(data.beliefs) !== String(beliefs)) showOdds(beliefs = data.beliefs);
    for (const part of [tally, line, said, sum]) part.hidden = !data.n;
    if (data.n) showAnswers(data);
  }

  function showAnswers({ n, yes, estimate, low, high, formula }) {
    const width = count => `flex-grow: ${count}`;
    tally.replaceChildren(
      ...[["yes", yes], ["no", n - yes]].filter(([, count]) => count).map(([name, count]) =>
        h("span", { class: name, style: width(count) }, `${name} ${count}`)
      ),
    );
    tally.setAttribute("aria-label", `${yes} answers are yes, ${n - yes} are no`);
    said.replaceChildren("Corrected for the coins, ", h("b", {}, percent(estimate)),
      ` would truly say yes. With 95% confidence it is from ${percent(low)} to ${percent(high)}.`);
    const ends = [Math.min(0, estimate), Math.max(1, estimate)], X = scale(ends, [0, 100]),
      at = value => `left: ${X(value)}%`;
    line.replaceChildren(h("i", { class: "axis", style: `${at(0)}; width: ${X(1) - X(0)}%` }),
      h("i", { class: "interval", style: `${at(low)}; width: ${X(high) - X(low)}%` }),
      h("i", { class: "point", style: at(estimate) }),
      ...[0, 0.25, 0.5, 0.75, 1].map(value => h("span", { style: at(value) }, percent(value))));
    line.setAttribute("aria-label", said.textContent);
    sum.textContent = formula;
  }

  function showOdds(rows) {
    const middle = rows.findIndex(([before]) => before === 0.5);
    const chosen = slider({ label: "Believed before",
      texts: rows.map(([before]) => percent(before)), start: middle,
      on: i => strip.show(...rows[i].map(each => 100 * each)) });
    place.replaceChildren(chosen.element);
    chosen.set(middle);
  }

  update(first);
  return update;
}

const percent = share => `${Math.round(100 * share)}%`.replace("-", "−");

// The class as a table: every pair of questions as four shares, estimated by MWEM, beside uniform and, if it is shown,
// beside the truth. With several sizes of the class, a choice between them, redrawn here.
const CELLS = ["no, no", "no, yes", "yes, no", "yes, yes"];

function class_tables(root, first) {
  const element = h("div", { class: "stack" });
  root.append(element);
  let drawn = "";
  function update(data) {
    const stamp = JSON.stringify(data);
    if (stamp === drawn) return; // a poll brought nothing new: the choice stays
    drawn = stamp;
    const cards = data.pairs.map(pair => card(data, pair)), said = note();
    const show = i => {
      cards.forEach((each, pair) => each.show(data.sizes[i], pair));
      said.show(data.sizes[i].words);
    };
    const sizes = data.sizes.length > 1
      && choices({ label: "Class", options: data.sizes.map(({ name }) => name), on: show });
    element.replaceChildren(
      ...[sizes && sizes.element, said.element, legend(data),
        h("div", { class: "crosses" }, cards.map(each => each.element))].filter(Boolean),
    );
    show(0);
  }
  update(first);
  return update;
}

function legend({ truth }) {
  const key = (kind, text) => h("span", { class: "key" }, h("i", { class: kind }), text);
  return h("div", { class: "legend" }, key("estimate", "estimated"),
    key("error", "mean noise, where it was measured"), key("uniform", "uniform: 25%"),
    truth && key("truth", "true"));
}

function card({ texts, truth }, [a, b]) {
  const rows = CELLS.map(name => {
    const error = h("i", { class: "error" }), point = h("i", { class: "estimate" }),
      line = truth && h("i", { class: "truth" }), value = h("b", {});
    return { error, point, line, value,
      element: h("div", { class: "share" }, h("span", {}, name),
        h("div", { class: "track" }, h("i", { class: "uniform" }), error, line, point), value) };
  });
  const element = h("figure", { class: "cross", role: "img" },
    h("figcaption", {}, h("span", {}, texts[a]), h("span", {}, texts[b])),
    rows.map(row => row.element));
  function show({ shares, noise }, pair) {
    const at = share => `${100 * Math.max(0, Math.min(1, share))}%`;
    rows.forEach(({ error, point, line, value }, cell) => {
      const share = shares[pair][cell], margin = noise[pair] ?? 0;
      point.style.left = at(share);
      error.style.left = at(share - margin);
      error.style.right = at(1 - share - margin);
      error.hidden = !margin;
      if (line) line.style.left = at(truth[pair][cell]);
      value.textContent = percent(share);
    });
    element.setAttribute("aria-label",
      `${texts[a]} and ${texts[b]}: ${
        CELLS.map((name, cell) =>
          `${name} ${percent(shares[pair][cell])}${
            truth ? `, in truth ${percent(truth[pair][cell])}` : ""
          }`
        ).join("; ")
      }`);
  }
  return { element, show };
}

const DRAWINGS = { arrivals, coins, class_tables };

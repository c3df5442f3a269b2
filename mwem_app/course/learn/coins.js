// The teacher's screen of a question by coins: the tally, the corrected estimate, and what one answer betrays.
function make(root) {
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

  return { update };
}

const percent = share => `${Math.round(100 * share)}%`.replace("-", "−");

// The class as a table: every pair of questions as four shares, estimated by MWEM, beside uniform and, if it is shown,
// beside the truth. With several sizes of the class, a choice between them, redrawn here.
const CELLS = ["no, no", "no, yes", "yes, no", "yes, yes"];

function make(root) {
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
  return { update };
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

const percent = share => `${Math.round(100 * share)}%`;

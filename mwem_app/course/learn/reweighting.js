// The first push: the cells that a question counts are multiplied by one factor, then all are scaled back to n. The
// tables of all positions come from the core.
function make(root) {
  return { update(data) {
    if (!root.children.length) root.append(h("div", { class: "stack" }, push(data)));
  } };
}

function push(
  { rows, columns, truth, mask, name, multiples, start, factors, tables, answers, potentials,
    exact },
) {
  const grid = cells({ rows, columns, names: ["B, the class", "A, our table"],
    colours: ["var(--st-orange-color)", "var(--st-blue-color)"] });
  const curve = plot({ label: "Ψ for every push", x: "push, in steps of the paper",
    y: "Ψ, how far A is from B", height: 210 });
  const most = Math.max(...truth, ...tables.flat()), said = h("p", {});
  const points = multiples.map((multiple, i) => [multiple, potentials[i]]),
    ys = [0.9 * Math.min(...potentials), 1.02 * Math.max(...potentials)];
  const knob = slider({ label: "Push", texts: multiples.map(multiple => `${multiple} ×`), start,
    on: show });
  function show(i) {
    grid.show([truth, tables[i]], { most, lit: mask });
    curve.show([{ points, colour: "var(--st-blue-color)" }, { points: [points[i]],
      colour: "var(--st-primary-color)", spots: true }], { xs: [0, multiples.at(-1)], ys,
      text: `At a push of ${multiples[i]} steps Ψ is ${potentials[i].toFixed(3)}` });
    said.replaceChildren(`The framed cells, “${name}”, are multiplied by `,
      h("b", {}, factors[i].toFixed(2)), `. They now hold `, h("b", {}, answers[i].toFixed(0)),
      ` students; in the class they hold ${exact}. Ψ = `, h("b", {}, potentials[i].toFixed(3)),
      ".");
  }
  show(start);
  return [knob.element, h("div", { class: "beside" }, grid.element, curve.element), said];
}

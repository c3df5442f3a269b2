// A seeded release: subtract the noise that each seed draws, and see when only whole numbers are left.
function make(root) {
  let data;
  const table = h("table", {}), words = note(), place = h("div", { class: "stack attack-seed" });
  root.append(place);
  const amount = value =>
    (Math.abs(value - Math.round(value)) < 1e-6 ? String(Math.round(value)) : value.toFixed(2))
      .replace("-", "−");

  function draw(seed) {
    const whole = data.whole[seed],
      numbers = (name, values, kind) =>
        h("tr", { class: kind }, h("th", { scope: "row" }, name), values.map(value =>
          h("td", {}, amount(value))
        ));
    table.replaceChildren(
      h("caption", { class: "spoken" },
        "Published counts, and what is left without the noise of a seed"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, data.attribute), data.labels.map(label =>
        h("th", { scope: "col" }, label)
      ))),
      h("tbody", {}, numbers("published", data.released),
        numbers(`less the noise of seed ${seed}`, data.left[seed], whole ? "whole" : "")),
    );
    words.show(whole
      ? `Seed ${seed}: every count is a whole number. These are the exact counts, and the noise is undone.`
      : `Seed ${seed}: counts of students are whole numbers, and these are not. Try another seed.`);
  }
  return { update(next) {
    const first = !data;
    data = next;
    if (!first) return;
    const drag = slider({ label: "Seed", texts: data.left.map((_, seed) => `seed ${seed}`),
      start: 0, on: draw });
    place.append(drag.element, table, words.element);
    draw(0);
  } };
}

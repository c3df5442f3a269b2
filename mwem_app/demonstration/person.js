// One person: what 100 releases say with this record, and 100 without it.
function personPanel({ on }) {
  const id = newId(), chosen = h("select", { id, onchange: () => on(chosen.selectedIndex) }), words = note(), head = h("p", { class: "what" });
  const strips = dots({ label: "100 releases with this record and 100 without it", x: "records", strip: 84 });
  const element = h("section", { class: "person", hidden: true }, h("div", { class: "row" }, head, h("label", { for: id }, "Record"), chosen), strips.element, words.element);
  let person = null, titles = "";
  function show(next) {
    person = next;
    element.hidden = !next;
    if (!next) return;
    if (titles !== next.of.join("\n")) (titles = next.of.join("\n")), chosen.replaceChildren(...next.of.map((title) => h("option", {}, title)));
    chosen.selectedIndex = next.of.indexOf(next.title);
    head.textContent = `What ${next.cell} shows about one person`;
  }
  function move(epsilon, bound) {
    if (!person) return;
    const present = person.with[epsilon], absent = person.without[epsilon];
    strips.element.hidden = !present;
    if (!present) return words.show("At this ε no releases with and without this person were made.");
    const all = Object.keys(person.with).flatMap((key) => [...person.with[key], ...person.without[key]]), here = [...present, ...absent];
    const low = Math.min(...here), high = Math.max(...here), reach = Math.max(high - low, 1e-3 * (Math.max(...all) - Math.min(...all)), 1);
    strips.show([{ name: "with", values: present, colour: "var(--st-blue-color)" }, { name: "without", values: absent, colour: "color-mix(in srgb, var(--st-text-color) 62%, var(--st-background-color))" }], [(low + high - reach) / 2, (low + high + reach) / 2]);
    words.show(`With the best threshold a guesser is right in ${Math.round(100 * bestThreshold(present, absent))} of 100 of these releases. No guesser can be right in more than ${ofHundred(bound)} of 100 in the long run.`);
  }
  return { element, show, move };
}

// How often the best threshold tells two samples of the same size apart.
function bestThreshold(a, b) {
  const values = [...a.map((value) => [value, 1]), ...b.map((value) => [value, -1])].sort(([x], [y]) => x - y);
  let sum = 0, best = 0;
  values.forEach(([value, sign], i) => {
    sum += sign;
    if (values[i + 1]?.[0] !== value) best = Math.max(best, Math.abs(sum));
  });
  return 0.5 + best / (a.length + b.length);
}

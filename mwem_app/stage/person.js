// One person: what up to 100 releases say with this record, and as many without it.
function personPanel({ on }) {
  const id = newId(), chosen = h("select", { id, onchange: () => on(chosen.selectedIndex) }),
    words = note(), head = h("p", { class: "what" });
  const strips = dots({ label: "100 releases with this record and 100 without it", x: "records",
    strip: 84 });
  const element = h("section", { class: "person", hidden: true },
    h("div", { class: "row" }, head, h("label", { for: id }, "Record"), chosen), strips.element,
    words.element);
  let person = null, titles = "";
  function show(next) {
    person = next;
    element.hidden = !next;
    if (!next) return;
    if (titles !== next.of.join("\n"))
      (titles = next.of.join("\n")),
        chosen.replaceChildren(...next.of.map(title => h("option", {}, title)));
    chosen.selectedIndex = next.of.indexOf(next.title);
    head.textContent = next.cell
      ? `One person: how many have ${next.cell}, in releases with and without this record`
      : "One person: choose a record";
  }
  function move(epsilon, bound) {
    if (!person) return;
    const present = person.with[epsilon], absent = person.without[epsilon];
    strips.element.hidden = !present?.length;
    if (!present?.length)
      return words.show(
        person.cell ? "At this ε no release was made with and without this person: move a slider."
          : "",
      );
    const all = Object.keys(person.with).flatMap(
        key => [...person.with[key], ...person.without[key]]
      ), here = [...present, ...absent];
    const low = Math.min(...here), high = Math.max(...here),
      reach = Math.max(high - low, 1e-3 * (Math.max(...all) - Math.min(...all)), 1);
    strips.show([{ name: "with", values: present, colour: "var(--st-blue-color)" }, {
      name: "without",
      values: absent,
      colour: "color-mix(in srgb, var(--st-text-color) 62%, var(--st-background-color))",
    }], [(low + high - reach) / 2, (low + high + reach) / 2]);
    words.show(
      `${person.right[epsilon] ?? ""} No guesser can be right in more than ${
        ofHundred(bound)
      } of 100 in the long run.`,
    );
  }
  return { element, show, move };
}

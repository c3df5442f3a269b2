// The purse: a budget as a bar, what was spent on each purpose, and what is left. Parts of one name are one purpose.
function purse({ label = "Budget" } = {}) {
  const bar = h("div", { class: "bar", role: "img" }), words = h("p", {});
  const element = h("div", { class: "purse" }, h("b", {}, label), bar, words);
  function show(parts, total, unit = "ε") {
    const spent = parts.reduce((sum, part) => sum + part.amount, 0),
      left = Math.max(0, total - spent);
    bar.replaceChildren(
      ...parts.map(({ amount, colour }) =>
        h("i", { style: `width: ${(100 * amount) / total}%; background: ${colour}` })
      ),
    );
    const purposes = new Map();
    for (const { name, amount, colour } of parts)
      purposes.set(name, { amount: amount + (purposes.get(name)?.amount ?? 0), colour });
    const each = [...purposes].map(([name, { amount, colour }]) =>
      h("span", { class: "key" }, h("i", { style: `--colour: ${colour}` }),
        `${name} ${short(amount)}`)
    );
    words.replaceChildren(...each,
      h("span", {}, `left ${short(left < 1e-9 ? 0 : left)} of ${short(total)} ${unit}`));
    bar.setAttribute("aria-label", [...words.children].map(each => each.textContent).join(", "));
  }
  return { element, show };
}

// The parts of a purse that so many rounds spend, each on a selection and on a measurement.
function slices(rounds, select, measure) {
  const round = [{ name: "select", amount: select, colour: "var(--st-violet-color)" }, {
    name: "measure",
    amount: measure,
    colour: "var(--st-blue-color)",
  }];
  return Array.from({ length: rounds }, () => round).flat();
}

// One amount as a bar, of the most that it can be.
function meter({ label, colour, most }) {
  const fill = h("i", { style: `background: ${colour}` }), value = h("b", {});
  const element = h("div", { class: "meter" }, h("span", {}, label), value,
    h("div", { class: "bar", "aria-hidden": "true" }, fill));
  function show(amount, text) {
    fill.style.width = `${Math.min(100, (100 * amount) / most)}%`;
    value.textContent = text;
  }
  return { element, show };
}

// The odds: of 100 releases, how many show what someone looks for, with you in the data and without you.
function odds({ label, names = ["with you", "without you"] }) {
  const rows = names.map(name => {
    const dots = h("div", { class: "hundred", role: "img" },
      Array.from({ length: 100 }, () => h("i", {})));
    const count = h("b", {});
    return { name, dots, count,
      element: h("div", { class: "odds-row" }, h("span", {}, name), dots, count) };
  });
  const element = h("div", { class: "odds" }, h("p", {}, label), rows.map(row => row.element));
  function show(...counts) {
    rows.forEach(({ name, dots, count }, i) => {
      [...dots.children].forEach((dot, j) => dot.classList.toggle("on", j < Math.round(counts[i])));
      const shown = Math.round(counts[i]), almost = shown === 100 && counts[i] < 100 ? ">99"
        : shown === 0 && counts[i] > 0 ? "<1" : shown;
      count.textContent = `${almost} of 100`;
      dots.setAttribute("aria-label", `${name}: ${count.textContent}`);
    });
  }
  return { element, show };
}

// The lines of an algorithm, of which the current one is lit.
function algorithm(lines) {
  const items = lines.map(line => h("li", {}, line));
  const element = h("ol", { class: "algorithm" }, items);
  function light(current) {
    items.forEach((item, i) => (i === current ? item.setAttribute("aria-current", "step")
      : item.removeAttribute("aria-current"))
    );
  }
  return { element, light };
}

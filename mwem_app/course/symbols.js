// A formula whose symbols explain themselves, on hover, on focus and by a tap.
function symbols(root, { parts }) {
  const line = h("p", { class: "formula" }), meaning = note();
  root.append(h("div", { class: "card" }, line, meaning.element));
  function explain(symbol, means) {
    for (const each of line.querySelectorAll("button"))
      each.setAttribute("aria-pressed", each === symbol);
    meaning.show(means);
  }
  line.append(...parts.map(({ text, means, raised }) => {
    if (!means) return text;
    const say = () => explain(symbol, `${text}: ${means}`);
    const symbol = h("button", { type: "button", "aria-pressed": "false", onclick: say,
      onfocus: say, onpointerenter: say }, text);
    return raised ? h("sup", {}, symbol) : symbol;
  }));
  meaning.show("Point at a symbol, or tap it, to see what it means.");
}

const DRAWINGS = { symbols };

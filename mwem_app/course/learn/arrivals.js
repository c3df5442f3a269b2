// The predictions of a class, as bars.
function make(root) {
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
  return { update };
}

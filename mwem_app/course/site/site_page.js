// A lesson without a server: its drawings, its prediction, which is locked in once, and its exercise.
let predicted = null;

// `data` with the fields named in `until` as they are before the prediction: `_veil` of blocks.py.
function veiled(data, until) {
  const instead = (value, before) => (Array.isArray(value) && before && typeof before === "object"
      && !Array.isArray(before) ? value.map(item => veiled(item, before)) : before);
  return Object.fromEntries(
    Object.entries(data).map((
      [name, value],
    ) => [name, name in until ? instead(value, until[name]) : value]),
  );
}

// A drawing in a shadow root, as on a page of Streamlit, so that its styles are its own.
function placed(element) {
  const { drawing: name, curve } = element.dataset,
    [drawings, style] = SETS.find(([each]) => name in each),
    { data, until } = JSON.parse(element.querySelector("script").textContent);
  const root = h("div", { class: "drawing" });
  element.attachShadow({ mode: "open" }).append(h("style", {}, PIECES + style), root);
  const shown = () => ({ ...(predicted === null ? veiled(data, until) : data),
    ...(curve === undefined ? {} : { drawn: predicted }) });
  const next = drawings[name](root, shown(), sent => curve !== undefined && lock(sent.drawn));
  return () => next?.(shown());
}

const updates = [...document.querySelectorAll("[data-drawing]")].map(placed);

function lock(value) {
  predicted = value;
  for (const each of document.querySelectorAll("[data-once]"))
    each.hidden = each.dataset.once === "before";
  updates.forEach(update => update());
}

for (const form of document.querySelectorAll("[data-predicts]")) {
  const go = form.querySelector("button"), range = form.querySelector("[type=range]"),
    radios = [...form.querySelectorAll("[type=radio]")];
  range?.addEventListener("input", () => (form.querySelector("output").textContent = range.value));
  for (const each of radios) each.addEventListener("change", () => (go.disabled = false));
  go.addEventListener("click", () => {
    const value = range ? Number(range.value) : radios.find(({ checked }) => checked).value;
    form.querySelector(".asked").remove();
    form.querySelector("[role=status]").append("You predicted ", h("strong", {}, value), ".");
    lock(value);
  });
}

for (const form of document.querySelectorAll("[data-block=Exercise]")) {
  const go = form.querySelector("button"), reasons = [...form.querySelectorAll("[data-right]")],
    radios = [...form.querySelectorAll("[type=radio]")];
  for (const each of radios)
    each.addEventListener("change",
      () => ((go.disabled = false), reasons.forEach(reason => (reason.hidden = true))));
  go.addEventListener("click", () =>
    reasons.forEach((reason, i) => (reason.hidden = !radios[i].checked)));
}

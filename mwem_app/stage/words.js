// All texts: badges, legends, the transport bar, the sentence, and the text for screen readers.
const BADGES = { seeded: ["not private: the seed reveals the noise", "M7 2h2v8H7zM7 12h2v2H7z"],
  private: ["made from the records: do not publish unless they are public",
    "M5 7V5a3 3 0 0 1 6 0v2h1v6.500H4V7zm1.500 0h3V5a1.500 1.500 0 0 0-3 0z"],
  exploring: ["exploratory: do not publish",
    "M6 2h4v1.200h-.7v3.500L13 13.200 12.400 14H3.600L3 13.200l3.700-6.500V3.200H6z"] };

const element = (tag, attributes = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), attributes);
  node.append(...children);
  return node;
};

// Private, unless it is known to show no truth, and the run's own badge is known.
function badge(node, showsTruth, own) {
  const known = Object.keys(BADGES).find(name => BADGES[name][0] === own);
  const kind = (showsTruth === false && known) || "private", [text, path] = BADGES[kind];
  if (node.dataset.kind === kind) return;
  node.dataset.kind = kind;
  node.innerHTML =
    `<svg viewBox="0 0 16 16" aria-hidden="true"><path fill-rule="evenodd" d="${path}"/></svg>`;
  node.append(text);
}

function caption(p, panel) {
  const { state } = panel;
  state.title.textContent = state.title.title = panel.title;
  badge(state.badge, panel.private, p.data.badge);
  for (const [key, text] of Object.entries(panel.values))
    if (state.cells[key]) state.cells[key].textContent = text;
}

// Rebuilt only with the chart, since a button that is replaced loses the keyboard focus.
function legend(p, { state, legend: items }) {
  const focused = state.legend.contains(document.activeElement)
    && document.activeElement.dataset.group;
  state.cells = {};
  state.legend.replaceChildren(...items.map(item => entry(p, state, item)));
  if (state.zoomed)
    state.legend.append(
      element("button", { type: "button", textContent: "reset zoom", onclick: () =>
        unzoom(p, state) }),
    );
  if (focused) state.legend.querySelector(`[data-group=${focused}]`)?.focus();
}

function entry(p, state, item) {
  const mark = element("i", { className: item.group ? "level" : item.mark ?? "" });
  mark.style.color = item.color ?? "";
  if (item.fill) mark.style.background = item.fill;
  if (item.mark === "ramp") {
    mark.style.background = item.colors.map((ramp, i) =>
      `linear-gradient(90deg, ${ramp.map(([, color]) => color)}) 0 ${100 * i}% / 100% ${
        100 / item.colors.length
      }% no-repeat`
    ).join();
    const end = text => (Array.isArray(text) ? (state.cells[text[0]] = element("small"))
      : element("small", {}, text));
    const scale = element("span", { className: "scale" }, mark, end(item.from), end(item.middle),
      end(item.to));
    return element("span", { className: "key", title: item.tip ?? "" }, item.title, scale);
  }
  if (item.group) {
    const toggle = element("button", { type: "button", onclick: () => {
      p.levelsOn[item.group] = !p.levelsOn[item.group];
      refresh(p);
    } }, mark, item.name);
    toggle.dataset.group = item.group;
    mark.dataset.dash = item.dash;
    toggle.setAttribute("aria-pressed", !!p.levelsOn[item.group]);
    return toggle;
  }
  const key = element("span", { className: "key", title: item.tip ?? "" },
    ...(item.mark ? [mark] : []), item.name);
  if (item.key) key.append(state.cells[item.key] = element("b"));
  return key;
}

function words(p) {
  const { data, shown } = p, round = p.rounds[shown], end = last(p);
  const [select, measure, bins] = round?.spent ?? [0, 0, 0],
    places = data.budget >= 0.1 ? 2 : 2 - Math.floor(Math.log10(data.budget || 1));
  const sum = value => value.toFixed(places), turn = data.method.turn,
    position = `${turn} ${shown} of ${data.total}`;
  p.root.dataset.status = data.status;
  p.root.dataset.run = data.run;
  p.root.dataset.moving = moving(p);
  p.root.dataset.truth = p.hasErrors;
  for (const link of p.root.querySelectorAll(".why")) {
    const address = data.lessons[link.dataset.why];
    link.hidden = !address;
    if (address) link.href = address;
  }
  const button = p.root.querySelector(".play");
  button.setAttribute("aria-label", moving(p) ? "Pause" : "Play");
  for (const other of p.root.querySelectorAll("[data-go]")) {
    other.disabled = end < 1;
    for (const name of ["title", "aria-label"])
      other.setAttribute(name, other.getAttribute(name).replace(/round|step/, turn));
  }
  p.slider.setAttribute("aria-label", `${turn === "step" ? "Step" : "Round"} shown`);
  Object.assign(p.slider, { max: Math.max(1, data.total), disabled: end < 1 });
  p.slider.value = shown;
  p.slider.setAttribute("aria-valuetext", `${position}. ${plainSentence(round)}`);
  const span = Math.max(1, data.total);
  p.slider.style.setProperty("--shown", shown / span);
  p.slider.style.setProperty("--known", Math.max(0, end) / span);
  p.position.replaceChildren(element("b", {}, position), data.status === "idle" ? ""
    : ` ${data.status === "done" && shown < end ? "replay" : data.status}`);
  p.spent.replaceChildren(
    `spent ${sum(select + measure + bins)} of ${sum(data.budget)} ${data.budget_unit}`,
    ...(bins ? [element("span", { className: "bins" }, `bins ${sum(bins)}`)] : []),
    element("span", { className: "select" }, `select ${sum(select)}`),
    element("span", { className: "measure" }, `measure ${sum(measure)}`),
  );
  for (const [i, part] of [bins, select, measure].entries())
    p.bar.children[i].style.width = `${(100 * part) / data.budget}%`;
  p.sentence.replaceChildren(...sentence(round).flatMap((part, i) => [i ? " · " : "", part]));
  badge(p.badge, isPrivate(round), data.badge);
  announce(p, `${position}. ${plainSentence(round)}`);
}

// Announced to screen readers when the drawing comes to rest, not round by round.
function announce(p, text) {
  const rest = moving(p) || p.data.status === "idle" ? null : `${p.data.status} ${p.data.run}`;
  if (rest && rest !== p.spokenFor) p.spoken.textContent = `${p.data.status}: ${text}`;
  p.spokenFor = rest;
}

const TRUTHS = ["probability", "candidates", "others", "true_cells"]; // of a round
const isPrivate = round => !round || TRUTHS.some(name => round[name] != null);
const plainSentence = round => sentence(round).map(part => part.textContent).join("; ");

// "chose relationship × sex (probability 0.93) · measured 1,234 with a mean noise of 13 (true
// 1,240) · moved the model by 0.21"
function sentence(round) {
  if (!round?.chosen)
    return [element("span", {}, round?.begun
      ?? (round?.round ? "a round without a selection" : "the start: nothing is measured yet"))];
  const secret = text => element("span", { className: "secret", title: BADGES.private[0] }, text),
    parts = [];
  if (round.once) parts.push(element("span", {}, round.once));
  const chose = element("span", {},
    round.once ? "this step fits " : round.planned ? "planned: " : "chose ",
    element("b", {}, round.cell ?? round.chosen));
  if (round.probability != null)
    chose.append(" ", secret(`(probability ${chance(round.probability)})`));
  parts.push(chose);
  if (round.measured) {
    const measured = element("span", {}, "measured ", element("b", {}, round.measured),
      round.noise_text ? ` with a mean noise of ${round.noise_text}` : "");
    if (round.cell && round.true_cells)
      measured.append(" ", secret(`(true ${amount(round.true_cells[0])})`));
    parts.push(measured);
  }
  const rows = round.rows ? `, ${round.rows.toLocaleString("en")} records with weights,` : "";
  if (round.moved != null)
    parts.push(element("span", {}, `moved the model${rows} by ${figure(round.moved)}`));
  return parts;
}
const chance = value => (value < 0.001 ? "< 0.001"
  : value > 0.999 ? "> 0.999" : String(Number(value.toPrecision(2))));

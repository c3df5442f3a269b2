// A chart that is changed where it stands, never built anew: what a reader points at stays, however often data come.
const plots = new WeakMap();

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(".mwem-redrawn");
  if (!plots.has(box)) plots.set(box, { stamp: "" });
  draw(box, plots.get(box), data);
}

async function draw(box, state, data) {
  const style = getComputedStyle(box), read = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const ink = read("text-color"), font = style.fontFamily;
  const stamp = data.figure + ink;
  if (stamp === state.stamp) return;
  state.stamp = stamp;
  const P = await plotly(data.plotly);
  if (stamp !== state.stamp || !box.isConnected) return; // a newer one has come
  const { data: traces, layout } = JSON.parse(data.figure);
  box.setAttribute("aria-label", data.alt);
  box.style.minHeight = `${layout.height}px`;
  layout.font = { ...layout.font, color: ink, family: font };
  layout.hoverlabel = { bgcolor: read("background-color"), bordercolor: read("border-color"), font: layout.font };
  await P.react(box, traces, layout, { displayModeBar: false, responsive: true });
}

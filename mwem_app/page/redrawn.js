// A chart that is updated in place and never rebuilt, so a hover label stays open however often new data arrive.
const plots = new WeakMap();
const LEGEND_LINE = 30; // height of a legend of one line, in pixels

export default function({ data, parentElement }) {
  const box = parentElement.querySelector(".mwem-redrawn");
  if (!plots.has(box)) plots.set(box, { stamp: "" });
  draw(box, plots.get(box), data);
}

async function draw(box, state, data) {
  const style = getComputedStyle(box), read = name => style.getPropertyValue(`--st-${name}`).trim();
  const ink = read("text-color"), font = style.fontFamily;
  const stamp = data.figure + ink;
  if (stamp === state.stamp) return;
  state.stamp = stamp;
  const { data: traces, layout } = JSON.parse(data.figure), { height } = layout;
  box.setAttribute("aria-label", data.alt);
  const P = await plotly();
  if (stamp !== state.stamp || !box.isConnected) return; // a newer figure has arrived
  layout.font = { ...layout.font, color: ink, family: font };
  layout.hoverlabel = { bgcolor: read("background-color"), bordercolor: read("border-color"),
    font: layout.font };
  layout.height = height + (state.legend ?? 0);
  await P.react(box, traces, layout, { displayModeBar: false, responsive: true });
  state.height = height;
  state.watch ??= new ResizeObserver(() => makeRoom(P, box, state));
  state.watch.observe(box);
  makeRoom(P, box, state);
}

// On a narrow screen a legend takes several lines. It makes the chart higher, so the plot keeps its size.
function makeRoom(P, box, state) {
  const legend = Math.max(0,
    (box.querySelector(".legend .bg")?.getBBox().height ?? 0) - LEGEND_LINE);
  if (legend === (state.legend ?? 0)) return;
  state.legend = legend;
  P.relayout(box, { height: state.height + legend, autosize: true }); // autosize: the width still follows the window
}

// Load Plotly once, for all charts: its cartesian bundle (MIT), a third of the whole and compressed beforehand, since
// every new visitor waits for it. To renew it: npm pack plotly.js-cartesian-dist-min, then gzip -n -9 its script.
const PLOTLY = "./app/static/plotly-cartesian-4.1.1.min.js.gz"; // relative, so that it works under any base path
let loading;
const plotly =
  () => (loading ??= (window.Plotly ? Promise.resolve() : fetchPlotly()).then(() => window.Plotly,
    error => {
      loading = null;
      throw error;
    }));
async function fetchPlotly() {
  const response = await fetch(PLOTLY);
  if (!response.ok) throw new Error(`${PLOTLY} did not load`);
  await runPlotly(response.body);
}
async function runPlotly(packed) {
  const script = await new Response(packed.pipeThrough(new DecompressionStream("gzip")))
    .arrayBuffer();
  const tag = document.createElement("script");
  tag.src = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  await new Promise((done, failed) => {
    Object.assign(tag, { onload: done, onerror: () => failed(new Error("Plotly did not run")) });
    document.head.append(tag);
  });
  URL.revokeObjectURL(tag.src);
}

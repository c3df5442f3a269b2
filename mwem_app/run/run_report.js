const charts = JSON.parse(document.getElementById("charts").textContent);
function draw() {
  const { color, fontFamily: family } = getComputedStyle(document.body);
  for (const plot of document.querySelectorAll("[data-chart]")) {
    const { data, layout } = charts[plot.dataset.chart];
    if (!plot.classList.contains("js-plotly-plot")) plot.textContent = "";
    const inked = { ...layout, font: { color, family, size: 12 } };
    Plotly.react(plot, data, inked, { responsive: true, displayModeBar: false });
  }
}
draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

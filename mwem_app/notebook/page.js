
// A page with the player alone. Its message is in it, or the page around it posts messages: { message, dark }.
const device = matchMedia("(prefers-color-scheme: dark)"), text = (id) => document.getElementById(id).textContent;
const posted = { message: JSON.parse(text("message")), dark: null };

function present() {
  document.documentElement.dataset.scheme = (posted.dark ?? device.matches) ? "dark" : "light";
  if (posted.message && window.Plotly) player({ data: posted.message, parentElement: document.querySelector("main"), setTriggerValue() {} });
}
device.addEventListener("change", present);
addEventListener("message", ({ data, source }) => { if (source === parent) Object.assign(posted, data), present(); });
present();
await runPlotly(new Blob([Uint8Array.from(atob(text("plotly")), (c) => c.charCodeAt(0))]).stream());
present();

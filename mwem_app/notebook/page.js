// A page with the player alone. Its message is in it, or the page around it posts messages: { message, dark }. A page
// around it that has shown the same run live answers with the round at which that was: { from, dark }.
const device = matchMedia("(prefers-color-scheme: dark)"),
  text = id => document.getElementById(id).textContent;
const posted = { message: JSON.parse(text("message")) }, framed = parent !== window;
const tell = more => {
  if (framed && posted.message) parent.postMessage({ mwem: posted.message.run, ...more }, "*");
};

function present() {
  const { message, dark, from } = posted;
  document.documentElement.dataset.scheme = (dark ?? device.matches) ? "dark" : "light";
  if (message && window.Plotly)
    player({ data: { ...message, from }, parentElement: document.querySelector("main"),
      setTriggerValue() {} });
}
device.addEventListener("change", present);
addEventListener("message", ({ data, source }) => {
  if (framed && source === parent) Object.assign(posted, data), present();
});
present();
tell({ asks: true });
await runPlotly(new Blob([Uint8Array.from(atob(text("plotly")), c => c.charCodeAt(0))]).stream());
present();
new MutationObserver(([{ target }]) => tell({ shown: Number(target.dataset.shown) })).observe(
  document.querySelector(".mwem-player"),
  { attributeFilter: ["data-shown"] },
);

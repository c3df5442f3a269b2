// A page with a drawing alone. Its message is in it, or the page around it posts messages: {
// message, dark }. A page around it that has shown the same run live answers with the round at
// which that was: { from, dark }.
const device = matchMedia("(prefers-color-scheme: dark)"), framed = parent !== window;
const posted = { message: JSON.parse(document.getElementById("message").textContent) };
const PATIENCE = 300; // milliseconds in which the page around this one answers
const tell = more => {
  if (framed && posted.message) parent.postMessage({ mwem: posted.message.run, ...more }, "*");
};

function present() {
  const { message, dark, from } = posted, main = document.querySelector("main");
  document.documentElement.dataset.scheme = (dark ?? device.matches) ? "dark" : "light";
  if (message)
    drawing({ data: { ...message, from }, parentElement: main, setTriggerValue() {} });
}
device.addEventListener("change", present);
addEventListener("message", ({ data, source }) => {
  if (framed && source === parent) Object.assign(posted, data), present();
});
tell({ asks: true });
setTimeout(present, framed ? PATIENCE : 0);
new MutationObserver(([{ target }]) => tell({ shown: Number(target.dataset.shown) })).observe(
  document.querySelector(".drawing"),
  { attributeFilter: ["data-shown"] },
);

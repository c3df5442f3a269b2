// A frame with the player's page. It gets the run's messages, which hold all rounds so far. When
// the run ends, the kernel puts a frame of its own into this one's place, which asks at which round
// this one was, and goes on from there.
const reached = new Map(); // by run: the round that was shown last
// where the notebook has a theme of its own
const dark = () => ({ true: false, false: true })[document.body.dataset.jpThemeLight];

addEventListener("message", ({ data, source }) => {
  if (!reached.has(data?.mwem)) return;
  if (data.asks) source.postMessage({ from: reached.get(data.mwem), dark: dark() }, "*");
  else reached.set(data.mwem, Math.max(0, data.shown));
});

export default { render({ model, el }) {
  const frame = document.createElement("iframe");
  Object.assign(frame, { srcdoc: model.get("page"), title: "The rounds of a run", width: "100%",
    height: model.get("height") });
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.border = 0;
  const post = () => {
    const message = model.get("message");
    if (message && !reached.has(message.run)) reached.set(message.run, 0);
    frame.contentWindow?.postMessage({ message, dark: dark() }, "*");
  };
  frame.onload = post;
  model.on("change:message", post);
  el.append(frame);
  post();
  return () => model.off("change:message", post);
} };

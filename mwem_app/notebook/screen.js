// A frame with the player's page. It gets the run's messages, which hold all rounds so far.
export default {
  render({ model, el }) {
    const dark = { true: false, false: true }[document.body.dataset.jpThemeLight]; // where the notebook has a theme of its own
    const frame = document.createElement("iframe");
    Object.assign(frame, { srcdoc: model.get("page"), title: "The rounds of a run", width: "100%", height: model.get("height") });
    frame.setAttribute("sandbox", "allow-scripts");
    frame.style.border = 0;
    const post = () => frame.contentWindow?.postMessage({ message: model.get("message"), dark }, "*");
    frame.onload = post;
    model.on("change:message", post);
    el.append(frame);
    return () => model.off("change:message", post);
  },
};

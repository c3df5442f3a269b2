// The teacher's deck: the key S opens a window with the notes to the slide, what comes next, and the time.
const notes = JSON.parse(document.getElementById("notes").textContent),
  titleOf = slide => slide?.querySelector("h1").textContent;
const began = Date.now(), LABELS = { say: "Say", ask: "Ask", errors: "Typical errors" };
const NOTES_STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 0; padding: 1.2rem 1.6rem; font: 1.15rem/1.5 system-ui, sans-serif; }
  header { display: flex; justify-content: space-between; }
  h1 { margin: 0.4rem 0; font-size: 1.6rem; }
  h2 { margin: 0.9rem 0 0; font-size: 1rem; }
  p { margin: 0.2rem 0; }
  .minutes { font-weight: 600; }
  footer { margin-top: 1.5rem; padding-top: 0.6rem; border-top: 1px solid; }
`;
let view = null;

function spoken() {
  if (!view || view.closed) return;
  const parts = (notes[at] ?? []).map(note =>
    h("section", {}, h("p", { class: "minutes" }, `${note.minutes} min`),
      Object.entries(LABELS).filter(([name]) => note[name]).flatMap((
        [name, label],
      ) => [h("h2", {}, label), ...note[name].split("\n\n").map(text => h("p", {}, text))]))
  );
  const next = titleOf(slides[beyond(at, 1)]), passed = Math.round((Date.now() - began) / 60000);
  view.document.title = "Speaker notes";
  view.document.body.replaceChildren(
    h("header", {}, h("b", {}, `${at + 1} of ${slides.length}`),
      h("span", {}, `${passed} min since the deck was opened`)),
    h("h1", {}, titleOf(slides[at])),
    ...parts,
    h("footer", {}, `Next: ${next}`),
  );
}

addEventListener("keydown", event => {
  if (event.key.toLowerCase() !== "s" || event.ctrlKey || event.metaKey || event.altKey
    || event.composedPath()[0].matches?.("input[type=text], input[type=number], textarea")) return;
  view = open("", "notes", "width=760,height=640");
  if (!view) return;
  view.document.documentElement.lang = "en";
  view.document.head.replaceChildren(h("style", {}, NOTES_STYLE));
  view.addEventListener("keydown", pressed);
  spoken();
});
document.addEventListener("turned", spoken);
setInterval(spoken, 30000);

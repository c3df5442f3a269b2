// Slides: one at a time, its number in the address, as large as its screen allows. What answers the
// prediction is passed over until it is locked in.
const slides = [...document.querySelectorAll(".slide")],
  counter = document.querySelector("footer output");
const INSIDE = "input, button, a, select, textarea, [tabindex]", LEAST = 0.5;
let at = 0, sizes = new Map();

const beyond = (from, way) => {
  for (let i = from + way; i in slides; i += way) if (!slides[i].hidden) return i;
  return from;
};

function turnTo(index) {
  at = slides[index].hidden ? beyond(index, -1) : index;
  slides.forEach((slide, i) => slide.classList.toggle("shown", i === at));
  counter.textContent = `${at + 1} of ${slides.length}`;
  if (location.hash !== `#${at + 1}`) history.replaceState(null, "", `#${at + 1}`);
  slides[at].scrollTop = 0;
  scaled(sizes.get(at) ?? 1);
}

// The type becomes smaller until the slide fits; on a phone one scrolls.
function scaled(factor) {
  sizes.set(at, factor);
  document.documentElement.style.setProperty("--fit", factor);
  requestAnimationFrame(() => requestAnimationFrame(fit)); // drawings hear of their new width in between
}

function fit() {
  const { scrollHeight, clientHeight } = slides[at], factor = sizes.get(at);
  if (scrollHeight > clientHeight + 1 && factor > LEAST
    && !matchMedia("(max-width: 48rem)").matches)
    scaled(Math.max(LEAST, factor * Math.min(0.97, Math.sqrt(clientHeight / scrollHeight))));
}

const grown = new ResizeObserver(() => requestAnimationFrame(fit));
for (const part of document.querySelectorAll(".slide > div > *")) grown.observe(part);
addEventListener("resize", () => ((sizes = new Map()), turnTo(at)));

function pressed(event) {
  const target = event.composedPath()[0], inside = target.matches?.(INSIDE);
  const keys = { PageDown: 1, PageUp: -1, ...(inside ? {}
    : { ArrowRight: 1, ArrowLeft: -1, " ": 1, Home: -slides.length, End: slides.length }) };
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  event.preventDefault();
  go(keys[event.key]);
}

function go(way) {
  turnTo(
    Math.abs(way) > 1 ? beyond(way > 0 ? slides.length : -1, -Math.sign(way)) : beyond(at, way),
  );
}

addEventListener("keydown", pressed);
for (const each of document.querySelectorAll("[data-go]"))
  each.addEventListener("click", () => go(Number(each.dataset.go)));
addEventListener("hashchange", () => turnTo(numbered()));

const numbered = () =>
  Math.min(slides.length, Math.max(1, parseInt(location.hash.slice(1), 10) || 1)) - 1;
turnTo(numbered());

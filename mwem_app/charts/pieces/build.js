// The frame of every drawing: `make(root, send)` of its script runs once for an element, `update(data)` on every rerun.
const drawings = new WeakMap();

export default function drawing({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".drawing");
  if (!drawings.has(root))
    drawings.set(root, make(root, (value, name = "sent") => setTriggerValue(name, value)));
  drawings.get(root).update(data);
}

// An HTML element: properties that start with "on" are listeners, the others attributes; null and false leave one out.
function h(tag, props = {}, ...children) {
  return filled(document.createElement(tag), props, children);
}

function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== false));
  return element;
}

let lastId = 0;
const newId = () => `piece-${++lastId}`;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// 0.0123 -> "0.012", 12345.6 -> "12,346": a number of any size in about two digits, never in powers of ten.
function short(value) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = Math.max(0, 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en", { minimumFractionDigits: 0,
    maximumFractionDigits: Math.min(digits, 6) });
}

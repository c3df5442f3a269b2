// The frame of every drawing: `make(root, send, data)` of its script runs once for an element, `update(data)`
// on every rerun. A busy Streamlit may take an element off the page and soon put an empty one in its
// place: the old element of a drawing that can `leave` is kept for a while, and moves into that place.
const drawings = new WeakMap(), absentees = new Map(); // by run: elements that left the page
const AWAY = 3000; // milliseconds

export default function drawing({ data, parentElement, setTriggerValue }) {
  let root = parentElement.querySelector(".drawing");
  if (!drawings.has(root) && absentees.has(data.run))
    root.replaceWith(root = absentees.get(data.run));
  if (!drawings.has(root)) {
    const own = {};
    own.made = make(root, (value, name = "sent") => own.send(name, value), data);
    drawings.set(root, own);
  }
  const own = drawings.get(root), { made } = own;
  own.send = setTriggerValue;
  absentees.delete(data.run);
  made.update(data);
  return () => {
    if (!made.leave) return;
    made.leave();
    absentees.set(data.run, root);
    setTimeout(() => absentees.get(data.run) === root && absentees.delete(data.run), AWAY);
  };
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
    else if (value != null && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child != null && child !== false));
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

const whole = value => Math.round(value).toLocaleString("en");

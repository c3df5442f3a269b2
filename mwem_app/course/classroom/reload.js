// The tab remembers the token of its session, its seat in a class and the predictions it has locked in. After a reload
// it sends them, to get back what it had. The server says null for what it does not know yet, and an empty text for
// what the tab shall forget.
const NAMES = { token: "mwem-session", seat: "mwem-seat", locked: "mwem-locked" };

export default function({ data, setTriggerValue }) {
  try {
    const before = {};
    for (const [what, name] of Object.entries(NAMES)) {
      const kept = sessionStorage.getItem(name);
      if (data[what])
        sessionStorage.setItem(name, what === "locked" ? joined(kept, data[what]) : data[what]);
      else if (data[what] === "") sessionStorage.removeItem(name);
      else if (kept) before[what] = kept;
    }
    if (Object.keys(before).length) setTriggerValue("before", before);
  } catch {
    // a browser that stores nothing: a reload starts anew
  }
}

// A new session may lock in more before it has heard of the earlier.
function joined(kept, more) {
  return JSON.stringify({ ...JSON.parse(kept ?? "{}"), ...JSON.parse(more) });
}

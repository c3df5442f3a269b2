// The tab remembers the token of its session. After a reload it sends the token, to get back what it had.
const NAME = "mwem-session";

export default function ({ data, setTriggerValue }) {
  try {
    const before = sessionStorage.getItem(NAME);
    if (data.token) sessionStorage.setItem(NAME, data.token);
    else if (before) setTriggerValue("token", before);
  } catch {
    // a browser that stores nothing: a reload starts anew
  }
}

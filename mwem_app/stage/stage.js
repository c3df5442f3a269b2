// The stage shows rounds. A message brings either the rounds of one run as they come, which the
// player follows, plays and opens; or whole runs over ε, which the demonstration puts under two
// sliders (mwem_app/stage/messages.py).
const make = (root, send, data) => (data.rounds ? makePlayer : makeDemonstration)(root, send);

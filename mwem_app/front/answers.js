// What twenty runs of each of two systems say at each of twelve ε of one table's pairs of
// attributes, as `mwem_app/front/stored_answers.py` packs it.
const RUNS = 20;
const BOTH = ["mwem", "automatic"];

// `pack` is what a file holds, as text; without it, `file` is where it is fetched.
async function unpacked({ pack, file }) {
  const stream = pack
    ? new Blob([Uint8Array.from(atob(pack), c => c.charCodeAt(0))]).stream()
    : await fetched(file);
  const bytes = new Uint8Array(
    await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer(),
  );
  const head = new DataView(bytes.buffer).getUint32(0, true), low = 4 + head,
    n = (bytes.length - low) / 2, differences = new Int16Array(n);
  for (let i = 0; i < n; i++) differences[i] = bytes[low + i] | (bytes[low + n + i] << 8);
  return { ...JSON.parse(new TextDecoder().decode(bytes.subarray(4, low))), differences };
}

async function fetched(file) {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file} did not load`);
  return response.body;
}

// The answers of a table whose attributes have these sizes. A cell is that of two values, [attribute, value] each.
function answersOf({ truth, rounds, differences }, sizes, epsilons) {
  const starts = {}, all = epsilons.map((_, e) => e);
  let cells = 0;
  sizes.forEach((a, i) =>
    sizes.slice(i + 1).forEach((b, j) => {
      starts[`${i} ${i + 1 + j}`] = cells;
      cells += a * b;
    })
  );
  const cell = ([a, i],
    [b, j]) => (a < b ? starts[`${a} ${b}`] + i * sizes[b] + j : cell([b, j], [a, i]));
  const places = systems => systems.map(name => BOTH.indexOf(name) * cells * all.length * RUNS);
  // How far a run is from the truth, summed over cells.
  const off = (system, cells, e, run) => {
    const [start] = places([system]);
    return sumOf(cells.map(c => differences[start + (c * all.length + e) * RUNS + run]));
  };
  const total = cells => sumOf(cells.map(c => truth[c]));
  const runs = (system, cells, e) =>
    Array.from({ length: RUNS }, (_, run) => total(cells) + off(system, cells, e, run));
  return { rounds, cell, off, total, runs, all };
}

// The narrowest interval that holds nineteen of the twenty answers, and how many it holds: all of them, if ends tie.
function nineteen(answers) {
  const sorted = [...answers].sort((a, b) => a - b), last = sorted.length - 1;
  const [low, high] = sorted[last - 1] - sorted[0] <= sorted[last] - sorted[1]
    ? [sorted[0], sorted[last - 1]] : [sorted[1], sorted[last]];
  return { low, high, count: sorted.filter(value => value >= low && value <= high).length };
}

const records = value =>
  Math.abs(value) < 9.95 ? value.toLocaleString("en", { maximumFractionDigits: 1 }) : whole(value);
const signed = value =>
  Math.round(value) > 0 ? `+${whole(value)}` : Math.round(value) < 0 ? `−${whole(-value)}` : "0";

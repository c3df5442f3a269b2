// Exact updates by the queries picked: mwem_app.course.numbers.reweighting.by_hand in the browser.
function answers({ held, data }) {
  const { truth, masks, exact, n, limit } = data;
  const asked = cells => masks.map(mask => sumOf(cells.map((count, x) => count * mask[x])));
  const potential = cells =>
    sumOf(truth.map((count, x) => (count ? (count / n) * Math.log(count / cells[x]) : 0)));
  function updated({ cells, answers }, query) {
    const error = answers[query] - exact[query],
      pushed = cells.map((count, x) => count * Math.exp((-masks[query][x] * error) / (2 * n)));
    const total = sumOf(pushed), next = pushed.map(count => (n * count) / total);
    return { cells: next, answers: asked(next), potential: potential(next), query, error,
      promise: (error / (2 * n)) ** 2 };
  }
  function tell(picks) {
    const states = picks.reduce((before, query) => [...before, updated(before.at(-1), query)], [
      held.start,
    ]);
    return { start: states[0], steps: states.slice(1) };
  }
  return { tell, take: (_, sent) => sent.picks.slice(0, limit) };
}

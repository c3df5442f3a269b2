// What is found of an answer to an exercise without a server: `verdict` of mwem_app/course/learn/exercises/.
const VERDICTS = { number({ cases }, answer) {
  return [
    cases.find(([low, high]) =>
      (low === null || low <= answer) && (high === null || answer <= high)
    ).slice(2),
  ];
}, settings({ shape, findings, verdicts }, at) {
  return verdicts[at.reduce((before, i, k) => before * shape[k] + i, 0)].map(number =>
    findings[number]
  );
}, curve({ tolerance, parts, typical, curve }, drawn) {
  const found = parts.map(({ start, stop, right, low, high }) => {
    const most = drawn.map((value, i) => value - curve[i]).slice(start, stop).reduce((most,
      each) => (Math.abs(each) > Math.abs(most) ? each : most)
    );
    return Math.abs(most) <= tolerance ? [true, right] : [false, most < 0 ? low : high];
  });
  if (found.every(([right]) => right)) return found;
  const like = typical.find(([wrong]) =>
    drawn.every((value, i) => Math.abs(value - wrong[i]) <= tolerance)
  );
  return like ? [[false, like[1]]] : found;
} };

function answers({ data, held }) {
  return { take: (_, sent) => sent.answer, tell(answer) {
    if (answer === null) return { answer, verdict: null };
    return { answer, verdict: VERDICTS[data.kind](held, answer),
      ...(held.curve ? { curve: held.curve } : {}) };
  } };
}

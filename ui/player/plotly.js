// Load Plotly once, for all charts.
let loading;
const plotly = (address) => (loading ??= new Promise((done, failed) => {
  if (window.Plotly) return done(window.Plotly);
  const tag = document.createElement("script");
  Object.assign(tag, { src: address, onload: () => done(window.Plotly), onerror: () => { loading = null; failed(new Error(`${address} did not load`)); } });
  document.head.append(tag);
}));

// A page with the picture alone; its message is in it.
const device = matchMedia("(prefers-color-scheme: dark)");
const colour = () => (document.documentElement.dataset.scheme = device.matches ? "dark" : "light");
device.addEventListener("change", colour);
colour();
drawing({ data: JSON.parse(document.getElementById("message").textContent),
  parentElement: document.querySelector("main"), setTriggerValue() {} });

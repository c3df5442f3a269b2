// The colours follow the device.
const device = matchMedia("(prefers-color-scheme: dark)");
const colour = () => (document.documentElement.dataset.scheme = device.matches ? "dark" : "light");
device.addEventListener("change", colour);
colour();

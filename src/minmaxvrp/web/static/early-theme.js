// Runs before the first paint, so that a dark page never flashes white; theme.js does the rest.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("minmaxvrp-theme");
  } catch {
    // storage may be forbidden: the system's choice then holds
  }
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen ?? (dark ? "dark" : "light");
})();

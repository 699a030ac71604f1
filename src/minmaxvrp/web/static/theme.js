/** Light and dark: the system's choice until the user makes one. early-theme.js sets it before the first paint. */

const KEY = "minmaxvrp-theme";

/** @type {Map<string, string>} */
const known = new Map();

/** A colour of the style sheet under the present theme; asked once, for each question costs a layout. */
export function themeColour(name) {
  const key = `${document.documentElement.dataset.theme} ${name}`;
  let colour = known.get(key);
  if (colour === undefined) {
    colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    known.set(key, colour);
  }
  return colour;
}

/** @param {HTMLButtonElement} button @param {() => void} redraw the canvas does not follow style sheets */
export function watchTheme(button, redraw) {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const show = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.setAttribute("aria-label", theme === "dark" ? "Switch to light" : "Switch to dark");
    button.title = button.getAttribute("aria-label") ?? "";
    redraw();
  };
  system.addEventListener("change", () => stored() ?? show(system.matches ? "dark" : "light"));
  button.addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // without storage the choice holds for this visit
    }
    show(theme);
  });
  show(document.documentElement.dataset.theme);
}

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

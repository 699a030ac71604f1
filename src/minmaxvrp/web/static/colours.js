/**
 * Colours of routes, the same as `minmaxvrp plot` draws (a test compares the two lists). They can be
 * told apart with the common kinds of colour blindness; past the last one they repeat with dashes.
 */

export const COLOURS = [
  "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#332288",
  "#780000", "#5AA5FF", "#874B5A", "#4B2D4B", "#96C396", "#C30F00",
  "#8769F0", "#2D3CC3", "#78C3E1", "#5A4B87", "#A578D2", "#F05A78",
  "#965A87", "#00691E", "#693C4B", "#87A5D2", "#69C35A", "#A55A5A",
];

const DASHES = [[], [7, 2.5], [2, 2.5], [9, 2.5, 2, 2.5]];
const LEAST_CONTRAST = 3; // WCAG 1.4.11 for graphics

/** Dash pattern of route k. @param {number} k */
export const dash = (k) => DASHES[Math.floor(k / COLOURS.length) % DASHES.length];

/** @type {Map<string, string>} */
const known = new Map();

/**
 * Colour of route k on a background: the palette's own, lightened or darkened only where it could not be
 * seen (indigo on a dark page).
 * @param {number} k @param {string} background as #rrggbb
 */
export function routeColour(k, background) {
  const colour = COLOURS[k % COLOURS.length];
  const key = colour + background;
  if (!known.has(key)) known.set(key, legible(colour, background));
  return /** @type {string} */ (known.get(key));
}

/** Mixed with white or black until its contrast to the background suffices. */
export function legible(colour, background) {
  const towards = luminance(background) < 0.18 ? "#ffffff" : "#000000";
  if (towards === "#000000") return colour; // on light pages the palette is the plot's, unchanged
  for (let share = 0; share < 0.9; share += 0.05) {
    const mixed = mix(colour, towards, share);
    if (contrast(mixed, background) >= LEAST_CONTRAST) return mixed;
  }
  return towards;
}

/** Black or white, whichever reads better on a colour. */
export const inkOn = (colour) => (contrast("#ffffff", colour) >= 3.2 ? "#ffffff" : "#111418");

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q);
  return (high + 0.05) / (low + 0.05);
}

/** Relative luminance of WCAG. */
function luminance(colour) {
  const [r, g, b] = channels(colour).map((c) => (c <= 10.31 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function mix(a, b, share) {
  const [from, to] = [channels(a), channels(b)];
  const hex = from.map((c, k) => Math.round(c + (to[k] - c) * share).toString(16).padStart(2, "0"));
  return `#${hex.join("")}`;
}

const channels = (colour) => [1, 3, 5].map((k) => Number.parseInt(colour.slice(k, k + 2), 16));

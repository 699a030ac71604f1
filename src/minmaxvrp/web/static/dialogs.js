/** The windows: paste rows, random stops, help. One <dialog>, filled anew each time. */

import { byId, el, icon } from "./dom.js";
import { countText } from "./format.js";
import { KEYS } from "./mapkeys.js";
import { toCsv, understand } from "./paste.js";
import { randomDocument } from "./random.js";

const WORDS = { name: "name", lat: "latitude", lon: "longitude", x: "x", y: "y", role: "role", pair: "pair", service: "service", vehicles: "vehicles", "": "not used" };

/** Show a window; returns its body. */
function show(title, ...children) {
  const dialog = byId("dialog");
  const heading = el("h2", { id: "dialog-title" }, title);
  const close = el("button", { type: "button", className: "icon small", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"));
  dialog.setAttribute("aria-labelledby", "dialog-title");
  dialog.replaceChildren(el("div", { className: "dialog-head" }, heading, close), ...children);
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close(); // a click beside it
  };
  dialog.showModal();
  return dialog;
}

/** Paste rows from a spreadsheet. @param {(csv: string) => Promise<boolean>} use returns whether it could be read */
export function pasteDialog(use) {
  const area = el("textarea", {
    rows: 9, spellcheck: false, "aria-label": "Rows",
    placeholder: "Depot\t52.5432\t13.3700\nOld mill\t52.5170\t13.3889\nBakery\t52.5200\t13.4050",
  });
  const depot = el("input", { type: "checkbox", checked: true });
  const depotRow = el("label", { className: "check" }, depot, "The first row is the depot");
  const words = el("p", { className: "faint", role: "status" });
  const preview = el("div", { className: "preview" });
  const problem = el("p", { className: "problem", role: "alert", hidden: true });
  const ok = el("button", { type: "submit", className: "primary" }, "Use these stops");
  let reading = understand("");
  const look = () => {
    reading = understand(area.value);
    depotRow.hidden = !reading.rows.length || reading.columns.includes("role");
    problem.hidden = !reading.problem;
    problem.textContent = reading.problem;
    ok.disabled = !reading.rows.length || Boolean(reading.problem);
    words.textContent = reading.rows.length ? `${countText(reading.rows.length, "row")}${reading.header ? " below a header" : ""}` : "";
    preview.replaceChildren(...(reading.rows.length ? [previewOf(reading)] : []));
  };
  area.addEventListener("input", look);
  const form = el("form", { method: "dialog" },
    el("p", {}, "Copy rows in your spreadsheet and paste them here. A header is welcome, not needed: names, latitude and longitude or x and y, and if you like role, pair, service."),
    area, words, preview, problem, depotRow, el("div", { className: "dialog-actions" }, ok));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await use(toCsv(reading, depot.checked))) byId("dialog").close();
  });
  look();
  show("Paste rows", form);
  area.focus();
}

/** The first rows as they were understood. */
function previewOf({ columns, rows }) {
  const head = el("tr", {}, ...columns.map((name) => el("th", { className: name ? "" : "unused" }, WORDS[name])));
  const body = rows.slice(0, 4).map((row) => el("tr", {}, ...columns.map((name, k) => el("td", { className: name ? "" : "unused" }, row[k] ?? ""))));
  return el("table", {}, el("thead", {}, head), el("tbody", {}, ...body));
}

/** Random stops. @param {(doc: import("./document.js").Doc) => void} use @param {number} most customers */
export function randomDialog(use, most) {
  const number = (label, name, value, min, max) => el("label", { className: "inline" }, el("span", {}, label), el("input", { type: "number", name, value: String(value), min: String(min), max: String(max), required: true }));
  const check = (label, name) => el("label", { className: "check" }, el("input", { type: "checkbox", name }), label);
  const form = el("form", { method: "dialog" },
    number("Stops", "stops", 100, 1, most), number("Depots", "depots", 1, 1, 50),
    number("Vehicles", "vehicles", 5, 1, 1000), number("Random seed", "seed", Math.floor(Math.random() * 1000), 0, 4294967295),
    check("In clusters, as towns are", "clustered"), check("Every two stops are a pickup and its delivery", "paired"),
    el("div", { className: "dialog-actions" }, el("button", { type: "submit", className: "primary" }, "Make them")));
  form.addEventListener("submit", () => {
    const value = (name) => form.elements.namedItem(name);
    const [stops, depots, vehicles, seed] = ["stops", "depots", "vehicles", "seed"].map((name) => Number(value(name).value));
    use(randomDocument({ stops, depots, vehicles, seed, clustered: value("clustered").checked, paired: value("paired").checked }));
  });
  show("Random stops", form);
}

export function helpDialog() {
  const steps = [
    "Give stops: an example, a file (CSV, JSON, GeoJSON, TSPLIB or VROOM), rows of a spreadsheet, or clicks on the map.",
    "Say how many vehicles there are and press Solve. The plan appears at once and gets better while you watch.",
    "Drag a stop, add one, take a vehicle away: the search goes on from the routes on the screen.",
    "Click a vehicle's bar to hide its route. Export the plan, or print a sheet for each vehicle.",
  ];
  show("Help",
    el("ol", { className: "steps" }, ...steps.map((step) => el("li", {}, step))),
    el("h3", {}, "Keys"),
    el("dl", { className: "keys" }, ...KEYS.flatMap(([keys, what]) => [el("dt", {}, keys), el("dd", {}, what)])),
    el("p", { className: "faint" }, "Everything is computed by the server that sent this page; nothing else is asked."),
    el("p", {}, el("a", { href: "docs", target: "_blank", rel: "noopener" }, "HTTP API")));
}

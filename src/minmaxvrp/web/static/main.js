/** Puts the parts of the page together; each part is in a file of its own, named after what it does. */

import * as api from "./api.js";
import { Bars } from "./bars.js";
import { Controls } from "./controls.js";
import { Details, Tip } from "./details.js";
import { helpDialog, pasteDialog, randomDialog } from "./dialogs.js";
import { EMPTY, labelOf, missing } from "./document.js";
import { byId, el } from "./dom.js";
import { Files } from "./files.js";
import { lengthText } from "./format.js";
import { isGeographic, measureOf, placesOf } from "./distance.js";
import { MapView } from "./map.js";
import { MapInput } from "./mapinput.js";
import { Keys } from "./mapkeys.js";
import { makeMenu } from "./menus.js";
import { notify, say } from "./notices.js";
import { printSheets } from "./print.js";
import { Solver } from "./solver.js";
import { Store, changed } from "./state.js";
import { qualityWords, showSummary } from "./summary.js";
import { Table } from "./table.js";
import { watchTheme } from "./theme.js";

const FORMAT_WORDS = {
  json: "Plan", geojson: "Map data", sol: "Routes, VRPLIB style", csv: "Table", xlsx: "Excel", gpx: "Navigation devices",
  kml: "Google Earth", html: "Sheets for drivers", svg: "Picture to scale", png: "Picture", pdf: "Picture to print",
};
const NEED_LATITUDE = ["gpx", "kml"];

const store = new Store();
const controls = new Controls(store);
const map = new MapView(byId("map"), store);
const tip = new Tip(byId("tip"), store, map);
const input = new MapInput(map, store, { say, warn: (text) => notify(text, "info"), tip });
const solver = new Solver(store, () => controls.options(), {
  error: (text) => notify(text),
  say,
  done: () => say(`Finished. ${planWords()}`),
});
const files = new Files(store, () => map.fit());
let limits = { customers: 10_000 };
/** @type {{name: string, title: string}[]} */
let exampleList = [];
/** @type {{name: string, ending: string}[]} */
let formatList = [];

const planWords = () => {
  const { plan, doc } = store.state;
  return plan ? `Longest route ${lengthText(plan.makespan, measureOf(doc))}. ${qualityWords(store.state)}.` : "";
};
const select = (id) => {
  store.set({ selected: id });
  map.reveal(id);
  say(`Selected ${labelOf(store.state.doc, id)}`);
};
const solveOrStop = () => {
  if (store.state.solving) solver.stop();
  else if (missing(store.state.doc)) say(missing(store.state.doc));
  else {
    say("Solving");
    solver.solve();
  }
};
const paste = () => pasteDialog((csv) => files.open(new Blob([csv]), "pasted.csv"));
const random = () => randomDialog((doc) => files.use(doc), limits.customers);

new Bars(byId("bars"), byId("bars-legend"), store);
new Table(byId("table"), store, (id) => map.reveal(id));
const details = new Details(byId("details"), store, say, (text) => notify(text, "info"));
new Keys(map, store, input, { say, solveOrStop, help: helpDialog, pin: (value) => details.pin(value) });
showSummary(store, () => controls.options().seconds, select);
watchTheme(byId("theme"), () => {
  map.redraw();
  store.state = { ...store.state }; // views that colour by script look again
  store.schedule();
});

byId("solve").addEventListener("click", solveOrStop);
byId("undo").addEventListener("click", () => store.undo());
byId("redo").addEventListener("click", () => store.redo());
byId("zoom-in").addEventListener("click", () => map.zoom(1.4));
byId("zoom-out").addEventListener("click", () => map.zoom(1 / 1.4));
byId("fit").addEventListener("click", () => map.fit());
byId("help").addEventListener("click", helpDialog);
watchTools();
watchPaste();
for (const [what, act] of Object.entries({ open: () => files.choose(), paste, random })) {
  document.querySelector(`[data-do=${what}]`)?.addEventListener("click", act);
}

store.subscribe((state, before) => {
  byId("undo").disabled = !store.past.length;
  byId("redo").disabled = !store.future.length;
  if (changed(state, before, "plan") && state.solving && state.plan) say(planWords(), false);
});

setInterval(() => {
  if (store.state.solving) controls.tick(solver.elapsed, store.state.plan?.iterations ?? 0);
}, 200);

makeMenu(byId("open-menu"), () => [
  { label: "Open a file…", hint: "CSV, JSON, GeoJSON, TSPLIB, VROOM", act: () => files.choose() },
  { label: "Paste rows…", hint: "from a spreadsheet", act: paste },
  { label: "Random stops…", act: random },
  "Examples",
  ...exampleList.map(({ name, title }) => ({ label: title, act: () => files.example(name) })),
  null,
  { label: "Check a plan…", hint: "JSON, GeoJSON or .sol", disabled: Boolean(missing(store.state.doc)), act: () => files.choosePlan() },
  { label: "Clear everything", act: () => { store.load(EMPTY); store.set({ tool: "customer" }); map.fit(); } },
]);
makeMenu(byId("export-menu"), () => {
  const { doc, plan } = store.state;
  if (missing(doc)) return ["Nothing to export yet"];
  const ready = Boolean(plan?.routes.length);
  const offered = isGeographic(placesOf(doc)) ? formatList : formatList.filter(({ name }) => !NEED_LATITUDE.includes(name));
  return [
    { label: "Print a sheet for each vehicle…", disabled: !ready, act: () => printSheets(store.state) },
    "Plan as a file",
    ...offered.map((format) => ({
      label: FORMAT_WORDS[format.name] ?? format.name, hint: format.ending, disabled: !ready, act: () => files.save(format),
    })),
    null,
    { label: "Stops, to open again", hint: ".json", act: () => files.saveStops() },
  ];
});

/** The tool buttons, a radio group: arrow keys move within it. */
function watchTools() {
  const buttons = /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll("[data-tool]")]);
  for (const [k, button] of buttons.entries()) {
    button.addEventListener("click", () => store.set({ tool: /** @type {any} */ (button.dataset.tool), pairFrom: null }));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = buttons[(k + step + buttons.length) % buttons.length];
      next.focus();
      next.click();
    });
  }
  store.subscribe((state) => {
    for (const button of buttons) {
      const on = button.dataset.tool === state.tool;
      button.setAttribute("aria-checked", String(on));
      button.tabIndex = on ? 0 : -1;
    }
  });
}

/** Ctrl+V anywhere but in a field takes rows from the clipboard at once. */
function watchPaste() {
  document.addEventListener("paste", (event) => {
    if (event.target instanceof Element && event.target.closest("input, textarea, dialog")) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.includes("\n")) return;
    paste();
    const area = byId("dialog").querySelector("textarea");
    area.value = text;
    area.dispatchEvent(new Event("input"));
  });
}

/** What the server can do; whatever it does not answer, the page still edits. */
async function meetServer() {
  const [health, examples, formats] = await Promise.allSettled([api.health(), api.examples(), api.formats()]);
  for (const answer of [health, examples, formats]) {
    if (answer.status === "rejected") notify(answer.reason.message);
  }
  limits = { ...limits, ...health.value?.limits };
  controls.limit(limits);
  exampleList = examples.value ?? [];
  formatList = formats.value ?? [];
  showExamples();
  if (health.value?.tiles?.url) useTiles(health.value.tiles);
}

function showExamples() {
  const first = exampleList.slice(0, 3).map(({ name, title }) =>
    el("button", { type: "button", className: "example", onclick: () => files.example(name) }, title));
  byId("welcome-examples").replaceChildren(...first);
}

function useTiles({ url, attribution }) {
  map.tiles.use(url);
  byId("tiles-switch").hidden = false;
  byId("attribution").textContent = attribution ?? "";
  store.subscribe(({ tiles, doc }) => (byId("attribution").hidden = !(attribution && tiles && isGeographic(placesOf(doc)))));
  map.redraw();
}

meetServer();

export { map, store }; // for the browser's console, and for the tests

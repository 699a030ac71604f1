/**
 * Stops in the order of the plan with the length of the way so far; without a plan, the stops as given.
 * Only rows in sight are in the DOM, and only their texts are made: the list may have 10,000.
 */

import { routeColour } from "./colours.js";
import { coordinateText, lengthText } from "./format.js";
import { el } from "./dom.js";
import { isDepot, labelOf, numbersOf, partnersOf, stopOf, stopsOf } from "./document.js";
import { measureOf } from "./distance.js";
import { pinWords, vehicleName } from "./fleet.js";
import { cumulative, unrouted } from "./plan.js";
import { changed } from "./state.js";
import { themeColour } from "./theme.js";

const ROW = 30; // pixels, as in plan.css
const SPARE = 6; // rows above and below the visible part

/**
 * @typedef {"from" | "stop" | "back" | "loose" | "given"} Kind "from" and "loose" are headings
 * @typedef {{kind: Kind, id: number | null, route: number, place: number}} Row `place` in its route
 */

export class Table {
  /** @param {HTMLElement} box @param {import("./state.js").Store} store @param {(id: number) => void} reveal */
  constructor(box, store, reveal) {
    this.box = box;
    this.store = store;
    this.reveal = reveal;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {{row: Row, element: HTMLElement}[]} */
    this.shown = [];
    /** @type {Map<number, number[]>} cumulative lengths of the routes in sight */
    this.sums = new Map();
    this.body = el("div", { className: "table-body", role: "rowgroup" });
    box.append(this.body);
    // both remembered: asking for them in the middle of an update would lay out the whole page at once
    this.top = this.height = 0;
    box.addEventListener("scroll", () => {
      this.top = box.scrollTop;
      this.draw();
    });
    box.addEventListener("pointerleave", () => store.set({ hoverStop: null, hoverRoute: null }));
    box.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => {
      this.height = box.clientHeight;
      this.draw();
    }).observe(box);
    store.subscribe((state, before) => this.update(state, before));
  }

  update(state, before) {
    const theme = document.documentElement.dataset.theme;
    const anew = changed(state, before, "doc", "plan");
    if (anew) {
      this.rows = rowsOf(state);
      this.sums.clear();
      if (before.plan && !state.plan) this.box.scrollTop = 0;
    }
    if (anew || this.theme !== theme) this.draw();
    this.theme = theme;
    if (changed(state, before, "selected")) this.follow((row) => isStop(row) && row.id === state.selected);
    if (changed(state, before, "hoverStop", "hoverRoute") && !this.box.matches(":hover")) this.followHover(state);
    if (changed(state, before, "hoverStop", "hoverRoute", "selected", "hidden")) this.light();
  }

  draw() {
    const first = Math.max(Math.floor(this.top / ROW) - SPARE, 0);
    const last = Math.min(Math.ceil((this.top + this.height) / ROW) + SPARE, this.rows.length);
    this.body.style.height = `${this.rows.length * ROW}px`;
    this.box.setAttribute("aria-rowcount", String(this.rows.length));
    this.shown = this.rows.slice(first, last).map((row, k) => ({ row, element: this.element(row, first + k) }));
    this.light();
    this.body.replaceChildren(...this.shown.map(({ element }) => element));
  }

  element(row, number) {
    const [order, name, figure] = this.texts(row);
    const pin = row.id !== null && isStop(row) ? pinWords(this.store.state.doc, row.id) : "";
    const tag = pin ? [el("span", { className: "row-pin" }, pin)] : [];
    const mark = el("span", { className: "row-mark", role: "cell" }, order);
    if (row.kind === "from") {
      mark.style.setProperty("--route", routeColour(row.route, themeColour("--surface")));
      mark.classList.add("coloured");
    }
    const element = el(
      "div",
      {
        role: "row", "aria-rowindex": String(number + 1),
        onclick: () => this.choose(row),
        onpointerenter: () => this.hover(row),
      },
      mark,
      el("span", { className: "row-name", role: "cell", title: [name, pin].filter(Boolean).join(", ") }, name, ...tag),
      el("span", { className: "row-figure", role: "cell" }, figure),
    );
    element.style.transform = `translateY(${number * ROW}px)`;
    return element;
  }

  /** Order, name and figure of a row. @param {Row} row @returns {string[]} */
  texts({ kind, id, route, place }) {
    const { doc, plan } = this.store.state;
    const unit = measureOf(doc);
    const label = id === null ? "" : labelOf(doc, id);
    if (kind === "loose") return ["", "On no route yet", ""];
    if (kind === "from") {
      const used = plan?.routes[route].customers.length;
      const name = doc.fleet ? `${vehicleName(doc, route)}, ` : "";
      return [String(route + 1), `${name}${used ? "from" : "stays at"} ${label}`, lengthText(plan?.lengths[route] ?? 0, unit)];
    }
    if (kind === "given") {
      const number = (numbersOf(doc).get(id) ?? 0) - doc.depots.length + 1;
      return [isDepot(doc, id) ? "■" : String(number), named(doc, id), (stopOf(doc, id)?.at ?? []).map(coordinateText).join(", ")];
    }
    if (route < 0) return ["–", named(doc, id), ""];
    if (!this.sums.has(route) && plan) this.sums.set(route, cumulative(doc, plan.routes[route], route));
    const sum = lengthText(this.sums.get(route)?.[place] ?? 0, unit);
    const back = plan?.routes[route].start === id ? "back at" : "ends at";
    return kind === "back" ? ["", `${back} ${label}`, sum] : [String(place + 1), named(doc, id), sum];
  }

  /** Show which rows are selected, under the pointer, or hidden. */
  light() {
    const { selected, hoverStop, hoverRoute, hidden } = this.store.state;
    for (const { row, element } of this.shown) {
      const classes = ["row"];
      if (isHead(row)) classes.push("head");
      const current = isStop(row) && row.id === selected;
      if (current) classes.push("selected");
      if (isStop(row) && row.id === hoverStop) classes.push("hovered");
      if (hoverRoute !== null && row.route !== hoverRoute) classes.push("back");
      if (hidden.has(row.route)) classes.push("off");
      element.className = classes.join(" ");
      if (current) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    }
  }

  hover(row) {
    this.store.set({ hoverStop: isStop(row) ? row.id : null, hoverRoute: row.route < 0 ? null : row.route });
  }

  choose(row) {
    if (!isStop(row)) return;
    this.store.set({ selected: row.id });
    this.reveal(row.id);
  }

  /** Up and down select the row before or after. */
  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !this.rows.length) return;
    event.preventDefault();
    const usable = this.rows.filter(isStop);
    const k = usable.findIndex((row) => row.id === this.store.state.selected);
    const row = usable[Math.min(Math.max(k + step, 0), usable.length - 1)];
    if (row) this.choose(row);
  }

  /** What is under the pointer on the map or among the bars comes into sight here. */
  followHover({ hoverStop, hoverRoute }) {
    if (hoverStop !== null) this.follow((row) => isStop(row) && row.id === hoverStop);
    else if (hoverRoute !== null) this.follow((row) => row.kind === "from" && row.route === hoverRoute);
  }

  /** Scroll to the first such row unless it is in sight. @param {(row: Row) => boolean} wanted */
  follow(wanted) {
    const k = this.rows.findIndex(wanted);
    if (k < 0) return;
    if (k * ROW < this.top) this.box.scrollTop = Math.max(k - 1, 0) * ROW;
    else if ((k + 1) * ROW > this.top + this.height) {
      this.box.scrollTop = isHead(this.rows[k]) ? k * ROW : (k + 2) * ROW - this.height;
    }
  }
}

const isStop = (row) => row.kind === "stop" || row.kind === "given";
const isHead = (row) => row.kind === "from" || row.kind === "loose";

/** @returns {Row[]} */
function rowsOf({ doc, plan }) {
  if (!plan?.routes.length) return stopsOf(doc).map(({ id }) => ({ kind: "given", id, route: -1, place: 0 }));
  const rows = plan.routes.flatMap((route, k) => [
    { kind: "from", id: route.start, route: k, place: 0 },
    ...route.customers.map((id, place) => ({ kind: "stop", id, route: k, place })),
    ...(route.end === null || !route.customers.length ? [] : [{ kind: "back", id: route.end, route: k, place: route.customers.length }]),
  ]);
  const loose = [...unrouted(doc, plan)].map((id) => ({ kind: "stop", id, route: -1, place: 0 }));
  return loose.length ? [...rows, { kind: "loose", id: null, route: -1, place: 0 }, ...loose] : rows;
}

function named(doc, id) {
  const role = partnersOf(doc).get(id)?.role;
  return role ? `${role === "pickup" ? "▲" : "▼"} ${labelOf(doc, id)}` : labelOf(doc, id);
}

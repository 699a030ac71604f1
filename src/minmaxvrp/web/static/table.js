/**
 * Stops in the order of the plan with the length of the way so far; without a plan, the stops as given.
 * Only rows in sight are in the DOM: the list may have 10,000.
 */

import { routeColour } from "./colours.js";
import { coordinateText, lengthText } from "./format.js";
import { el } from "./dom.js";
import { isDepot, labelOf, partnersOf, stopOf, stopsOf } from "./document.js";
import { unitOf } from "./distance.js";
import { cumulative, unrouted } from "./plan.js";
import { changed } from "./state.js";

const ROW = 30; // pixels, as in plan.css
const SPARE = 6; // rows above and below the visible part

/** @typedef {{id: number | null, route: number, order: string, name: string, figure: string, head: boolean}} Row */

export class Table {
  /** @param {HTMLElement} box @param {import("./state.js").Store} store @param {(id: number) => void} reveal */
  constructor(box, store, reveal) {
    this.box = box;
    this.store = store;
    this.reveal = reveal;
    /** @type {Row[]} */
    this.rows = [];
    this.body = el("div", { className: "table-body", role: "rowgroup" });
    box.append(this.body);
    box.addEventListener("scroll", () => this.draw());
    box.addEventListener("pointerleave", () => store.set({ hoverStop: null, hoverRoute: null }));
    box.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(box);
    store.subscribe((state, before) => {
      if (changed(state, before, "doc", "plan")) this.rows = rowsOf(state);
      if (changed(state, before, "selected")) this.follow(state.selected);
      this.draw();
    });
  }

  draw() {
    const { scrollTop, clientHeight } = this.box;
    const first = Math.max(Math.floor(scrollTop / ROW) - SPARE, 0);
    const last = Math.min(Math.ceil((scrollTop + clientHeight) / ROW) + SPARE, this.rows.length);
    this.body.style.height = `${this.rows.length * ROW}px`;
    this.box.setAttribute("aria-rowcount", String(this.rows.length));
    const visible = this.rows.slice(first, last).map((row, k) => this.element(row, first + k));
    this.body.replaceChildren(...visible);
  }

  element(row, number) {
    const { selected, hoverStop, hoverRoute, hidden } = this.store.state;
    const classes = ["row"];
    if (row.head) classes.push("head");
    if (row.id !== null && row.id === selected && !row.head) classes.push("selected");
    if (row.id !== null && row.id === hoverStop) classes.push("hovered");
    if (hoverRoute !== null && row.route !== hoverRoute) classes.push("back");
    if (hidden.has(row.route)) classes.push("off");
    const mark = el("span", { className: "row-mark", role: "cell" }, row.order);
    if (row.head && row.route >= 0) {
      const ground = getComputedStyle(this.box).getPropertyValue("--surface").trim();
      mark.style.setProperty("--route", routeColour(row.route, ground));
      mark.classList.add("coloured");
    }
    const element = el(
      "div",
      {
        className: classes.join(" "), role: "row", "aria-rowindex": String(number + 1),
        onclick: () => this.choose(row),
        onpointerenter: () => this.store.set({ hoverStop: row.head ? null : row.id, hoverRoute: row.route < 0 ? null : row.route }),
      },
      mark,
      el("span", { className: "row-name", role: "cell", title: row.name }, row.name),
      el("span", { className: "row-figure", role: "cell" }, row.figure),
    );
    element.style.transform = `translateY(${number * ROW}px)`;
    if (classes.includes("selected")) element.setAttribute("aria-current", "true");
    return element;
  }

  choose(row) {
    if (row.id === null || row.head) return;
    this.store.set({ selected: row.id });
    this.reveal(row.id);
  }

  /** Up and down select the row before or after. */
  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !this.rows.length) return;
    event.preventDefault();
    const usable = this.rows.filter((row) => row.id !== null && !row.head);
    const k = usable.findIndex((row) => row.id === this.store.state.selected);
    const row = usable[Math.min(Math.max(k + step, 0), usable.length - 1)];
    if (row) this.choose(row);
  }

  /** Keep the row of a selected stop in sight. */
  follow(id) {
    const k = id === null ? -1 : this.rows.findIndex((row) => row.id === id && !row.head);
    if (k < 0) return;
    const { scrollTop, clientHeight } = this.box;
    if (k * ROW < scrollTop + ROW) this.box.scrollTop = Math.max(k - 1, 0) * ROW;
    else if ((k + 1) * ROW > scrollTop + clientHeight) this.box.scrollTop = (k + 1) * ROW - clientHeight;
  }
}

/** @returns {Row[]} */
function rowsOf({ doc, plan }) {
  return plan?.routes.length ? planRows(doc, plan) : stopRows(doc);
}

function planRows(doc, plan) {
  const unit = unitOf(doc.distance);
  const partners = partnersOf(doc);
  const rows = plan.routes.flatMap((route, k) => {
    const sums = cumulative(doc, route);
    return [
      { id: route.start, route: k, order: String(k + 1), name: `from ${labelOf(doc, route.start)}`, figure: lengthText(plan.lengths[k], unit), head: true },
      ...route.customers.map((id, i) => ({
        id, route: k, order: String(i + 1), head: false,
        name: named(doc, partners, id), figure: lengthText(sums[i], unit),
      })),
      { id: null, route: k, order: "", head: false, name: `back at ${labelOf(doc, route.end)}`, figure: lengthText(sums.at(-1) ?? 0, unit) },
    ];
  });
  const loose = [...unrouted(doc, plan)];
  if (loose.length) rows.push({ id: null, route: -1, order: "", name: "On no route yet", figure: "", head: true });
  return [...rows, ...loose.map((id) => ({ id, route: -1, order: "–", name: labelOf(doc, id), figure: "", head: false }))];
}

function stopRows(doc) {
  const partners = partnersOf(doc);
  return stopsOf(doc).map((stop, k) => ({
    id: stop.id, route: -1, head: false,
    order: isDepot(doc, stop.id) ? "■" : String(k - doc.depots.length + 1),
    name: named(doc, partners, stop.id),
    figure: (stopOf(doc, stop.id)?.at ?? []).map(coordinateText).join(", "),
  }));
}

function named(doc, partners, id) {
  const role = partners.get(id)?.role;
  return role ? `${role === "pickup" ? "▲" : "▼"} ${labelOf(doc, id)}` : labelOf(doc, id);
}

/** One bar per vehicle on a common scale: travel, then service; the longest emphasised, the bound marked. */

import { inkOn, routeColour } from "./colours.js";
import { el } from "./dom.js";
import { countText, lengthText } from "./format.js";
import { measureOf } from "./distance.js";
import { doneOf, vehicleName } from "./fleet.js";
import { longestOf } from "./plan.js";
import { changed } from "./state.js";
import { themeColour } from "./theme.js";

export class Bars {
  /** @param {HTMLElement} list @param {HTMLElement} legend @param {import("./state.js").Store} store */
  constructor(list, legend, store) {
    this.list = list;
    this.legend = legend;
    this.store = store;
    /** @type {any[]} */
    this.rows = [];
    list.addEventListener("pointerleave", () => store.set({ hoverRoute: null }));
    store.subscribe((state, before) => {
      if (changed(state, before, "plan", "hidden", "doc") || this.theme !== theme()) this.draw(state);
      if (changed(state, before, "plan", "hoverRoute")) this.light(state.hoverRoute);
    });
  }

  draw(state) {
    const { plan, doc, hidden } = state;
    this.theme = theme();
    const count = plan?.routes.length ?? 0;
    while (this.rows.length > count) this.rows.pop().item.remove();
    while (this.rows.length < count) this.rows.push(this.addRow(this.rows.length));
    if (!plan) return;
    const ground = themeColour("--surface");
    const longest = longestOf(plan);
    const bound = plan.changed ? null : plan.lowerBound;
    const scale = Math.max(plan.makespan, bound ?? 0) || 1;
    const unit = measureOf(doc);
    this.list.style.setProperty("--bound", bound === null ? "-1" : String(bound / scale));
    this.list.classList.toggle("bounded", bound !== null);
    this.rows.forEach((row, k) => this.fill(row, k, { doc, plan, scale, unit, longest, hidden, ground }));
    this.explain(doc, plan, bound, unit);
  }

  addRow(k) {
    const { store } = this;
    const row = {
      chip: el("span", { className: "chip" }),
      name: el("span", { className: "bar-name" }),
      done: el("span", { className: "bar-done" }),
      travel: el("span", { className: "bar-travel" }),
      service: el("span", { className: "bar-service" }),
      length: el("span", { className: "bar-length" }),
      stops: el("span", { className: "bar-stops" }),
      button: /** @type {any} */ (null),
      item: /** @type {any} */ (null),
    };
    const track = el("span", { className: "bar-track" }, row.done, row.travel, row.service);
    row.button = el(
      "button",
      {
        type: "button",
        className: "bar",
        "data-route": String(k),
        onclick: () => this.toggle(k),
        onpointerenter: () => store.set({ hoverRoute: k }),
        onfocus: () => store.set({ hoverRoute: k }),
        onblur: () => store.set({ hoverRoute: null }),
      },
      row.chip, row.name, track, row.length, row.stops,
    );
    row.item = el("li", {}, row.button);
    this.list.append(row.item);
    return row;
  }

  fill(row, k, { doc, plan, scale, unit, longest, hidden, ground }) {
    const done = doneOf(doc, k);
    row.name.textContent = doc.fleet ? vehicleName(doc, k) : "";
    row.name.hidden = !doc.fleet;
    row.done.style.width = `${(100 * done) / scale}%`;
    const colour = routeColour(k, ground);
    row.chip.textContent = String(k + 1);
    row.chip.style.background = colour;
    row.chip.style.color = inkOn(colour);
    row.travel.style.background = colour;
    row.travel.style.width = `${(100 * plan.travel[k]) / scale}%`;
    row.service.style.width = `${(100 * plan.service[k]) / scale}%`;
    row.service.style.setProperty("--route", colour);
    row.length.textContent = lengthText(plan.lengths[k], unit);
    const stops = plan.routes[k].customers.length;
    row.stops.textContent = countText(stops, "stop");
    const shown = !hidden.has(k);
    row.button.setAttribute("aria-pressed", String(shown));
    const served = plan.service[k] ? `, ${lengthText(plan.service[k], unit)} of it service` : "";
    const extra = k === longest ? ", the longest" : "";
    const before = done ? `, ${lengthText(done, unit)} of it worked before` : "";
    const title = doc.fleet ? vehicleName(doc, k) : `Route ${k + 1}`;
    row.button.setAttribute("aria-label", `${title}: ${lengthText(plan.lengths[k], unit)}${extra}${served}${before}, ${countText(stops, "stop")}${shown ? "" : ", hidden"}`);
    row.button.title = shown ? "Click to hide this route on the map" : "Click to show this route again";
    row.item.classList.toggle("longest", k === longest);
    row.item.classList.toggle("off", !shown);
  }

  /** Bring one row to the front. @param {number | null} route */
  light(route) {
    this.rows.forEach((row, k) => {
      row.item.classList.toggle("hovered", route === k);
      row.item.classList.toggle("back", route !== null && route !== k);
    });
  }

  explain(doc, plan, bound, unit) {
    const idle = doc.vehicles - plan.routes.filter((route) => route.customers.length).length;
    const part = (kind, words) => el("span", {}, el("span", { className: `key key-${kind}` }), words);
    const parts = idle > 0 ? [el("span", {}, `${idle} stay${idle === 1 ? "s" : ""} at home`)] : [];
    if (plan.routes.some((_, k) => doneOf(doc, k) > 0)) parts.push(part("done", "before"));
    parts.push(part("travel", "travel"));
    if (plan.service.some((time) => time > 0)) parts.push(part("service", "service"));
    if (bound !== null) parts.push(part("bound", `bound ${lengthText(bound, unit)}`));
    this.legend.replaceChildren(...parts);
  }

  toggle(k) {
    const hidden = new Set(this.store.state.hidden);
    if (!hidden.delete(k)) hidden.add(k);
    this.store.set({ hidden });
  }
}

const theme = () => document.documentElement.dataset.theme;

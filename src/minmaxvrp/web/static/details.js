/** The card of the selected stop: name, place, service, role, and how to remove it; and the tip at the pointer. */

import { el, icon } from "./dom.js";
import { coordinateText, countText, lengthText } from "./format.js";
import { changeStop, isDepot, labelOf, moveStop, partnersOf, removeStop, stopOf, stopsOf, switchRole, unpairStop } from "./document.js";
import { isGeographic, unitOf } from "./distance.js";
import { changed } from "./state.js";

export class Details {
  /** @param {HTMLFormElement} form @param {import("./state.js").Store} store @param {(text: string) => void} say */
  constructor(form, store, say) {
    this.form = form;
    this.store = store;
    this.say = say;
    form.addEventListener("submit", (event) => event.preventDefault());
    store.subscribe((state, before) => {
      if (changed(state, before, "doc", "selected")) this.draw(state);
    });
  }

  draw(state) {
    const { doc, selected } = state;
    const stop = selected === null ? undefined : stopOf(doc, selected);
    this.form.hidden = !stop;
    if (!stop) {
      this.face = "";
      return this.form.replaceChildren();
    }
    const depot = isDepot(doc, stop.id);
    // while the stop is dragged or the user types here, the card is not built anew
    const face = [selected, depot, stop.name, stop.service, stop.vehicles, partnersOf(doc).get(stop.id)?.other, doc.distance].join();
    if (this.face === face || (this.shown === selected && this.form.contains(document.activeElement))) return this.refresh(doc, stop);
    this.face = face;
    this.shown = selected;
    const [first, second] = isGeographic(doc.distance) ? ["Latitude", "Longitude"] : ["x", "y"];
    this.form.replaceChildren(
      el("div", { className: "details-head" },
        el("strong", {}, depot ? "Depot" : "Stop"),
        el("button", { type: "button", className: "icon small", "aria-label": "Close", onclick: () => this.store.set({ selected: null }) }, icon("close"))),
      this.field("Name", "name", "text", stop.name, labelOf(doc, stop.id)),
      el("div", { className: "details-row" },
        this.field(first, "first", "number", coordinateText(stop.at[0])),
        this.field(second, "second", "number", coordinateText(stop.at[1])),
        depot
          ? this.field("Vehicles", "vehicles", "number", stop.vehicles ?? "", "any")
          : this.field(unitOf(doc.distance) ? "Service, km" : "Service", "service", "number", stop.service ?? "", "0")),
      this.actions(doc, stop, depot),
    );
  }

  field(label, name, type, value, placeholder = "") {
    const input = el("input", { name, type, value: String(value), placeholder, onchange: () => this.change() });
    if (type === "number") input.step = "any";
    else input.maxLength = 200;
    return el("label", {}, el("span", {}, label), input);
  }

  actions(doc, stop, depot) {
    const buttons = [
      el("button", { type: "button", onclick: () => this.store.edit(switchRole(doc, stop.id)) }, depot ? "Make it a stop" : "Make it a depot"),
      el("button", { type: "button", className: "danger", onclick: () => this.remove() }, icon("trash"), "Remove"),
    ];
    const partner = partnersOf(doc).get(stop.id);
    if (!partner) return el("div", { className: "details-actions" }, ...buttons);
    const words = `${partner.role === "pickup" ? "Delivered at" : "Picked up at"} ${labelOf(doc, partner.other)}`;
    return el("div", { className: "details-actions" },
      el("p", { className: "faint" }, words),
      el("button", { type: "button", onclick: () => this.store.edit(unpairStop(this.store.state.doc, stop.id)) }, "Unpair"),
      ...buttons);
  }

  remove() {
    const { doc, selected } = this.store.state;
    if (selected === null) return;
    this.say(`${labelOf(doc, selected)} removed`);
    this.store.edit(removeStop(doc, selected));
  }

  /** New coordinates while a stop is dragged, without touching the field in use. */
  refresh(doc, stop) {
    const values = { first: coordinateText(stop.at[0]), second: coordinateText(stop.at[1]) };
    for (const [name, value] of Object.entries(values)) {
      const input = this.form.elements.namedItem(name);
      if (input instanceof HTMLInputElement && input !== document.activeElement) input.value = value;
    }
  }

  /** Read the form into the document; what cannot be used says so at its field. */
  change() {
    const { doc, selected } = this.store.state;
    const stop = selected === null ? undefined : stopOf(doc, selected);
    if (!stop) return;
    const read = (name) => /** @type {HTMLInputElement | null} */ (this.form.elements.namedItem(name));
    const name = read("name")?.value.trim() ?? "";
    const twin = name && stopsOf(doc).some((other) => other.id !== stop.id && labelOf(doc, other.id) === name);
    read("name")?.setCustomValidity(twin ? "Another stop has this name" : "");
    const limits = isGeographic(doc.distance) ? [90, 180] : [1e150, 1e150];
    const at = ["first", "second"].map((key, k) => {
      const value = Number(read(key)?.value || NaN);
      read(key)?.setCustomValidity(Math.abs(value) <= limits[k] ? "" : `A number from −${limits[k]} to ${limits[k]}`);
      return read(key)?.value === coordinateText(stop.at[k]) ? stop.at[k] : value;
    });
    const [service, vehicles] = ["service", "vehicles"].map((key) => read(key)?.value ?? "");
    read("service")?.setCustomValidity(Number(service) >= 0 ? "" : "0 or more");
    read("vehicles")?.setCustomValidity(Number.isInteger(Number(vehicles)) && Number(vehicles) >= 0 ? "" : "A whole number");
    if (!this.form.reportValidity()) return;
    const fields = { name, service: Number(service) || undefined, vehicles: vehicles === "" ? undefined : Number(vehicles) };
    const next = moveStop(doc, stop.id, /** @type {[number, number]} */ (at));
    if (name !== stop.name || fields.service !== stop.service || fields.vehicles !== stop.vehicles || at.some((v, k) => v !== stop.at[k])) {
      this.store.edit(changeStop(next, stop.id, fields));
    }
  }
}

/** What is under the pointer, in a few words. */
export class Tip {
  constructor(box, store, map) {
    Object.assign(this, { box, store, map });
  }

  show(stop, route, at) {
    const words = stop === null ? this.routeWords(route) : this.stopWords(stop);
    this.box.hidden = !words.length;
    if (!words.length) return;
    this.box.replaceChildren(el("strong", {}, words[0]), ...words.slice(1).map((line) => el("span", {}, line)));
    const left = Math.min(at.x + 14, this.map.view.width - this.box.offsetWidth - 8);
    const top = at.y + 16 + this.box.offsetHeight > this.map.view.height ? at.y - this.box.offsetHeight - 10 : at.y + 16;
    this.box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  hide() {
    this.box.hidden = true;
  }

  stopWords(id) {
    const { doc, plan } = this.store.state;
    const route = this.map.scene.routeOf.get(id);
    const role = this.map.scene.partners.get(id)?.role;
    const words = [labelOf(doc, id)];
    if (role) words.push(role === "pickup" ? "pickup" : "delivery");
    if (plan && route !== undefined) words.push(`vehicle ${route + 1}, stop ${plan.routes[route].customers.indexOf(id) + 1}`);
    else if (plan && !isDepot(doc, id)) words.push("on no route yet");
    return words;
  }

  routeWords(route) {
    const { doc, plan } = this.store.state;
    if (route === null || !plan) return [];
    return [`Vehicle ${route + 1}`, lengthText(plan.lengths[route], unitOf(doc.distance)), countText(plan.routes[route].customers.length, "stop")];
  }
}

/** The card of the selected stop: name, place, service, role, and how to remove it; and the tip at the pointer. */

import { el, icon } from "./dom.js";
import { coordinateText, countText, lengthText } from "./format.js";
import { changeStop, isDepot, labelOf, moveStop, partnersOf, removeStop, stopOf, stopsOf, switchRole, unpairStop } from "./document.js";
import { pinStop, pinWords, vehicleName, withStarts } from "./fleet.js";
import { isGeographic, measureOf, placesOf, unitOf } from "./distance.js";
import { changed } from "./state.js";

export class Details {
  /** @param {HTMLFormElement} form @param {import("./state.js").Store} store @param {(text: string) => void} say @param {(text: string) => void} warn */
  constructor(form, store, say, warn) {
    Object.assign(this, { form, store, say, warn });
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
    const face = [selected, depot, stop.name, stop.service, stop.vehicles, partnersOf(doc).get(stop.id)?.other, doc.distance, doc.vehicles, pinWords(doc, stop.id)].join();
    if (this.face === face || (this.shown === selected && this.form.contains(document.activeElement))) return this.refresh(doc, stop);
    this.face = face;
    this.shown = selected;
    const [first, second] = isGeographic(placesOf(doc)) ? ["Latitude", "Longitude"] : ["x", "y"];
    this.form.replaceChildren(
      el("div", { className: "details-head" },
        el("strong", {}, depot ? "Depot" : "Stop"),
        el("button", { type: "button", className: "icon small", "aria-label": "Close", onclick: () => this.store.set({ selected: null }) }, icon("close"))),
      this.field("Name", "name", "text", stop.name, labelOf(doc, stop.id)),
      el("div", { className: "details-row" },
        this.field(first, "first", "number", coordinateText(stop.at[0])),
        this.field(second, "second", "number", coordinateText(stop.at[1])),
        depot && doc.fleet ? "" : depot
          ? this.field("Vehicles", "vehicles", "number", stop.vehicles ?? "", "any")
          : this.field(unitOf(doc) ? `Service, ${unitOf(doc)}` : "Service", "service", "number", stop.service ?? "", "0")),
      ...(depot ? [] : [this.pinField(doc, stop)]),
      this.actions(doc, stop, depot),
    );
  }

  /** Which vehicle serves the stop. */
  pinField(doc, stop) {
    const some = (stop.allowed?.length ?? 0) > 1 ? [el("option", { value: "some" }, pinWords(doc, stop.id))] : [];
    const each = Array.from({ length: doc.vehicles }, (_, k) => el("option", { value: String(k) }, vehicleName(doc, k)));
    const choose = (event) => this.pin(event.target.value);
    const select = el("select", { name: "pin", onchange: choose }, el("option", { value: "any" }, "any vehicle"), ...some, ...each);
    select.value = pinValue(stop);
    return el("label", { className: "details-pin" }, el("span", {}, "Served by"), select);
  }

  /** Let a vehicle serve the selected stop. @param {string} value its number from 0, or `any` */
  pin(value) {
    const { doc, plan, selected } = this.store.state;
    if (selected === null || isDepot(doc, selected) || value === "some" || Number(value) >= doc.vehicles) return;
    const told = withStarts(doc, plan);
    if (value !== "any" && !told) {
      this.warn("The depots have more or fewer vehicles than there are: set these fields of the depots to nothing, then pin.");
      return this.refresh(doc, stopOf(doc, selected));
    }
    const next = pinStop(told ?? doc, selected, value === "any" ? null : Number(value));
    this.store.edit(next);
    this.say(`${labelOf(doc, selected)}: ${pinWords(next, selected) || "any vehicle"}`);
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
    const pin = this.form.elements.namedItem("pin");
    if (pin instanceof HTMLSelectElement) pin.value = pinValue(stop);
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
    const limits = isGeographic(placesOf(doc)) ? [90, 180] : [1e150, 1e150];
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

/** What the choice of a stop's vehicle shows. */
const pinValue = ({ allowed }) => (!allowed ? "any" : allowed.length > 1 ? "some" : String(allowed[0]));

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
    if (plan && route !== undefined) words.push(`${doc.fleet ? vehicleName(doc, route) : `vehicle ${route + 1}`}, stop ${plan.routes[route].customers.indexOf(id) + 1}`);
    else if (plan && !isDepot(doc, id)) words.push("on no route yet");
    if (pinWords(doc, id)) words.push(pinWords(doc, id));
    return words;
  }

  routeWords(route) {
    const { doc, plan } = this.store.state;
    if (route === null || !plan) return [];
    return [vehicleName(doc, route), lengthText(plan.lengths[route], measureOf(doc)), countText(plan.routes[route].customers.length, "stop")];
  }
}

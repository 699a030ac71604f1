/** Mouse, touch and pen on the map: select, drag, add, pair, pan, zoom. mapkeys.js has the keyboard. */

import { placesOf } from "./distance.js";
import { addStop, isDepot, labelOf, moveStop, pairStops } from "./document.js";
import { fromWorld } from "./projection.js";

const STILL = 4; // pixels that a click may wander

export class MapInput {
  /**
   * @param {import("./map.js").MapView} map @param {import("./state.js").Store} store
   * @param {{say: (text: string) => void, warn: (text: string) => void, tip: any}} tell
   */
  constructor(map, store, tell) {
    this.map = map;
    this.store = store;
    this.tell = tell;
    /** @type {Map<number, {x: number, y: number}>} */
    this.pointers = new Map();
    /** @type {any} what the pressed pointer does */
    this.press = null;
    const { canvas } = map;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.cancel(event));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  place(event) {
    const box = this.map.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  down(event) {
    if (event.button > 0) return;
    const at = this.place(event);
    this.map.canvas.setPointerCapture(event.pointerId);
    this.map.cursor = null;
    this.pointers.set(event.pointerId, at);
    if (this.pointers.size === 2) return this.beginPinch();
    const reach = event.pointerType === "touch" ? 22 : 12;
    const stop = this.map.stopAt(at.x, at.y, reach);
    this.press = { stop, from: at, last: at, moved: false };
    if (this.store.state.tool === "pair" && stop !== null && !isDepot(this.store.state.doc, stop)) {
      this.press.pairing = true;
    }
  }

  move(event) {
    const at = this.place(event);
    if (this.pointers.has(event.pointerId)) this.pointers.set(event.pointerId, at);
    if (this.pinch) return this.movePinch();
    if (!this.press) return this.hover(at);
    const { press, store, map } = this;
    if (!press.moved && Math.hypot(at.x - press.from.x, at.y - press.from.y) < STILL) return;
    press.moved = true;
    this.tell.tip.hide();
    if (press.pairing) {
      store.set({ pairFrom: press.stop, hoverStop: map.stopAt(at.x, at.y) });
      map.arrowEnd = [at.x, at.y];
      map.redraw();
    } else if (press.stop !== null) {
      const { doc } = store.state;
      store.preview(moveStop(doc, press.stop, fromWorld(placesOf(doc), map.view.at(at.x, at.y), map.view.scale)));
      store.set({ selected: press.stop });
    } else {
      map.pan(at.x - press.last.x, at.y - press.last.y);
    }
    press.last = at;
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    if (this.pinch) {
      if (this.pointers.size < 2) this.pinch = null;
      this.press = null;
      return;
    }
    const { press } = this;
    this.press = null;
    if (!press) return;
    const at = this.place(event);
    if (press.pairing && press.moved) this.endPair(press.stop, this.map.stopAt(at.x, at.y, 16));
    else if (press.moved) this.store.commit();
    else this.click(at, press.stop);
  }

  cancel(event) {
    this.pointers.delete(event.pointerId);
    if (this.press?.moved) this.store.commit();
    this.press = this.pinch = null;
  }

  leave() {
    if (this.press) return;
    this.store.set({ hoverStop: null, hoverRoute: null });
    this.tell.tip.hide();
  }

  hover(at) {
    const { map, store } = this;
    const stop = map.stopAt(at.x, at.y);
    const route = stop === null ? map.routeAt(at.x, at.y) : (map.scene.routeOf.get(stop) ?? null);
    store.set({ hoverStop: stop, hoverRoute: route });
    const adding = store.state.tool !== "select" && stop === null;
    map.canvas.classList.toggle("over-stop", stop !== null);
    map.canvas.classList.toggle("adding", adding);
    if (store.state.tool === "pair" && store.state.pairFrom !== null) {
      map.arrowEnd = [at.x, at.y];
      map.redraw();
    }
    this.tell.tip.show(stop, stop === null ? route : null, at);
  }

  click(at, stop) {
    const { store, map } = this;
    const { tool, doc } = store.state;
    if (tool === "pair") return this.clickPair(stop);
    if (stop !== null || tool === "select") {
      store.set({ selected: stop });
      if (stop !== null) this.tell.say(`Selected ${labelOf(doc, stop)}`);
      return;
    }
    this.add(tool, fromWorld(placesOf(doc), map.view.at(at.x, at.y), map.view.scale));
  }

  /** Add a stop; the first one on an empty map is the depot. @param {string} tool @param {[number, number]} at */
  add(tool, at) {
    const { store } = this;
    const { doc } = store.state;
    if (doc.matrix) {
      this.tell.warn("Distances come from a matrix, which has no row for a new stop.");
      return;
    }
    const kind = tool === "depot" || (!doc.depots.length && !doc.customers.length) ? "depot" : "customer";
    const [next, id] = addStop(doc, kind, at);
    store.edit(next);
    store.set({ selected: id });
    this.tell.say(`${labelOf(next, id)} added`);
  }

  clickPair(stop) {
    const { pairFrom, doc } = this.store.state;
    if (stop === null) {
      this.map.arrowEnd = null;
      this.store.set({ pairFrom: null });
    } else if (isDepot(doc, stop)) {
      this.tell.warn("A depot cannot be part of a pair.");
    } else if (pairFrom === null) {
      this.store.set({ pairFrom: stop });
      this.tell.say(`Pickup ${labelOf(doc, stop)}: now choose its delivery`);
    } else {
      this.endPair(pairFrom, stop);
    }
  }

  /** The end of an arrow: pickup and delivery, if they are two customers. */
  endPair(pickup, delivery) {
    const { doc } = this.store.state;
    this.map.arrowEnd = null;
    this.store.set({ pairFrom: null });
    if (delivery === null || delivery === pickup || isDepot(doc, delivery)) return;
    this.store.edit(pairStops(doc, pickup, delivery));
    this.tell.say(`Pickup ${labelOf(doc, pickup)} is delivered at ${labelOf(doc, delivery)}`);
  }

  beginPinch() {
    this.press = null;
    const [a, b] = [...this.pointers.values()];
    this.pinch = { size: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  movePinch() {
    const [a, b] = [...this.pointers.values()];
    if (!a || !b) return;
    const now = { size: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    this.map.pan(now.x - this.pinch.x, now.y - this.pinch.y);
    if (this.pinch.size > 0) this.map.zoom(now.size / this.pinch.size, now.x, now.y);
    this.pinch = now;
  }

  wheel(event) {
    event.preventDefault();
    const { x, y } = this.place(event);
    const lines = event.deltaMode === 1 ? 16 : 1;
    this.map.zoom(Math.exp((-event.deltaY * lines) / 400), x, y);
  }
}

/** The keyboard: on the map everything that a mouse can do, and keys that work wherever one does not type. */

import { placesOf } from "./distance.js";
import { labelOf, moveStop, removeStop, stopOf, stopsOf } from "./document.js";
import { fromWorld, toWorld } from "./projection.js";
import { describeStop } from "./symbols.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = 4; // pixels

/** For the help window and the docs. */
export const KEYS = [
  ["V, C, D, P", "what a click does: move, add a stop, add a depot, draw a pair"],
  ["N, Shift+N", "select the next or the previous stop"],
  ["Arrow keys", "move the selected stop, the crosshair or the map; with Shift ten times as far"],
  ["Enter", "add a stop at the crosshair; in pair mode choose pickup, then delivery"],
  ["Delete", "remove the selected stop"],
  ["Escape", "select nothing; close a window"],
  ["1 to 9, 0", "pin the selected stop to this vehicle; 0: any vehicle"],
  ["+, −, F", "zoom in, zoom out, show all stops"],
  ["S", "solve, or stop"],
  ["Ctrl+Z, Ctrl+Y", "undo, redo"],
  ["?", "this help"],
];

export class Keys {
  /**
   * @param {import("./map.js").MapView} map @param {import("./state.js").Store} store
   * @param {import("./mapinput.js").MapInput} input
   * @param {{say: (text: string) => void, solveOrStop: () => void, help: () => void, pin: (value: string) => void}} act
   */
  constructor(map, store, input, act) {
    Object.assign(this, { map, store, input, act });
    map.canvas.addEventListener("keydown", (event) => this.onMap(event));
    map.canvas.addEventListener("keyup", (event) => event.key in ARROWS && store.commit());
    map.canvas.addEventListener("blur", () => {
      store.commit();
      map.cursor = null;
      map.redraw();
    });
    document.addEventListener("keydown", (event) => this.anywhere(event));
  }

  onMap(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    if (event.key in ARROWS) {
      const far = STEP * (event.shiftKey ? 10 : 1);
      this.arrow(ARROWS[event.key][0] * far, ARROWS[event.key][1] * far);
    } else if (event.key === "Enter") this.enter();
    else if (event.key === "Delete" || event.key === "Backspace") this.remove();
    else if (event.key === "n" || event.key === "N") this.next(event.shiftKey ? -1 : 1);
    else if (/^\d$/.test(event.key)) this.act.pin(event.key === "0" ? "any" : String(Number(event.key) - 1));
    else return;
    event.preventDefault();
  }

  anywhere(event) {
    const typing = event.target instanceof Element && event.target.closest("input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, dialog");
    if (typing || event.altKey) return;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (key === "z" && !event.shiftKey) this.store.undo();
      else if (key === "y" || (key === "z" && event.shiftKey)) this.store.redo();
      else return;
      event.preventDefault();
      return;
    }
    const tool = { v: "select", c: "customer", d: "depot", p: "pair" }[key];
    if (tool) this.choose(tool);
    else if (key === "s") this.act.solveOrStop();
    else if (key === "f") this.map.fit();
    else if (key === "+" || key === "=") this.map.zoom(1.3);
    else if (key === "-" || key === "−") this.map.zoom(1 / 1.3);
    else if (key === "?") this.act.help();
    else if (key === "escape") this.escape();
    else return;
    event.preventDefault();
  }

  choose(tool) {
    this.store.set({ tool, pairFrom: null });
    const adding = tool === "customer" || tool === "depot";
    if (adding && document.activeElement === this.map.canvas) {
      const { view } = this.map;
      this.map.cursor ??= [view.x, view.y];
      this.store.set({ selected: null });
    } else this.map.cursor = null;
    this.map.redraw();
    this.act.say({ select: "Move stops", customer: "Add stops: arrow keys and Enter", depot: "Add depots: arrow keys and Enter", pair: "Draw pairs: choose a pickup, then its delivery" }[tool]);
  }

  escape() {
    this.map.cursor = null;
    this.map.arrowEnd = null;
    this.store.set({ selected: null, pairFrom: null });
    this.map.redraw();
  }

  arrow(dx, dy) {
    const { map, store } = this;
    const { selected, doc } = store.state;
    if (map.cursor) {
      map.cursor = [map.cursor[0] + dx / map.view.scale, map.cursor[1] - dy / map.view.scale];
      map.redraw();
    } else if (selected !== null) {
      const stop = stopOf(doc, selected);
      if (!stop) return;
      const [x, y] = toWorld(placesOf(doc), stop.at);
      store.preview(moveStop(doc, selected, fromWorld(placesOf(doc), [x + dx / map.view.scale, y - dy / map.view.scale], map.view.scale)));
      map.reveal(selected);
    } else map.pan(-dx, -dy);
  }

  enter() {
    const { map, store } = this;
    const { tool, doc, selected } = store.state;
    if (tool === "pair" && selected !== null) this.input.clickPair(selected);
    else if (tool === "customer" || tool === "depot") {
      map.cursor ??= [map.view.x, map.view.y];
      this.input.add(tool, fromWorld(placesOf(doc), map.cursor, map.view.scale));
      store.set({ selected: null }); // the arrow keys go on moving the crosshair
    }
  }

  remove() {
    const { selected, doc } = this.store.state;
    if (selected === null) return;
    const label = labelOf(doc, selected);
    const order = stopsOf(doc);
    const k = order.findIndex((stop) => stop.id === selected);
    this.store.edit(removeStop(doc, selected));
    this.store.set({ selected: order[k + 1]?.id ?? order[k - 1]?.id ?? null });
    this.act.say(`${label} removed`);
  }

  next(step) {
    const { doc, selected } = this.store.state;
    const order = stopsOf(doc);
    if (!order.length) return;
    const k = order.findIndex((stop) => stop.id === selected);
    const { id } = order[(k + step + order.length + (k < 0 && step < 0 ? 1 : 0)) % order.length];
    this.map.cursor = null;
    this.store.set({ selected: id, ...(this.store.state.tool === "customer" || this.store.state.tool === "depot" ? { tool: "select" } : {}) });
    this.map.reveal(id);
    this.act.say(describeStop(this.store.state, this.map.scene, id));
  }
}

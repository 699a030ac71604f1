/**
 * What the page knows: the document, the plan, what is selected, and the history for undo. Views
 * subscribe and redraw once per frame, however many changes came in between.
 */

import { EMPTY, numbersOf } from "./document.js";
import { reconcile } from "./plan.js";

const MOST_UNDO = 200;

/**
 * @typedef {{doc: import("./document.js").Doc, plan: import("./plan.js").Plan | null,
 *   selected: number | null, hoverStop: number | null, hoverRoute: number | null,
 *   hidden: Set<number>, tool: "select" | "customer" | "depot" | "pair", pairFrom: number | null,
 *   solving: boolean, labels: boolean, tiles: boolean}} State
 */

export class Store {
  constructor() {
    /** @type {State} */
    this.state = {
      doc: EMPTY, plan: null, selected: null, hoverStop: null, hoverRoute: null, hidden: new Set(),
      tool: "customer", pairFrom: null, solving: false, labels: true, tiles: true,
    };
    /** @type {{doc: any, plan: any}[]} */
    this.past = [];
    /** @type {{doc: any, plan: any}[]} */
    this.future = [];
    /** @type {((state: State, before: State) => void)[]} */
    this.views = [];
    /** @type {(() => void)[]} */
    this.edited = [];
    /** @type {{doc: any, plan: any} | null} */
    this.dragged = null;
    this.drawn = this.state;
    this.waiting = false;
  }

  /** Call `view` with the state now and after changes. @param {(state: State, before: State) => void} view */
  subscribe(view) {
    this.views.push(view);
    view(this.state, this.state);
  }

  /** Change fields that are not part of the document. @param {Partial<State>} fields */
  set(fields) {
    const same = Object.entries(fields).every(([key, value]) => this.state[key] === value);
    if (same) return;
    this.state = { ...this.state, ...fields };
    this.schedule();
  }

  /** A new document by an edit that can be undone. @param {import("./document.js").Doc} doc */
  edit(doc) {
    if (doc === this.state.doc) return;
    this.past.push(this.dragged ?? this.snapshot());
    if (this.past.length > MOST_UNDO) this.past.shift();
    this.future = [];
    this.dragged = null;
    this.show(doc);
    this.edited.forEach((hear) => hear());
  }

  /** A document on the way to an edit, such as under a drag: shown, not remembered. */
  preview(doc) {
    this.dragged ??= this.snapshot();
    this.show(doc);
  }

  /** End of a drag: what was shown last becomes one step of the history. */
  commit() {
    if (!this.dragged) return;
    const { doc } = this.state;
    this.past.push(this.dragged);
    this.future = [];
    this.dragged = null;
    this.set({ doc: { ...doc } });
    this.edited.forEach((hear) => hear());
  }

  /** A whole new document, such as from a file; undo brings the old one back. */
  load(doc) {
    this.past.push(this.snapshot());
    this.future = [];
    this.set({ doc, plan: null, selected: null, pairFrom: null, hidden: new Set(), tool: "select", hoverStop: null, hoverRoute: null });
    this.edited.forEach((hear) => hear());
  }

  undo() {
    this.travel(this.past, this.future);
  }

  redo() {
    this.travel(this.future, this.past);
  }

  travel(from, to) {
    const moment = from.pop();
    if (!moment) return;
    to.push(this.snapshot());
    this.set({ ...moment, selected: kept(moment.doc, this.state.selected), pairFrom: null, hoverStop: null });
    this.edited.forEach((hear) => hear());
  }

  snapshot() {
    return { doc: this.state.doc, plan: this.state.plan };
  }

  show(doc) {
    const { plan, selected, pairFrom, hoverStop } = this.state;
    this.set({
      doc,
      plan: plan && reconcile(doc, plan),
      selected: kept(doc, selected),
      pairFrom: kept(doc, pairFrom),
      hoverStop: kept(doc, hoverStop),
    });
  }

  schedule() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => this.flush());
  }

  flush() {
    this.waiting = false;
    const [state, before] = [this.state, this.drawn];
    this.drawn = state;
    for (const view of this.views) view(state, before);
  }
}

/** An id, unless its stop is gone. */
const kept = (doc, id) => (id !== null && numbersOf(doc).has(id) ? id : null);

/** Whether any of these fields changed. @param {State} now @param {State} before @param {...string} keys */
export const changed = (now, before, ...keys) => now === before || keys.some((key) => now[key] !== before[key]);

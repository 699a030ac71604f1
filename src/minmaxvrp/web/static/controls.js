/** The left column: counts, vehicles, switches, seconds, Solve and Stop. */

import { byId } from "./dom.js";
import { countText } from "./format.js";
import { missing, problemWords } from "./document.js";
import { withStarts, withVehicles } from "./fleet.js";
import { gapOf } from "./plan.js";
import { changed } from "./state.js";

const DEFAULT_SECONDS = 10;

/** What the button would do with the plan on the screen. */
function solveWords(plan) {
  if (!plan || plan.violations?.length) return "Solve";
  const done = gapOf(plan) !== null && gapOf(plan) <= 0;
  return plan.changed || done ? "Solve again" : "Improve further";
}

export class Controls {
  /** @param {import("./state.js").Store} store */
  constructor(store) {
    this.store = store;
    this.mostSeconds = 300;
    this.mostVehicles = 1000;
    this.watch();
    store.subscribe((state, before) => {
      if (changed(state, before, "doc")) this.showDocument(state.doc);
      if (changed(state, before, "doc", "solving", "plan")) this.showSolve(state);
    });
  }

  /** What the server is asked for. */
  options() {
    const seconds = Number(byId("seconds").value);
    const seed = Number(byId("seed").value);
    return {
      seconds: seconds > 0 ? Math.min(seconds, this.mostSeconds) : DEFAULT_SECONDS,
      seed: Number.isInteger(seed) && seed >= 0 ? seed : 0,
      then: byId("then").value,
      auto: byId("auto").checked,
    };
  }

  /** @param {{seconds?: number, vehicles?: number}} limits of the server */
  limit(limits) {
    this.mostSeconds = limits.seconds ?? this.mostSeconds;
    this.mostVehicles = limits.vehicles ?? this.mostVehicles;
    byId("seconds").max = String(this.mostSeconds);
  }

  watch() {
    const { store } = this;
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    const slider = byId("vehicles");
    // while the slider moves only its number follows; a step of the history is made when it is let go
    slider.addEventListener("input", () => (byId("vehicles-shown").textContent = slider.value));
    slider.addEventListener("change", () => this.setVehicles(Number(slider.value)));
    byId("vehicles-less").addEventListener("click", () => this.setVehicles(store.state.doc.vehicles - 1));
    byId("vehicles-more").addEventListener("click", () => this.setVehicles(store.state.doc.vehicles + 1));
    for (const radio of document.querySelectorAll("input[name=return]")) {
      radio.addEventListener("change", () => {
        const returnTo = /** @type {any} */ (radio).value;
        const { doc, plan } = store.state;
        store.edit({ ...((returnTo === "nowhere" && withStarts(doc, plan)) || doc), returnTo });
      });
    }
    byId("use-pairs").addEventListener("change", () => {
      const use = byId("use-pairs").checked;
      store.edit({ ...store.state.doc, usePairs: use });
      if (use && !store.state.doc.pairs.length) store.set({ tool: "pair" });
    });
    byId("labels").addEventListener("change", () => store.set({ labels: byId("labels").checked }));
    byId("tiles").addEventListener("change", () => store.set({ tiles: byId("tiles").checked }));
  }

  setVehicles(count) {
    const { doc } = this.store.state;
    const fleet = doc.depots.reduce((sum, depot) => sum + (depot.vehicles ?? Infinity), 0);
    const most = Math.min(this.mostVehicles, fleet || Infinity);
    this.store.edit(withVehicles(doc, Math.min(Math.max(Math.round(count), 1), most)));
  }

  showDocument(doc) {
    const { depots, customers, pairs, usePairs } = doc;
    const empty = !depots.length && !customers.length;
    byId("counts").textContent = empty ? "No stops yet" : `${countText(customers.length, "stop")}, ${countText(depots.length, "depot")}`;
    byId("problem-words").textContent = problemWords(doc);
    byId("welcome").hidden = !empty;
    byId("page").classList.toggle("empty", empty);
    const slider = byId("vehicles");
    slider.max = String(Math.min(Math.max(20, 2 * doc.vehicles), Math.max(customers.length, 20), this.mostVehicles));
    slider.value = String(doc.vehicles);
    slider.setAttribute("aria-valuetext", countText(doc.vehicles, "vehicle"));
    byId("vehicles-shown").textContent = String(doc.vehicles);
    byId("vehicles-less").disabled = doc.vehicles <= 1;
    const several = depots.length > 1;
    byId("return-any").hidden = !several;
    byId("return-field").classList.toggle("three", several);
    for (const radio of document.querySelectorAll("input[name=return]")) {
      const { value } = /** @type {any} */ (radio);
      /** @type {any} */ (radio).checked = value === (doc.returnTo === "any" && !several ? "start" : doc.returnTo);
    }
    byId("use-pairs").checked = usePairs;
    byId("pairs-words").textContent = pairs.length ? countText(pairs.length, "pair") : usePairs ? "draw arrows on the map" : "";
  }

  showSolve({ doc, solving, plan }) {
    const button = byId("solve");
    const why = missing(doc);
    button.disabled = Boolean(why) && !solving;
    button.textContent = solving ? "Stop" : solveWords(plan);
    button.classList.toggle("stop", solving);
    byId("elapsed").hidden = !solving;
    if (!solving) byId("solve-words").textContent = why;
  }

  /** The clock while a search runs. @param {number} elapsed @param {number} iterations */
  tick(elapsed, iterations) {
    const { seconds } = this.options();
    byId("elapsed").value = Math.min(elapsed / seconds, 1);
    const count = iterations ? `, ${countText(iterations, "iteration")}` : "";
    byId("solve-words").textContent = `${elapsed.toFixed(0)} of ${seconds} s${count}`;
  }
}

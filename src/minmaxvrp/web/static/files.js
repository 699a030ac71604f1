/** Files in and out: choose or drop one, import a plan, export. Messages are the server's own. */

import * as api from "./api.js";
import { byId } from "./dom.js";
import { fromInstance, missing, toInstance } from "./document.js";
import { clearNotices, notify, say } from "./notices.js";
import { factsOf, fromCheck, toSolution } from "./plan.js";

export class Files {
  /** @param {import("./state.js").Store} store @param {() => void} loaded after a new document */
  constructor(store, loaded) {
    this.store = store;
    this.loaded = loaded;
    byId("file").addEventListener("change", (event) => this.chosen(event, (file) => this.open(file, file.name)));
    byId("plan-file").addEventListener("change", (event) => this.chosen(event, (file) => this.openPlan(file, file.name)));
    this.watchDrops();
  }

  chosen(event, use) {
    const [file] = event.target.files;
    event.target.value = ""; // the same file may be chosen again
    if (file) use(file);
  }

  choose() {
    byId("file").click();
  }

  choosePlan() {
    byId("plan-file").click();
  }

  watchDrops() {
    const hint = byId("drop-hint");
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
    document.addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      hint.hidden = false;
    });
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) hint.hidden = true;
    });
    document.addEventListener("drop", (event) => {
      hint.hidden = true;
      if (!hasFiles(event)) return;
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) this.open(file, file.name);
    });
  }

  /** Read a file of stops, or of a plan. @param {Blob} file @returns {Promise<boolean>} whether it could be used */
  async open(file, name) {
    if (await isPlan(file, name)) return this.openPlan(file, name);
    return this.take(() => api.readFile(file, name, byId("speed").value));
  }

  /** One of the server's examples. @param {string} name */
  example(name) {
    return this.take(() => api.example(name));
  }

  async take(ask) {
    clearNotices();
    try {
      const answer = await ask();
      this.use(fromInstance(answer.instance ?? answer));
      for (const notice of new Set(answer.notices)) notify(notice, "info");
      return true;
    } catch (error) {
      notify(messageOf(error));
      return false;
    }
  }

  /** Show a new document. */
  use(doc) {
    this.store.load(doc);
    this.loaded();
    say(`${doc.customers.length} stops and ${doc.depots.length} depots loaded`);
  }

  /** Check a plan for the present stops and show it, broken or not. @param {Blob} file @param {string} name */
  async openPlan(file, name) {
    const { doc } = this.store.state;
    clearNotices();
    if (missing(doc)) {
      notify("A plan needs its stops: open those first, then the plan.");
      return false;
    }
    try {
      const answer = await api.check(toInstance(doc), await file.text(), name);
      const checked = fromCheck(doc, answer, this.store.state.plan);
      this.store.set({ plan: checked, hidden: new Set() });
      for (const notice of new Set(answer.notices)) notify(notice, "info");
      const count = checked.violations?.length ?? 0;
      say(count ? `The plan breaks ${count} rules` : "The plan keeps every rule");
      return true;
    } catch (error) {
      notify(messageOf(error));
      return false;
    }
  }

  /** Download the plan in a format of the server. @param {{name: string, ending: string}} format */
  async save(format) {
    const { doc, plan } = this.store.state;
    if (!plan) return;
    try {
      const solution = toSolution(doc, plan.routes, factsOf(plan));
      download(await api.exportPlan(format.name, toInstance(doc), solution), `${doc.name || "plan"}${format.ending}`);
    } catch (error) {
      notify(messageOf(error));
    }
  }

  /** Download the stops, as they can be opened again. */
  saveStops() {
    const { doc } = this.store.state;
    const text = JSON.stringify(toInstance(doc), null, 1);
    download(new Blob([text], { type: "application/json" }), `${doc.name || "stops"}.stops.json`);
  }
}

/** Whether a file holds a solution rather than stops. */
async function isPlan(file, name) {
  if (/\.sol$/i.test(name)) return true;
  if (!/\.(geo)?json$/i.test(name)) return false;
  return /"format"\s*:\s*"minmaxvrp-solution"/.test(await file.slice(0, 4096).text());
}

const messageOf = (error) => (error instanceof Error ? error.message : String(error));

function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replaceAll(/[^\p{L}\p{N}._ -]/gu, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

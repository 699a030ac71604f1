/** The headline of the plan: how long the longest route is, how good that provably is, what rules it breaks. */

import { byId, el } from "./dom.js";
import { countText, gapWords, lengthText } from "./format.js";
import { measureOf } from "./distance.js";
import { gapOf, unrouted } from "./plan.js";
import { drawChart } from "./chart.js";
import { changed } from "./state.js";

const MOST_LISTED = 100;

/** @param {import("./state.js").Store} store @param {() => number} limit seconds of the search */
export function showSummary(store, limit, select) {
  store.subscribe((state, before) => {
    if (!changed(state, before, "plan", "doc", "solving")) return;
    const { plan, doc, solving } = state;
    const page = byId("page");
    page.classList.toggle("has-plan", plan !== null);
    page.classList.toggle("solving", solving);
    byId("hero").hidden = byId("bars-card").hidden = !plan?.routes.length;
    byId("table-title").textContent = plan?.routes.length ? "Stops in order" : "Stops";
    byId("table-words").textContent = plan?.routes.length ? "length so far" : "";
    showViolations(plan, select);
    if (!plan) return;
    byId("makespan").textContent = lengthText(plan.makespan, measureOf(doc));
    const words = byId("gap-words");
    words.textContent = qualityWords(state);
    words.classList.toggle("optimal", gapOf(plan) !== null && gapOf(plan) <= 1e-9);
    drawChart(byId("chart"), plan, doc, limit());
  });
}

/** @param {import("./state.js").State} state */
export function qualityWords({ plan, doc, solving }) {
  if (!plan) return "";
  if (plan.violations?.length) return `Breaks ${countText(plan.violations.length, "rule")}`;
  if (plan.changed) {
    const loose = unrouted(doc, plan).size;
    return loose ? `Changed: ${countText(loose, "stop")} on no route yet` : "Changed since it was solved";
  }
  if (doc.maxLength !== null && plan.makespan > doc.maxLength * (1 + 1e-9)) {
    return `Over the limit of ${lengthText(doc.maxLength, measureOf(doc))}`;
  }
  return gapWords(gapOf(plan)) || (solving ? "Looking for a lower bound…" : "No lower bound is known");
}

function showViolations(plan, select) {
  const box = byId("violations");
  const found = plan?.violations;
  box.hidden = !found;
  if (!found) return;
  if (!found.length) {
    box.replaceChildren(el("h2", {}, "Checked"), el("p", { className: "fine" }, "The plan keeps every rule."));
    return;
  }
  const rows = found.slice(0, MOST_LISTED).map((violation) => {
    const words = [el("strong", {}, violation.rule), ` ${violation.text}`];
    const [id] = violation.nodes;
    return el("li", {}, id === undefined ? el("span", {}, ...words) : el("button", { type: "button", onclick: () => select(id) }, ...words));
  });
  const more = found.length > MOST_LISTED ? [el("p", { className: "faint" }, `and ${found.length - MOST_LISTED} more`)] : [];
  box.replaceChildren(el("h2", {}, countText(found.length, "broken rule")), el("ul", {}, ...rows), ...more);
}

/** One sheet per vehicle on paper: the stops in order with the length so far. plan.css hides the rest when printing. */

import { routeColour } from "./colours.js";
import { partnersOf, labelOf, stopOf } from "./document.js";
import { measureOf } from "./distance.js";
import { el } from "./dom.js";
import { coordinateText, countText, lengthText } from "./format.js";
import { vehicleName } from "./fleet.js";
import { cumulative } from "./plan.js";

/** @param {import("./state.js").State} state */
export function printSheets({ doc, plan }) {
  if (!plan) return;
  document.getElementById("sheets")?.remove();
  const sheets = el("div", { id: "sheets" }, 
    ...plan.routes.flatMap((route, k) => (route.customers.length ? [sheet(doc, plan, route, k)] : [])));
  document.body.append(sheets);
  window.addEventListener("afterprint", () => sheets.remove(), { once: true });
  window.print();
}

function sheet(doc, plan, route, k) {
  const unit = measureOf(doc);
  const plain = typeof unit === "object" ? unit : ""; // the head of the column says the unit
  const sums = cumulative(doc, route, k);
  const partners = partnersOf(doc);
  const cell = (text, name = "") => el("td", { className: name }, text);
  const row = (order, id, sum) => {
    const stop = stopOf(doc, id);
    const role = partners.get(id)?.role ?? "";
    return el("tr", {}, cell(order), cell(labelOf(doc, id)), cell(role), cell((stop?.at ?? []).map(coordinateText).join(", ")), cell(sum, "number"), cell("", "tick"));
  };
  const head = ["", "Stop", "", "Place", typeof unit === "object" ? "Time so far" : unit ? `Length so far, ${unit}` : "Length so far", "Done"];
  const swatch = el("span", { className: "sheet-swatch" });
  swatch.style.background = routeColour(k, "#ffffff");
  return el("section", { className: "sheet" },
    el("h2", {}, swatch, vehicleName(doc, k)),
    el("p", {}, [doc.name, countText(route.customers.length, "stop"), lengthText(plan.lengths[k], unit)].filter(Boolean).join(" · ")),
    el("table", {},
      el("thead", {}, el("tr", {}, ...head.map((title) => el("th", {}, title)))),
      el("tbody", {},
        row("start", route.start, ""),
        ...route.customers.map((id, place) => row(String(place + 1), id, lengthText(sums[place], plain))),
        ...(route.end === null ? [] : [row("end", route.end, lengthText(sums.at(-1) ?? 0, plain))]))));
}

/** The small chart: the longest route falling over time, the lower bound as a dashed line. */

import { svg } from "./dom.js";
import { lengthText } from "./format.js";
import { measureOf } from "./distance.js";

const [WIDTH, HEIGHT] = [320, 96];
const PAD = { left: 2, right: 2, top: 12, bottom: 16 };

/**
 * @param {SVGSVGElement} chart @param {import("./plan.js").Plan | null} plan
 * @param {import("./document.js").Doc} doc @param {number} limit seconds
 */
export function drawChart(chart, plan, doc, limit) {
  const trace = plan?.trace ?? [];
  chart.toggleAttribute("hidden", trace.length < 2);
  if (!plan || trace.length < 2) return;
  const bound = plan.lowerBound;
  const first = trace[0].makespan;
  const best = trace[trace.length - 1].makespan;
  const last = Math.max(trace[trace.length - 1].seconds, 0.1);
  const end = Math.max(last, Math.min(limit, last * 3));
  // a bound far below would press the curve flat against the top: it is then named, not drawn to scale
  const near = bound !== null && first > 0 && bound > first - 6 * (first - best) - 0.25 * first;
  const low = near ? Math.min(/** @type {number} */ (bound), best) : best - 0.35 * Math.max(first - best, first * 0.02);
  const high = first > low ? first : low + 1;
  const x = (seconds) => PAD.left + (seconds / end) * (WIDTH - PAD.left - PAD.right);
  const y = (length) => PAD.top + ((high - length) / (high - low)) * (HEIGHT - PAD.top - PAD.bottom);
  chart.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  const steps = stepPath(trace, x, y, last);
  const unit = measureOf(doc);
  const parts = [
    svg("path", { d: `${steps}V${HEIGHT - PAD.bottom}H${x(trace[0].seconds)}Z`, class: "chart-area" }),
    svg("path", { d: steps, class: "chart-line" }),
    svg("circle", { cx: x(last), cy: y(best), r: 3.5, class: "chart-dot" }),
    text(WIDTH - PAD.right, HEIGHT - 3, `${end < 10 ? end.toFixed(1) : Math.round(end)} s`, "end"),
    text(PAD.left, HEIGHT - 3, "0 s", "start"),
  ];
  if (bound !== null) {
    const level = near ? y(bound) : HEIGHT - PAD.bottom;
    parts.push(svg("line", { x1: PAD.left, x2: WIDTH - PAD.right, y1: level, y2: level, class: near ? "chart-bound" : "chart-bound far" }));
    parts.push(text(WIDTH / 2, HEIGHT - 3, `no plan is below ${lengthText(bound, unit)}`, "middle"));
  }
  chart.replaceChildren(...parts);
  chart.setAttribute("aria-label", `The longest route fell from ${lengthText(first, unit)} to ${lengthText(best, unit)} in ${last.toFixed(1)} seconds${bound === null ? "" : `; lower bound ${lengthText(bound, unit)}`}`);
}

/** A line that stays level until the next improvement. */
function stepPath(trace, x, y, last) {
  let path = `M${x(trace[0].seconds).toFixed(1)},${y(trace[0].makespan).toFixed(1)}`;
  let height = trace[0].makespan;
  for (const point of trace) {
    if (point.makespan >= height) continue;
    height = point.makespan;
    path += `H${x(point.seconds).toFixed(1)}V${y(height).toFixed(1)}`;
  }
  return `${path}H${x(last).toFixed(1)}`;
}

function text(x, y, words, anchor) {
  const element = svg("text", { x, y, "text-anchor": anchor, class: "chart-text" });
  element.textContent = words;
  return element;
}

/** Lines of the map: routes, arrows of pairs, the grid behind them and the scale bar. */

import { dash, routeColour } from "./colours.js";
import { numbersOf } from "./document.js";
import { unitOf } from "./distance.js";
import { stopsAlong } from "./plan.js";

const MOST_ARROWS = 250; // with more pairs, only those of the stop under the pointer are drawn
const MOST_PAIRS_WITH_PLAN = 60;

/**
 * @typedef {{context: CanvasRenderingContext2D, view: import("./projection.js").View, scene: any,
 *   state: import("./state.js").State, ink: Record<string, string>, radius: number}} Brush
 */

/** Faint dots at round coordinates: where there is no background map they give the eye a hold. */
export function drawGrid(context, view, ink) {
  const least = 36 / view.scale;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((k) => k * power >= least) ?? 10);
  const [left, top] = view.at(0, 0);
  const [right, bottom] = view.at(view.width, view.height);
  context.fillStyle = ink.grid;
  for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
    for (let y = Math.ceil(bottom / step) * step; y <= top; y += step) {
      context.fillRect(Math.round(view.px(x)) - 0.5, Math.round(view.py(y)) - 0.5, 1.5, 1.5);
    }
  }
}

/** All routes; the longest is thick, one under the pointer comes to the front and the others step back. */
export function drawRoutes(brush) {
  const { plan, hidden, hoverRoute } = brush.state;
  if (!plan) return;
  const { longest } = brush.scene;
  const order = [...plan.routes.keys()].filter((k) => !hidden.has(k));
  const rank = (k) => (k === hoverRoute ? 2 : k === longest ? 1 : 0);
  order.sort((a, b) => rank(a) - rank(b));
  for (const k of order) drawRoute(brush, k, hoverRoute !== null && hoverRoute !== k);
  if (hoverRoute !== null && !hidden.has(hoverRoute)) drawDirection(brush, hoverRoute);
  brush.context.globalAlpha = 1;
}

function drawRoute(brush, k, back) {
  const { context, scene, state, ink } = brush;
  const many = scene.nodes.length;
  const thin = many <= 500 ? 2.2 : many <= 3000 ? 1.5 : 1;
  const front = k === scene.longest || k === state.hoverRoute;
  context.globalAlpha = back ? 0.22 : state.plan?.changed ? 0.75 : 1;
  context.lineJoin = "round";
  context.beginPath();
  trace(brush, state.plan.routes[k]);
  if (front && !back) {
    context.setLineDash([]);
    context.strokeStyle = ink.ground;
    context.lineWidth = thin * 1.9 + 3;
    context.stroke();
  }
  context.setLineDash(many > 5000 || k === scene.longest ? [] : dash(k));
  context.strokeStyle = routeColour(k, ink.ground);
  context.lineWidth = front ? thin * 1.9 : thin;
  context.stroke();
  context.setLineDash([]);
}

/** Put a route's line into the current path. */
function trace({ context, view, scene, state }, route) {
  const numbers = numbersOf(state.doc);
  const at = (id) => numbers.get(id) ?? 0;
  let k = at(route.start);
  context.moveTo(view.px(scene.xs[k]), view.py(scene.ys[k]));
  for (const id of route.customers) {
    k = at(id);
    context.lineTo(view.px(scene.xs[k]), view.py(scene.ys[k]));
  }
  if (route.end === null || !route.customers.length) return;
  k = at(route.end);
  context.lineTo(view.px(scene.xs[k]), view.py(scene.ys[k]));
}

/** Small arrow heads along a route, where its legs are long enough. */
function drawDirection({ context, view, scene, state, ink }, k) {
  const numbers = numbersOf(state.doc);
  const route = state.plan.routes[k];
  const ids = route.customers.length ? stopsAlong(route) : [];
  context.globalAlpha = 1;
  context.fillStyle = routeColour(k, ink.ground);
  context.strokeStyle = ink.ground;
  context.lineWidth = 1.5;
  for (let i = 1; i < ids.length; i++) {
    const [a, b] = [numbers.get(ids[i - 1]) ?? 0, numbers.get(ids[i]) ?? 0];
    const [ax, ay, bx, by] = [view.px(scene.xs[a]), view.py(scene.ys[a]), view.px(scene.xs[b]), view.py(scene.ys[b])];
    if (Math.hypot(bx - ax, by - ay) > 34) head(context, ax, ay, (ax + bx) / 2, (ay + by) / 2, 7);
  }
}

/** A filled arrow head at (x, y), seen from (fromX, fromY). */
function head(context, fromX, fromY, x, y, size) {
  const angle = Math.atan2(y - fromY, x - fromX);
  const corner = (turn, away) => [x + away * Math.cos(angle + turn), y + away * Math.sin(angle + turn)];
  context.beginPath();
  context.moveTo(...corner(0, size));
  context.lineTo(...corner(2.5, size));
  context.lineTo(...corner(-2.5, size));
  context.closePath();
  context.stroke();
  context.fill();
}

/** Arrows from pickups to deliveries, and the one that is being drawn. */
export function drawPairs(brush, arrowEnd) {
  const { context, state, ink } = brush;
  const { doc, selected, hoverStop, pairFrom, plan } = state;
  context.fillStyle = context.strokeStyle = ink.faint;
  context.lineWidth = 1.2;
  if (doc.usePairs) {
    const room = plan && state.tool !== "pair" ? MOST_PAIRS_WITH_PLAN : MOST_ARROWS;
    for (const [pickup, delivery] of doc.pairs) {
      const near = [selected, hoverStop].some((id) => id === pickup || id === delivery);
      if (doc.pairs.length > room && !near) continue;
      const back = state.hoverRoute !== null && brush.scene.routeOf.get(pickup) !== state.hoverRoute;
      context.globalAlpha = near ? 1 : back ? 0.12 : plan ? 0.45 : 0.75;
      context.strokeStyle = context.fillStyle = near ? ink.accent : ink.faint;
      arrow(brush, pickup, delivery);
    }
  }
  context.globalAlpha = 1;
  if (pairFrom !== null && arrowEnd) {
    context.strokeStyle = context.fillStyle = ink.accent;
    arrowTo(brush, pairFrom, ...arrowEnd, 0);
  }
}

function arrow(brush, from, to) {
  const { view, scene, state } = brush;
  const k = numbersOf(state.doc).get(to) ?? 0;
  arrowTo(brush, from, view.px(scene.xs[k]), view.py(scene.ys[k]), brush.radius + 4);
}

/** A dotted arrow from a stop to a pixel, ending `gap` pixels before it. */
function arrowTo({ context, view, scene, state }, from, x, y, gap) {
  const k = numbersOf(state.doc).get(from) ?? 0;
  const [ax, ay] = [view.px(scene.xs[k]), view.py(scene.ys[k])];
  const far = Math.hypot(x - ax, y - ay);
  if (far < gap + 8) return;
  const share = (far - gap - 5) / far;
  const [bx, by] = [ax + (x - ax) * share, ay + (y - ay) * share];
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(ax, ay);
  context.lineTo(bx, by);
  context.stroke();
  context.setLineDash([]);
  head(context, ax, ay, bx, by, 5);
}

/** A bar of a round length at the lower right. */
export function drawScaleBar({ context, view, state, scene, ink }) {
  if (!scene.nodes.length || state.doc.distance === "matrix") return;
  const perPixel = view.unitsPerPixel(state.doc.distance);
  const room = Math.min(110, view.width / 4) * perPixel;
  const power = 10 ** Math.floor(Math.log10(room));
  const length = power * Math.max(...[1, 2, 5].filter((k) => k * power <= room));
  const unit = unitOf(state.doc);
  const text = unit === "km" && length < 1 ? `${Number((length * 1000).toPrecision(3))} m` : `${Number(length.toPrecision(3))} ${unit || (length === 1 ? "unit" : "units")}`;
  const right = view.width - 16;
  const level = view.height - 16;
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "alphabetic";
  context.lineWidth = 3;
  context.strokeStyle = ink.ground;
  context.fillStyle = ink.faint;
  context.strokeText(text, right, level - 7);
  context.fillText(text, right, level - 7);
  context.fillRect(right - length / perPixel, level - 1, length / perPixel, 2);
  for (const end of [right - length / perPixel, right - 1.5]) context.fillRect(end, level - 5, 1.5, 6);
}

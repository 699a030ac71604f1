/** Points of the map: stops, depots, numbers of routes, names, and marks around what is selected or broken. */

import { inkOn, routeColour } from "./colours.js";
import { isDepot, labelOf, numbersOf } from "./document.js";
import { pinWords, vehicleName } from "./fleet.js";

const MOST_BADGES = 24; // as in the pictures of `plot`
const MOST_LABELS = 130;

/** Draws each shape of customers in one path per colour: 10,000 single fills would be slow. */
export function drawStops(brush) {
  const { scene, state, ink } = brush;
  const groups = new Map();
  const first = state.doc.depots.length;
  for (let k = first; k < scene.nodes.length; k++) {
    const { id } = scene.nodes[k];
    const route = scene.routeOf.get(id) ?? -1;
    if (state.hidden.has(route)) continue;
    const role = scene.partners.get(id)?.role ?? "customer";
    const key = `${role} ${route}`;
    const group = groups.get(key);
    if (group) group.nodes.push(k);
    else groups.set(key, { role, route, nodes: [k] });
  }
  for (const { role, route, nodes } of groups.values()) {
    const back = state.hoverRoute !== null && state.hoverRoute !== route;
    brush.context.globalAlpha = back ? 0.35 : 1;
    const loose = route < 0 && state.plan;
    const colour = route < 0 ? ink.plain : routeColour(route, ink.ground);
    drawGroup(brush, role, nodes, loose ? ink.ground : colour, loose ? ink.plain : ink.ground);
  }
  brush.context.globalAlpha = 1;
  drawDepots(brush);
}

function drawGroup({ context, view, scene, radius }, role, nodes, fill, edge) {
  context.beginPath();
  for (const k of nodes) shape(context, role, view.px(scene.xs[k]), view.py(scene.ys[k]), radius);
  if (radius >= 2) {
    context.strokeStyle = edge; // below the fill: dots of one route that touch then melt together
    context.lineWidth = radius > 4 ? 3.5 : 2;
    context.stroke();
  }
  context.fillStyle = fill;
  context.fill();
}

/** Round, or a triangle that points up for a pickup and down for a delivery. */
function shape(context, role, x, y, radius) {
  if (role === "customer") {
    if (radius < 2) return context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
    return;
  }
  const up = role === "pickup" ? -1 : 1;
  const r = radius * 1.25;
  context.moveTo(x, y + up * r);
  context.lineTo(x - r, y - up * r * 0.75);
  context.lineTo(x + r, y - up * r * 0.75);
  context.closePath();
}

function drawDepots({ context, view, scene, state, ink }) {
  const half = view.width < 560 ? 6.5 : 7.5;
  for (let k = 0; k < state.doc.depots.length; k++) {
    const [x, y] = [view.px(scene.xs[k]), view.py(scene.ys[k])];
    context.fillStyle = ink.ground;
    context.fillRect(x - half - 2, y - half - 2, 2 * half + 4, 2 * half + 4);
    context.fillStyle = ink.ink;
    context.fillRect(x - half, y - half, 2 * half, 2 * half);
    context.fillStyle = ink.ground;
    context.fillRect(x - 2, y - 2, 4, 4);
  }
}

/** A pin stuck into each stop that only some vehicles may serve; not where dots are too small for it. */
export function drawPins({ context, view, scene, state, ink, radius }) {
  if (radius < 3) return;
  const { hidden, hoverRoute } = state;
  for (const k of scene.pinned) {
    const route = scene.routeOf.get(scene.nodes[k].id) ?? -1;
    if (hidden.has(route)) continue;
    const [x, y] = [view.px(scene.xs[k]), view.py(scene.ys[k])];
    const [headX, headY] = [x + radius, y - 2 * radius];
    context.globalAlpha = hoverRoute !== null && hoverRoute !== route ? 0.35 : 1;
    for (const [colour, more] of [[ink.ground, 1.5], [ink.ink, 0]]) {
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(headX, headY);
      context.strokeStyle = colour;
      context.lineWidth = 1.6 + 2 * more;
      context.stroke();
      context.beginPath();
      context.arc(headX, headY, radius * 0.62 + more, 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.fill();
    }
  }
  context.globalAlpha = 1;
}

/**
 * Where the number of each route goes: beside its farthest stop, away from the depot. Colour alone must not
 * carry meaning. @returns {{k: number, x: number, y: number}[]}
 */
export function badgePlaces({ view, scene, state }) {
  const { plan, hidden } = state;
  if (!plan || plan.routes.length > MOST_BADGES) return [];
  const numbers = numbersOf(state.doc);
  const pixel = (id) => {
    const n = numbers.get(id) ?? 0;
    return [view.px(scene.xs[n]), view.py(scene.ys[n])];
  };
  const places = [];
  plan.routes.forEach((route, k) => {
    if (hidden.has(k) || !route.customers.length) return;
    const [fromX, fromY] = pixel(route.start);
    let far = [fromX, fromY, 0];
    for (const id of route.customers) {
      const [x, y] = pixel(id);
      const away = Math.hypot(x - fromX, y - fromY);
      if (away > far[2]) far = [x, y, away];
    }
    const [dx, dy] = far[2] ? [(far[0] - fromX) / far[2], (far[1] - fromY) / far[2]] : [0, -1];
    let [x, y] = [far[0] + 17 * dx, far[1] + 17 * dy];
    for (let tries = 0; tries < 6 && places.some((other) => Math.hypot(other.x - x, other.y - y) < 20); tries++) {
      [x, y] = [x + 10 * dx, y + 10 * dy];
    }
    places.push({ k, x: Math.min(Math.max(x, 12), view.width - 12), y: Math.min(Math.max(y, 12), view.height - 12) });
  });
  return places;
}

/** The numbers of the routes. */
export function drawBadges({ context, state, ink }, places) {
  const { hoverRoute } = state;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 2;
  for (const { k, x, y } of places) {
    const colour = routeColour(k, ink.ground);
    const text = String(k + 1);
    context.globalAlpha = hoverRoute !== null && hoverRoute !== k ? 0.3 : 1;
    context.beginPath();
    context.arc(x, y, 9.5, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
    context.strokeStyle = ink.ground;
    context.stroke();
    context.font = `600 ${text.length > 2 ? 9 : 11}px system-ui, sans-serif`;
    context.fillStyle = inkOn(colour);
    context.fillText(text, x, y + 0.5);
  }
  context.globalAlpha = 1;
}

/** Names beside stops, as many as find room without covering one another. */
export function drawLabels(brush, badges) {
  const { context, view, scene, state, ink, radius } = brush;
  const nodes = visible(brush);
  if (nodes.length > MOST_LABELS) return;
  context.font = "11.5px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.lineWidth = 3;
  context.lineJoin = "round";
  const boxes = nodes.map((k) => box(view.px(scene.xs[k]), view.py(scene.ys[k]), radius + 1, radius + 1));
  boxes.push(...badges.map(({ x, y }) => box(x, y, 11, 11)));
  for (const k of nodes) {
    const { id, name } = scene.nodes[k];
    if (!name) continue;
    const [x, y] = [view.px(scene.xs[k]), view.py(scene.ys[k])];
    const width = context.measureText(name).width;
    for (const side of [1, -1]) {
      const middle = x + side * (radius + 5 + width / 2);
      const wanted = box(middle, y, width / 2 + 1, 7);
      if (middle - width / 2 < 4 || middle + width / 2 > view.width - 4) continue;
      if (boxes.some((other) => overlaps(wanted, other))) continue;
      boxes.push(wanted);
      context.textAlign = side > 0 ? "left" : "right";
      const from = x + side * (radius + 5);
      context.globalAlpha = state.hoverRoute !== null && scene.routeOf.get(id) !== state.hoverRoute ? 0.3 : 1;
      context.strokeStyle = ink.ground;
      context.strokeText(name, from, y);
      context.fillStyle = isDepot(state.doc, id) ? ink.ink : ink.faint;
      context.fillText(name, from, y);
      break;
    }
  }
  context.globalAlpha = 1;
}

/** Node numbers on the screen, not hidden; depots come first and so get their names first. */
function visible({ view, scene, state }) {
  const found = [];
  for (let k = 0; k < scene.nodes.length && found.length <= MOST_LABELS; k++) {
    const [x, y] = [view.px(scene.xs[k]), view.py(scene.ys[k])];
    const inside = x > -20 && y > -20 && x < view.width + 20 && y < view.height + 20;
    if (inside && !state.hidden.has(scene.routeOf.get(scene.nodes[k].id) ?? -1)) found.push(k);
  }
  return found;
}

const box = (x, y, dx, dy) => [x - dx, y - dy, x + dx, y + dy];
const overlaps = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

/** Rings: broken rules, the stop under the pointer, the selected one. */
export function drawMarks(brush) {
  const { scene, state, ink } = brush;
  for (const id of scene.broken) ring(brush, id, ink.bad, 7, 2.5, [4, 2]);
  if (state.hoverStop !== null) ring(brush, state.hoverStop, ink.ink, 4, 1.5);
  if (state.pairFrom !== null) ring(brush, state.pairFrom, ink.accent, 6, 2, [3, 2]);
  if (state.selected !== null) ring(brush, state.selected, ink.accent, 6, 2.5);
}

function ring({ context, view, scene, state, radius, ink }, id, colour, gap, width, dashes = []) {
  const k = numbersOf(state.doc).get(id);
  if (k === undefined) return;
  const size = (k < state.doc.depots.length ? 8 : Math.max(radius, 3)) + gap;
  context.beginPath();
  context.arc(view.px(scene.xs[k]), view.py(scene.ys[k]), size, 0, 2 * Math.PI);
  context.strokeStyle = ink.ground;
  context.lineWidth = width + 2;
  context.stroke();
  context.setLineDash(dashes);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
  context.setLineDash([]);
}

/** Where the keyboard would add a stop. */
export function drawCrosshair({ context, view, ink }, [x, y]) {
  const [px, py] = [view.px(x), view.py(y)];
  for (const [colour, width] of [[ink.ground, 5], [ink.accent, 2]]) {
    context.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      context.moveTo(px + 5 * dx, py + 5 * dy);
      context.lineTo(px + 15 * dx, py + 15 * dy);
    }
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }
}

/** What a screen reader hears about a stop. */
export function describeStop(state, scene, id) {
  const { doc } = state;
  const route = scene.routeOf.get(id);
  const role = scene.partners.get(id)?.role ?? (isDepot(doc, id) ? "depot" : "");
  const driven = route === undefined ? "" : doc.fleet ? `on the route of ${vehicleName(doc, route)}` : `on route ${route + 1}`;
  const parts = [labelOf(doc, id), role, driven, pinWords(doc, id)];
  return parts.filter(Boolean).join(", ");
}

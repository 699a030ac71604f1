/**
 * A plan: routes by stop id, how long they are, how good they provably are. Immutable like documents.
 *
 * @typedef {{start: number, end: number | null, customers: number[]}} Route `end` of an open one is null
 * @typedef {{seconds: number, makespan: number}} TracePoint
 * @typedef {{rule: string, text: string, nodes: number[], route: number | null}} Violation
 * @typedef {{routes: Route[], lengths: number[], travel: number[], service: number[], makespan: number,
 *   lowerBound: number | null, seconds: number, iterations: number, trace: TracePoint[],
 *   changed: boolean, violations: Violation[] | null}} Plan `changed`: the document was edited since
 */

import { distanceOf } from "./distance.js";
import { numbersOf, stopOf, stopsOf } from "./document.js";
import { doneOf, endOf, idleRoute, routePerVehicle, speedOf, toldApart } from "./fleet.js";

/** Ids of the stops on the way, depots included. @param {Route} route @returns {number[]} */
export const stopsAlong = (route) => [route.start, ...route.customers, ...(route.end === null ? [] : [route.end])];

/** Travel and service of routes; route k is driven by vehicle k. @param {import("./document.js").Doc} doc @param {Route[]} routes */
export function measure(doc, routes) {
  const travel = [];
  const service = [];
  const lengths = routes.map((route, k) => {
    const ids = route.customers.length ? stopsAlong(route) : [];
    travel.push(sumsAlong(doc, ids, speedOf(doc, k), false).at(-1) ?? 0);
    service.push(route.customers.reduce((sum, id) => sum + (stopOf(doc, id)?.service ?? 0), 0));
    return doneOf(doc, k) + travel[k] + service[k];
  });
  return { travel, service, lengths, makespan: Math.max(0, ...lengths) };
}

/** Length of the way so far at each customer and at the end, of vehicle k. @param {Route} route @returns {number[]} */
export const cumulative = (doc, route, k) => sumsAlong(doc, stopsAlong(route), speedOf(doc, k), true, doneOf(doc, k)).slice(1);

/** Length of the way so far at each of these stops. @returns {number[]} */
function sumsAlong(doc, ids, speed, served, before = 0) {
  const distance = distanceOf(doc);
  let sum = before;
  let here = stopOf(doc, ids[0]);
  return ids.map((id) => {
    const next = stopOf(doc, id);
    if (here && next && here !== next) sum += distance(here, next) / speed;
    if (served) sum += next?.service ?? 0;
    here = next;
    return sum;
  });
}

/**
 * The plan of an event of the server. Where vehicles are alike their order means nothing: routes are put
 * into the order of the plan before, so that a vehicle keeps its colour while the routes improve.
 * @param {import("./document.js").Doc} doc that was solved @param {any} event @param {Plan | null} before
 * @returns {Plan}
 */
export function fromEvent(doc, event, before) {
  const nodes = stopsOf(doc);
  const all = event.routes.map((numbers, k) => {
    const open = numbers.length === 1 || numbers.at(-1) >= doc.depots.length;
    return {
      start: nodes[numbers[0]].id,
      end: open ? null : nodes[numbers.at(-1)].id,
      customers: numbers.slice(1, open ? undefined : -1).map((n) => nodes[n].id),
      figures: [event.lengths[k], event.travel[k], event.service[k]],
    };
  });
  const used = all.filter((route) => route.customers.length);
  const routes = toldApart(doc) ? all : before ? inOrderOf(before.routes, used) : used;
  return {
    routes: routes.map(({ start, end, customers }) => ({ start, end, customers })),
    lengths: routes.map((route) => route.figures[0]),
    travel: routes.map((route) => route.figures[1]),
    service: routes.map((route) => route.figures[2]),
    makespan: event.makespan,
    lowerBound: event.lower_bound || null,
    seconds: event.seconds ?? 0,
    iterations: event.iterations ?? 0,
    trace: [],
    changed: false,
    violations: null,
  };
}

/** New routes, each at the place of the old one with which it shares most customers. */
function inOrderOf(before, routes) {
  const owner = new Map();
  before.forEach((route, k) => route.customers.forEach((id) => owner.set(id, k)));
  const shared = [];
  routes.forEach((route, k) => {
    const count = new Map();
    for (const id of route.customers) {
      const old = owner.get(id);
      if (old !== undefined) count.set(old, (count.get(old) ?? 0) + 1);
    }
    count.forEach((common, old) => shared.push([common, old, k]));
  });
  shared.sort((a, b) => b[0] - a[0]);
  const placed = new Array(Math.max(before.length, routes.length)).fill(null);
  const free = new Set(routes.keys());
  for (const [, old, k] of shared) {
    if (placed[old] === null && free.delete(k)) placed[old] = routes[k];
  }
  for (const k of free) placed[placed.indexOf(null)] = routes[k];
  return placed.filter((route) => route !== null);
}

/** How far the makespan can be from the best; null when nothing is proven. @param {Plan} plan */
export function gapOf(plan) {
  if (plan.changed || plan.lowerBound === null || plan.violations?.length) return null;
  return plan.makespan <= plan.lowerBound ? 0 : plan.makespan / plan.lowerBound - 1;
}

/** Index of the longest route, -1 without one. @param {Plan} plan */
export const longestOf = (plan) => plan.lengths.indexOf(Math.max(...plan.lengths));

/**
 * The plan after an edit: stops that are gone leave their routes, lengths are measured anew.
 * @param {import("./document.js").Doc} doc @param {Plan} plan @returns {Plan}
 */
export function reconcile(doc, plan) {
  const number = numbersOf(doc);
  const depots = doc.depots;
  const depot = (id) => (id === null || (number.get(id) ?? Infinity) < depots.length ? id : (depots[0]?.id ?? id));
  const isCustomer = (id) => (number.get(id) ?? -1) >= depots.length;
  const whole = plan.routes.every(
    (route, k) => depot(route.start) === route.start && placed(doc, route, k) === route.end && depot(route.end) === route.end
      && route.customers.every(isCustomer),
  );
  const routes = !depots.length ? [] : whole ? plan.routes : plan.routes.map((route, k) => {
    const kept = { start: depot(route.start), end: depot(route.end), customers: route.customers.filter(isCustomer) };
    return { ...kept, end: placed(doc, kept, k) };
  });
  return { ...plan, routes, ...measure(doc, routes), changed: true, violations: null };
}

/** Where route k ends by the rules of the document. */
const placed = (doc, route, k) => endOf(doc, k, route.start, route.end);

/** Ids of customers on no route. @returns {Set<number>} */
export function unrouted(doc, plan) {
  const left = new Set(doc.customers.map((stop) => stop.id));
  for (const route of plan.routes) for (const id of route.customers) left.delete(id);
  return left;
}

/**
 * The solution document of docs/formats.md.
 * @param {import("./document.js").Doc} doc @param {Route[]} routes @param {Record<string, any>} [facts] how it was found
 */
export function toSolution(doc, routes, facts = {}) {
  const number = numbersOf(doc);
  const all = [...routes];
  while (routePerVehicle(doc) && all.length < doc.vehicles) all.push(idleRoute(doc, all.length));
  return {
    format: "minmaxvrp-solution",
    version: 1,
    instance: doc.name,
    ...facts,
    routes: all.map((route) => ({
      start: number.get(route.start),
      end: route.end === null ? null : number.get(route.end),
      customers: route.customers.map((id) => number.get(id)),
    })),
  };
}

/** What is known about a plan besides its routes, for exports. @param {Plan} plan */
export function factsOf(plan) {
  if (plan.changed || plan.violations) return {};
  return { lower_bound: plan.lowerBound ?? undefined, iterations: plan.iterations, seconds: plan.seconds };
}

/** The plan of a checked document, which may break rules. @returns {Plan} */
export function fromCheck(doc, answer, before) {
  const nodes = stopsOf(doc);
  const violations = (answer.violations ?? []).map((violation) => ({
    rule: violation.rule,
    text: violation.text ?? violation.detail ?? "",
    nodes: (violation.nodes ?? []).map((n) => nodes[n]?.id).filter((id) => id !== undefined),
    route: violation.route ?? null,
  }));
  if (!answer.routes) return { ...(before ?? NOTHING), violations };
  return { ...fromEvent(doc, answer, null), violations };
}

const NOTHING = {
  routes: [], lengths: [], travel: [], service: [], makespan: 0, lowerBound: null,
  seconds: 0, iterations: 0, trace: [], changed: false,
};

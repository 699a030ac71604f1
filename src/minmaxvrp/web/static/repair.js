/**
 * A start for the search from the routes on the screen, after the user has changed something: stops that
 * are on no route, or on one that has to go, are inserted where they lengthen it least.
 */

import { distanceOf } from "./distance.js";
import { partnersOf, stopOf } from "./document.js";
import { endOf, idleRoute, mayServe, routePerVehicle, speedOf, toldApart } from "./fleet.js";
import { measure, stopsAlong, unrouted } from "./plan.js";

/**
 * Routes that keep every rule, or null when there is no quick way to them (the server then starts afresh).
 * @param {import("./document.js").Doc} doc @param {import("./plan.js").Plan} plan
 * @returns {import("./plan.js").Route[] | null}
 */
export function repaired(doc, plan) {
  const limited = doc.depots.some((depot) => depot.vehicles !== undefined);
  const kept = toldApart(doc) ? plan.routes.slice(0, doc.vehicles) : fewest(doc, plan.routes);
  const routes = kept.map((route, k) => {
    const start = doc.fleet?.[k]?.start ?? route.start;
    return { start, end: endOf(doc, k, start, route.end), customers: [...route.customers] };
  });
  while (routes.length < doc.vehicles && !limited) routes.push(idleRoute(doc, routes.length));
  const loose = unrouted(doc, { ...plan, routes });
  routes.forEach((route, k) => {
    for (const id of route.customers) if (!mayServe(doc, [id], k)) loose.add(id);
    route.customers = route.customers.filter((id) => !loose.has(id));
  });
  for (const id of brokenPairs(doc, routes)) loose.add(id);
  for (const route of routes) route.customers = route.customers.filter((id) => !loose.has(id));
  if (!routes.length || (limited && !fleetSuffices(doc, routes))) return null;
  const builder = new Builder(doc, routes);
  const partners = partnersOf(doc);
  for (const id of loose) {
    const partner = partners.get(id);
    if (!partner) builder.insert([id]);
    else if (partner.role === "pickup") builder.insert([id, partner.other]);
  }
  return routePerVehicle(doc) ? routes : routes.filter((route) => route.customers.length);
}

/** As many routes as there are vehicles: the shortest ones go. */
function fewest(doc, routes) {
  const { lengths } = measure(doc, routes);
  const order = [...routes.keys()].sort((a, b) => lengths[b] - lengths[a]).slice(0, doc.vehicles);
  return order.sort((a, b) => a - b).map((k) => routes[k]);
}

/** Both ends of pairs that are apart or in the wrong order. */
function brokenPairs(doc, routes) {
  const place = new Map();
  routes.forEach((route, k) => route.customers.forEach((id, i) => place.set(id, [k, i])));
  return [...partnersOf(doc)].flatMap(([id, { role, other }]) => {
    if (role !== "pickup") return [];
    const [a, b] = [place.get(id), place.get(other)];
    return a && b && a[0] === b[0] && a[1] < b[1] ? [] : [id, other];
  });
}

function fleetSuffices(doc, routes) {
  const starts = new Map();
  for (const route of routes) starts.set(route.start, (starts.get(route.start) ?? 0) + 1);
  return doc.depots.every((depot) => (starts.get(depot.id) ?? 0) <= (depot.vehicles ?? Infinity));
}

/** Inserts customers one after the other into the route that is shortest afterwards. */
class Builder {
  constructor(doc, routes) {
    this.doc = doc;
    this.routes = routes;
    this.distance = distanceOf(doc);
    this.lengths = measure(doc, routes).lengths;
  }

  /** Insert customers into one route, in their order. @param {number[]} ids */
  insert(ids) {
    let best = { length: Infinity, route: 0, customers: /** @type {number[]} */ ([]) };
    this.routes.forEach((route, k) => {
      if (!mayServe(this.doc, ids, k)) return;
      let { customers } = route;
      let length = this.lengths[k];
      let from = 0;
      for (const id of ids) {
        const [place, added] = this.cheapest({ ...route, customers }, id, from, speedOf(this.doc, k));
        customers = customers.toSpliced(place, 0, id);
        length += added;
        from = place + 1; // the delivery comes after its pickup
      }
      if (length < best.length) best = { length, route: k, customers };
    });
    this.routes[best.route].customers = best.customers;
    this.lengths[best.route] = best.length;
  }

  /** Where a customer lengthens a route least, and by how much. @returns {[number, number]} */
  cheapest(route, id, from, speed) {
    const { doc, distance } = this;
    const stop = stopOf(doc, id);
    const stops = stopsAlong(route).map((other) => stopOf(doc, other));
    const moving = route.customers.length > 0; // a vehicle without stops does not drive to its end
    let best = [from, Infinity];
    for (let k = from; k <= route.customers.length; k++) {
      const [a, b] = [stops[k], stops[k + 1]]; // behind an open route comes nothing
      const added = distance(a, stop) + (b ? distance(stop, b) - (moving ? distance(a, b) : 0) : 0);
      if (added < best[1]) best = [k, added];
    }
    return /** @type {[number, number]} */ ([best[0], best[1] / speed + (stop?.service ?? 0)]);
  }
}

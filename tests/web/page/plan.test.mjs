/** Plans: starts after a change keep the rules, colours stay with their routes, words never promise too much. */

import assert from "node:assert/strict";
import { test } from "node:test";

const page = process.env.PAGE;
const { addStop, changeStop, fromInstance, labelOf, pairStops, removeStop, toInstance } = await import(`${page}/document.js`);
const { pinStop, pinWords, withStarts, withVehicles } = await import(`${page}/fleet.js`);
const { fromEvent, measure, reconcile, toSolution } = await import(`${page}/plan.js`);
const { repaired } = await import(`${page}/repair.js`);
const { measureOf } = await import(`${page}/distance.js`);
const { gapWords, lengthText } = await import(`${page}/format.js`);
const { legible } = await import(`${page}/colours.js`);
const { randomDocument } = await import(`${page}/random.js`);

/** A plan that deals the customers out to the vehicles. */
function dealt(doc) {
  const start = doc.depots[0].id;
  const routes = Array.from({ length: doc.vehicles }, (_, k) => ({
    start, end: start, customers: doc.customers.filter((_, i) => i % doc.vehicles === k).map((stop) => stop.id),
  }));
  return { routes, ...measure(doc, routes), lowerBound: null, seconds: 0, iterations: 0, trace: [], changed: false, violations: null };
}

const random = (fields = {}) => randomDocument({ stops: 17, depots: 1, vehicles: 4, seed: 5, clustered: false, paired: false, ...fields });
const visited = (routes) => routes.flatMap((route) => route.customers).sort((a, b) => a - b);
const ids = (doc) => doc.customers.map((stop) => stop.id).sort((a, b) => a - b);

test("after stops came and went and a vehicle less, the start visits every stop once", () => {
  const first = random();
  const plan = dealt(first);
  let doc = removeStop(first, first.customers[3].id);
  [doc] = addStop(doc, "customer", [50, 50]);
  doc = { ...doc, vehicles: 3 };
  const routes = repaired(doc, reconcile(doc, plan));
  assert.deepEqual(visited(routes), ids(doc));
  assert.ok(routes.length <= 3);
});

test("a new pair ends up on one route, pickup first", () => {
  const first = random();
  const [pickup, delivery] = [first.customers[9].id, first.customers[2].id];
  const doc = pairStops(first, pickup, delivery);
  const routes = repaired(doc, reconcile(doc, dealt(first)));
  const route = routes.find(({ customers }) => customers.includes(pickup));
  assert.ok(route.customers.indexOf(pickup) < route.customers.indexOf(delivery));
  assert.deepEqual(visited(routes), ids(doc));
});

test("routes keep their place when the server names them in another order", () => {
  const doc = random();
  const plan = dealt(doc);
  const { routes } = toSolution(doc, plan.routes);
  const turned = routes.toReversed().map((route) => [0, ...route.customers, 0]);
  const zeros = turned.map(() => 0);
  const event = { routes: turned, lengths: zeros, travel: zeros, service: zeros, makespan: 1, lower_bound: 0 };
  assert.deepEqual(fromEvent(doc, event, plan).routes, plan.routes);
});

test("an instance goes through the page unchanged", () => {
  const instance = {
    format: "minmaxvrp-instance", version: 1, name: "town", vehicles: 3, return_to: "any", distance: "great_circle",
    depots: [{ name: "A", lat: 1, lon: 2, vehicles: 2 }, { name: "B", lat: 3, lon: 4, vehicles: 1 }],
    customers: [{ name: "C", lat: 5, lon: 6, service: 0.5 }, { name: "D", lat: 7, lon: 8 }, { name: "E", lat: 9, lon: 1 }],
    pairs: [[4, 2]],
  };
  assert.deepEqual(toInstance(fromInstance(instance)), instance);
});

test("a fleet, allowed vehicles, a limit and open routes go through the page unchanged", () => {
  const instance = {
    format: "minmaxvrp-instance", version: 1, name: "", vehicles: 2, return_to: "nowhere", distance: "euclidean",
    depots: [{ name: "A", x: 1, y: 2 }, { name: "B", x: 3, y: 4 }],
    customers: [{ name: "C", x: 5, y: 6, vehicles: [2] }, { name: "D", x: 7, y: 8, vehicles: [1, 2] }, { name: "E", x: 7, y: 8 }],
    fleet: [{ name: "Anna", start: 1, speed: 2, done: 3 }, { end: "start" }],
    max_length: 90,
    units: { distance: "km", service: "km" },
    speed: 40,
  };
  assert.deepEqual(toInstance(fromInstance(instance)), instance);
  const written = { ...instance, fleet: [{ ...instance.fleet[0], start: "B" }, instance.fleet[1]] };
  written.customers = [{ ...instance.customers[0], vehicles: ["vehicle 2"] }, { ...instance.customers[1], vehicles: ["Anna", "vehicle 2"] }, instance.customers[2]];
  assert.deepEqual(toInstance(fromInstance(written)), instance);
});

test("a pinned stop starts on its vehicle, its partner with it, and routes keep their vehicles", () => {
  const plain = random({ vehicles: 3 });
  const paired = pairStops(plain, plain.customers[4].id, plain.customers[9].id);
  const doc = pinStop(paired, plain.customers[4].id, 2);
  assert.equal(pinWords(doc, plain.customers[9].id), "pinned to Vehicle 3");
  const routes = repaired(doc, reconcile(doc, dealt(plain)));
  assert.equal(routes.length, 3);
  assert.ok([4, 9].every((k) => routes[2].customers.includes(plain.customers[k].id)));
  assert.deepEqual(visited(routes), ids(doc));
  assert.equal(pinWords(withVehicles(doc, 2), plain.customers[4].id), "");
});

test("vehicles of depots become a fleet that starts there, in the order of the routes", () => {
  const doc = fromInstance({ vehicles: 3, depots: [{ x: 0, y: 0, vehicles: 2 }, { x: 9, y: 0, vehicles: 1 }], customers: [{ x: 4, y: 0 }] });
  const [a, b] = doc.depots.map((depot) => depot.id);
  const told = withStarts(doc, { routes: [{ start: b, end: b, customers: [doc.customers[0].id] }] });
  assert.deepEqual(told.fleet.map((vehicle) => vehicle.start), [b, a, a]);
  assert.equal(withStarts({ ...doc, vehicles: 2 }, null), null);
});

test("open routes end at their last stop, vehicles differ in speed and work before", () => {
  const doc = fromInstance({
    vehicles: 2, return_to: "nowhere", depots: [{ x: 0, y: 0 }], customers: [{ x: 4, y: 0, service: 1 }, { x: 6, y: 0 }],
    fleet: [{ speed: 2, done: 5 }, { done: 8, end: "start" }],
  });
  const event = { routes: [[0, 1, 2], [0, 0]], lengths: [9, 8], travel: [3, 0], service: [1, 0], makespan: 9, lower_bound: 0 };
  const plan = fromEvent(doc, event, null);
  assert.deepEqual(plan.routes.map((route) => [route.end === null, route.customers.length]), [[true, 2], [false, 0]]);
  const own = measure(doc, plan.routes);
  assert.deepEqual([own.lengths, own.travel, own.service], [event.lengths, event.travel, event.service]);
  assert.deepEqual(toSolution(doc, plan.routes.slice(0, 1)).routes[1], { start: 0, end: 0, customers: [] });
});

test("a matrix loses the row of a removed stop, and so do the kilometres beside it", () => {
  const matrix = [[0, 1, 2], [3, 0, 4], [5, 6, 0]];
  const doc = fromInstance({ vehicles: 1, depots: [{ x: 0, y: 0 }], customers: [{ x: 1, y: 0 }, { x: 2, y: 0 }], matrix });
  assert.deepEqual(toInstance(removeStop(doc, doc.customers[0].id)).matrix, [[0, 2], [5, 0]]);
  const timed = fromInstance({ ...toInstance(doc), units: { distance: "s" }, kilometres: matrix });
  assert.deepEqual(toInstance(removeStop(timed, timed.customers[0].id)).kilometres, [[0, 2], [5, 0]]);
});

test("stops without a name get one that no other has", () => {
  let doc = random({ stops: 2 });
  doc = changeStop(doc, doc.customers[0].id, { name: "Stop 2" });
  assert.equal(labelOf(doc, doc.customers[1].id), "Stop 2′");
});

test("the gap is rounded up", () => {
  assert.equal(gapWords(0), "Proven optimal");
  assert.equal(gapWords(0.01234), "At most 1.3 % from the best possible");
  assert.equal(gapWords(0.00001), "At most 0.01 % from the best possible");
  assert.equal(gapWords(0.131), "At most 14 % from the best possible");
  assert.equal(gapWords(null), "");
  assert.equal(lengthText(12.345, "km"), "12.35 km");
});

test("lengths of documents with a unit of time or a speed are durations, as the command line writes them", () => {
  const doc = random();
  assert.equal(lengthText(5400, measureOf({ ...doc, unit: "s" })), "1:30");
  assert.equal(lengthText(7.5, measureOf({ ...doc, unit: "min" })), "0:07:30");
  assert.equal(lengthText(45, measureOf({ ...doc, unit: "km", speed: 30 })), "1:30");
  assert.equal(lengthText(45, measureOf({ ...doc, unit: "km" })), "45.00 km");
  assert.equal(lengthText(0, measureOf({ ...doc, unit: "h" })), "0:00");
});

test("colours are those of plot on a light page and lighter on a dark one", () => {
  assert.equal(legible("#332288", "#ffffff"), "#332288");
  assert.notEqual(legible("#332288", "#12181f"), "#332288");
  assert.equal(legible("#56B4E9", "#12181f").toLowerCase(), "#56b4e9");
});

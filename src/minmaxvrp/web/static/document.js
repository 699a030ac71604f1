/**
 * What is asked: stops, pairs and vehicles, as an immutable document. Every edit returns a new one, so
 * that undo is a list of old documents and views can compare by identity.
 *
 * The JSON instance of docs/formats.md names nodes by number; here each stop has an id that survives
 * deletion of others. `fromInstance` and `toInstance` translate.
 *
 * @typedef {{id: number, name: string, at: [number, number], service?: number, vehicles?: number,
 *   allowed?: number[], row?: number}} Stop `at` is x, y or latitude, longitude; `vehicles` of a depot;
 *   `allowed` vehicles of a customer, none for any; `row` the line of an explicit matrix
 * @typedef {{name: string, distance: string, returnTo: "start" | "any" | "nowhere", vehicles: number,
 *   depots: Stop[], customers: Stop[], pairs: [number, number][], usePairs: boolean,
 *   matrix: number[][] | null, kilometres: number[][] | null, latlon: boolean, unit: string, speed: number | null,
 *   fleet: import("./fleet.js").Vehicle[] | null, maxLength: number | null}} Doc
 */

import { isGeographic, placesOf } from "./distance.js";
import { allowedFrom, fleetEntries, fleetFrom, withoutDepot } from "./fleet.js";

const UNITS = ["km", "m", "mi", "s", "min", "h"];

let lastId = 0;
const nextId = () => ++lastId;

/** @type {Doc} */
export const EMPTY = Object.freeze({
  name: "", distance: "euclidean", returnTo: "start", vehicles: 3,
  depots: [], customers: [], pairs: [], usePairs: false, matrix: null, kilometres: null, latlon: false, unit: "", speed: null,
  fleet: null, maxLength: null,
});

/** @param {any} instance a JSON instance of docs/formats.md @returns {Doc} */
export function fromInstance(instance) {
  const geographic = instance.depots.some((depot) => "lat" in depot);
  const stop = (entry, row) => ({
    id: nextId(),
    name: entry.name ?? "",
    at: geographic ? [entry.lat, entry.lon] : [entry.x ?? 0, entry.y ?? 0],
    ...(entry.service ? { service: entry.service } : {}),
    row,
  });
  const depots = instance.depots.map((entry, k) => (
    { ...stop(entry, k), ...(entry.vehicles === undefined ? {} : { vehicles: entry.vehicles }) }));
  const fleet = fleetFrom(instance.fleet, depots);
  const customers = instance.customers.map((entry, k) => (
    { ...stop(entry, depots.length + k), ...(entry.vehicles === undefined ? {} : { allowed: allowedFrom(entry.vehicles, fleet) }) }));
  const nodes = [...depots, ...customers];
  const pairs = (instance.pairs ?? []).map(([a, b]) => [nodes[a].id, nodes[b].id]);
  const atDepots = depots.reduce((sum, depot) => sum + (depot.vehicles ?? 0), 0);
  return {
    name: instance.name ?? "",
    distance: instance.distance ?? (instance.matrix ? "matrix" : geographic ? "great_circle" : "euclidean"),
    returnTo: instance.return_to ?? "start",
    vehicles: instance.vehicles ?? fleet?.length ?? Math.max(atDepots, 1),
    depots, customers, pairs,
    usePairs: pairs.length > 0,
    matrix: instance.matrix ?? null,
    kilometres: instance.kilometres ?? null,
    latlon: geographic,
    unit: UNITS.includes(instance.units?.distance) ? instance.units.distance : "",
    speed: instance.speed ?? null,
    fleet,
    maxLength: instance.max_length ?? null,
  };
}

/** @param {Doc} doc @returns {any} the JSON instance of docs/formats.md */
export function toInstance(doc) {
  const geographic = isGeographic(placesOf(doc));
  const named = stopsOf(doc).some((stop) => stop.name);
  const limited = doc.depots.some((depot) => depot.vehicles !== undefined);
  const entry = (stop) => ({
    ...(named ? { name: labelOf(doc, stop.id) } : {}),
    ...(geographic ? { lat: stop.at[0], lon: stop.at[1] } : { x: stop.at[0], y: stop.at[1] }),
  });
  const number = numbersOf(doc);
  const rows = doc.matrix && stopsOf(doc).map((stop) => stop.row ?? 0);
  return {
    format: "minmaxvrp-instance",
    version: 1,
    ...(doc.unit && !isGeographic(doc.distance) ? { units: { distance: doc.unit, service: doc.unit } } : {}),
    name: doc.name,
    vehicles: doc.vehicles,
    return_to: doc.returnTo,
    distance: doc.distance,
    depots: doc.depots.map((d) => ({ ...entry(d), ...(limited ? { vehicles: d.vehicles ?? doc.vehicles } : {}) })),
    customers: doc.customers.map((c) => ({
      ...entry(c),
      ...(c.service ? { service: c.service } : {}),
      ...(c.allowed ? { vehicles: c.allowed.map((k) => k + 1) } : {}),
    })),
    ...(doc.fleet ? { fleet: fleetEntries(doc, number) } : {}),
    ...(doc.speed === null ? {} : { speed: doc.speed }),
    ...(doc.maxLength === null ? {} : { max_length: doc.maxLength }),
    ...(doc.usePairs && doc.pairs.length
      ? { pairs: doc.pairs.map(([a, b]) => [number.get(a), number.get(b)]) }
      : {}),
    ...(rows && doc.matrix ? { matrix: rows.map((i) => rows.map((j) => doc.matrix[i][j])) } : {}),
    ...(rows && doc.kilometres ? { kilometres: rows.map((i) => rows.map((j) => doc.kilometres[i][j])) } : {}),
  };
}

/** All stops by node number: depots first. @param {Doc} doc @returns {Stop[]} */
export const stopsOf = memo((doc) => [...doc.depots, ...doc.customers]);

/** Node number of each id. @param {Doc} doc @returns {Map<number, number>} */
export const numbersOf = memo((doc) => new Map(stopsOf(doc).map((stop, k) => [stop.id, k])));

/** Role of each paired id, and its partner. @returns {Map<number, {role: string, other: number}>} */
export const partnersOf = memo((doc) => {
  const partners = new Map();
  if (!doc.usePairs) return partners;
  for (const [pickup, delivery] of doc.pairs) {
    partners.set(pickup, { role: "pickup", other: delivery });
    partners.set(delivery, { role: "delivery", other: pickup });
  }
  return partners;
});

/** What to call each stop: names are different and never empty, as the formats want it. */
const labelsOf = memo((doc) => {
  const used = new Set(stopsOf(doc).map((stop) => stop.name).filter(Boolean));
  const labels = new Map();
  stopsOf(doc).forEach((stop, k) => {
    let label = stop.name;
    if (!label) {
      const word = k < doc.depots.length ? `Depot ${k + 1}` : `Stop ${k - doc.depots.length + 1}`;
      for (label = word; used.has(label); ) label += "′";
      used.add(label);
    }
    labels.set(stop.id, label);
  });
  return labels;
});

/** @param {Doc} doc @param {number} id @returns {string} */
export const labelOf = (doc, id) => labelsOf(doc).get(id) ?? "?";

/** @param {Doc} doc @param {number} id @returns {Stop | undefined} */
export const stopOf = (doc, id) => stopsOf(doc)[numbersOf(doc).get(id) ?? -1];

/** @param {Doc} doc @param {number} id */
export const isDepot = (doc, id) => (numbersOf(doc).get(id) ?? Infinity) < doc.depots.length;

/** Why the document cannot be solved yet; empty when it can. @param {Doc} doc */
export function missing(doc) {
  if (!doc.depots.length && !doc.customers.length) return "Add stops first";
  if (!doc.depots.length) return "Add a depot first";
  return doc.customers.length ? "" : "Add a stop besides the depot";
}

/** The problem in the literature's name and in words. @param {Doc} doc */
export function problemWords(doc) {
  if (missing(doc)) return "";
  const several = doc.depots.length > 1;
  const paired = doc.usePairs && doc.pairs.length > 0;
  if (doc.fleet || doc.returnTo === "nowhere" || doc.customers.some((stop) => stop.allowed)) {
    const words = [paired ? "Pickups before their deliveries" : several ? "Several depots" : "One depot"];
    if (doc.fleet) words.push("vehicles with their own places, speeds or work");
    if (doc.returnTo === "nowhere") words.push("open routes");
    const pinned = doc.customers.filter((stop) => stop.allowed).length;
    if (pinned) words.push(`${pinned} pinned`);
    return words.join(", ");
  }
  if (paired) return "Pickups before their deliveries (min-max mPDP)";
  if (!several) return "One depot (min-max mTSP)";
  return doc.returnTo === "start" ? "Several depots (min-max MDVRP)" : "Several depots, any return (min-max FMDVRP)";
}

/* Edits. Each returns a new document. */

/** Move stops. @param {Doc} doc @param {number} id @param {[number, number]} at @returns {Doc} */
export const moveStop = (doc, id, at) => changeStop(doc, id, { at });

/** Change fields of one stop. @param {Doc} doc @param {number} id @param {Partial<Stop>} fields @returns {Doc} */
export function changeStop(doc, id, fields) {
  const change = (stops) => stops.map((stop) => (stop.id === id ? { ...stop, ...fields } : stop));
  const next = isDepot(doc, id) ? { ...doc, depots: change(doc.depots) } : { ...doc, customers: change(doc.customers) };
  numbersOf.carry(doc, next); // no stop comes or goes: 10,000 numbers need not be counted again under a drag
  partnersOf.carry(doc, next);
  if (!("name" in fields)) labelsOf.carry(doc, next);
  return next;
}

/** Add a stop; returns the document and the stop's id. @param {"depot" | "customer"} kind @returns {[Doc, number]} */
export function addStop(doc, kind, at) {
  const stop = { id: nextId(), name: "", at };
  if (kind === "customer") return [{ ...doc, customers: [...doc.customers, stop] }, stop.id];
  // where depots limit their vehicles, a new one has none to give until the user says so
  const limited = doc.depots.some((depot) => depot.vehicles !== undefined);
  return [{ ...doc, depots: [...doc.depots, limited ? { ...stop, vehicles: 1 } : stop] }, stop.id];
}

/** @param {Doc} doc @param {number} id @returns {Doc} */
export function removeStop(doc, id) {
  const others = (stops) => stops.filter((stop) => stop.id !== id);
  const pairs = doc.pairs.filter((pair) => !pair.includes(id));
  return { ...doc, depots: others(doc.depots), customers: others(doc.customers), pairs, fleet: withoutDepot(doc.fleet, id) };
}

/** Pair two customers; whatever pairs they were in before are dissolved. @returns {Doc} */
export function pairStops(doc, pickup, delivery) {
  const kept = doc.pairs.filter((pair) => !pair.includes(pickup) && !pair.includes(delivery));
  // one vehicle drives both
  const allowed = stopOf(doc, pickup)?.allowed ?? stopOf(doc, delivery)?.allowed;
  const customers = doc.customers.map((stop) => (stop.id === pickup || stop.id === delivery ? { ...stop, allowed } : stop));
  return { ...doc, customers: allowed ? customers : doc.customers, pairs: [...kept, [pickup, delivery]], usePairs: true };
}

/** @returns {Doc} */
export function unpairStop(doc, id) {
  const pairs = doc.pairs.filter((pair) => !pair.includes(id));
  return { ...doc, pairs, usePairs: doc.usePairs && pairs.length > 0 };
}

/** A depot becomes a customer or the other way round. @returns {Doc} */
export function switchRole(doc, id) {
  const stop = stopOf(doc, id);
  if (!stop) return doc;
  const depot = isDepot(doc, id);
  const without = removeStop(doc, id);
  const { service, vehicles, allowed, ...plain } = stop;
  return depot
    ? { ...without, customers: [...without.customers, plain] }
    : { ...without, depots: [...without.depots, plain] };
}

/** Remember the answer for each document, which never changes; `carry` hands it to another one. */
function memo(compute) {
  const answers = new WeakMap();
  const ask = (doc) => {
    let answer = answers.get(doc);
    if (answer === undefined) answers.set(doc, (answer = compute(doc)));
    return answer;
  };
  ask.carry = (doc, next) => answers.set(next, ask(doc));
  return ask;
}

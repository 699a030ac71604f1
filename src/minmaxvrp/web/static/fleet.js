/**
 * Vehicles that are told apart: a fleet from a file, stops pinned to vehicles, open routes. Vehicles count
 * from 0 here and from 1 on the screen; route k of a plan is that of vehicle k.
 *
 * @typedef {import("./document.js").Doc} Doc
 * @typedef {{name: string, start?: number, end?: number | "start" | "any" | "nowhere", speed?: number,
 *   done?: number}} Vehicle `start` and `end` are ids of depots
 */

import { changeStop, partnersOf, stopOf } from "./document.js";

/** Whether it matters which vehicle drives a route. @param {Doc} doc */
export const toldApart = (doc) => doc.fleet !== null || doc.customers.some((stop) => stop.allowed);

/** Whether the server wants one route for every vehicle, used or not. @param {Doc} doc */
export const routePerVehicle = (doc) => toldApart(doc) || doc.returnTo === "nowhere";

/** @param {Doc} doc @param {number} k @returns {string} */
export const vehicleName = (doc, k) => doc.fleet?.[k]?.name || `Vehicle ${k + 1}`;

/** Travel is divided by this. @param {Doc} doc @param {number} k */
export const speedOf = (doc, k) => doc.fleet?.[k]?.speed ?? 1;

/** Work before the first stop. @param {Doc} doc @param {number} k */
export const doneOf = (doc, k) => doc.fleet?.[k]?.done ?? 0;

/** Where vehicle k ends a route, given its start and an end it had: the id of a depot, or null. */
export function endOf(doc, k, start, end) {
  const rule = doc.fleet?.[k]?.end ?? doc.returnTo;
  if (rule === "nowhere") return null;
  if (rule === "start") return start;
  return rule === "any" ? (end ?? start) : rule;
}

/** The route of a vehicle that stays where it is. @returns {import("./plan.js").Route} */
export function idleRoute(doc, k) {
  const start = doc.fleet?.[k]?.start ?? doc.depots[0].id;
  return { start, end: endOf(doc, k, start, null), customers: [] };
}

/** The fleet of a JSON instance, whose places are names or numbers of depots. @returns {Vehicle[] | null} */
export function fleetFrom(entries, depots) {
  if (!entries) return null;
  const place = (word) => {
    if (word === undefined || word === null) return undefined;
    const depot = typeof word === "number" ? depots[word] : depots.find((stop) => stop.name === word);
    return depot ? depot.id : word; // or a rule: "start", "any", "nowhere"
  };
  return entries.map(({ name = "", start, end, speed, done }) => defined({ name, start: place(start), end: place(end), speed, done }));
}

/** The same for a JSON instance. @param {Doc} doc @param {Map<number, number>} number of each stop */
export function fleetEntries(doc, number) {
  const place = (id) => (typeof id === "number" ? number.get(id) : id);
  return doc.fleet?.map(({ name, start, end, speed, done }) => defined({ name: name || undefined, start: place(start), end: place(end), speed, done }));
}

/** Vehicles (from 0) that a JSON instance allows a customer, by name or number from 1. */
export function allowedFrom(words, fleet) {
  const named = (word) => {
    const k = fleet?.findIndex((vehicle) => vehicle.name === word) ?? -1;
    return k >= 0 ? k : Number(/\d+$/.exec(String(word))?.[0] ?? 1) - 1; // "vehicle 3" is one without a name
  };
  return [words].flat().map(named);
}

/** Let one vehicle, or any (null), serve a stop, and the other end of its pair. @returns {Doc} */
export function pinStop(doc, id, vehicle) {
  const allowed = vehicle === null ? undefined : [vehicle];
  const other = partnersOf(doc).get(id)?.other;
  const next = changeStop(doc, id, { allowed });
  return other === undefined ? next : changeStop(next, other, { allowed });
}

/** Which vehicles may serve a stop, in words; empty for any. @returns {string} */
export function pinWords(doc, id) {
  const allowed = stopOf(doc, id)?.allowed;
  if (!allowed) return "";
  const names = allowed.map((k) => vehicleName(doc, k));
  return names.length === 1 ? `pinned to ${names[0]}` : `only ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** More or fewer vehicles: the last ones go, and stops that only they might serve are for any. @returns {Doc} */
export function withVehicles(doc, vehicles) {
  const fleet = doc.fleet && Array.from({ length: vehicles }, (_, k) => doc.fleet[k] ?? { name: "" });
  const customers = doc.customers.map((stop) => {
    if (!stop.allowed || stop.allowed.every((k) => k < vehicles)) return stop;
    const allowed = stop.allowed.filter((k) => k < vehicles);
    return { ...stop, allowed: allowed.length ? allowed : undefined };
  });
  return { ...doc, vehicles, fleet, customers };
}

/**
 * Depots that say how many vehicles they have, as a fleet whose vehicles start there, those of the plan first;
 * null where that would say something else. @param {Doc} doc @param {import("./plan.js").Plan | null} plan
 */
export function withStarts(doc, plan) {
  if (doc.depots.every((depot) => depot.vehicles === undefined)) return doc;
  const rest = doc.depots.flatMap((depot) => new Array(depot.vehicles ?? doc.vehicles).fill(depot.id));
  if (rest.length !== doc.vehicles) return null;
  const driven = (plan?.routes ?? []).map((route) => rest.splice(rest.indexOf(route.start), 1)[0]);
  const fleet = [...driven, ...rest].map((start) => ({ name: "", start }));
  return { ...doc, fleet, depots: doc.depots.map(({ vehicles, ...depot }) => depot) };
}

/** The fleet without a depot that is gone: its vehicles start or end as the others. */
export function withoutDepot(fleet, id) {
  const gone = ({ start, end, ...rest }) => defined({ ...rest, start: start === id ? undefined : start, end: end === id ? undefined : end });
  return fleet?.some(({ start, end }) => start === id || end === id) ? fleet.map(gone) : fleet;
}

/** Whether vehicle k may serve all of these stops. @param {Doc} doc @param {number[]} ids @param {number} k */
export const mayServe = (doc, ids, k) => ids.every((id) => stopOf(doc, id)?.allowed?.includes(k) ?? true);

const defined = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

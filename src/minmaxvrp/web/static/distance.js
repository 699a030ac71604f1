/**
 * Distances of problem/distance.py once more, so that lengths follow the mouse while a stop is dragged.
 * What counts is still what the server's checker measures: each plan that arrives brings its own lengths.
 */

const EARTH_RADIUS_KM = 6371.0088;
const TSPLIB_PI = 3.141592;
const TSPLIB_RADIUS_KM = 6378.388;

const rad = (degrees) => (degrees * Math.PI) / 180;

/** TSPLIB's DDD.MM in radians. */
function geoRadians(value) {
  const degrees = Math.trunc(value);
  return (TSPLIB_PI * (degrees + (5 * (value - degrees)) / 3)) / 180;
}

const straight = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

function greatCircle(a, b) {
  const half = Math.sin(rad(b[0] - a[0]) / 2);
  const side = Math.sin(rad(b[1] - a[1]) / 2);
  const h = half * half + Math.cos(rad(a[0])) * Math.cos(rad(b[0])) * side * side;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(Math.max(h, 0), 1)));
}

function geo(a, b) {
  if (a[0] === b[0] && a[1] === b[1]) return 0;
  const [latA, lonA, latB, lonB] = [a[0], a[1], b[0], b[1]].map(geoRadians);
  const q1 = Math.cos(lonA - lonB);
  const cosine = 0.5 * ((1 + q1) * Math.cos(latA - latB) - (1 - q1) * Math.cos(latA + latB));
  return Math.floor(TSPLIB_RADIUS_KM * Math.acos(Math.min(Math.max(cosine, -1), 1)) + 1);
}

/** @type {Record<string, (a: number[], b: number[]) => number>} */
const KINDS = {
  euclidean: straight,
  euc_2d: (a, b) => Math.floor(straight(a, b) + 0.5),
  ceil_2d: (a, b) => Math.ceil(straight(a, b)),
  att: (a, b) => Math.ceil(Math.sqrt(straight(a, b) ** 2 / 10) - 1e-12),
  great_circle: greatCircle,
  geo,
};

/** Whether coordinates are latitude, longitude. @param {string} kind */
export const isGeographic = (kind) => kind === "great_circle" || kind === "geo";

/** How the coordinates of a document are drawn: a matrix may go with latitude and longitude. */
export const placesOf = (doc) => (doc.matrix && doc.latlon ? "great_circle" : doc.distance);

/** Unit of lengths, empty for none. @param {import("./document.js").Doc} doc */
export const unitOf = (doc) => doc.unit || (isGeographic(doc.distance) ? "km" : "");

/** How much of a unit of time an hour is. */
const HOUR = { s: 3600, min: 60, h: 1 };

/**
 * How lengths are written: in a unit, or as durations, so much length per hour.
 * @param {import("./document.js").Doc} doc @returns {string | {perHour: number}}
 */
export function measureOf(doc) {
  const unit = unitOf(doc);
  const perHour = doc.speed ?? HOUR[unit];
  return perHour ? { perHour } : unit;
}

/**
 * Distance from one stop of a document to another.
 * @param {import("./document.js").Doc} doc
 * @returns {(a: import("./document.js").Stop, b: import("./document.js").Stop) => number}
 */
export function distanceOf(doc) {
  const { matrix } = doc;
  if (matrix) return (a, b) => matrix[a.row ?? 0][b.row ?? 0];
  const kind = KINDS[doc.distance] ?? straight;
  return (a, b) => kind(a.at, b.at);
}

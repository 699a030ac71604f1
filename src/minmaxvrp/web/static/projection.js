/**
 * From coordinates to pixels and back. The plane is drawn as it is; latitude and longitude as Web
 * Mercator, so that tiles of a background map fit. World units: radians, or units of the coordinates.
 */

import { isGeographic } from "./distance.js";

const MOST_LATITUDE = 85.05112878;
const EARTH_RADIUS_KM = 6371.0088;

/** TSPLIB's DDD.MM to degrees, and back. */
const fromGeo = (v) => Math.trunc(v) + ((v - Math.trunc(v)) * 5) / 3;
const toGeo = (v) => Math.trunc(v) + ((v - Math.trunc(v)) * 3) / 5;

/** @param {string} kind @param {[number, number]} at @returns {[number, number]} x to the right, y up */
export function toWorld(kind, at) {
  if (!isGeographic(kind)) return at;
  const [lat, lon] = kind === "geo" ? [fromGeo(at[0]), fromGeo(at[1])] : at;
  const phi = (Math.min(Math.max(lat, -MOST_LATITUDE), MOST_LATITUDE) * Math.PI) / 180;
  return [(lon * Math.PI) / 180, Math.asinh(Math.tan(phi))];
}

/**
 * Coordinates of a point of the world, without digits that nobody can place with a mouse.
 * @param {string} kind @param {[number, number]} point @param {number} scale pixels per world unit
 * @returns {[number, number]}
 */
export function fromWorld(kind, [x, y], scale) {
  if (!isGeographic(kind)) return [tidy(x, scale), tidy(y, scale)];
  const turned = x - 2 * Math.PI * Math.floor((x + Math.PI) / (2 * Math.PI));
  const lat = (Math.atan(Math.sinh(y)) * 180) / Math.PI;
  const lon = (turned * 180) / Math.PI;
  const perDegree = (scale * Math.PI) / 180;
  return kind === "geo"
    ? [tidy(toGeo(lat), perDegree), tidy(toGeo(lon), perDegree)]
    : [tidy(lat, perDegree), tidy(lon, perDegree)];
}

/** Rounded to less than a quarter of a pixel. */
function tidy(value, scale) {
  const digits = Math.ceil(Math.log10(2 * scale));
  return digits > 0 ? Number(value.toFixed(Math.min(digits, 100))) : Math.round(value / 10 ** -digits) * 10 ** -digits;
}

/** The part of the world on the screen: its centre, and pixels per world unit. */
export class View {
  constructor() {
    this.x = 50;
    this.y = 50;
    this.scale = 6;
    this.width = 1;
    this.height = 1;
  }

  px(x) {
    return (x - this.x) * this.scale + this.width / 2;
  }

  py(y) {
    return this.height / 2 - (y - this.y) * this.scale;
  }

  /** World point under a pixel. @returns {[number, number]} */
  at(px, py) {
    return [(px - this.width / 2) / this.scale + this.x, (this.height / 2 - py) / this.scale + this.y];
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** Zoom by a factor with one pixel fixed. */
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.at(px, py);
    this.scale *= factor;
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y - (this.height / 2 - py) / this.scale;
  }

  /** Show all points, with room for what lies over the map's edges. @param {{xs: Float64Array, ys: Float64Array}} points */
  fit(points, margin) {
    const { xs, ys } = points;
    if (!xs.length) return;
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let k = 0; k < xs.length; k++) {
      left = Math.min(left, xs[k]);
      right = Math.max(right, xs[k]);
      low = Math.min(low, ys[k]);
      high = Math.max(high, ys[k]);
    }
    const wide = Math.max(this.width - margin.left - margin.right, 80);
    const tall = Math.max(this.height - margin.top - margin.bottom, 80);
    const scale = Math.min(wide / (right - left), tall / (high - low));
    if (Number.isFinite(scale) && scale > 0) this.scale = scale;
    this.x = (left + right) / 2 + (margin.right - margin.left) / 2 / this.scale;
    this.y = (low + high) / 2 + (margin.top - margin.bottom) / 2 / this.scale;
  }

  /** Length of a pixel in the unit of route lengths, at the centre of the view. @param {string} kind */
  unitsPerPixel(kind) {
    return isGeographic(kind) ? (EARTH_RADIUS_KM / Math.cosh(this.y)) / this.scale : 1 / this.scale;
  }
}

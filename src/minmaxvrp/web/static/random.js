/** Random documents to play with; the same seed gives the same stops. */

import { fromInstance } from "./document.js";

/** Uniform numbers from 0 to 1 (the generator mulberry32). @param {number} seed */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * @param {{stops: number, depots: number, vehicles: number, seed: number, clustered: boolean, paired: boolean}} wish
 * @returns {import("./document.js").Doc} on a square of side 100
 */
export function randomDocument({ stops, depots, vehicles, seed, clustered, paired }) {
  const next = uniform(seed);
  const anywhere = () => [100 * next(), 100 * next()];
  const centres = Array.from({ length: Math.max(3, Math.round(Math.sqrt(stops) / 2)) }, anywhere);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const inside = (value) => Math.min(Math.max(value, 0), 100);
  const near = () => {
    const [x, y] = centres[Math.floor(next() * centres.length)];
    return [inside(x + 6 * normal()), inside(y + 6 * normal())];
  };
  const point = ([x, y]) => ({ x: Number(x.toFixed(3)), y: Number(y.toFixed(3)) });
  const customers = Array.from({ length: stops }, () => point(clustered ? near() : anywhere()));
  const pairs = paired ? Array.from({ length: Math.floor(stops / 2) }, (_, k) => [depots + 2 * k, depots + 2 * k + 1]) : [];
  return fromInstance({
    name: `${stops} random stops`,
    vehicles,
    depots: Array.from({ length: depots }, () => point(depots === 1 ? [35 + 30 * next(), 35 + 30 * next()] : anywhere())),
    customers,
    pairs,
  });
}

/**
 * The map on a canvas: a DOM node per stop would not carry 10,000 of them. This file owns the view and
 * the order of drawing; strokes.js draws routes and pairs, symbols.js stops; mapinput.js moves things.
 */

import { placesOf } from "./distance.js";
import { numbersOf, partnersOf, stopsOf } from "./document.js";
import { longestOf, stopsAlong, unrouted } from "./plan.js";
import { View, toWorld } from "./projection.js";
import { drawGrid, drawPairs, drawRoutes, drawScaleBar } from "./strokes.js";
import { badgePlaces, drawBadges, drawCrosshair, drawLabels, drawMarks, drawPins, drawStops } from "./symbols.js";
import { changed } from "./state.js";
import { themeColour } from "./theme.js";
import { Tiles } from "./tiles.js";

const CARD_HEIGHT = 270; // pixels, see details.js

export class MapView {
  /** @param {HTMLCanvasElement} canvas @param {import("./state.js").Store} store */
  constructor(canvas, store) {
    this.canvas = canvas;
    this.store = store;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.view = new View();
    this.tiles = new Tiles(() => this.redraw());
    /** @type {[number, number] | null} crosshair of the keyboard, in world units */
    this.cursor = null;
    /** @type {[number, number] | null} free end of an arrow that is being drawn */
    this.arrowEnd = null;
    this.waiting = false;
    this.fitted = false;
    this.scene = this.sceneOf(store.state);
    new ResizeObserver(() => this.resize()).observe(canvas);
    store.subscribe((state, before) => {
      if (changed(state, before, "doc", "plan")) this.scene = this.sceneOf(state);
      this.redraw();
    });
  }

  /** What the drawing functions need to know, computed once per document and plan. */
  sceneOf(state) {
    const { doc, plan } = state;
    const nodes = stopsOf(doc);
    const xs = new Float64Array(nodes.length);
    const ys = new Float64Array(nodes.length);
    nodes.forEach((stop, k) => ([xs[k], ys[k]] = toWorld(placesOf(doc), stop.at)));
    const routeOf = plan && plan.routes === this.scene?.routes ? this.scene.routeOf : new Map();
    if (!routeOf.size) plan?.routes.forEach((route, k) => route.customers.forEach((id) => routeOf.set(id, k)));
    return {
      routes: plan?.routes,
      nodes, xs, ys, routeOf,
      longest: plan ? longestOf(plan) : -1,
      partners: partnersOf(doc),
      pinned: nodes.flatMap((stop, k) => (stop.allowed ? [k] : [])),
      loose: plan ? unrouted(doc, plan) : new Set(),
      broken: new Set(plan?.violations?.flatMap((violation) => violation.nodes) ?? []),
    };
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    const first = this.view.width <= 1;
    this.view.width = clientWidth;
    this.view.height = clientHeight;
    if (first || this.fitted) this.fit();
    this.draw(); // at once: a resized canvas is blank
  }

  /** Show all stops; with none, the square from 0 to 100. */
  fit() {
    this.scene = this.sceneOf(this.store.state); // a new document may not have been drawn yet
    const { nodes } = this.scene;
    const small = this.view.width < 560;
    const margin = { top: small ? 64 : 76, bottom: 48, left: small ? 24 : 48, right: small ? 64 : 48 };
    if (nodes.length > 1) this.view.fit(this.scene, margin);
    else if (nodes.length === 0) this.view.fit({ xs: new Float64Array([0, 100]), ys: new Float64Array([0, 100]) }, margin);
    else [this.view.x, this.view.y] = [this.scene.xs[0], this.scene.ys[0]];
    this.fitted = true;
    this.redraw();
  }

  zoom(factor, px, py) {
    this.view.zoom(factor, px, py);
    this.fitted = false;
    this.redraw();
  }

  pan(dx, dy) {
    this.view.pan(dx, dy);
    this.fitted = false;
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const { context, view, scene } = this;
    const { state } = this.store;
    const ratio = this.canvas.width / Math.max(view.width, 1);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const ink = this.ink();
    context.fillStyle = ink.ground;
    context.fillRect(0, 0, view.width, view.height);
    const tiled = state.tiles && this.tiles.draw(context, view, placesOf(state.doc), ink);
    if (!tiled) drawGrid(context, view, ink);
    const brush = { context, view, scene, state, ink, radius: this.radius() };
    drawPairs(brush, this.arrowEnd);
    drawRoutes(brush);
    drawStops(brush);
    drawPins(brush);
    const badges = badgePlaces(brush);
    if (state.labels) drawLabels(brush, badges);
    drawBadges(brush, badges);
    drawMarks(brush);
    if (this.cursor) drawCrosshair(brush, this.cursor);
    drawScaleBar(brush);
  }

  /** Of a customer's dot in pixels: smaller where there are many. */
  radius() {
    const many = this.scene.nodes.length;
    const plain = many <= 120 ? 6 : many <= 400 ? 5 : many <= 1500 ? 3.6 : many <= 5000 ? 2.4 : 1.7;
    return this.view.width < 560 ? Math.max(plain * 0.85, 1.5) : plain;
  }

  /** Colours of the page, for a canvas cannot read them from the style sheet itself. */
  ink() {
    return {
      ground: themeColour("--map-ground"), grid: themeColour("--map-grid"), ink: themeColour("--ink"),
      faint: themeColour("--faint"), plain: themeColour("--stop"), accent: themeColour("--accent"), bad: themeColour("--bad"),
    };
  }

  /** The stop nearest to a pixel, within reach. @returns {number | null} its id */
  stopAt(px, py, reach = 12) {
    const { nodes, xs, ys, routeOf } = this.scene;
    const { hidden } = this.store.state;
    let best = reach * reach;
    let found = null;
    for (let k = 0; k < nodes.length; k++) {
      const dx = this.view.px(xs[k]) - px;
      const dy = this.view.py(ys[k]) - py;
      const away = dx * dx + dy * dy;
      if (away < best && !hidden.has(routeOf.get(nodes[k].id) ?? -1)) [best, found] = [away, nodes[k].id];
    }
    return found;
  }

  /** The route whose line passes nearest to a pixel, within reach. @returns {number | null} */
  routeAt(px, py, reach = 6) {
    const { plan, hidden } = this.store.state;
    let best = reach * reach;
    let found = null;
    plan?.routes.forEach((route, k) => {
      if (hidden.has(k)) return;
      const points = this.pixelsOf(route);
      for (let i = 1; i < points.length; i++) {
        const away = legDistance(px, py, points[i - 1], points[i]);
        if (away < best) [best, found] = [away, k];
      }
    });
    return found;
  }

  /** Pixels of a route's nodes in driving order. */
  pixelsOf(route) {
    const numbers = numbersOf(this.store.state.doc);
    return (route.customers.length ? stopsAlong(route) : []).map((id) => {
      const k = numbers.get(id) ?? 0;
      return [this.view.px(this.scene.xs[k]), this.view.py(this.scene.ys[k])];
    });
  }

  /** Pixel of a stop. @returns {[number, number] | null} */
  pixelOf(id) {
    const k = numbersOf(this.store.state.doc).get(id);
    return k === undefined ? null : [this.view.px(this.scene.xs[k]), this.view.py(this.scene.ys[k])];
  }

  /** Bring a stop into view if it is outside. */
  reveal(id) {
    const pixel = this.pixelOf(id);
    if (!pixel) return;
    const [px, py] = pixel;
    const low = this.view.height - (this.view.width < 560 ? CARD_HEIGHT : 30); // on a phone the card of the stop covers the rest
    const inside = px > 30 && py > 70 && px < this.view.width - 30 && py < low;
    if (!inside) this.pan(this.view.width / 2 - px, (70 + low) / 2 - py);
  }
}

/** Square of the distance from a pixel to a leg. */
function legDistance(px, py, [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const size = dx * dx + dy * dy;
  const share = size ? Math.min(Math.max(((px - ax) * dx + (py - ay) * dy) / size, 0), 1) : 0;
  return (px - ax - share * dx) ** 2 + (py - ay - share * dy) ** 2;
}

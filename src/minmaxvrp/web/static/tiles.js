/**
 * A background map, if whoever started the server named a tile server (`minmaxvrp serve --tiles URL`).
 * There is none by default, and nothing is fetched then.
 */

import { isGeographic } from "./distance.js";

const TILE = 256;
const MOST_ZOOM = 19;
const MOST_KEPT = 300;

export class Tiles {
  /** @param {() => void} arrived called when a tile has come */
  constructor(arrived) {
    this.arrived = arrived;
    this.template = "";
    /** @type {Map<string, HTMLImageElement>} */
    this.images = new Map();
  }

  /** @param {string} template with {z}, {x} and {y} */
  use(template) {
    this.template = template;
    this.images.clear();
  }

  /** Draw the tiles under the view; returns whether there are any. */
  draw(context, view, kind, ink) {
    if (!this.template || !isGeographic(kind)) return false;
    const world = 2 * Math.PI * view.scale; // pixels around the Earth
    const zoom = Math.min(Math.max(Math.round(Math.log2(world / TILE)), 0), MOST_ZOOM);
    const count = 2 ** zoom;
    const size = world / count;
    const left = view.px(-Math.PI);
    const top = view.py(Math.PI);
    const columns = [Math.floor(-left / size), Math.floor((view.width - left) / size)];
    const rows = [Math.max(Math.floor(-top / size), 0), Math.min(Math.floor((view.height - top) / size), count - 1)];
    for (let x = columns[0]; x <= columns[1]; x++) {
      for (let y = rows[0]; y <= rows[1]; y++) {
        const image = this.tile(zoom, ((x % count) + count) % count, y);
        if (image.complete && image.naturalWidth) {
          context.drawImage(image, left + x * size, top + y * size, size + 0.5, size + 0.5);
        }
      }
    }
    // a veil in the colour of the page, so that routes stay the loudest
    context.globalAlpha = document.documentElement.dataset.theme === "dark" ? 0.72 : 0.45;
    context.fillStyle = ink.ground;
    context.fillRect(0, 0, view.width, view.height);
    context.globalAlpha = 1;
    return true;
  }

  tile(z, x, y) {
    const address = this.template.replace("{z}", String(z)).replace("{x}", String(x)).replace("{y}", String(y));
    let image = this.images.get(address);
    if (!image) {
      if (this.images.size >= MOST_KEPT) this.images.delete(this.images.keys().next().value ?? "");
      image = new Image();
      image.referrerPolicy = "origin"; // tile servers ask who calls; the page's path is none of their business
      image.onload = this.arrived;
      image.src = address;
      this.images.set(address, image);
    }
    return image;
  }
}

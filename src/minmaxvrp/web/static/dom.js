/**
 * Elements from code. Text of users only ever becomes a text node: nothing here (or elsewhere on the
 * page) parses HTML.
 */

/** @param {string} id @returns {any} the element with this id, which index.html promises */
export const byId = (id) => document.getElementById(id);

/**
 * An element with properties, attributes and children.
 * @param {string} tag
 * @param {Record<string, any>} [fields] `on…` functions become listeners, `aria-…`, `data-…` and `role`
 *   attributes, the rest properties
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function el(tag, fields = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(fields)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (/^(aria-|data-|role$|for$|form$|list$)/.test(key)) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element with attributes. @returns {any} */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** One of the icons of index.html. */
export const icon = (name) => svg("svg", { "aria-hidden": "true" }, svg("use", { href: `#i-${name}` }));

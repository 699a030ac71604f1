/** Menus of buttons, after the WAI-ARIA pattern: arrow keys move, Escape closes, focus returns. */

import { el } from "./dom.js";

/**
 * @param {HTMLElement} menu with a button and a `.menu-items` box
 * @param {() => (null | string | {label: string, hint?: string, disabled?: boolean, act: () => void})[]} entries
 *   asked each time it opens; a text is a heading, null a line
 */
export function makeMenu(menu, entries) {
  const button = /** @type {HTMLButtonElement} */ (menu.querySelector("button"));
  const box = /** @type {HTMLElement} */ (menu.querySelector(".menu-items"));
  const items = () => /** @type {HTMLButtonElement[]} */ ([...box.querySelectorAll("button:not([disabled])")]);

  const close = (focus = false) => {
    box.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (focus) button.focus();
  };
  const open = () => {
    box.replaceChildren(...entries().map((entry) => element(entry, close)));
    box.hidden = false;
    button.setAttribute("aria-expanded", "true");
    items()[0]?.focus();
  };

  button.addEventListener("click", () => (box.hidden ? open() : close()));
  document.addEventListener("pointerdown", (event) => {
    if (!box.hidden && event.target instanceof Node && !menu.contains(event.target)) close();
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) close();
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !box.hidden) close(true);
    else if (event.key === "ArrowDown" && box.hidden) open();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const list = items();
      const k = list.indexOf(/** @type {any} */ (document.activeElement));
      list[(k + (event.key === "ArrowDown" ? 1 : -1) + list.length) % list.length]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function element(entry, close) {
  if (entry === null) return el("hr", { role: "separator" });
  if (typeof entry === "string") return el("p", { className: "menu-head", role: "presentation" }, entry);
  const hint = entry.hint ? [el("small", {}, entry.hint)] : [];
  const choose = () => {
    close(true);
    entry.act();
  };
  return el("button", { type: "button", role: "menuitem", disabled: entry.disabled ?? false, onclick: choose }, el("span", {}, entry.label), ...hint);
}

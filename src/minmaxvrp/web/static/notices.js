/** Messages: visible ones that can be dismissed, and spoken ones for screen readers. */

import { byId, el, icon } from "./dom.js";

const MOST = 4;
const SHORT_MS = 9000;
const SPEAK_EVERY_MS = 2500;

/** @param {string} text @param {"error" | "info"} [kind] errors stay until they are dismissed */
export function notify(text, kind = "error") {
  const stack = byId("notices");
  const notice = el(
    "div",
    { className: `notice ${kind}`, role: kind === "error" ? "alert" : "status" },
    el("p", {}, text),
    el("button", { type: "button", className: "icon small", "aria-label": "Dismiss", onclick: () => notice.remove() }, icon("close")),
  );
  for (const other of [...stack.children]) if (other.textContent === notice.textContent) other.remove();
  while (stack.childElementCount >= MOST) stack.firstElementChild.remove();
  stack.append(notice);
  if (kind === "info") setTimeout(() => notice.remove(), SHORT_MS);
}

/** Take all messages away: the user has gone on to something else. */
export const clearNotices = () => byId("notices").replaceChildren();

let spoken = 0;
let waiting = 0;

/** Tell a screen reader. A search improves many times a second: only the latest word is said. */
export function say(text, urgent = true) {
  clearTimeout(waiting);
  const pause = urgent ? 0 : Math.max(spoken + SPEAK_EVERY_MS - performance.now(), 0);
  waiting = window.setTimeout(() => {
    spoken = performance.now();
    byId("live").textContent = text;
  }, pause);
}

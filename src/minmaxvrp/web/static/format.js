/** Numbers and counts for people, as the command line writes them. */

/**
 * A length with its unit, or as h:mm where it is a duration.
 * @param {number} value @param {string | {perHour: number}} unit @returns {string}
 */
export function lengthText(value, unit) {
  if (typeof unit === "object") return Number.isFinite(value) ? clockText((60 * value) / unit.perHour) : "–";
  const size = Math.abs(value);
  let text;
  if (!Number.isFinite(value)) text = "–";
  else if (size >= 1e7 || (size > 0 && size < 1e-3)) text = value.toPrecision(4);
  else if (unit || size >= 100) text = value.toFixed(size >= 1000 ? 1 : 2);
  else text = value.toFixed(size >= 10 ? 3 : 4);
  return unit ? `${text} ${unit}` : text; // a narrow space would be finer, but some fonts lack it
}

/** Minutes as h:mm, below ten minutes with seconds. @param {number} minutes @returns {string} */
export function clockText(minutes) {
  const two = (number) => String(number).padStart(2, "0");
  if (minutes > 0 && minutes < 10) {
    const seconds = Math.round(60 * minutes);
    return `0:${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
  }
  const whole = Math.round(minutes);
  return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
}

/** Such as `1 stop` and `1,200 stops`. @param {number} count @param {string} noun */
export function countText(count, noun) {
  const plural = /[^aeo]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

/**
 * The gap in words. Rounded up: the page never promises more than is proven.
 * @param {number | null | undefined} gap makespan / lower bound − 1
 */
export function gapWords(gap) {
  if (gap === null || gap === undefined) return "";
  if (gap <= 1e-9) return "Proven optimal";
  const percent = gap * 100;
  const text = percent < 0.01 ? "0.01" : percent < 0.1 ? ceil(percent, 2) : percent < 10 ? ceil(percent, 1) : ceil(percent, 0);
  return `At most ${text} % from the best possible`;
}

/** Rounded up, forgiving the last bits of a floating-point number. */
function ceil(value, digits) {
  const power = 10 ** digits;
  return (Math.ceil(value * power - 1e-9) / power).toFixed(digits);
}

/** A coordinate without more digits than it needs. */
export const coordinateText = (value) => String(Number(value.toFixed(Math.abs(value) >= 1000 ? 2 : 5)));

/**
 * Rows from a spreadsheet to the CSV of docs/formats.md. Finds out which column is which, by the header
 * if there is one, else by what is in the cells; the server's reader then judges the result.
 */

const TITLES = {
  name: ["name", "stop", "customer", "address", "place", "label", "id", "description", "title"],
  lat: ["lat", "latitude", "lat."],
  lon: ["lon", "lng", "long", "longitude", "lon."],
  x: ["x", "easting"],
  y: ["y", "northing"],
  role: ["role", "type", "kind"],
  pair: ["pair", "order", "shipment", "request"],
  service: ["service", "service time", "duration", "minutes at stop"],
  vehicles: ["vehicles", "fleet"],
};
const ROLES = new Set(["depot", "customer", "pickup", "delivery"]);

/**
 * @typedef {{columns: string[], rows: string[][], header: boolean, problem: string}} Reading `columns` has a
 *   field of the formats for each column, or "" for one that is not used
 */

/** @param {string} text @returns {Reading} */
export function understand(text) {
  const rows = cellsOf(text);
  if (!rows.length) return { columns: [], rows: [], header: false, problem: "" };
  const header = rows[0].some((cell) => field(cell) !== "") && !rows[0].some((cell) => isNumber(cell));
  const body = header ? rows.slice(1) : rows;
  const columns = header ? named(rows[0]) : guessed(body);
  return { columns, rows: body, header, problem: problemOf(columns, body, header) };
}

/** The CSV text of a reading. @param {Reading} reading @param {boolean} firstIsDepot where no column has roles */
export function toCsv({ columns, rows }, firstIsDepot = true) {
  const used = columns.map((name, k) => ({ name, k })).filter(({ name }) => name);
  const hasRole = columns.includes("role");
  const titles = [...used.map(({ name }) => name), ...(hasRole ? [] : ["role"])];
  const lines = rows.map((row, number) => {
    const cells = used.map(({ name, k }) => clean(name, row[k] ?? ""));
    if (!hasRole) cells.push(firstIsDepot && number === 0 ? "depot" : "customer");
    return cells.map(quoted).join(",");
  });
  return [titles.join(","), ...lines].join("\n");
}

/** Cells of all rows that are not blank. Tabs first: that is what spreadsheets put on the clipboard. */
export function cellsOf(text) {
  const head = text.trimStart().split("\n", 1)[0];
  const separator = ["\t", ";", ","].find((mark) => head.includes(mark)) ?? /\s+/;
  const rows = typeof separator === "string" ? split(text, separator) : text.split("\n").map((line) => line.trim().split(separator));
  return rows.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some(Boolean));
}

/** Cells by a separator, with quotes as in CSV. */
function split(text, separator) {
  const rows = [[""]];
  let inside = false;
  for (let k = 0; k < text.length; k++) {
    const sign = text[k];
    const row = rows[rows.length - 1];
    if (sign === '"' && inside && text[k + 1] === '"') row[row.length - 1] += text[++k];
    else if (sign === '"' && (inside || row[row.length - 1] === "")) inside = !inside;
    else if (sign === separator && !inside) row.push("");
    else if (sign === "\n" && !inside) rows.push([""]);
    else if (sign !== "\r") row[row.length - 1] += sign;
  }
  return rows;
}

const field = (title) => Object.keys(TITLES).find((key) => TITLES[key].includes(title.trim().toLowerCase())) ?? "";

/** Fields by a header; the first column that fits a field gets it. */
function named(header) {
  const seen = new Set();
  return header.map((title) => {
    const name = field(title);
    if (!name || seen.has(name)) return "";
    seen.add(name);
    return name;
  });
}

/** Fields by the cells: the first two columns of numbers are the place, a third one is service. */
function guessed(rows) {
  const width = Math.max(...rows.map((row) => row.length));
  const column = (k) => rows.map((row) => row[k] ?? "");
  const numeric = [...Array(width).keys()].filter((k) => {
    const cells = column(k).filter(Boolean);
    return cells.length * 2 > rows.length && cells.filter(isNumber).length * 5 >= cells.length * 4;
  });
  // a leading column 1, 2, 3 … numbers the rows
  if (numeric.length > 2 && column(numeric[0]).every((cell, k, all) => toNumber(cell) - k === toNumber(all[0]))) numeric.shift();
  const fields = new Array(width).fill("");
  const [first, second, third] = numeric;
  if (second !== undefined) {
    const degrees = looksLikeDegrees(column(first), column(second));
    [fields[first], fields[second]] = degrees ? ["lat", "lon"] : ["x", "y"];
  }
  if (third !== undefined) fields[third] = "service";
  for (let k = 0; k < width; k++) {
    if (fields[k] || numeric.includes(k)) continue;
    const cells = column(k).map((cell) => cell.toLowerCase());
    if (cells.filter(Boolean).every((cell) => ROLES.has(cell)) && cells.some(Boolean)) fields[k] = "role";
    else if (!fields.includes("name")) fields[k] = "name";
  }
  return fields;
}

/** Within range, and with the decimals that degrees need and plain coordinates rarely have. */
function looksLikeDegrees(first, second) {
  const within = (cells, bound) => cells.every((cell) => Math.abs(toNumber(cell)) <= bound || !isNumber(cell));
  const fine = [...first, ...second].filter((cell) => /[.,]\d{3,}$/.test(cell)).length;
  return within(first, 90) && within(second, 180) && fine > first.length;
}

function problemOf(columns, rows, header) {
  if (!rows.length) return "There is only a header: no stops below it.";
  const place = columns.includes("lat") && columns.includes("lon") ? ["lat", "lon"] : ["x", "y"];
  if (!place.every((name) => columns.includes(name))) {
    return "Two columns of numbers are needed: latitude and longitude, or x and y.";
  }
  const spoken = { lat: "latitude", lon: "longitude", x: "x", y: "y" };
  for (const name of place) {
    const k = columns.indexOf(name);
    const row = rows.findIndex((cells) => !isNumber(cells[k] ?? ""));
    if (row >= 0) return `Row ${row + 1 + (header ? 1 : 0)}: ${spoken[name]} = “${rows[row][k] ?? ""}”, expected a number.`;
  }
  return rows.length < 2 ? "At least a depot and one stop are needed." : "";
}

const toNumber = (cell) => Number(/^[+-]?\d+,\d+$/.test(cell) ? cell.replace(",", ".") : cell || NaN);
const isNumber = (cell) => Number.isFinite(toNumber(cell));

/** Decimal commas become points; roles are lower case. */
function clean(name, cell) {
  if (["lat", "lon", "x", "y", "service"].includes(name) && isNumber(cell)) return String(toNumber(cell));
  return name === "role" ? cell.toLowerCase() || "customer" : cell;
}

const quoted = (cell) => (/[",\n;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

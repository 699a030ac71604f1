/** Rows of a spreadsheet: which column is which. */

import assert from "node:assert/strict";
import { test } from "node:test";

const { toCsv, understand } = await import(`${process.env.PAGE}/paste.js`);

test("tabs, decimal commas and no header", () => {
  const reading = understand("Hof\t52,5432\t13,3700\nMühle\t52,5170\t13,3889\n");
  assert.deepEqual(reading.columns, ["name", "lat", "lon"]);
  assert.equal(reading.problem, "");
  assert.equal(toCsv(reading), "name,lat,lon,role\nHof,52.5432,13.37,depot\nMühle,52.517,13.3889,customer");
});

test("a header in any order, with columns that are not used", () => {
  const reading = understand("Phone;Longitude;Name;Latitude\n1;13.1;\"A; B\";52.1\n2;13.2;C;52.2");
  assert.deepEqual(reading.columns, ["", "lon", "name", "lat"]);
  assert.equal(toCsv(reading, false).split("\n")[1], '13.1,"A; B",52.1,customer');
});

test("whole numbers are a plane, a leading count names the stops", () => {
  assert.deepEqual(understand("1 10 20\n2 30 45\n3 7 9").columns, ["name", "x", "y"]);
});

test("roles and service are found", () => {
  const reading = understand("depot,A,1,2,0\npickup,B,3,4,0.5\ndelivery,C,9,1,0.7");
  assert.deepEqual(reading.columns, ["role", "name", "x", "y", "service"]);
});

test("what is wrong is said with its row", () => {
  assert.match(understand("name,x,y\nA,1,2\nB,abc,4").problem, /^Row 3: x = “abc”/);
  assert.match(understand("A\nB").problem, /Two columns of numbers/);
  assert.match(understand("name,x,y\nA,1,2").problem, /At least a depot and one stop/);
});

/** Distances as the page computes them: points and kinds come in as JSON, lengths go out. */

import { readFileSync } from "node:fs";

const { distanceOf } = await import(`${process.env.PAGE}/distance.js`);
const { kinds, pairs } = JSON.parse(readFileSync(0, "utf8"));
const lengths = kinds.map((distance) => {
  const measure = distanceOf({ distance, matrix: null });
  return pairs.map(([a, b]) => measure({ at: a }, { at: b }));
});
process.stdout.write(JSON.stringify(lengths));

import { expect, test } from "vitest";
import { namesOfNumber } from "../../../src/offers/gpu-names.ts";

test.each([
  ["3090", ["RTX 3090 Ti", "RTX 3090"]],
  ["4090D", []],
])("a bare number, %s: the names that have it as a word", (written, names) => {
  expect(namesOfNumber(written)).toEqual(names);
});

import { expect, test } from "vitest";
import { askedNames, namesOfNumber, sameName } from "../../../src/offers/gpu-names.ts";

test.each(["RTX4090", "rtx 4090", "rtx-4090", "RTX_4090", "Rtx  4090"])("%s is asked for as RTX 4090", (written) => {
  expect(sameName(written, "RTX 4090")).toBe(true);
  expect(askedNames([written])).toContain("RTX 4090");
  expect(sameName(written, "RTX 4090D")).toBe(false);
});

test.each([
  ["4090", ["RTX 4090"]],
  ["3090", ["RTX 3090 Ti", "RTX 3090"]],
  ["RTX 4090", []],
  ["4090D", []],
])("a bare number, %s: the names that have it as a word", (written, names) => {
  expect(namesOfNumber(written)).toEqual(names);
});

import { expect, test } from "vitest";
import { counted } from "../../../src/shared/text.ts";

test.each([
  [0, "0 offers"],
  [1, "1 offer"],
  [2, "2 offers"],
])("%i", (count, words) => {
  expect(counted(count, "offer")).toBe(words);
});

import { expect, test } from "vitest";
import { ONSTART_LIMIT } from "../../src/machine/script/pack-script.ts";
import { FIGURES, ONSTART, WORK } from "../../src/machine/script/packed.ts";

// The service takes 4,048 characters of onstart, and 32,768 of all variables: the user's and the runner configuration,
// too. The figures are left out first where a user's variables need the room.
test.each([
  ["the guard fits the field onstart", ONSTART, 4048],
  ["the work fits its variable GHR_WORK", WORK, 6600],
  ["the figures fit theirs, GHR_FIGURES", FIGURES, 2048],
])("%s", (what, { length }, most) => {
  console.info(`${what}: ${length} of ${most} characters`);
  expect(ONSTART_LIMIT).toBe(4048);
  expect(length).toBeLessThanOrEqual(most);
});

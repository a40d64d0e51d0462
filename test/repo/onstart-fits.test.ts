import { expect, test } from "vitest";
import { ONSTART_LIMIT } from "../../src/machine-script/pack-onstart.ts";
import { ONSTART, WORK } from "../../src/machine-script/packed.ts";

/** Far enough below the service's limit that the next change need not be counted in characters. */
const MOST_GUARD = 3600;
/** The service takes 32,768 for all variables: the user's and the runner configuration, too. */
const MOST_WORK = 8192;

test("the guard fits the field onstart, with room to spare", () => {
  const { length } = ONSTART;
  console.info(`onstart as sent: ${length} of ${ONSTART_LIMIT} characters`);
  expect(ONSTART_LIMIT).toBe(4048);
  expect(length).toBeLessThanOrEqual(MOST_GUARD);
});

test("the work fits its variable", () => {
  const { length } = WORK;
  console.info(`GHR_WORK as sent: ${length} of ${MOST_WORK} characters`);
  expect(length).toBeLessThanOrEqual(MOST_WORK);
});

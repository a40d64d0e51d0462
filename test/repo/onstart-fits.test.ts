import { expect, test } from "vitest";
import { ONSTART_LIMIT } from "../../src/machine/script/pack-script.ts";
import { FIGURES, ONSTART, WORK } from "../../src/machine/script/packed.ts";

/** The service takes 32,768 for all variables: the user's and the runner configuration, too. */
const MOST_WORK = 6600;
/** What is left out first where a user's variables need the room. */
const MOST_FIGURES = 2048;

test("the guard fits the field onstart", () => {
  const { length } = ONSTART;
  console.info(`onstart as sent: ${length} of ${ONSTART_LIMIT} characters`);
  expect(ONSTART_LIMIT).toBe(4048);
  expect(length).toBeLessThanOrEqual(ONSTART_LIMIT);
});

test("the work fits its variable", () => {
  const { length } = WORK;
  console.info(`GHR_WORK as sent: ${length} of ${MOST_WORK} characters`);
  expect(length).toBeLessThanOrEqual(MOST_WORK);
});

test("the figures fit theirs", () => {
  const { length } = FIGURES;
  console.info(`GHR_FIGURES as sent: ${length} of ${MOST_FIGURES} characters`);
  expect(length).toBeLessThanOrEqual(MOST_FIGURES);
});

import { expect, test } from "vitest";
import { ONSTART_LIMIT, packOnstart } from "../../src/onstart/pack-onstart.ts";
import { textOf } from "./support/repository.ts";

test("the script of the machine fits the field onstart", () => {
  const { length } = packOnstart(textOf("onstart/bootstrap.sh"));
  console.info(`onstart as sent: ${length} of ${ONSTART_LIMIT} characters`);
  expect(ONSTART_LIMIT).toBe(4048);
  expect(length).toBeLessThanOrEqual(ONSTART_LIMIT);
});

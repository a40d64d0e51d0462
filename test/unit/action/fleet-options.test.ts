import { expect, test } from "vitest";
import { fleetOptions } from "../../../src/action/request.ts";
import { inputsOf } from "../support/a-run.ts";

test("no spare is started with machines: 1", () => {
  expect(fleetOptions(inputsOf({ machines: "1" }), { attempt: 1 } as never).hedge).toBe(false);
  expect(fleetOptions(inputsOf({}), { attempt: 1 } as never).hedge).toBe(true);
});

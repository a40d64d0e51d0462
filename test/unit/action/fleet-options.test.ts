import { expect, test } from "vitest";
import { decided, inputSchema } from "../../../src/action/inputs/schema.ts";
import { fleetOptions } from "../../../src/action/request.ts";

function read(given: Record<string, string>) {
  const needed = { "api-key": "k", "github-token": "t", "job-token": "j", "max-price": "0.60", image: "debian:13" };
  return decided(inputSchema.parse({ ...needed, ...given }));
}

test("no spare is started with machines: 1", () => {
  expect(fleetOptions(read({ machines: "1" }), { attempt: 1 } as never).hedge).toBe(false);
  expect(fleetOptions(read({}), { attempt: 1 } as never).hedge).toBe(true);
});

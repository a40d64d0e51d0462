import { expect, test } from "vitest";
import { decided, inputSchema } from "../../../../src/action/inputs/input-schema.ts";
import { policyOf, spareLines } from "../../../../src/action/request/policy-of-inputs.ts";

function read(given: Record<string, string>) {
  const needed = { "api-key": "k", "github-token": "t", "job-token": "j", "max-price": "0.60", image: "debian:13" };
  return decided(inputSchema.parse({ ...needed, ...given }));
}

test.each([
  ["hedge with machines: 1", { machines: "1" }, 1],
  ["hedge with a volume", { "volume-id": "7", "volume-mount-path": "/data" }, 1],
  ["hedge with room for a spare", {}, 0],
  ["no hedge", { machines: "1", hedge: "false" }, 0],
  ["a machine that is not held", { machines: "1", hold: "false" }, 0],
])("%s", (_name, given, lines) => {
  expect(spareLines(read(given as Record<string, string>))).toHaveLength(lines);
});

test("no spare is started with machines: 1", () => {
  expect(policyOf(read({ machines: "1" }), { attempt: 1 } as never).hedge).toBe(false);
  expect(policyOf(read({}), { attempt: 1 } as never).hedge).toBe(true);
});

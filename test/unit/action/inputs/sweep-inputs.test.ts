import { describe, expect, test } from "vitest";
import { sweepInputSchema } from "../../../../src/action/inputs/schema.ts";

const NEEDED = { "api-key": "0123456789", "job-token": "ghs_token" };

function faults(given: Record<string, string>): string[] {
  const answer = sweepInputSchema.safeParse({ ...NEEDED, ...given });
  return (answer.error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("faults", () => {
  test("all at once", () => {
    expect(faults({ "dry-run": "x", "max-destroy": "x", "job-token": "" })).toHaveLength(3);
  });
});

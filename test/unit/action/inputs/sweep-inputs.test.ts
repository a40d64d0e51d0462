import { describe, expect, test } from "vitest";
import { sweepInputSchema } from "../../../../src/action/input-schema.ts";

const NEEDED = { "api-key": "0123456789", "job-token": "ghs_token" };

function faults(given: Record<string, string>): string[] {
  const answer = sweepInputSchema.safeParse({ ...NEEDED, ...given });
  return (answer.error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test("defaults", () => {
  expect(sweepInputSchema.parse(NEEDED)).toEqual({
    ...NEEDED,
    "api-url": "https://console.vast.ai",
    "dry-run": false,
    "rerun-lost": false,
    "max-destroy": 20,
    "cancel-stuck-runs": true,
  });
});

describe("faults", () => {
  test.each([
    ["dry-run", "yes"],
    ["cancel-stuck-runs", "auto"],
    ["max-destroy", "0"],
    ["max-destroy", "1.5"],
    ["max-destroy", "many"],
    ["api-url", "http://example.com"],
    ["api-key", "two words"],
    ["job-token", ""],
  ])("%s: %j", (name, value) => {
    expect(faults({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name}: .*allowed`))]);
  });

  test("all at once", () => {
    expect(faults({ "dry-run": "x", "max-destroy": "x", "job-token": "" })).toHaveLength(3);
  });
});

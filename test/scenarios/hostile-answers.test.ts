import { expect, test } from "vitest";
import { startSession } from "../support/simulated-session.ts";

const list = (more: string) => `{"instances": [], "total_instances": 0, "more": ${more}}`;

test.concurrent.each([
  ["nested more than 64 deep", list(`${"[".repeat(100)}${"]".repeat(100)}`), "could not be read"],
  ["of 33 MB", list(`"${"x".repeat(33_000_000)}"`), "gave no answer"],
])("a list of instances %s is none: nothing is rented, and main says why", async (_what, text, why) => {
  await using session = await startSession({
    scenario: { faults: [{ operation: "listInstances", kind: "text", text }] },
  });
  const main = await session.step.startMain().done;
  expect(main.exitCode).toBe(1);
  expect(main.log).toMatch(new RegExp(`^::error title=.*${why}`, "m"));
  expect(session.instances()).toEqual([]);
  await session.endClean();
});

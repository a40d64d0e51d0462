import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { savedState, saveState } from "../../../src/action/platform.ts";
import { failedEnd, ledgerWriter, type MainEnd, readLedger } from "../../../src/release/ledger.ts";
import { CancelledError, UserError } from "../../../src/shared/user-error.ts";

let folder: string;
const writer = ledgerWriter(saveState);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "state-"));
  writeFileSync(join(folder, "state"), "");
  vi.stubEnv("GITHUB_STATE", join(folder, "state"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Main's notes as post reads them; the platform hands the value over. */
function handedOver(): MainEnd | undefined {
  const lines = readFileSync(join(folder, "state"), "utf8").split("\n");
  vi.stubEnv("STATE_end", lines[1] ?? "");
  return readLedger(savedState()).end;
}

test("the error and what to do, each in one line", () => {
  writer.end(
    failedEnd(new UserError("No offer\nmatches.", { kind: "no-machine", hint: "Widen\n max-price." }), { taken: 3 }),
  );
  expect(handedOver()).toEqual({
    kind: "failed",
    what: "no-machine",
    taken: 3,
    tellsFate: true,
    message: "No offer matches.",
    hint: "Widen max-price.",
  });
});

test.each<[string, UserError, boolean, true | undefined]>([
  ["no machine came: its error says it always", new UserError("No.", { kind: "no-machine" }), false, true],
  ["another error to which it was added", new UserError("No."), true, true],
  ["another error", new UserError("No."), false, undefined],
])("whether the error says what becomes of the jobs: %s", (_what, error, tellsFate, said) => {
  writer.end(failedEnd(error, { tellsFate }));
  expect((handedOver() as { tellsFate?: true }).tellsFate).toBe(said);
});

test("a message of a megabyte is cut", () => {
  writer.end(failedEnd(new UserError("x".repeat(1_000_000))));
  expect(handedOver()).toMatchObject({ message: expect.stringMatching(/^x{999}…$/) });
});

test("a signal is no failure", () => {
  writer.end(failedEnd(new CancelledError("SIGINT")));
  expect(handedOver()).toEqual({ kind: "stopped" });
});

test.each([new TypeError("x is undefined"), undefined, "text"])("a bug of ours: %s", (thrown) => {
  writer.end(failedEnd(thrown));
  expect(handedOver()).toMatchObject({ what: "bug", message: expect.stringContaining("This is a bug of") });
});

test.each<MainEnd>([{ kind: "over", taken: 2 }, { kind: "ready" }, { kind: "no-job", message: "None." }])(
  "%j",
  (end) => {
    writer.end(end);
    expect(handedOver()).toEqual(end);
  },
);

describe("what can't be read keeps post from nothing", () => {
  test.each(["", "{", '{"kind": "elsewhere"}'])("%j", (text) => {
    vi.stubEnv("STATE_end", text);
    expect(readLedger(savedState()).end).toBeUndefined();
  });
});

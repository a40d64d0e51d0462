import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { savedState, saveState, stepPage } from "../../../src/action/platform.ts";
import { StateNotSavedError } from "../../../src/machine/errors.ts";
import { failedEnd, ledgerWriter, type MainEnd, readLedger } from "../../../src/release/ledger.ts";
import { CancelledError, UserError } from "../../../src/shared/user-error.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { stepOutput } from "../support/step-output.ts";

let folder: string;
const printed = stepOutput();
const ORIGIN = { apiKey: "the-api-key", runId: "4711", attempt: "1" };
const writer = ledgerWriter(saveState, new RecordedLog(), ORIGIN);

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
  return readLedger(savedState(), ORIGIN).end;
}

describe("a disk that is full", () => {
  const full = () => {
    throw new Error("ENOSPC: no space left on device, write");
  };

  test("only what must be findable stops the step: the prefix, and a create that is about to be sent", () => {
    const log = new RecordedLog();
    const note = ledgerWriter(full, log, ORIGIN);
    expect(() => note.prefix("ghr1.1.2-1.abcdef")).toThrow("ENOSPC");
    expect(() => note.pending(1, "ghr1.1.2-1.abcdef.1.9")).toThrow("ENOSPC");
    note.session("abcdef");
    note.runners(1, [21]);
    note.created(1, 701);
    note.cancelRun();
    note.end({ kind: "ready" });
    expect(log.warnings).toEqual([
      "Notes for the post step could not be written (ENOSPC: no space left on device, write): it finds machines and runners by their names, and may know less of them.",
    ]);
  });

  test("the state's own error is one for people", () => {
    vi.stubEnv("GITHUB_STATE", join(folder, "missing/state"));
    expect(() => saveState("prefix", "ghr1")).toThrow(StateNotSavedError);
  });

  test("an output that can't be written is told, and stops nothing", () => {
    vi.stubEnv("GITHUB_OUTPUT", join(folder, "missing/output"));
    stepPage.setOutput("instance-id", "701");
    expect(printed.text).toContain("The output instance-id could not be written");
  });
});

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
    expect(readLedger(savedState(), ORIGIN).end).toBeUndefined();
  });
});

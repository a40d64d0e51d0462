import { afterEach, describe, expect, test, vi } from "vitest";
import { savedState } from "../../../src/action/platform.ts";
import {
  failedEnd,
  type Ledger,
  type LedgerWriter,
  ledgerWriter,
  type MainEnd,
  readLedger,
} from "../../../src/release/ledger.ts";
import { CancelledError, UserError } from "../../../src/shared/user-error.ts";
import { aRecord } from "../support/a-session-report.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const REPORT = aRecord({ instanceId: 7, traffic: { downGb: 8, upGb: 1 }, deadline: 1_798_761_600_000 });

const ORIGIN = { apiKey: "the-api-key", runId: "2", attempt: "1" };
const SESSION = "abcdef";
const PREFIX = "ghr1.1.2-1.abcdef";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** What main saves when it writes these notes. */
function saved(notes: (ledger: LedgerWriter) => void, origin = ORIGIN): Record<string, string> {
  const state: Record<string, string> = {};
  notes(ledgerWriter((name, text) => Object.assign(state, { [name]: text }), new RecordedLog(), origin));
  return state;
}

/** The notes of a main that rented one machine. */
function rentedOne(session = SESSION, origin = ORIGIN, id = 701): Record<string, string> {
  const prefix = `ghr1.1.2-1.${session}`;
  return saved((ledger) => {
    ledger.session(session);
    ledger.prefix(prefix);
    ledger.runners(1, [21]);
    ledger.pending(1, `${prefix}.1.9`);
    ledger.created(1, id);
  }, origin);
}

/** Reads notes as the runner hands the state of main to post. */
function read(state: Record<string, string>): Ledger {
  for (const [name, value] of Object.entries(state)) vi.stubEnv(`STATE_${name}`, value);
  return readLedger(savedState(), ORIGIN);
}

test("what main wrote down, in the order of the creates", () => {
  const notes = saved((writer) => {
    writer.session(SESSION);
    writer.prefix(PREFIX);
    for (const n of [10, 2]) writer.runners(n, [n + 20, n + 21]);
    for (const n of [10, 2]) writer.pending(n, `${PREFIX}.${n}.9`);
    writer.created(2, "none");
    writer.created(10, 7);
    writer.report(10, REPORT);
    writer.cancelRun();
  });
  const { created, pending, reports, runners, ...ledger } = read(notes);
  expect(ledger).toMatchObject({ sessionId: SESSION, prefix: PREFIX, cancelRun: true, forged: [] });
  for (const each of [created, pending, runners]) expect([...each.keys()]).toEqual([2, 10]);
  expect(Object.fromEntries(runners)).toEqual({ 2: [22, 23], 10: [30, 31] });
  expect(Object.fromEntries(created)).toEqual({ 2: "none", 10: 7 });
  expect([...reports]).toEqual([[10, REPORT]]);
});

test("nothing, when main never came so far; a state of another action's making is no note", () => {
  expect(read({})).toMatchObject({ prefix: undefined, runners: new Map(), pending: new Map(), forged: [] });
  expect(read({ isPost: "true", created_: "7", created_1e21: "7", created___proto__: "7" }).forged).toEqual([]);
});

describe("how main ended is read even where it never began a session", () => {
  const handedOver = (end: MainEnd) => read(saved((ledger) => ledger.end(end))).end;
  const failed = (message: string, given: object) => ({ kind: "failed", what: "other", taken: 0, message, ...given });
  const tells = { what: "no-machine", taken: 3, tellsFate: true, hint: "Widen max-price." };
  const noOffer = failed("No offer matches.", tells);
  const BUG = "This is a bug of ephemeral-gpu-runner:";
  const noMachine = new UserError("No offer\nmatches.", { kind: "no-machine", hint: "Widen\n max-price." });

  test.each<MainEnd>([{ kind: "ready" }, { kind: "no-job", message: "None." }])("%j", (end) => {
    expect(handedOver(end)).toEqual(end);
  });

  test.each<[string, unknown, Parameters<typeof failedEnd>[1], object]>([
    ["in one line each; the error of no machine says always what becomes of jobs", noMachine, { taken: 3 }, noOffer],
    ["an error to which that was added", new UserError("No."), { tellsFate: true }, failed("No.", { tellsFate: true })],
    ["a message of a megabyte is cut", new UserError("x".repeat(1e6)), {}, failed(`${"x".repeat(999)}…`, {})],
    ["a signal is no failure", new CancelledError("SIGINT"), {}, { kind: "stopped" }],
    ["a bug of ours", new TypeError("x"), {}, failed(`${BUG} x`, { what: "bug" })],
  ])("%s", (_what, error, given, end) => {
    expect(handedOver(failedEnd(error, given))).toEqual(end);
  });

  test.each(["", "{", '{"kind": "elsewhere"}'])("%j keeps post from nothing", (end) => {
    expect(read({ end }).end).toBeUndefined();
  });
});

test("of a disk that is full only what must be findable stops the step: the prefix, and a create to be sent", () => {
  const log = new RecordedLog();
  const full = () => {
    throw new Error("ENOSPC: no space left on device, write");
  };
  const note = ledgerWriter(full, log, ORIGIN);
  expect(() => note.prefix("ghr1.1.2-1.abcdef")).toThrow("ENOSPC");
  expect(() => note.pending(1, "ghr1.1.2-1.abcdef.1.9")).toThrow("ENOSPC");
  note.session("abcdef");
  note.runners(1, [21]);
  note.created(1, 701);
  note.cancelRun();
  note.end({ kind: "ready" });
  const could = "Notes for the post step could not be written (ENOSPC: no space left on device, write)";
  expect(log.warnings).toEqual([`${could}: it finds machines and runners by their names, and may know less of them.`]);
});

describe("an entry that main did not sign is named, and counts as not there", () => {
  const ADDED = "created_9";
  const now = rentedOne();

  test.each<[string, string, number[]]>([
    ["an id", "990", [990]],
    ["what main signed in another run", rentedOne(SESSION, { ...ORIGIN, runId: "3" }, 702).created_1 ?? "", [702]],
    ["an id that no service gives", "9999999999999999", []],
    ["too long", "9".repeat(120_000), []],
    ["a made-up signature", `1.${"A".repeat(22)}.990`, [990]],
    ["what main signed for another machine", now.created_1 ?? "", []],
  ])("%s; where it may be an id, only a label can prove it", (_what, text, claimed) => {
    const ledger = read({ ...now, [ADDED]: text });
    expect([...ledger.created]).toEqual([[1, 701]]);
    expect(ledger.forged).toEqual([ADDED]);
    expect(ledger.claimed).toEqual(claimed);
  });

  test.each<[string, Record<string, string>]>([
    ["another run", rentedOne(SESSION, { ...ORIGIN, runId: "3" })],
    ["another account", rentedOne(SESSION, { ...ORIGIN, apiKey: "another-key" })],
  ])("one of %s, played again", (_what, { created_1 = "", runner_1 = "" }) => {
    const { created_1: _own, runner_1: _runner, ...rest } = now;
    const ledger = read({ ...rest, created_1, runner_1 });
    expect(ledger).toMatchObject({ sessionId: SESSION, prefix: PREFIX, created: new Map(), runners: new Map() });
    // The create is open again, so that it is looked for by its label.
    expect([...ledger.pending.keys()]).toEqual([1]);
    expect(ledger.forged.toSorted()).toEqual(["created_1", "runner_1"]);
  });

  test.each<[string, Record<string, string>]>([
    ["an unsigned one", { session: SESSION, prefix: PREFIX, pending_1: `${PREFIX}.1.9`, created_1: "990" }],
    ["one of another run", rentedOne(SESSION, { ...ORIGIN, runId: "3" })],
  ])("a whole session: %s", (_what, state) => {
    const ledger = read(state);
    expect(ledger).toMatchObject({ sessionId: undefined, prefix: undefined, pending: new Map(), created: new Map() });
    expect(ledger.forged).toEqual(expect.arrayContaining(["session", "prefix", "pending_1", "created_1"]));
  });

  test.each(["", "{", "null", "[]", '{"instanceId": "7"}', JSON.stringify(REPORT)])("a report: %j", (report_1) => {
    const ledger = read({ ...now, report_1 });
    expect([...ledger.reports]).toEqual([]);
    expect([...ledger.created]).toEqual([[1, 701]]);
  });

  test("an order to cancel the run, and how main ended", () => {
    const ledger = read({ ...now, cancel_run: "true", end: JSON.stringify({ kind: "ready" }) });
    expect(ledger).toMatchObject({ cancelRun: false, end: undefined });
  });

  test("an id of a refused create's answer settles its create, and only a label can prove it", () => {
    const state = saved((writer) => {
      writer.session(SESSION);
      writer.created(1, 701, true);
    });
    expect(read(state)).toMatchObject({ claimed: [701], created: new Map([[1, 701]]), forged: [] });
  });
});

test("an id that main signed as created stays proven, whatever else names it", () => {
  const own = saved((writer) => {
    writer.session(SESSION);
    writer.prefix(PREFIX);
    writer.created(1, 701);
    writer.created(2, 701, true);
    writer.created(3, 703, true);
    writer.report(4, { ...REPORT, instanceId: 704 });
  });
  const others = { created_8: "701", created_9: own.created_1 ?? "", created_10: "704", created_11: "705" };
  expect(read({ ...own, ...others }).claimed).toEqual([703, 705]);
});

test("of a session's own entries an older one says no more than it said then", () => {
  const { report_1 = "" } = saved((ledger) => {
    ledger.session(SESSION);
    ledger.report(1, { ...REPORT, last: "created" });
  });
  // An id that was ours once is nobody else's: the service gives none twice.
  expect(read({ ...rentedOne(), report_1 }).reports.get(1)).toMatchObject({ instanceId: 7, last: "created" });
});

test("what the next run is to know comes in its order, in entries that every system takes", () => {
  const lines = Array.from({ length: 50 }, (_none, index) => `known-${index}`.padEnd(1000, "x"));
  const state = saved((ledger) => {
    ledger.session(SESSION);
    ledger.known(lines);
  });
  expect(Math.max(...Object.values(state).map(({ length }) => length))).toBeLessThan(32_000);
  expect(read(state)).toMatchObject({ known: lines, forged: [] });
  const known = [...lines.slice(0, 16), ...lines.slice(32)];
  expect(read({ ...state, known_16: "known-16" })).toMatchObject({ known, forged: ["known_16"] });
});

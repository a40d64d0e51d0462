import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeptHistory } from "../../../../src/action/history-file.ts";
import type { Fate } from "../../../../src/market/history.ts";
import { RecordedLog } from "../../support/recorded-log.ts";

const NOW = 1_795_000_000_000;
let folder: string;
let log: RecordedLog;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "history-"));
  log = new RecordedLog();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (name: string) => join(folder, name);
const open = (name: string) => KeptHistory.open(path(name), { log, clock: { now: () => NOW } });
const served = (machine: number): Fate => ({ kind: "served", machine, at: NOW });

/** The machines that the file knows. */
async function machinesIn(name: string): Promise<number[]> {
  const { known } = await open(name);
  return [...known.keys()].toSorted();
}

/** Notes machines one after the other, and waits until the file is written. */
async function note(history: KeptHistory, ...machines: number[]): Promise<void> {
  for (const machine of machines) history.note(served(machine));
  await history[Symbol.asyncDispose]();
}

test("a file that is not there yet is none, without a word; it is made with its folder", async () => {
  const history = await open("a/b.json");
  expect([...history.known, ...history.runs]).toEqual([]);
  await note(history, 7);
  expect(await machinesIn("a/b.json")).toEqual([7]);
  expect(readdirSync(path("a"))).toEqual(["b.json"]);
  expect(log.warnings).toEqual([]);
});

test("what another run wrote meanwhile is kept", async () => {
  const [ours, theirs] = [await open("h.json"), await open("h.json")];
  await note(theirs, 8);
  await note(ours, 7);
  expect(await machinesIn("h.json")).toEqual([7, 8]);
});

test.each([
  ["a folder", () => mkdirSync(path("h.json")), "it is not a file"],
  ["fifty megabytes", () => writeFileSync(path("h.json"), "x".repeat(50_000_000)), "it has more than 1 MB"],
  ["a prototype", () => writeFileSync(path("h.json"), '{"version":1,"machines":{"__proto__":{}}}'), "machine number 1"],
  ["workflow commands", () => writeFileSync(path("h.json"), "::error::pwned\n"), "it is not a JSON object"],
])(
  "%s in its place: a warning that names it and repeats nothing of it, and as if there were none",
  async (_what, make, reason) => {
    make();
    expect(await machinesIn("h.json")).toEqual([]);
    expect(log.warnings).toEqual([expect.stringContaining(path("h.json"))]);
    expect(log.warnings[0]).toContain(reason);
    expect(log.warnings[0]).not.toContain("pwned");
  },
);

test("a hostile file is replaced by what this run learnt", async () => {
  writeFileSync(path("h.json"), "[1, 2");
  await note(await open("h.json"), 7);
  expect(readFileSync(path("h.json"), "utf8")).toBe(
    `{"version":2,"machines":{"7":{"servedAt":${NOW},"boots":[]}},"runs":[]}\n`,
  );
});

test("a file that can't be written is logged once, and nothing of it is left", async () => {
  const history = await open("h.json");
  mkdirSync(path("h.json"));
  await note(history, 7, 8);
  expect(log.warnings).toEqual([expect.stringMatching(/^The history .*h\.json can't be written: \w+\.$/)]);
  expect(readdirSync(folder)).toEqual(["h.json"]);
});

test.skipIf(process.getuid?.() === 0)("nor in a folder of somebody else", async () => {
  mkdirSync(path("theirs"));
  chmodSync(path("theirs"), 0o500);
  await note(await open("theirs/h.json"), 7);
  expect(log.warnings).toEqual([expect.stringContaining("can't be written: EACCES")]);
});

test("a run is kept in addition to the machines, and one that could not be read again is not", async () => {
  const run = { run: 4711, attempt: 1, at: NOW, usd: 0.04, use: "0123456789abcdef", kinds: [] };
  const spoilt = { ...run, run: 4712, kinds: [{ kind: "0123456789abcdef", machine: 1.5 }] };
  const room = { log, clock: { now: () => NOW, sleep: async () => {} } };
  {
    await using kept = await KeptHistory.open(path("h.json"), room);
    kept.note(served(7));
    expect(kept.isKept).toBe(false);
    kept.noteRun(run);
    kept.noteRun(spoilt);
  }
  const again = await open("h.json");
  expect(again).toMatchObject({ isKept: true, runs: [run] });
  expect([...again.known.keys()]).toEqual([7]);
  await using without = await KeptHistory.open("", room);
  without.noteRun(run);
  expect(without.runs).toEqual([]);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { PlannedHistory } from "../planned-run.ts";
import type { StageFacts } from "../run-facts.ts";
import { facts, stage } from "./facts.ts";
import { historyBreaches } from "./history-breaches.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const USED = "machine 1: asked for, from offer 11.";
const TOLD = `${USED}\n::warning::The history /x can't be used: it is not a JSON object. This run goes on as if there were none.`;

/** Breaches of a run that found this, left that text, and printed that log. */
function after(history: PlannedHistory, text: string | undefined, log: string, main: Partial<StageFacts> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "history-"));
  folders.push(folder);
  const path = join(folder, "machines.json");
  if (history.kind === "folder") mkdirSync(path);
  else if (text !== undefined) writeFileSync(path, text);
  const { plan } = facts({});
  const kept = {
    path,
    plan: { ...plan, history },
    main: stage("main", { log, ...main }),
    secrets: { "the key": "k3y" },
  };
  return { folder, found: () => historyBreaches(kept) };
}

const GOOD = '{"version":1,"machines":{"40011":{"servedAt":1800000000000,"boots":[]}}}\n';

test("a file that can be read, none where there was none, and what was found and reported are all right", () => {
  expect(after({ kind: "absent" }, GOOD, USED).found()).toEqual([]);
  expect(after({ kind: "absent" }, undefined, "").found()).toEqual([]);
  expect(after({ kind: "folder" }, undefined, TOLD).found()).toEqual([]);
  expect(after({ kind: "text", text: "::error::foreign" }, "::error::foreign", TOLD).found()).toEqual([]);
  expect(after({ kind: "text", text: "::error::foreign" }, GOOD, TOLD).found()).toEqual([]);
});

test("a part of a file, a secret, a file that is gone and a draft that is left are reported", () => {
  const known: PlannedHistory = { kind: "known", hosts: [] };
  expect(after(known, GOOD.slice(0, 30), USED).found()).toEqual([
    "The history can't be read: it is not a JSON object.",
  ]);
  expect(after(known, `${GOOD.trim()}k3y`, USED).found()).toContain("the key is in the history.");
  expect(after(known, undefined, USED).found()).toEqual(["The history is gone."]);
  const draft = after(known, GOOD, USED);
  writeFileSync(join(draft.folder, "machines.json.7.tmp"), "");
  expect(draft.found()).toEqual(["A draft of the history is left: machines.json.7.tmp."]);
  const killed = after(known, GOOD, USED, { exitCode: null, killed: { at: 1, how: "SIGKILL" } });
  writeFileSync(join(killed.folder, "machines.json.7.tmp"), "");
  expect(killed.found()).toEqual([]);
});

test("a history of which main says the wrong thing is reported", () => {
  expect(after({ kind: "folder" }, undefined, USED).found()).toEqual([
    "Main does not say that the history can't be used.",
  ]);
  expect(after({ kind: "absent" }, undefined, TOLD).found()).toEqual(["Main says that a good history can't be used."]);
});

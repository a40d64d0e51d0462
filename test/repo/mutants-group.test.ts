import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { runGroup } from "../mutants/group.ts";

/** A program that starts another one, prints its id, and waits. */
const STARTS_ANOTHER = `
const { spawn } = require("node:child_process");
const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
console.log(child.pid);
setInterval(() => {}, 1000);`;

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function isGone(pid: number): Promise<void> {
  await expect.poll(() => isThere(pid)).toBe(false);
}

test("a group ends with its program, with the code of that", async () => {
  expect(await runGroup(["-e", "process.exit(3)"], 60_000, { stdio: "ignore" })).toEqual({ code: 3, isLate: false });
});

test("what is told to end takes along what its program has started", async () => {
  const group = JSON.stringify(new URL("../mutants/group.ts", import.meta.url).href);
  const args = JSON.stringify(["-e", STARTS_ANOTHER]);
  const script = `const { runGroup } = await import(${group}); await runGroup(${args}, 60_000, { stdio: "inherit" });`;
  const us = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = await once(us.stdout, "data");
  const grandchild = Number(String(printed));
  expect(isThere(grandchild)).toBe(true);
  us.kill("SIGTERM");
  expect(await once(us, "exit")).toEqual([1, null]);
  await isGone(grandchild);
});

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packOnstart, stripScript } from "../../../../src/machine/script/pack-script.ts";
import { textOf } from "../../../repo/support/repository.ts";

const UNPACKER = textOf("onstart/unpack.sh");
const PADDING = "# only a comment, and a long one at that\n".repeat(100);

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pack-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Runs bash as a machine does that has the barest commands only. */
function bash(root: string, ...args: string[]): string {
  const env = { PATH: "/usr/bin:/bin", GHR_ROOT: root };
  return execFileSync("bash", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

test("packs a longer one so that bash runs it, and writes nothing", () => {
  const script = `#!/usr/bin/env bash\n${PADDING}echo "it ran in bash \${BASH_VERSION:+yes}"\n`;
  const packed = packOnstart(script, UNPACKER);
  expect(packed).toMatch(/^#!\/bin\/bash\n/);
  const root = join(makeFolder(), "ghr");
  expect(bash(root, "-c", packed)).toBe("it ran in bash yes\n");
  expect(existsSync(root)).toBe(false);
});

test("fails with the length and the limit when it is too long even so", () => {
  const script = `#!/bin/bash\necho ${randomBytes(4000).toString("hex")}\n`;
  expect(() => packOnstart(script, UNPACKER)).toThrow(/has \d{4} characters when packed; the service takes 4048/);
});

test.each(["bootstrap", "unpack", "runners", "work", "figures"])("leaves the script %s the same program", (name) => {
  const readByBash = (text: string) => bash("/nowhere", "-c", `whole() {\n${text}\n}\ndeclare -f whole`);
  const script = textOf(`onstart/${name}.sh`);
  expect(readByBash(stripScript(script))).toBe(readByBash(script));
  expect(stripScript(script).length).toBeLessThan(script.length);
});

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** `.ci/run` runs the demo itself, in the plain world and in a bad one; this is its refusals. */
test.each([
  ["--scenario", "nowhere.json", "--scenario nowhere.json can't be used: ENOENT"],
  ["--scenario", "package.json", "--scenario package.json can't be used: "],
  ["--secnario", "x.json", "Unknown option '--secnario'"],
])("%s %s: one sentence, exit code 2, nothing rented", async (option, file, sentence) => {
  const { code, stdout, stderr } = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, ["simulator/demo.ts", option, file], { cwd: ROOT }, (fault, stdout, stderr) =>
      resolve({ code: fault?.code, stdout, stderr }),
    );
  });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain("    at ");
});
